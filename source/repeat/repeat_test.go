package repeat

import (
	"math"
	"reflect"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/sp80090b"
)

func TestMinMatch(t *testing.T) {
	for _, test := range []struct {
		alpha sp80090b.Alpha
		h     float64
		want  int
	}{
		{60, 8, 10}, // 76 / 8 = 9.5
		{60, 4, 19},
		{60, 1, 76},
		{60, 0.125, 608},
		{112, 8, 16},
		{40, 8, 7},
		{30, 1, 46},
		{54, 1.4, 50}, // exactly 50, although 1.4 is not exact
		{240, 8, 32},
		{1, 8, 3},
	} {
		got := MinMatch(test.alpha, test.h)
		if got != test.want {
			t.Errorf("alpha 2^-%d, h %v: got %d, want %d", test.alpha, test.h, got, test.want)
		}
		chance := func(l int) float64 { return math.Log2(MaxPeriod) - test.h*float64(l) }
		if limit := -float64(test.alpha); chance(got) > limit+1e-9 || chance(got-1) <= limit+1e-9 {
			t.Errorf("alpha 2^-%d, h %v: %d bytes have 2^%.3f, %d have 2^%.3f", test.alpha, test.h, got, chance(got), got-1, chance(got-1))
		}
	}
	for _, test := range []struct {
		alpha sp80090b.Alpha
		h     float64
	}{{60, 0}, {60, 8.1}, {60, math.NaN()}, {sp80090b.MaxAlpha - 15, 8}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("alpha 2^-%d, h %v: no panic", test.alpha, test.h)
				}
			}()
			MinMatch(test.alpha, test.h)
		}()
	}
}

// TestStatic feeds data that repeats from the start: all but its first period counts.
func TestStatic(t *testing.T) {
	periods := []int{1000, 4095, 4096, 4097, 10007, 32768, 43689, 65520, 65535, MaxPeriod}
	for period := 1; period <= 260; period++ {
		periods = append(periods, period)
	}
	for _, minMatch := range []int{8, 16, 76, 600} {
		d := New(minMatch)
		for _, period := range periods {
			d.Reset()
			data := cycle(6, period, period+3000)
			known := period + d.Reach()
			d.Scan(data[:known])
			if got := d.Repeated(); got != int64(known-period) {
				t.Errorf("minMatch %d, period %d: after %d bytes %d are known to repeat", minMatch, period, known, got)
			}
			d.Scan(data[known:])
			want := result{3000, Match{int64(period), period, 3000}, true}
			if got := resultOf(d); got != want {
				t.Errorf("minMatch %d, period %d: got %+v, want %+v", minMatch, period, got, want)
			}
		}
	}
}

// TestMaxPeriod has the same data come again after MaxPeriod bytes, and after one byte more,
// wherever it starts: also where the window moves.
func TestMaxPeriod(t *testing.T) {
	step := 997
	if race || testing.Short() {
		step = 9973
	}
	d := New(16)
	for at := 0; at < 100_000; at += step {
		data := noise(7, at+MaxPeriod+1)
		for _, period := range []int{MaxPeriod - 1, MaxPeriod, MaxPeriod + 1} {
			d.Reset()
			d.Scan(data[:at+period])
			d.Scan(data[at : at+d.Reach()])
			first, found := d.First()
			if want := period <= MaxPeriod; found != want || found && first.Period != period {
				t.Errorf("period %d at %d: found %v, %+v", period, at, found, first)
			}
		}
	}
	d.Reset()
	d.Scan(cycle(8, MaxPeriod+1, 1_000_000))
	if d.Repeated() != 0 {
		t.Errorf("period %d: %+v", MaxPeriod+1, resultOf(d))
	}
}

