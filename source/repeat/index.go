package repeat

import (
	"encoding/binary"
	"math/bits"
)

// A word at q that repeats with the period d equals the word at q-d. Every 16th word is entered
// into an index, and 16 words in a row of every 48 are looked up: those at 1 to 16. So for each d
// there is one among them whose place less d is one of those entered. These 19 operations for 48
// bytes, where one word in 48 entered and all looked up would be 49, keep the detector fast.
const (
	stride = 16 // one word in so many is entered
	block  = 48 // stride words in so many are looked up
)

const (
	filterBits = 13
	headBits   = 12
	entries    = MaxPeriod / stride
	// none is a link that leads out of the window.
	none = 1<<16 - 1
	// multiplier is 2^64 divided by the golden ratio, an odd number without visible pattern.
	multiplier = 0x9E3779B97F4A7C15
)

// index has the places of the words that were entered during the last MaxPeriod bytes, as ordinal
// numbers: offsets divided by stride.
//
// A word is a row of n numbers of 8 bytes. Its hash is the sum of the i-th number, from 0, times
// multiplier^(n-i), modulo 2^64: on to the next number it takes one multiplication. A head leads to
// the latest word with the same upper bits of the hash, links from there to the earlier ones. The
// hash is over all of the word, so words that share a head are equal, mostly, and of equal words
// the latest serves: a search compares one or two words on average, whatever the data.
//
// Most searches do not even begin. A filter tells of nearly all words of random data that none
// with the same first 8 bytes was entered: each clears 4 of 32 bits. Such bits cannot be taken back
// one by one. So each number of the filter has two sets of 32, both of which get all words. The
// lower one is asked; when it has grown old, the upper one takes its place and a fresh one begins.
type index struct {
	filter [1 << filterBits]uint64
	heads  [1 << headBits]uint64 // place of the latest word
	links  [entries]uint16       // how far it is to the word before with the same head
	power  uint64                // multiplier^(n+1), with which a number leaves the hash
	hash   uint64                // of the latest word
	out    uint64                // its first number times power
}

// patterns are the bits of the filter that a word clears, in both halves.
var patterns = func() (p [256]uint64) {
	noise := uint64(0)
	for i := range p {
		for bits.OnesCount64(p[i]) < 2*4 {
			noise = noise*multiplier + 1
			p[i] |= (1<<32 | 1) << (noise >> 59)
		}
	}
	return p
}()

// reset empties the index, for words of the given number of bytes.
func (x *index) reset(word int) {
	for i := range x.filter {
		x.filter[i] = 1<<64 - 1
	}
	clear(x.heads[:])
	x.power = multiplier
	for range word / 8 {
		x.power *= multiplier
	}
	x.hash, x.out = 0, 0
}

// number returns the first 8 bytes of b.
func number(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// hashOf returns the hash of b.
func hashOf(b []byte) (hash uint64) {
	for ; len(b) > 0; b = b[8:] {
		hash = (hash + number(b)) * multiplier
	}
	return hash
}

// mayHold tells whether there may be a word whose first number times power is key.
func (x *index) mayHold(key uint64) bool {
	return uint32(x.filter[key>>(64-filterBits)])&uint32(patterns[byte(key)]) == 0
}

// enter enters a word with its place, its first number times power, and its hash.
func (x *index) enter(place, key, hash uint64) {
	x.filter[key>>(64-filterBits)] &^= patterns[byte(key)]
	head := &x.heads[hash>>(64-headBits)]
	x.links[place%entries] = uint16(min(place-*head, none))
	*head = place
}

// age makes the filter forget what was entered before the last call. Called each time MaxPeriod
// bytes or more have gone by, it leaves what is still in the window.
func (x *index) age() {
	for i := range x.filter {
		x.filter[i] = x.filter[i]>>32 | (1<<32-1)<<32
	}
}
