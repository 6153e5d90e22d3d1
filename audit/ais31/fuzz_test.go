package ais31

import (
	"encoding/json"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// FuzzRun: no data makes Run panic, or its result incoherent or impossible to encode. The data is
// a part of a good stream, then a piece repeated.
func FuzzRun(f *testing.F) {
	f.Add([]byte{0}, uint32(0), uint32(0))
	f.Add([]byte{0xFF}, uint32(0), uint32(FirstBytes-MinBytes))
	f.Add([]byte{0x55}, uint32(BytesA), uint32(FirstBytes-MinBytes))
	f.Add([]byte{0x12, 0x34, 0x56, 0x78, 0x9A}, uint32(1<<20), uint32(1<<20))
	clean := good(MaxBytes)()
	f.Fuzz(func(t *testing.T, piece []byte, keep, size uint32) {
		data := make([]byte, MinBytes-1+int(size)%(MaxBytes-MinBytes))
		n := copy(data, clean[:int(keep)%MaxBytes])
		for n < len(data) && len(piece) > 0 {
			n += copy(data[n:], piece)
		}
		if _, err := Run(data); err != nil {
			if len(data) >= FirstBytes {
				t.Errorf("%d bytes: %v", len(data), err)
			}
			return
		}
		r := run(t, data)
		if (r.Needed > 0) != (r.A.Verdict == Insufficient || r.B.Verdict == Insufficient) || r.Needed > MaxBytes {
			t.Errorf("A %s, B %s, %d bytes needed", r.A.Verdict, r.B.Verdict, r.Needed)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	})
}

// FuzzWorstShift compares with the oracle on halves that are pieces repeated.
func FuzzWorstShift(f *testing.F) {
	f.Add([]byte{0}, []byte{0})
	f.Add([]byte{0x55}, []byte{0x80, 0, 0})
	f.Add([]byte("some text"), []byte("another one, longer"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		if len(first) == 0 || len(second) == 0 {
			return
		}
		var block [sequenceBytes]byte
		for i := range sequenceBytes / 2 {
			block[i] = first[i%len(first)]
			block[sequenceBytes/2+i] = second[i%len(second)]
		}
		by, z := oracleShift(block[:])
		if got := worstShift(&block); got.by != by || got.z != z {
			t.Errorf("%d bits differ at %d, want %d at %d", got.z, got.by, z, by)
		}
	})
}

// FuzzReader compares with bit by bit reading.
func FuzzReader(f *testing.F) {
	f.Add([]byte{0x80, 1}, []byte{1, 7, 8})
	f.Add([]byte{0xA5, 0x5A, 0xFF}, []byte{3, 3, 3, 3, 3, 3, 3, 3})
	f.Fuzz(func(t *testing.T, data, sizes []byte) {
		in := &reader{data: data}
		at := 0
		for _, size := range sizes {
			n := int(size)%8 + 1
			want, short := 0, at+n > 8*len(data)
			if !short {
				for i := range n {
					want = 2*want + int(fipstest.Bit(data, at+i))
				}
				at += n
			}
			if got := in.take(n); got != want || in.at != int64(at) || short && !in.short {
				t.Fatalf("%d bits: %b at %d, short %v; want %b at %d, %v", n, got, in.at, in.short, want, at, short)
			}
		}
	})
}
