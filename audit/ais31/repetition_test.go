package ais31

import (
	"slices"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// Faults that fail exactly one verdict of the attempt that begins at byte at.
func plantT0(data []byte, at int64) { copy(data[at+6*1000:], data[at:at+6]) }

func plantT4(data []byte, at int64) {
	fipstest.SetRun(data[at+wordsT0*wordBytesT0:], 5*20000+777, 34, 1)
}

func plantT6a(data []byte, at int64) {
	for i := range 4000 {
		fipstest.SetBit(data[at:], 25*i, 1) // half of these are one already
		fipstest.SetBit(data[at:], 25*i+1, 1)
	}
}

func TestRepetition(t *testing.T) {
	clean := good(MaxBytes)()
	b := BytesA + run(t, clean).B.Attempts[0].Bytes // end of the first attempts
	b2 := b + BytesA                                // B again, after A again
	type plant struct {
		fault func(data []byte, at int64)
		at    int64
	}
	for i, tt := range []struct {
		name   string
		plants []plant
		bytes  int64 // of data; 0 stands for all
		a, b   Verdict
		tries  [2]int
		needed int64
	}{
		{"no failure", nil, 0, Pass, Pass, [2]int{1, 1}, 0},
		{"one in A", []plant{{plantT0, 0}}, 0, Pass, Pass, [2]int{2, 1}, 0},
		{"another in A", []plant{{plantT4, 0}}, 0, Pass, Pass, [2]int{2, 1}, 0},
		{"two in A", []plant{{plantT0, 0}, {plantT4, 0}}, 0, Fail, Pass, [2]int{1, 1}, 0},
		{"two of one test", []plant{{plantT4, 0}, {plantT4, 2500}}, 0, Fail, Pass, [2]int{1, 1}, 0},
		{"one in A, one in its repetition", []plant{{plantT0, 0}, {plantT0, b}}, 0, Fail, Pass, [2]int{2, 1}, 0},
		{"one in B", []plant{{plantT6a, BytesA}}, 0, Pass, Pass, [2]int{1, 2}, 0},
		{"one in B, one in its repetition", []plant{{plantT6a, BytesA}, {plantT6a, b}}, 0, Pass, Fail, [2]int{1, 2}, 0},
		{"one in each", []plant{{plantT0, 0}, {plantT6a, BytesA}}, 0, Pass, Pass, [2]int{2, 2}, 0},
		{"one in each, one in B again", []plant{{plantT0, 0}, {plantT6a, BytesA}, {plantT6a, b2}}, 0, Pass, Fail, [2]int{2, 2}, 0},
		{"no data for A", []plant{{plantT0, 0}}, b + BytesA - 1, Insufficient, Pass, [2]int{1, 1}, b + BytesA},
		{"just enough for A", []plant{{plantT0, 0}}, b + BytesA, Pass, Pass, [2]int{2, 1}, 0},
		{"no data for B", []plant{{plantT6a, BytesA}}, b + MinBytesB, Pass, Insufficient, [2]int{1, 1}, b + MaxBytesB},
		{"no data for A and B", []plant{{plantT0, 0}, {plantT6a, BytesA}}, b, Insufficient, Insufficient, [2]int{1, 1}, b2 + MaxBytesB},
		{"data for A only", []plant{{plantT0, 0}, {plantT6a, BytesA}}, b2 + 1000, Pass, Insufficient, [2]int{2, 1}, b2 + MaxBytesB},
		{"A failed, no data for B", []plant{{plantT0, 0}, {plantT4, 0}, {plantT6a, BytesA}}, b, Fail, Insufficient, [2]int{1, 1}, b + MaxBytesB},
	} {
		t.Run(tt.name, func(t *testing.T) {
			someOf(t, i)
			data := slices.Clone(clean)
			for _, p := range tt.plants {
				p.fault(data, p.at)
			}
			all := data
			if tt.bytes > 0 {
				data = data[:tt.bytes]
			}
			r := run(t, data)
			want := Pass
			if tt.a == Fail || tt.b == Fail {
				want = Fail
			} else if tt.a == Insufficient || tt.b == Insufficient {
				want = Insufficient
			}
			if r.A.Verdict != tt.a || r.B.Verdict != tt.b || r.Verdict != want {
				t.Errorf("A %s, B %s: %s; want %s, %s: %s", r.A.Verdict, r.B.Verdict, r.Verdict, tt.a, tt.b, want)
			}
			if got := [2]int{len(r.A.Attempts), len(r.B.Attempts)}; got != tt.tries || r.Needed != tt.needed {
				t.Errorf("attempts %v, %d bytes needed, want %v and %d", got, r.Needed, tt.tries, tt.needed)
			}
			if tt.needed > 0 {
				if r = run(t, all[:tt.needed]); r.Needed != 0 || r.A.Verdict == Insufficient || r.B.Verdict == Insufficient {
					t.Errorf("with the %d bytes: A %s, B %s, %d needed", tt.needed, r.A.Verdict, r.B.Verdict, r.Needed)
				}
			}
		})
	}
}
