package audit

import "encoding/binary"

// laneCounter counts the ones in each lane of a stream of 64-bit words.
//
// It adds sixteen words at a time with carry-save adders: fifteen of them turn sixteen bits of a lane,
// and what the adders have kept so far, into one carry of weight 16. Sixteen such carries are
// again words to be added, one level up.
type laneCounter struct {
	levels [laneLevels]laneLevel
	// overflow counts what no level holds, in units of 1<<(4*laneLevels), by place in a word.
	overflow [Lanes]int64
}

const (
	laneLevels = 4
	laneGroup  = 8 * 16 // bytes that are added at a time
)

// laneLevel counts words of one weight.
type laneLevel struct {
	planes  [4]uint64 // bits of weight 1, 2, 4 and 8 of 64 counters
	waiting [laneGroup]byte
	n       int // bytes waiting
}

// add adds a piece of a stream that begins at the given offset in it.
func (c *laneCounter) add(data []byte, offset int64) {
	bottom := &c.levels[0]
	if lead := int(offset % 8); lead != 0 {
		n := min(8-lead, len(data))
		c.push(0, partWord(data[:n], lead))
		data = data[n:]
	}
	for len(data) >= laneGroup {
		carry := addPlanes(&bottom.planes, (*[laneGroup]byte)(data))
		c.push(1, carry)
		data = data[laneGroup:]
	}
	for len(data) >= 8 {
		c.push(0, binary.LittleEndian.Uint64(data))
		data = data[8:]
	}
	if len(data) > 0 {
		c.push(0, partWord(data, 0))
	}
}

// partWord returns a word that has the bytes from the given place on and zeros elsewhere.
func partWord(data []byte, place int) uint64 {
	var word [8]byte
	copy(word[place:], data)
	return binary.LittleEndian.Uint64(word[:])
}

// push adds one word at a level.
func (c *laneCounter) push(level int, word uint64) {
	for ; level < laneLevels; level++ {
		l := &c.levels[level]
		binary.LittleEndian.PutUint64(l.waiting[l.n:], word)
		if l.n += 8; l.n < laneGroup {
			return
		}
		l.n = 0
		word = addPlanes(&l.planes, &l.waiting)
	}
	for i := range c.overflow {
		c.overflow[i] += int64(word >> i & 1)
	}
}

// addPlanes adds sixteen words to the planes and returns the carry.
func addPlanes(planes *[4]uint64, words *[laneGroup]byte) uint64 {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(words[8*i : 8*i+8]) }
	one, two, four, eight := planes[0], planes[1], planes[2], planes[3]

	one, twos0 := addBits(one, word(0), word(1))
	one, twos1 := addBits(one, word(2), word(3))
	two, fours0 := addBits(two, twos0, twos1)
	one, twos0 = addBits(one, word(4), word(5))
	one, twos1 = addBits(one, word(6), word(7))
	two, fours1 := addBits(two, twos0, twos1)
	four, eights0 := addBits(four, fours0, fours1)

	one, twos0 = addBits(one, word(8), word(9))
	one, twos1 = addBits(one, word(10), word(11))
	two, fours0 = addBits(two, twos0, twos1)
	one, twos0 = addBits(one, word(12), word(13))
	one, twos1 = addBits(one, word(14), word(15))
	two, fours1 = addBits(two, twos0, twos1)
	four, eights1 := addBits(four, fours0, fours1)

	eight, carry := addBits(eight, eights0, eights1)
	*planes = [4]uint64{one, two, four, eight}
	return carry
}

// addBits is 64 full adders.
func addBits(a, b, c uint64) (sum, carry uint64) {
	x := a ^ b
	return x ^ c, a&b | x&c
}

// addTo adds the ones of each lane to counts.
func (c *laneCounter) addTo(counts *[Lanes]int64) {
	add := func(word uint64, weight int64) {
		for place := range counts {
			counts[laneOf(place)] += int64(word>>place&1) * weight
		}
	}
	weight := int64(1)
	for i := range c.levels {
		l := &c.levels[i]
		for at := 0; at < l.n; at += 8 {
			add(binary.LittleEndian.Uint64(l.waiting[at:]), weight)
		}
		for _, plane := range l.planes {
			add(plane, weight)
			weight *= 2
		}
	}
	for place, n := range c.overflow {
		counts[laneOf(place)] += n * weight
	}
}

// laneOf returns the lane of a place in a word that was loaded with its first byte lowest: bytes
// keep their order, and the first bit of each is its highest.
func laneOf(place int) int { return place ^ 7 }
