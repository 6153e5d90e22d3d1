package repeat

import (
	"bytes"
	"math/bits"
)

const (
	// chunk is how many bytes are taken in before the window moves.
	chunk = 1 << 15
	// origin is the internal offset of a stream's first byte: so large that a head of 0 is out of
	// the window. It is a multiple of block.
	origin = block << 16
)

// Detector finds repeats in one stream. Make one with New.
type Detector struct {
	word      int   // bytes that must be there again, a multiple of 8
	maxPeriod int   // bytes
	ageAfter  int64 // bytes between two calls of index.age: maxPeriod, rounded up to whole blocks

	buf  []byte // the window, as far as it is filled
	base int64  // offset of its first byte, a multiple of block
	n    int    // bytes in it
	at   int    // where the next word to look up or enter begins
	end  int    // where the last repeat ends, or 0

	period   int   // of the repeat that reaches up to n, 0 if there is none
	latest   int   // period of the latest repeat, 0 if there was none
	later    bool  // it is not the first one
	first    Match // Offset counts from the start of the stream
	repeated int64

	index   index
	nextAge int64
	hashes  [8]struct { // of the latest words that were searched, by their offsets modulo 8
		offset int64
		hash   uint64
	}
}

// New returns a detector of repeats of minMatch bytes or more; see MinMatch.
func New(minMatch int) *Detector { return newDetector(minMatch, MaxPeriod) }

// newDetector returns a detector with a window of at most MaxPeriod.
func newDetector(minMatch, maxPeriod int) *Detector {
	word := max(8, (minMatch+7)/8*8)
	d := &Detector{
		word:      word,
		maxPeriod: maxPeriod,
		ageAfter:  int64((maxPeriod + block - 1) / block * block),
		buf:       make([]byte, margin(maxPeriod)+word+chunk),
	}
	d.Reset()
	return d
}

// margin returns how many bytes before the next word must be at hand: those of the longest period,
// and those by which a repeat may have begun before the word that shows it.
func margin(maxPeriod int) int { return maxPeriod + block }

// Reset forgets everything, and clears the window: a new stream begins.
func (d *Detector) Reset() {
	clear(d.buf)
	d.base, d.n, d.at, d.end = origin, 0, 0, 0
	d.period, d.latest, d.later, d.first, d.repeated = 0, 0, false, Match{}, 0
	d.index.reset(d.word)
	d.nextAge = origin
	clear(d.hashes[:])
}

// Reach returns how many bytes of a repeat it takes at most to find it.
func (d *Detector) Reach() int { return d.word + block - 1 }

// Repeated returns how many bytes of the stream are known to be repeats.
func (d *Detector) Repeated() int64 { return d.repeated }

// First returns the first repeat. It gets longer while the stream goes on with the same period.
func (d *Detector) First() (Match, bool) { return d.first, d.first.Period != 0 }

// Latest returns the period in bytes of the latest repeat, 0 if there was none.
func (d *Detector) Latest() int { return d.latest }

// Scan takes in the next bytes of the stream, and returns how many more bytes are now known to be
// repeats. They are among these bytes and the Reach()-1 before them, since a repeat shows only
// after some bytes.
func (d *Detector) Scan(p []byte) int {
	before := d.repeated
	for len(p) > 0 {
		if d.n == len(d.buf) {
			d.slide()
		}
		n := copy(d.buf[d.n:], p)
		d.n += n
		p = p[n:]
		d.follow()
		d.search()
	}
	return int(d.repeated - before)
}

// slide makes room in the window.
func (d *Detector) slide() {
	gone := (d.at - margin(d.maxPeriod)) / block * block
	copy(d.buf, d.buf[gone:d.n])
	d.base += int64(gone)
	d.n -= gone
	d.at -= gone
	d.end = max(0, d.end-gone)
}

// found takes note that the word at q equals the one that many bytes earlier.
func (d *Detector) found(q, period int) {
	// The words at a shorter period may not have been entered. One of its first stride multiples was.
	word := d.buf[q : q+d.word]
	for n := stride; n > 1; n-- {
		if p := q - period/n; period%n == 0 && bytes.Equal(d.buf[p:p+d.word], word) {
			period /= n
			break
		}
	}
	start := q
	for start > max(d.end, period) && d.buf[start-1] == d.buf[start-1-period] {
		start--
	}
	d.period, d.latest = period, period
	d.later = d.first.Period != 0
	if !d.later {
		d.first = Match{Offset: d.base + int64(start) - origin, Period: period}
	}
	d.end = max(d.end, start)
	d.follow()
}

// follow counts the bytes in which the current repeat goes on.
func (d *Detector) follow() {
	if d.period == 0 {
		return
	}
	fresh := d.buf[d.end:d.n]
	equal := commonPrefix(fresh, d.buf[d.end-d.period:])
	if equal < len(fresh) {
		d.period = 0
	}
	d.end += equal
	d.repeated += int64(equal)
	if !d.later {
		d.first.Length += int64(equal)
	}
}

// commonPrefix returns how many bytes at the start of a are those at the start of b, which is not
// shorter.
func commonPrefix(a, b []byte) int {
	n := 0
	for ; n+8 <= len(a); n += 8 {
		if x := number(a[n:]) ^ number(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}
