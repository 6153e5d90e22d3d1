package source_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/sp80090b"
)

func newGate(t testing.TB, info source.Info) (*source.Gate, *sourcetest.Recorder) {
	t.Helper()
	rec := &sourcetest.Recorder{}
	g, err := source.NewGate(info, rec)
	if err != nil {
		t.Fatal(err)
	}
	return g, rec
}

// outcome is what became of one block, or of an alarm.
type outcome struct {
	data  string // of a block that passed
	err   string
	alarm bool
}

// push puts data through the gate in pieces of the sizes that next returns.
func push(g *source.Gate, data []byte, next func() int) (all []outcome) {
	for len(data) > 0 {
		n := copy(g.Room(), data[:min(len(data), max(1, next()))])
		data = data[n:]
		block, err := g.Accept(n)
		switch {
		case err != nil:
			var alarm *source.AlarmError
			all = append(all, outcome{err: err.Error(), alarm: errors.As(err, &alarm)})
		case block != nil:
			all = append(all, outcome{data: string(block.Data[:])})
		}
	}
	return all
}

func whole() int { return fips.BlockBytes }

// TestGateGood passes good data on unchanged.
func TestGateGood(t *testing.T) {
	const blocks = 200
	info := sourcetest.Info()
	g, rec := newGate(t, info)
	data := fipstest.G1(blocks)[4:]
	all := push(g, data, whole)
	if len(all) != blocks {
		t.Fatalf("%d outcomes, want %d", len(all), blocks)
	}
	for i, o := range all {
		if o.data != string(data[i*fips.BlockBytes:][:fips.BlockBytes]) {
			t.Fatalf("block %d: %q", i, o.err)
		}
	}
	e := rec.Events()
	if e.Blocks[0] != blocks || len(e.Blocks) != 1 || e.Samples != len(data) || e.AllDiscarded() != 0 || len(e.Alarms) != 0 {
		t.Errorf("recorded %+v", e)
	}
	rct, _ := g.RCTCutoffs()
	apt, _ := g.APTCutoffs()
	if e.Cutoffs[source.RCT] != rct || e.Cutoffs[source.APT] != apt {
		t.Errorf("cutoffs recorded %v, in force %d and %d", e.Cutoffs, rct, apt)
	}
}

// TestGateBlock describes the block that passed.
func TestGateBlock(t *testing.T) {
	info := sourcetest.Info()
	g, _ := newGate(t, info)
	for i := range 2 {
		copy(g.Room(), fipstest.G1Block(i)[:])
		b, err := g.Accept(fips.BlockBytes)
		if err != nil || b.Source != info.Name || b.Driver != info.Driver || b.MinEntropy != info.MinEntropy {
			t.Errorf("block %d: %v, %+v", i, err, b)
		}
	}
}

// TestGateDropsFailedBlock drops the block that failed, that one only, and counts why.
func TestGateDropsFailedBlock(t *testing.T) {
	repeated := *fipstest.G1Block(5)
	copy(repeated[1004:1008], repeated[1000:1004])
	longRun := func(n int) *fipstest.Block {
		_, blocks := fipstest.Split(fipstest.G3(n))
		return blocks[2]
	}
	_, biased := fipstest.Split(fipstest.G15(0.45, 1))
	for _, tt := range []struct {
		name  string
		block *fipstest.Block
		want  fips.Failure // 0: passes
		text  string
	}{
		{"monobit, too few", fipstest.G4(9725), fips.Monobit, "FIPS 140-2 block test: monobit failed (9725 of 20000 bits are ones)"},
		{"monobit, just enough", fipstest.G4(9726), 0, ""},
		{"monobit, just not too many", fipstest.G4(10274), 0, ""},
		{"monobit, too many", fipstest.G4(10275), fips.Monobit, "FIPS 140-2 block test: monobit failed (10275 of 20000 bits are ones)"},
		{"poker, too even", fipstest.G5(1563174), fips.Poker, ""},
		{"poker, too odd", fipstest.G5(1576930), fips.Poker, ""},
		{"long run, 25 bits", longRun(25), 0, ""},
		{"long run, 26 bits", longRun(26), fips.LongRun, ""},
		{"continuous run", &repeated, fips.ContinuousRun, ""},
		{"bias", biased[0], fips.Monobit | fips.Poker | fips.Runs, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, rec := newGate(t, sourcetest.Info())
			data := slices.Concat(fipstest.G1Block(0)[:], tt.block[:], fipstest.G1Block(1)[:])
			all := push(g, data, whole)
			if len(all) != 3 || all[0].err != "" || all[2].err != "" {
				t.Fatalf("outcomes of the good blocks around it: %q, %q", all[0].err, all[len(all)-1].err)
			}
			e := rec.Events()
			want := map[fips.Failure]int{0: 2}
			want[tt.want]++
			if fmt.Sprint(e.Blocks) != fmt.Sprint(want) {
				t.Errorf("verdicts %v, want %v", e.Blocks, want)
			}
			dropped := 0
			if tt.want != 0 {
				dropped = fips.BlockBytes
			}
			if e.Discarded[source.DiscardFIPS] != dropped || e.AllDiscarded() != dropped {
				t.Errorf("discarded %v, want %d", e.Discarded, dropped)
			}
			if tt.text != "" && all[1].err != tt.text {
				t.Errorf("error %q, want %q", all[1].err, tt.text)
			}
		})
	}
}

