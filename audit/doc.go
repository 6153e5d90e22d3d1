// Package audit judges a stream of bytes that is meant to be uniformly random: what a
// hardware generator delivers after its own conditioning, a capture of it, a pipe.
//
// # Use
//
// A [Meter] takes the stream and counts. [Judge] turns its [Counters] into a [Report]: the
// five FIPS 140-2 block tests with the number of failures to expect, pooled statistics that
// see what counting failures cannot, repeated data, hints at the likely cause, and one verdict.
//
//	m := audit.NewMeter(audit.MeterOptions{})
//	_, err := io.Copy(m, input)
//	report := audit.Judge(m.Finish(), audit.Rules{})
//
// # Verdict
//
// Every figure of a report has the probability that an ideal source shows one as extreme. All
// of them share one budget: a report fails when the smallest probability times the number of
// figures examined (Bonferroni) is below [Rules].Alpha, one in a million unless told otherwise.
// So an ideal source fails one audit in a million, however many figures there are. Below a
// hundred times that it is suspicious: look again with more data. Fewer than [MinBlocks]
// blocks, or fewer than were asked for, are insufficient and never pass.
//
// # Limits
//
// A pass says that the stream has none of the faults looked for. A generator with a secret of
// 128 bits passes for ever. Raw noise before conditioning fails rightly: it is assessed with
// sp80090b. Counters add up over runs and units; whatever does not is in [Trace].
package audit
