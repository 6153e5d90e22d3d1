package page

import (
	"fmt"
	"math"

	"github.com/hwrngd/hwrngd/audit"
)

// sigmas is the half width of the bands, in standard deviations.
const sigmas = 3

// beyond is the chance that a figure of an ideal source lies outside of a band.
var beyond = math.Erfc(sigmas / math.Sqrt2)

// family is a set of figures of one kind, each with what an ideal source would show.
type family struct {
	id, title      string
	members        string             // plural, for people
	name           func(i int) string // of one member
	xLabel, yLabel string
	first          int                  // x of the first member
	marks          []float64            // on the x axis
	mark           func(float64) string // their text
	stems          bool                 // draw lines from what is expected to each figure
	points         []point
}

// point is a figure as its distance from what is expected, and the standard deviation of that
// distance.
type point struct{ off, sd float64 }

// z is the distance in standard deviations, to whichever side.
func (p point) z() float64 { return math.Abs(p.off) / p.sd }

func (p point) outside() bool { return p.z() > sigmas }

// halves are the points of shares of which an ideal source has a half each.
func halves(shares []audit.Share) []point {
	points := make([]point, len(shares))
	for i, s := range shares {
		points[i] = point{s.Fraction() - 0.5, 0.5 / math.Sqrt(float64(s.Of))}
	}
	return points
}

// furthest returns the index of the point that is the most standard deviations off, the first of
// several.
func (f *family) furthest() int {
	worst := 0
	for i, p := range f.points {
		if p.z() > f.points[worst].z() {
			worst = i
		}
	}
	return worst
}

// maxDiamonds is how many figures outside the band get a mark of their own: where most of them are
// outside, marks would only hide each other.
const maxDiamonds = 32

// plot draws the family: a band, a line at what is expected, a dot or stem for each figure, a diamond
// for each of a few outside the band.
func (f *family) plot() *plot {
	low, high, outside := 0., 0., 0
	for _, p := range f.points {
		low = min(low, p.off*1.08, -p.sd*(sigmas+1))
		high = max(high, p.off*1.08, p.sd*(sigmas+1))
		if p.outside() {
			outside++
		}
	}
	n := len(f.points)
	p := newPlot(f.id, f.title,
		marked(f.xLabel, float64(f.first)-0.5, float64(f.first+n)-0.5, f.mark, f.marks...),
		linear(f.yLabel, low, high, 5, offsetTick))

	sd := (f.points[0].sd + f.points[n-1].sd) / 2
	p.band(-sigmas*sd, sigmas*sd)
	p.mid(0)
	var stems, dots, farStems, farDots, diamonds path
	for i, q := range f.points {
		x, y := p.x.at(float64(f.first+i)), p.y.at(q.off)
		stem, dot := &stems, &dots
		if q.outside() {
			stem, dot = &farStems, &farDots
		}
		if f.stems {
			stem.move(x, p.y.at(0))
			stem.down(y)
		}
		switch {
		case q.outside() && outside <= maxDiamonds:
			diamonds.diamond(x, y)
		case !f.stems || n <= audit.Lanes || q.outside():
			dot.dot(x, y)
		}
	}
	p.add("stems", stems)
	p.add("stems far", farStems)
	p.add("dots", dots)
	p.add("dots far", farDots)
	p.add("out", diamonds)

	worst := f.furthest()
	expected := figure(beyond*float64(n), 1)
	p.Caption = fmt.Sprintf("Outside the band of ±%d standard deviations: %d of %d %s; an ideal source has %s on average.",
		sigmas, outside, n, f.members, expected)
	p.Desc = fmt.Sprintf("%d of %d %s lie outside the band. The furthest is %s, %s from what is expected, %s standard deviations.",
		outside, n, f.members, f.name(worst), signed(f.points[worst].off, 3), figure(f.points[worst].z(), 2))
	if outside > 0 {
		p.note(float64(f.first+worst), f.points[worst].off, f.name(worst))
	}
	return p
}