// TestGateRepeats: data that passed once does not pass again, whatever lies between and however the
// reads are cut.
func TestGateRepeats(t *testing.T) {
	good := fipstest.Shake("gate repeats", 2*1<<16)
	for _, tt := range []struct {
		name string
		data []byte
		pass int // blocks
	}{
		{"one block twice", slices.Concat(good[:2500], good[:2500], good[2500:5000]), 2},
		{"off by one byte", slices.Concat(good[:2500], good[5000:5001], good[:2500], good[6000:8499]), 1}, // its last byte lies in the block after
		{"64 KiB later", slices.Concat(good[:65000], good[:2500]), 26},
		{"80 bytes of the block before", slices.Concat(good[:2500], good[3000:3500], good[100:180], good[4000:6000]), 1},
		{"period 4096", bytes.Repeat(good[:4096], 10), 1},
		{"period 1000", bytes.Repeat(good[:1000], 10), 0},
		{"16 bytes again and again", bytes.Repeat(good[:16], 1000), 0},
		{"a gap of 100 zeros", slices.Concat(good[:1000], make([]byte, 100), good[1000:2400]), 0},
		{"nothing again", good[:65000], 26},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, cut := range []int{1, 7, 100, 2500} {
				g, rec := newGate(t, sourcetest.Info())
				passed, alarms := 0, 0
				for _, o := range push(g, tt.data, func() int { return cut }) {
					if o.err == "" {
						passed++
					} else if o.alarm {
						alarms++
					}
				}
				e := rec.Events()
				// Dropping a block moves the borders of those after it, so the count is of what lies before.
				if cut == 2500 && passed != tt.pass || (alarms == 0) != (tt.pass == len(tt.data)/fips.BlockBytes) || e.Discarded[source.DiscardFIPS] != 0 {
					t.Errorf("cut into %d: %d blocks pass, want %d; %d alarms, discarded %v", cut, passed, tt.pass, alarms, e.Discarded)
				}
			}
		})
	}
}

// run returns 1024 good bytes with exactly n equal ones among them.
func run(n int) []byte {
	data := fipstest.G1Block(0)[:1024]
	const at, value = 500, 0xA5
	for i := range n {
		data[at+i] = value
	}
	data[at-1], data[at+n] = 0x11, 0x12
	return data
}

// crowd returns one APT window in which the first value occurs exactly n times, spread evenly so
// that the repetition count test has nothing to say.
func crowd(n int) []byte {
	good := fipstest.G1Block(0)
	first := good[0]
	data := bytes.Repeat([]byte{first}, source.APTWindow)
	others := len(data) - n
	for i := range others {
		at := 1 + i*(len(data)-1)/others
		data[at] = good[at]
		if data[at] == first {
			data[at] ^= 1
		}
	}
	return data
}

