// Package rngtest does what the program rngtest of rng-tools 6.17 does: the FIPS 140-2 tests of
// a stream, with that program's options, statistics and messages.
//
// # Use
//
// [Parse] reads the options, [Run] does the work:
//
//	opt, err := rngtest.Parse(args)
//	...
//	result := rngtest.Run(ctx, rngtest.Config{Options: opt, Input: os.Stdin, Messages: os.Stderr})
//
// # What is the same
//
// Every line but the banner, and when it is printed; what is counted; what of the input is read
// with BlockCount, to the byte; what is copied with Pipe. The first 4 bytes, the bootstrap word,
// only precede the first block in the continuous run test. With Pipe there are 4 more, which are
// read and forgotten. Both count as received, as does an unfinished block at the end.
//
// Four options have been in every rngtest from 2.3 of Debian's rng-tools-debian to 6.17 (-b, -c,
// -p, -t), beside help and version. Their numbers are read as 6.17 does, by C's %i; version 2.3
// took decimal ones only. The options -B and -T are those of rngd 2.3, no rngtest has them.
//
// # What differs
//
// Speeds are measured with a clock of nanoseconds, not microseconds, in which a fast machine tests
// a block in no time: rngtest then prints max=0.000 or avg=inf. What is shorter than this clock
// can tell counts as one nanosecond.
//
// Input is read in large pieces where that keeps nobody waiting. The input speed of a block is the
// time spent in reads since the block before, divided among the blocks that the last read brought.
//
// A stop is obeyed while a read or a write hangs. What a write that hangs has passed on by then is
// not known and not counted as sent.
//
// Input and output that have nothing ready (EAGAIN) are tried again after a pause, not at once.
package rngtest
