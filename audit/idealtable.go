package audit

// idealRow has what the estimators of SP 800-90B (January 2018) section 6.3 make of so many 8-bit samples
// of an ideal source.
type idealRow struct {
	samples int
	sets    int // of so many samples, that were simulated
	ranges  []Reference
}

// idealTable was simulated: the sets are those of idealSamples in the tests, which recompute it. From
// the values of an estimate, in order, a hundredth of the sets is left out at either end for Low and High.
// Figures are rounded away from the middle.
//
// It is made by: go test ./audit -run IdealTable -ideal -timeout 2h -v
var idealTable = []idealRow{
	{10_000, 10_000, []Reference{
		{OnSamples, "Most Common Value", 6.6180, 6.8471, 7.1238},
		{OnSamples, "t-Tuple", 6.6180, 6.8471, 7.1238},
		{OnSamples, "LRS", 6.0893, 6.0893, 7.5496},
		{OnSamples, "MultiMCW", 4.9669, 6.6334, 8.0000},
		{OnSamples, "Lag", 4.9692, 6.6364, 8.0000},
		{OnSamples, "MultiMMC", 4.9692, 6.6363, 8.0000},
		{OnSamples, "LZ78Y", 4.9686, 6.6356, 8.0000},
		{OnBits, "Most Common Value", 0.9684, 0.9741, 0.9869},
		{OnBits, "Collision", 0.7523, 0.7796, 0.9429},
		{OnBits, "Markov", 0.9731, 0.9816, 0.9994},
		{OnBits, "Compression", 0.6591, 0.6879, 0.9251},
		{OnBits, "t-Tuple", 0.8318, 0.8901, 0.9334},
		{OnBits, "LRS", 0.6845, 0.8375, 0.9875},
		{OnBits, "MultiMCW", 0.7452, 0.9709, 0.9988},
		{OnBits, "Lag", 0.6947, 0.9721, 0.9990},
		{OnBits, "MultiMMC", 0.7453, 0.9715, 0.9989},
		{OnBits, "LZ78Y", 0.7733, 0.9703, 0.9988},
		{"", Assessed, 4.9669, 5.4850, 6.7442},
	}},
	{100_000, 4_000, []Reference{
		{OnSamples, "Most Common Value", 7.5285, 7.5715, 7.6834},
		{OnSamples, "t-Tuple", 7.5285, 7.5715, 7.6834},
		{OnSamples, "LRS", 5.2970, 7.3259, 7.8285},
		{OnSamples, "MultiMCW", 5.8048, 7.6482, 7.9525},
		{OnSamples, "Lag", 5.8050, 7.6491, 7.9496},
		{OnSamples, "MultiMMC", 5.8050, 7.6430, 7.9611},
		{OnSamples, "LZ78Y", 5.8049, 7.6458, 7.9647},
		{OnBits, "Most Common Value", 0.9897, 0.9916, 0.9959},
		{OnBits, "Collision", 0.8537, 0.8716, 0.9662},
		{OnBits, "Markov", 0.9916, 0.9941, 0.9998},
		{OnBits, "Compression", 0.7809, 0.7963, 0.9516},
		{OnBits, "t-Tuple", 0.8746, 0.9011, 0.9394},
		{OnBits, "LRS", 0.7409, 0.8823, 0.9960},
		{OnBits, "MultiMCW", 0.8072, 0.9698, 0.9996},
		{OnBits, "Lag", 0.8072, 0.9698, 0.9997},
		{OnBits, "MultiMMC", 0.8072, 0.9698, 0.9996},
		{OnBits, "LZ78Y", 0.8353, 0.9698, 0.9995},
		{"", Assessed, 5.2970, 5.8049, 7.3000},
	}},
	{1_000_000, 1_000, []Reference{
		{OnSamples, "Most Common Value", 7.8392, 7.8565, 7.8943},
		{OnSamples, "t-Tuple", 7.2589, 7.2769, 7.8925},
		{OnSamples, "LRS", 6.4427, 7.5223, 7.9459},
		{OnSamples, "MultiMCW", 6.6383, 6.6383, 7.9931},
		{OnSamples, "Lag", 6.6384, 6.6384, 7.9951},
		{OnSamples, "MultiMMC", 6.6384, 6.6384, 7.9955},
		{OnSamples, "LZ78Y", 6.6383, 6.6383, 7.9958},
		{OnBits, "Most Common Value", 0.9969, 0.9973, 0.9987},
		{OnBits, "Collision", 0.9145, 0.9264, 0.9805},
		{OnBits, "Markov", 0.9977, 0.9981, 1.0000},
		{OnBits, "Compression", 0.8660, 0.8731, 0.9813},
		{OnBits, "t-Tuple", 0.9200, 0.9237, 0.9358},
		{OnBits, "LRS", 0.8264, 0.8939, 0.9988},
		{OnBits, "MultiMCW", 0.8889, 0.9845, 0.9999},
		{OnBits, "Lag", 0.8347, 0.9845, 0.9998},
		{OnBits, "MultiMMC", 0.8610, 0.9845, 0.9999},
		{OnBits, "LZ78Y", 0.8610, 0.9505, 0.9999},
		{"", Assessed, 6.4427, 6.6383, 7.4561},
	}},
}