// TestGateAlarms raises the alarms at their cutoffs and not one sample earlier (field cases G23 and
// G24 for the cutoffs of this gate).
func TestGateAlarms(t *testing.T) {
	for _, claim := range []float64{1, 2.5, 4, 8} {
		info := sourcetest.Info()
		info.MinEntropy = claim
		g, _ := newGate(t, info)
		rct, rctPermanent := g.RCTCutoffs()
		apt, aptPermanent := g.APTCutoffs()
		for _, tt := range []struct {
			name string
			data []byte
			want sp80090b.Verdict
			test source.HealthTest
			n    int // cutoff
		}{
			{"RCT below C", run(rct - 1), sp80090b.OK, source.RCT, 0},
			{"RCT at C", run(rct), sp80090b.Intermittent, source.RCT, rct},
			{"RCT below permanent", run(rctPermanent - 1), sp80090b.Intermittent, source.RCT, rct},
			{"RCT at permanent", run(rctPermanent), sp80090b.Permanent, source.RCT, rctPermanent},
			{"APT below C", crowd(apt - 1), sp80090b.OK, source.APT, 0},
			{"APT at C", crowd(apt), sp80090b.Intermittent, source.APT, apt},
			{"APT below permanent", crowd(aptPermanent - 1), sp80090b.Intermittent, source.APT, apt},
			{"APT at permanent", crowd(aptPermanent), sp80090b.Permanent, source.APT, aptPermanent},
		} {
			t.Run(fmt.Sprintf("claim %v, %s", claim, tt.name), func(t *testing.T) {
				g, rec := newGate(t, info)
				n := copy(g.Room(), tt.data)
				_, err := g.Accept(n)
				var alarm *source.AlarmError
				errors.As(err, &alarm)
				e := rec.Events()
				if tt.want == sp80090b.OK {
					if err != nil || len(e.Alarms) != 0 || e.AllDiscarded() != 0 || g.Held() != n {
						t.Errorf("Accept = %v, recorded %+v", err, e)
					}
					return
				}
				if alarm == nil || alarm.Test != tt.test || alarm.Verdict != tt.want || alarm.Cutoff != tt.n {
					t.Fatalf("Accept = %+v, want %s %s at %d", err, tt.test, tt.want, tt.n)
				}
				if want := []sourcetest.Alarm{{Test: tt.test, Verdict: tt.want}}; !slices.Equal(e.Alarms, want) {
					t.Errorf("alarms %v, want %v", e.Alarms, want)
				}
				if e.Discarded[source.DiscardHealth] != n || g.Held() != 0 {
					t.Errorf("discarded %v, %d bytes held", e.Discarded, g.Held())
				}
			})
		}
	}
}

