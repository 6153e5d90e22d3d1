package sp80090b

import "math/bits"

// leadWords is how many words of zero bits come before a bitString: the widest look
// back is the 4,095 bits of MultiMCW's largest window.
const leadWords = 64

// A bitString is a sequence of bits, 64 to a word, the first one on top. Zero bits
// before and after it save its readers the tests for both ends.
type bitString struct {
	words []uint64
	n     int // bits
}

// newBitString concatenates the low width bits of each sample, the highest first, as
// SP 800-90B section 3.1.3 has it.
func newBitString(samples []byte, width int) *bitString {
	b := new(bitString)
	b.pack(samples, width)
	return b
}

// pack replaces the bits of b, whose words must be zero, by those of samples.
func (b *bitString) pack(samples []byte, width int) {
	b.n = len(samples) * width
	b.words = resize(b.words, leadWords+(b.n+63)/64+2)
	packSymbols(b.words[leadWords:], samples, uint(width))
}

// at returns 64 bits from bit i on, -4096 <= i <= n.
func (b *bitString) at(i int) uint64 {
	return window(b.words, i+leadWords*64)
}

// blocks calls f for each 64 bits: with the number of the first one, the bits, and how
// many they are, which is 64 but for the last. It ends when f returns false.
func (b *bitString) blocks(f func(start int, x uint64, n int) bool) {
	for start := 0; start < b.n; start += 64 {
		if !f(start, b.words[leadWords+start>>6], min(64, b.n-start)) {
			return
		}
	}
}

// ones returns the number of one bits.
func (b *bitString) ones() int {
	ones := 0
	for _, x := range b.words {
		ones += bits.OnesCount64(x)
	}
	return ones
}

// window returns the 64 bits of packed words from bit i on. There must be a word after
// the one that holds bit i.
func window(words []uint64, i int) uint64 {
	w := words[i>>6:]
	s := uint(i) & 63
	return w[0]<<s | w[1]>>1>>(63-s)
}

// packSymbols packs the low width bits of each symbol into dst, which must be zero.
func packSymbols(dst []uint64, symbols []byte, width uint) {
	var word uint64
	mask := byte(1)<<width - 1
	i, room := 0, uint(64)
	for _, s := range symbols {
		x := uint64(s & mask)
		if width < room {
			room -= width
			word |= x << room
			continue
		}
		over := width - room // bits that go into the next word
		dst[i] = word | x>>over
		i++
		room = 64 - over
		word = x << room // a shift by 64 leaves nothing
	}
	if room < 64 {
		dst[i] = word
	}
}
