package audit

import (
	"bytes"
	"encoding/binary"

	"github.com/hwrngd/hwrngd/fips"
)

// rowBits tells which bits of rows of RowBytes were ever one, and which ever zero.
type rowBits struct {
	ones, zeros [RowBytes]byte
	// settled is set once every bit was both: nothing can change any more. A stream without
	// stuck bits gets there within a block.
	settled bool
}

// add looks at data that begins at the given offset of the stream.
func (r *rowBits) add(data []byte, offset int64) {
	for len(data) > 0 && !r.settled {
		n := min(fips.BlockBytes, len(data))
		r.addPart(data[:n], int(offset%RowBytes))
		data, offset = data[n:], offset+int64(n)
		all := []byte{0xFF}
		r.settled = bytes.Count(r.ones[:], all) == RowBytes && bytes.Count(r.zeros[:], all) == RowBytes
	}
}

// addPart looks at data that begins at a place in a row.
func (r *rowBits) addPart(data []byte, place int) {
	for len(data) > 0 {
		if place == 0 && len(data) >= RowBytes {
			r.addRow((*[RowBytes]byte)(data))
			data = data[RowBytes:]
			continue
		}
		r.ones[place] |= data[0]
		r.zeros[place] |= ^data[0]
		data, place = data[1:], (place+1)%RowBytes
	}
}

// addRow looks at a whole row.
func (r *rowBits) addRow(row *[RowBytes]byte) {
	for i := 0; i <= RowBytes-8; i += 8 {
		word := binary.LittleEndian.Uint64(row[i : i+8])
		ones, zeros := r.ones[i:i+8], r.zeros[i:i+8]
		binary.LittleEndian.PutUint64(ones, binary.LittleEndian.Uint64(ones)|word)
		binary.LittleEndian.PutUint64(zeros, binary.LittleEndian.Uint64(zeros)|^word)
	}
}

// addTo sets the rows of a run that has blocks.
func (r *rowBits) addTo(c *Counters) {
	c.Ever = r.ones
	for i, zeros := range r.zeros {
		c.Always[i] = ^zeros
	}
}
