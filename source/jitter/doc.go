// Package jitter is a noise source for machines that have none: the time that memory accesses take. It
// walks over a buffer that no near cache can hold, reads the clock after every few touches, and takes
// the low 8 bits of the number of clock ticks that went by as one sample.
//
// # What is delivered
//
// [Source.Read] delivers conditioned bytes of full entropy. Each 64 are SHA-512 over as many samples
// as hold 512 + 64 bits by the claim: 1152 samples at 0.5 bits each. Half a bit is the most that is
// ever claimed, whatever is measured; an operator can ask for less.
//
// # What stands before the first byte
//
// A start-up test, in this order:
//
//   - The clock: its effective tick is found by reading it. A tick of more than 10 microseconds is
//     refused.
//   - The setting: buffer and touches a sample are tried from a short list until the noise has a
//     comfortable margin. The jitter of a sample must be at least one tick, after everything that a
//     linear predictor can tell has been taken out and at all of several time scales: what a coarse
//     clock shows of a regular process looks like entropy to most statistics and is none.
//   - The claim: the seven estimators of SP 800-90B section 6.3 for symbols must find at least twice
//     as much in 16,384 samples. Otherwise the claim goes down a ladder, 1/3, 1/5, 1/8, with more
//     samples for each block, and below that the source is refused.
//   - The health tests (section 4.4 and 4.5) on further 4096 samples.
//
// None of these samples become output.
//
// # What runs beside it
//
// RCT, APT and a lag test see every sample, with false-alarm probabilities of 2^-30 and 2^-60 at the
// claim. Every 2^18 samples or so the estimators judge another 16,384. A drift alarm notices a drop
// long before it matters. An alarm drops what was made, repeats the start-up test and lowers the
// claim for good; three alarms in 2^24 samples, one at 2^-60, or three failed start-up tests end the
// source until the process restarts.
//
// # Limits
//
// Tests can show that there is too little noise, never that there is enough: a sequence made by a
// cipher passes them all, and so does a regular process that is intricate enough not to repeat within
// the start-up test. That the timing of memory holds what is claimed is an assumption about the machine;
// the margin is there because it is one. Emulated machines have no jitter of their own. Branches that
// depend on data, and other work with times that follow from its data, would raise the estimates and
// not the entropy; the loop has none.
//
// Samples are cleared after use as far as this package holds them; what estimators leave behind in
// memory is the garbage collector's.
//
// [Sampler] makes raw samples for an assessment on the machine in question, and [Replay] puts
// recorded ones through the same rules.
package jitter