// TestOnset has a good stream turn bad at each of many offsets.
func TestOnset(t *testing.T) {
	onsets := []int{MaxPeriod, 65568, 131136, 160000, 200000}
	for onset := 300; onset < 300+2*block; onset++ {
		onsets = append(onsets, onset)
	}
	good := noise(9, 200_000)
	d := New(16)
	for _, onset := range onsets {
		for _, period := range []int{1, 2, 3, 4, 7, 8, 16, 32, 64, 100, 299} {
			d.Reset()
			d.Scan(good[:onset])
			d.Scan(good[onset-period : onset])
			bad := good[onset-period : onset]
			for sent := 0; sent < 2000; sent += period {
				d.Scan(bad)
			}
			first, _ := d.First()
			// The byte before may be equal by chance.
			if early := int64(onset) - first.Offset; early < 0 || early > 2 || first.Period != period || d.Repeated() != first.Length || first.Length < 2000+early {
				t.Errorf("period %d from %d on: %+v, %d in all", period, onset, first, d.Repeated())
			}
		}
	}
}

// TestField feeds what broken generators deliver.
func TestField(t *testing.T) {
	good := fipstest.G1(40)
	n := int64(len(good))
	for _, test := range []struct {
		name     string
		data     []byte
		repeated int64
		first    Match
	}{
		{"good", good, 0, Match{}},
		{"stuck at ones", fipstest.G10(40), n - 1, Match{1, 1, n - 1}},
		{"dies", fipstest.G11(20, 40), 20*2500 - 1, Match{20*2500 + 5, 1, 20*2500 - 1}},
		{"static 16 bytes", fipstest.G12(16, 40), n - 16, Match{16, 16, n - 16}},
		{"static 64 bytes", fipstest.G12(64, 40), n - 64, Match{64, 64, n - 64}},
		{"gap of zeros", fipstest.G16(), 4095, Match{100001, 1, 4095}},
		{"counter", fipstest.G26(40), n - 256, Match{256, 256, n - 256}},
		{"buffer delivered twice", join(good[:30000], good[30000-4096:]), 4096, Match{30000, 4096, 4096}},
		{"64 bytes of the last read in the next", join(good[:30000], good[30000-64:]), 64, Match{30000, 64, 64}},
		{"the same firmware seed at each start", join(good[:20000], good[:20000], good[:20000]), 40000, Match{20000, 20000, 40000}},
	} {
		d := New(16)
		d.Scan(test.data)
		first, found := d.First()
		if d.Repeated() != test.repeated || first != test.first || found != (test.repeated > 0) {
			t.Errorf("%s: %d bytes repeat, first %+v (%v), want %d, %+v", test.name, d.Repeated(), first, found, test.repeated, test.first)
		}
	}
}

// TestFarOffsets runs a stream as if terabytes had gone before.
func TestFarOffsets(t *testing.T) {
	data := join(noise(10, 200_000), cycle(11, 777, 5000), noise(12, 100_000), cycle(13, 50_001, 140_000))
	near := New(16)
	near.Scan(data)
	want := resultOf(near)
	for _, far := range []int64{1 << 31, 1 << 32, 1 << 35, 1 << 36, 1 << 52} {
		far = far/block*block - 20*block
		d := New(16)
		d.base += far
		d.nextAge += far
		d.Scan(data)
		got := resultOf(d)
		got.first.Offset -= far
		if got != want || want.repeated == 0 {
			t.Errorf("offset %d: got %+v, want %+v", far, got, want)
		}
	}
}

func TestReset(t *testing.T) {
	d := New(16)
	good := noise(14, 100_000)
	d.Scan(join(good, good[90_000:]))
	if d.Repeated() == 0 {
		t.Fatal("no repeat")
	}
	d.Reset()
	if d.Scan(good); resultOf(d) != (result{}) {
		t.Errorf("after Reset: %+v", resultOf(d))
	}
	d.Reset()
	for i, b := range d.buf {
		if b != 0 {
			t.Fatalf("byte %d of the window is still there after Reset", i)
		}
	}
}

func TestAllocations(t *testing.T) {
	data := join(noise(15, 100_000), cycle(16, 300, 100_000))
	d := New(16)
	if n := testing.AllocsPerRun(3, func() { d.Scan(data); d.Reset() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if size := int(reflect.TypeFor[Detector]().Size()) + len(d.buf); size > 220<<10 {
		t.Errorf("a detector has %d bytes", size)
	}
}
