package page

import (
	"fmt"
	"strconv"

	"github.com/hwrngd/hwrngd/audit"
)

// histogram shows how often each byte value came.
func histogram(c *audit.Counters) *plot {
	if c.Sampled.Blocks == 0 {
		return nil
	}
	f := family{
		id: "bytes", title: "Byte values", members: "values", stems: true,
		xLabel: "byte value", yLabel: "standard deviations off the expected count",
		name:  func(i int) string { return fmt.Sprintf("0x%02x", i) },
		marks: []float64{0, 64, 128, 192, 255},
		mark:  func(v float64) string { return fmt.Sprintf("%02x", int(v)) },
	}
	for _, z := range c.ByteZ() {
		f.points = append(f.points, point{z, 1})
	}
	return f.plot()
}

// telling is how many standard deviations off a bit of 64 has to be before it decides how the bits are
// shown: one audit in 2,300 of an ideal source has such a bit.
const telling = 4.5

// positions shows the bias of each bit of words of 32 bits, or of 64 if one of those is far off and
// stands out more than any of 32.
func positions(c *audit.Counters) *plot {
	if c.Blocks == 0 {
		return nil
	}
	narrow, wide := lanes(c, 32), lanes(c, 64)
	if far := wide.points[wide.furthest()].z(); far > telling && far > narrow.points[narrow.furthest()].z() {
		return wide.plot()
	}
	return narrow.plot()
}

// lanes is the bias of each bit position in words of the given width.
func lanes(c *audit.Counters, width int) *family {
	f := &family{
		id: "positions", title: fmt.Sprintf("Bit positions in words of %d bits", width), members: "positions", stems: true,
		xLabel: "bit of the word, the first of the stream is 0", yLabel: "P(1) " + minus + " 1/2",
		name:   func(i int) string { return "bit " + strconv.Itoa(i) },
		mark:   func(v float64) string { return strconv.Itoa(int(v)) },
		points: halves(c.LaneBias(width)),
	}
	for i := 0; i < width; i += width / 8 {
		f.marks = append(f.marks, float64(i))
	}
	f.marks = append(f.marks, float64(width-1))
	return f
}

// autocorrelation shows how much each bit resembles the one so many bits before.
func autocorrelation(c *audit.Counters) *plot {
	if c.Sampled.Blocks == 0 {
		return nil
	}
	f := family{
		id: "lags", title: "Autocorrelation", members: "lags", first: 1,
		xLabel: "distance in bits", yLabel: "P(equal) " + minus + " 1/2",
		name:   func(i int) string { return "lag " + strconv.Itoa(i+1) },
		marks:  []float64{1, 32, 64, 96, 128, 160, 192, 224, 256},
		mark:   func(v float64) string { return strconv.Itoa(int(v)) },
		points: halves(c.Correlation()),
	}
	return f.plot()
}
