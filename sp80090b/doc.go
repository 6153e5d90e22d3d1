// Package sp80090b has the continuous health tests of NIST SP 800-90B (January
// 2018), section 4.4: the repetition count test, [RCT], and the adaptive
// proportion test, [APT]. They watch the raw samples of a noise source, before
// any conditioning.
//
// # Use
//
//	rct, err := sp80090b.NewRCT(4.0, 30, 60) // 4 bits of min-entropy a sample
//	...
//	switch rct.Add(sample) {
//	case sp80090b.Intermittent: // drop the data, repeat the start-up test
//	case sp80090b.Permanent: // give up on the source
//	}
//
// Each test has two cutoffs. They follow from the claimed min-entropy H per sample
// and from [Alpha], the probability of a false alarm: a source that delivers
// exactly H, and no more, goes beyond the intermittent cutoff now and then, and
// beyond the permanent one practically never. Samples are bytes; a source of
// binary samples delivers 0 and 1.
//
// # When counting starts anew
//
// An alarm does not reset a test: the count goes on, so a fault that lasts beyond
// an intermittent alarm becomes a permanent one. The verdict belongs to the sample:
// RCT reports every sample from the one that reaches a cutoff to the end of the
// run of equal samples, and APT every sample to the end of its window. Counting
// starts anew with the next run or window, or by Reset. A caller that restarts its
// own start-up test after an intermittent alarm should not call Reset, or the
// permanent cutoff comes no nearer.
//
// # False alarms
//
// Alpha is a probability for each run (RCT) or window (APT) of samples, not for a
// unit of time. At alpha = 2^-20 and H = 8 even a perfect source raises an RCT
// alarm about every 16 MiB, so choose alpha with the rate of the source in mind.
//
// The tests find gross failures, stuck and strongly biased sources, and nothing
// else. A test value is for one goroutine at a time.
//
// # Estimates of min-entropy
//
// [Assess] estimates the min-entropy of recorded samples with the ten estimators of
// section 6.3, and [AssessRestarts] makes the restart tests of section 3.1.4; their
// results are those of NIST's own tool. [AssessLiteral] is for a few thousand samples
// of a source in use, fast enough to be repeated while it runs.
package sp80090b