func TestAlarmErrorText(t *testing.T) {
	for _, tt := range []struct {
		err  source.AlarmError
		want string
	}{
		{source.AlarmError{Test: source.RCT, Verdict: sp80090b.Intermittent, Sample: 0, Cutoff: 11}, "rct health test: value 0x00 repeated 11 times (intermittent)"},
		{source.AlarmError{Test: source.APT, Verdict: sp80090b.Permanent, Sample: 0xA5, Cutoff: 90}, "apt health test: value 0xa5 seen in a window of 512 90 times (permanent)"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestGateClaims makes a gate for every claim that a driver table or an operator can bring up.
func TestGateClaims(t *testing.T) {
	for _, claim := range []float64{8, 7.99, 4, 8 * 320. / 1024, 1, 8 * 19. / 1024, 8 * 1. / 1024} {
		info := sourcetest.Info()
		info.MinEntropy = claim
		g, err := source.NewGate(info, &sourcetest.Recorder{})
		if err != nil {
			t.Errorf("claim %v: %v", claim, err)
			continue
		}
		if all := push(g, fipstest.G1(4)[4:], whole); len(all) != 4 || all[0].err != "" {
			t.Errorf("claim %v: %d outcomes, the first one %q", claim, len(all), all[0].err)
		}
	}
}

// TestGateAllocates: a daemon that runs for years on a router makes one block each time and
// nothing else.
func TestGateAllocates(t *testing.T) {
	g, _ := newGate(t, sourcetest.Info())
	stream := fipstest.NewShake("gate allocates")
	data := make([]byte, fips.BlockBytes)
	if n := testing.AllocsPerRun(20, func() {
		stream.Read(data[:100])
		copy(g.Room(), data[:100])
		if _, err := g.Accept(100); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations in the middle of a block", n)
	}
	g.Drop(source.DiscardStartup)
	if n := testing.AllocsPerRun(20, func() {
		stream.Read(data)
		copy(g.Room(), data)
		if b, err := g.Accept(len(data)); b == nil {
			t.Fatal(err)
		}
	}); n != 1 {
		t.Errorf("%v allocations for a block", n)
	}
}

// TestNothingLeft looks at memory that held data.
func TestNothingLeft(t *testing.T) {
	g, rec := newGate(t, sourcetest.Info())
	next := 0
	block := func() *source.Block {
		next++
		copy(g.Room(), fipstest.G1Block(next)[:])
		b, err := g.Accept(fips.BlockBytes)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	zero := [fips.BlockBytes]byte{}

	b := block()
	b.Clear()
	if b.Data != zero {
		t.Error("Clear left data")
	}
	if e := rec.Events(); e.AllDiscarded() != 0 {
		t.Errorf("Clear counted as discarded: %v", e.Discarded)
	}
	b = block()
	b.Discard()
	if b.Data != zero {
		t.Error("Discard left data")
	}
	if e := rec.Events(); e.Discarded[source.DiscardStale] != fips.BlockBytes {
		t.Errorf("discarded %v", e.Discarded)
	}
	copy(g.Room(), fipstest.G1Block(9)[:100])
	g.Accept(100)
	room := g.Room()
	g.Drop(source.DiscardStartup)
	if g.Held() != 0 || !bytes.Equal(g.Room(), zero[:]) || len(room) != fips.BlockBytes-100 {
		t.Error("Drop left data")
	}
}

func TestStale(t *testing.T) {
	now := linux.Boottime()
	for _, tt := range []struct {
		name string
		age  time.Duration
		want bool
	}{
		{"just now", 0, false},
		{"under five seconds", source.MaxAge * 4 / 5, false},
		{"over five seconds", source.MaxAge + 1, true},
	} {
		b := &source.Block{Tested: now - tt.age}
		if b.Stale() != tt.want {
			t.Errorf("%s: stale is %v", tt.name, b.Stale())
		}
	}
}

// FuzzGate: it makes no difference in which pieces the bytes arrive. After an alarm the worker
// throws the gate away, so only the way to the first one counts; whoever brings more in one piece
// may see a graver alarm.
func FuzzGate(f *testing.F) {
	f.Add([]byte{}, uint16(0), uint16(0), byte(0))
	f.Add([]byte{1}, uint16(3000), uint16(11), byte(0xA5))
	f.Add([]byte{200, 3, 77}, uint16(5100), uint16(16), byte(0))
	f.Add([]byte{255}, uint16(2500), uint16(4), byte(0xFF))
	good := fipstest.G1(4)[4:]
	f.Fuzz(func(t *testing.T, cuts []byte, at, length uint16, value byte) {
		data := slices.Clone(good)
		for i := range int(length) % 64 { // a fault somewhere
			data[(int(at)+i)%len(data)] = value
		}
		i := 0
		pieces := func() int {
			if len(cuts) == 0 {
				return 1
			}
			i++
			return int(cuts[i%len(cuts)])
		}
		one, _ := newGate(t, sourcetest.Info())
		many, _ := newGate(t, sourcetest.Info())
		want, got := push(one, data, whole), push(many, data, pieces)
		for i, w := range want {
			if i >= len(got) {
				t.Fatalf("outcome %d is missing, want %q", i, w.err)
			}
			if w.alarm || got[i].alarm {
				if w.alarm != got[i].alarm {
					t.Fatalf("outcome %d: %q in pieces, %q at once", i, got[i].err, w.err)
				}
				return
			}
			if w != got[i] {
				t.Fatalf("outcome %d: %q in pieces, %q at once", i, got[i].err, w.err)
			}
		}
	})
}
