// Package ais31 runs the statistical test procedures A and B that the German BSI
// applies to physical random number generators.
//
// The source is W. Killmann and W. Schindler, "A proposal for: Functionality
// classes for random number generators", version 2.0 of 18 September 2011, the
// mathematical reference of AIS 20 and AIS 31, cited below as AIS 20/31. Its
// successor, version 3.0 of 2024, was not read and is not implemented.
//
// # Use
//
// [Run] is a pure function of the data:
//
//	result, err := ais31.Run(data)
//
// [FirstBytes] always suffice for each procedure once, [MaxBytes] for every case.
// With fewer it may turn out that a repetition is due for which there is no data:
// then the verdict is [Insufficient], and Result.Needed says how much to bring.
//
// # The tests
//
// Procedure A looks for gross faults: T0 once, then T1 to T5 on 257 sequences of
// 20,000 bits, 1286 verdicts in all. Procedure B is meant for the raw bits of a
// noise source: it allows a small bias and a small dependence on the bit before,
// and rejects any on bits before that; 9 verdicts.
//
//	T0   disjointness       no two of 65,536 words of 48 bits are equal
//	T1   monobit            as FIPS 140-1
//	T2   poker              as FIPS 140-1
//	T3   runs               as FIPS 140-1
//	T4   long run           as FIPS 140-1: no run of 34 bits or more
//	T5   autocorrelation    at the worst shift of the first half of the sequence
//	T6a  uniform distribution of single bits
//	T6b  uniform distribution: dependence on the bit before
//	T7a  homogeneity: dependence on the second bit before, 2 verdicts
//	T7b  homogeneity: dependence on the third bit before, 4 verdicts
//	T8   entropy by Coron's estimator
//
// A procedure is passed if all of its verdicts are. If exactly one fails, the
// whole procedure is repeated once, with fresh data, and must then pass without
// any failure. If more fail, it is failed. See [Procedure.Chance] for how rarely
// that happens to an ideal source.
//
// # Which bits go where
//
// Bits are taken in the order of the stream, the most significant one of a byte
// first, as everywhere in this module. Nothing is used twice:
//
//	procedure A     bytes 0 to 393,215 for T0, six a word; then 257 times 2500
//	procedure B     begins at byte BytesA: 100,000 bits for T6a, then pairs of
//	                bits for T6b, triples for T7a and quadruples for T7b, as many
//	                as these need, then 258,560 words of 8 bits for T8
//	A again         if due, from the next whole byte
//	B again         if due, from the next whole byte
//
// A step of T6b and T7 ends with the tuple that fills the last of its samples. A
// source that never fills one would be read for ever, which the document leaves
// open. Here a step ends at the latest after a quarter more tuples than an ideal
// source needs at least; a sample that is not full by then fails its verdict. With the
// bias and the dependence on the bit before that T6a and T6b allow, all are full
// in time.
//
// # Limits
//
// Each bit counts as an internal random number of its own. Where numbers are
// wider, an evaluator also tests their bit positions one by one: separate them
// first. Passing says that the gross faults looked for are absent: bytes that count
// up pass procedure B. It is no evaluation and no claim of conformance; AIS 20/31
// wants a stochastic model of the noise source besides.
package ais31
