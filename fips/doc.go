// Package fips tests blocks of random data with the five statistical tests that
// FIPS 140-2 (Change Notice 1, 2001-10-10), sections 4.9.1 and 4.9.2, prescribed:
// monobit, poker, runs, long run and continuous run.
//
// # Use
//
// A block is 2500 bytes, 20,000 bits. A [Tester] judges the blocks of one
// stream; its zero value is ready to use:
//
//	var t fips.Tester
//	t.Prime(first) // the 4 bytes before the first block, if there are any
//	if failed := t.Block(&block); failed != 0 {
//		log.Print(failed) // for example "monobit+runs"
//	}
//
// [Check] judges one block, [Measure] returns the statistics behind the verdict
// and [Limits.Judge] applies other limits to them. [Counts] of many blocks can be
// added up. Nothing here allocates, keeps a reference to a block or needs more
// than the standard library. A Tester is for one goroutine at a time; the
// functions are safe for concurrent use.
//
// # Order of bits and borders of blocks
//
// As in rngtest, the bits of a byte are taken from the most significant one
// down, its high nibble before its low one. Runs do not cross the border of a
// block: the first and the last run count with the length they have inside it.
// Only the continuous run test reaches over the border: the first 32-bit word of
// a block is compared with the last word of the block before it.
//
// # What a verdict means
//
// An ideal source fails about one block in 1258; see [ChanceAny]. One failed
// block therefore says nothing about a source, and a passed one says little: a
// counter passes all five tests. Change Notice 2 (2002-12-03) withdrew the
// statistical tests and FIPS 140-3 refers to SP 800-90B instead (package
// sp80090b). They remain what users of rngtest expect, and they find gross
// faults quickly. Passing is no evidence of entropy and no claim of conformance.
package fips
