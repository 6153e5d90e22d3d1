package fips

import "encoding/binary"

// A Tester judges the consecutive blocks of one stream. It carries the last
// 32-bit word of a block over to the next one, for the continuous run test. Its
// zero value is ready to use. Set it to Tester{} where the stream has a gap.
type Tester struct {
	prev   uint32
	primed bool
}

// Prime sets the word that precedes the first block. FIPS 140-2 (Change Notice
// 1) section 4.9.2 asks for it: the first word that a generator delivers is not
// used but kept for comparison with the next. Without it the first word of the
// first block has no predecessor, and passes.
func (t *Tester) Prime(word [4]byte) {
	t.prev = binary.BigEndian.Uint32(word[:])
	t.primed = true
}

// Block returns the tests that the next block of the stream fails, judged by
// FIPS1402.
func (t *Tester) Block(block *[BlockBytes]byte) Failure {
	var c Counts
	c.measure(block, t.chain(block))
	return FIPS1402.judge(&c)
}

// Measure returns the statistics of the next block of the stream.
func (t *Tester) Measure(block *[BlockBytes]byte) Counts {
	return Measure(block, t.chain(block))
}

// chain returns the word before the block and keeps the last one in it.
func (t *Tester) chain(block *[BlockBytes]byte) uint32 {
	prev := t.prev
	if !t.primed {
		prev = ^binary.BigEndian.Uint32(block[:]) // differs from the first word
	}
	t.prev = binary.BigEndian.Uint32(block[BlockBytes-4:])
	t.primed = true
	return prev
}
