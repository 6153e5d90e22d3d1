package page

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// notes lists the texts beside points.
func notes(p *plot) string {
	var list []string
	for _, l := range p.Labels {
		if strings.HasPrefix(l.Class, "note") {
			list = append(list, l.Text)
		}
	}
	return strings.Join(list, " ")
}

// marks counts the marks in the layers of a class, each of which begins with a move.
func marks(p *plot, class string) (n int) {
	for _, l := range p.Layers {
		if l.Class == class {
			n += strings.Count(l.D, "M")
		}
	}
	return n
}

// Each plot shows the fault that it is for.
func TestPlotsShowFaults(t *testing.T) {
	counters := func(stream []byte) *audit.Counters { return &audited(t, stream, audit.Rules{}).Run.Counters }
	good, stuck, zeroByte := counters(fipstest.G1(30)), counters(fipstest.G10(30)), counters(fipstest.G17(30))
	for _, test := range []struct {
		name    string
		plot    *plot
		title   string
		caption string
		note    string
	}{
		{"good", histogram(good), "Byte values", "0 of 256 values; an ideal source has 0.7 on", ""},
		{"good", positions(good), "Bit positions in words of 32 bits", "0 of 32 positions; an ideal source has 0.09 on", ""},
		{"good", autocorrelation(good), "Autocorrelation", "0 of 256 lags; an ideal source has 0.7 on", ""},
		{"all ff", histogram(stuck), "Byte values", "256 of 256 values", "0xff"},
		{"all ff", positions(stuck), "Bit positions in words of 32 bits", "32 of 32 positions", "bit 0"},
		{"all ff", autocorrelation(stuck), "Autocorrelation", "256 of 256 lags", "lag 1"},
		{"zero byte", histogram(zeroByte), "Byte values", "of 256 values", "0x00"},
		{"zero byte", positions(counters(fipstest.G21("top", 30))), "Bit positions in words of 32 bits", "4 of 32 positions", "bit 0"},
		{"period 16", autocorrelation(counters(fipstest.G12(16, 30))), "Autocorrelation", "of 256 lags", "lag 128"},
		{"words twice", autocorrelation(counters(fipstest.G18(30))), "Autocorrelation", "of 256 lags", "lag 32"},
	} {
		if p := test.plot; p.Title != test.title || !strings.Contains(p.Caption, test.caption) || notes(p) != test.note {
			t.Errorf("%s: the plot %q says %q and notes %q; want %q, %q, %q", test.name, p.Title, p.Caption, notes(p), test.title, test.caption, test.note)
		}
	}
}

// The bits of a word of 64 are told apart where those of 32 would hide what is the matter.
func TestWidthOfWords(t *testing.T) {
	stream := fipstest.G1(30)
	for i := range stream {
		if i%8 == 7 {
			stream[i] |= 1
		}
	}
	p := positions(&audited(t, stream, audit.Rules{}).Run.Counters)
	if p.Title != "Bit positions in words of 64 bits" || notes(p) != "bit 63" {
		t.Errorf("the plot is %q and notes %q", p.Title, notes(p))
	}
}

func TestMarksOfPoints(t *testing.T) {
	for _, test := range []struct {
		outside, diamonds, dots, farDots int
	}{
		{0, 0, 64, 0},
		{1, 1, 63, 0},
		{maxDiamonds, maxDiamonds, 64 - maxDiamonds, 0},
		{maxDiamonds + 1, 0, 64 - maxDiamonds - 1, maxDiamonds + 1},
	} {
		f := family{name: func(i int) string { return fmt.Sprint(i) }, points: make([]point, 64)}
		for i := range f.points {
			f.points[i] = point{0.5, 1}
			if i < test.outside {
				f.points[i].off = -4
			}
		}
		p := f.plot()
		if a, b, c := marks(p, "out"), marks(p, "dots"), marks(p, "dots far"); a != test.diamonds || b != test.dots || c != test.farDots {
			t.Errorf("%d outside: %d diamonds, %d dots, %d dots outside, want %v", test.outside, a, b, c, test)
		}
	}
}

func TestThroughput(t *testing.T) {
	r := &audit.Report{Timing: &audit.Timing{}}
	if throughput(r) != nil {
		t.Error("the throughput of nothing is drawn")
	}
	r.Run.Timeline = []audit.Bin{{Blocks: 4, Seconds: 1}, {Blocks: 4}, {Blocks: 4, Seconds: 0.5}, {Blocks: 1}}
	p := throughput(r)
	if want := "On average 20 kB/s, from 10 kB/s to 40 kB/s."; strings.ReplaceAll(p.Desc, nbsp, " ") != want {
		t.Errorf("the plot says %q, want %q", p.Desc, want)
	}
	r.Timing = nil
	if throughput(r) != nil {
		t.Error("the throughput of a file is drawn")
	}
}

func TestLatencies(t *testing.T) {
	if latencies(nil) != nil || latencies(&audit.Timing{}) != nil {
		t.Error("the latency of nothing is drawn")
	}
	timing := &audit.Timing{Reads: 103, Slowest: 90}
	timing.Latency[0], timing.Latency[10], timing.Latency[25] = 2, 100, 1
	p := latencies(timing)
	if n := marks(p, "bars"); n != 3 {
		t.Errorf("%d bars, want 3", n)
	}
	if got, want := strings.ReplaceAll(texts(p.x), nbsp, " "), "1 µs 16 µs 256 µs 4.1 ms 66 ms 1 s 17 s"; got != want {
		t.Errorf("marks %q, want %q", got, want)
	}
	if want := "103 reads; the slowest took 1m30s."; p.Desc != want {
		t.Errorf("the plot says %q, want %q", p.Desc, want)
	}
}

// Every cell of the raster is the bit that it stands for.
func TestRaster(t *testing.T) {
	data := fipstest.G1(1)[:3*rasterWidth/8+5]
	r, err := newRaster(data)
	if err != nil {
		t.Fatal(err)
	}
	file, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(r.Source), "data:image/png;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	if depth := file[24]; depth != 1 { // PNG, third edition, section 11.2.1: IHDR
		t.Errorf("%d bits a cell, want 1", depth)
	}
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != rasterWidth || size.Y != 3 || r.Width != size.X || r.Height != size.Y {
		t.Fatalf("the picture is %v, said to be %d x %d", size, r.Width, r.Height)
	}
	for i := range 3 * rasterWidth {
		red, _, _, _ := picture.At(i%rasterWidth, i/rasterWidth).RGBA()
		if dark := red < 0x8000; dark != (fipstest.Bit(data, i) == 1) {
			t.Fatalf("the cell of bit %d is not what the bit is", i)
		}
	}
	if r, err := newRaster(data[:rasterWidth/8-1]); r != nil || err != nil {
		t.Errorf("less than a row gives %v, %v", r, err)
	}
}

func TestOmitData(t *testing.T) {
	r := audited(t, fipstest.G1(1), audit.Rules{})
	if page := written(t, r, Options{OmitData: true}); strings.Contains(page, "<img") {
		t.Error("the page has a picture of the data")
	}
}
