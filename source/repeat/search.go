package repeat

import "bytes"

// search looks up and enters the words that are complete.
func (d *Detector) search() {
	if d.at == 0 && d.word <= d.n { // of the first word all but one number
		d.index.hash = hashOf(d.buf[:d.word-8])
	}
	for d.at+d.word <= d.n {
		if d.at%block == 0 && d.at+block-8+d.word <= d.n {
			d.blocks()
		} else {
			d.step()
		}
	}
}

// step looks up or enters the next word, or both, or neither.
func (d *Detector) step() {
	x := &d.index
	if d.base+int64(d.at) == d.nextAge {
		x.age()
		d.nextAge += d.ageAfter
	}
	key := number(d.buf[d.at:]) * x.power
	if r := d.at % block; r >= 1 && r <= stride && x.mayHold(key) {
		d.lookUp(d.at)
	}
	if d.at%8 == 0 {
		x.hash = (x.hash+number(d.buf[d.at+d.word-8:]))*multiplier - x.out
		x.out = key
	}
	if d.at%stride == 0 {
		x.enter(d.place(d.at), key, x.hash)
	}
	d.at++
}

// blocks does what step does, for all whole blocks.
func (d *Detector) blocks() {
	x := &d.index
	power, hash, out := x.power, x.hash, x.out
	buf, word, last := d.buf, d.word, d.n-d.word-(block-8)
	at := d.at
	for ; at <= last; at += block {
		if d.base+int64(at) == d.nextAge {
			x.age()
			d.nextAge += d.ageAfter
		}
		place := d.place(at)
		head, tail := (*[block]byte)(buf[at:]), (*[block]byte)(buf[at+word-8:])

		key := number(head[0:]) * power
		hash = (hash+number(tail[0:]))*multiplier - out
		x.enter(place, key, hash)
		out = key
		if at+stride+word > d.end && // else all are known to repeat
			(x.mayHold(number(head[1:])*power) ||
				x.mayHold(number(head[2:])*power) ||
				x.mayHold(number(head[3:])*power) ||
				x.mayHold(number(head[4:])*power) ||
				x.mayHold(number(head[5:])*power) ||
				x.mayHold(number(head[6:])*power) ||
				x.mayHold(number(head[7:])*power) ||
				x.mayHold(number(head[8:])*power) ||
				x.mayHold(number(head[9:])*power) ||
				x.mayHold(number(head[10:])*power) ||
				x.mayHold(number(head[11:])*power) ||
				x.mayHold(number(head[12:])*power) ||
				x.mayHold(number(head[13:])*power) ||
				x.mayHold(number(head[14:])*power) ||
				x.mayHold(number(head[15:])*power) ||
				x.mayHold(number(head[16:])*power)) {
			for q := at + 1; q <= at+stride; q++ {
				if x.mayHold(number(buf[q:]) * power) {
					d.lookUp(q)
				}
			}
		}
		key = number(head[8:]) * power
		hash = (hash+number(tail[8:]))*multiplier - out
		out = key

		key = number(head[16:]) * power
		hash = (hash+number(tail[16:]))*multiplier - out
		x.enter(place+1, key, hash)
		out = key
		key = number(head[24:]) * power
		hash = (hash+number(tail[24:]))*multiplier - out
		out = key

		key = number(head[32:]) * power
		hash = (hash+number(tail[32:]))*multiplier - out
		x.enter(place+2, key, hash)
		out = key
		key = number(head[40:]) * power
		hash = (hash+number(tail[40:]))*multiplier - out
		out = key
	}
	d.at = at
	x.hash, x.out = hash, out
}

// place returns the place of the last word up to q that is entered.
func (d *Detector) place(q int) uint64 { return uint64(d.base+int64(q)) / stride }

// lookUp looks for the nearest earlier word that equals the one at q, and follows the repeat.
func (d *Detector) lookUp(q int) {
	if q+d.word <= d.end {
		return // known to repeat
	}
	x := &d.index
	word := d.buf[q : q+d.word]
	place := d.place(q)
	back := place - x.heads[d.hashAt(q)>>(64-headBits)]
	for back <= entries {
		p := q - q%stride - stride*int(back)
		if q-p > d.maxPeriod {
			return
		}
		if number(d.buf[p:]) == number(word) && bytes.Equal(d.buf[p:p+d.word], word) {
			d.found(q, q-p)
			return
		}
		back += uint64(x.links[(place-back)%entries])
	}
}

// hashAt returns the hash of the word at q. Where many words in a row are looked up, it takes it
// from the one before, so that long words cost no more than short ones.
func (d *Detector) hashAt(q int) uint64 {
	offset := d.base + int64(q)
	near := &d.hashes[q%8]
	if gap := offset - near.offset; gap <= int64(min(d.word, d.maxPeriod)) {
		for at := q - int(gap); at < q; at += 8 {
			near.hash = (near.hash+number(d.buf[at+d.word:]))*multiplier - number(d.buf[at:])*d.index.power
		}
	} else {
		near.hash = hashOf(d.buf[q : q+d.word])
	}
	near.offset = offset
	return near.hash
}
