package page

import (
	"math"
	"strconv"
)

// The size of a drawing, in its own units, and where the axes lie in it. The page scales it: a unit
// is about a pixel on a wide screen and three quarters of one on a telephone, where the style sheet
// makes up for that with larger letters.
const (
	plotWidth  = 480
	plotHeight = 250
	plotLeft   = 58
	plotRight  = plotWidth - 18
	plotTop    = 26
	plotBottom = plotHeight - 42
)

// plot is a drawing with two axes. The template "plot" writes it as SVG.
type plot struct {
	ID      string
	Title   string
	Desc    string // what it shows, for people who cannot see it
	Caption string // how to read it, one sentence
	Width   int
	Height  int
	Layers  []layer
	Labels  []label
	x, y    axis
}

// layer is a path in one style.
type layer struct {
	Class string // in the style sheet
	D     string // the path, in units of the drawing
}

// label is a text in the drawing.
type label struct {
	Class string // in the style sheet, which says to which side of X it is written, too
	X, Y  string
	Text  string
}

// newPlot lays out the axes.
func newPlot(id, title string, x, y axis) *plot {
	p := &plot{ID: id, Title: title, Width: plotWidth, Height: plotHeight, x: x, y: y}
	p.x.place(plotLeft, plotRight)
	p.y.place(plotBottom, plotTop)
	var grid, line path
	for _, t := range p.y.ticks {
		grid.move(plotLeft, t.at)
		grid.across(plotRight)
		p.text("y", plotLeft-6, t.at+4, t.text)
	}
	line.move(plotLeft, plotBottom)
	line.across(plotRight)
	for _, t := range p.x.ticks {
		line.move(t.at, plotBottom)
		line.down(plotBottom + 4)
		p.text("x", t.at, plotBottom+18, t.text)
	}
	p.text("end", plotRight, plotHeight-5, x.label)
	p.text("start", 0, 12, y.label)
	p.add("grid", grid)
	p.add("axis", line)
	return p
}

func (p *plot) text(class string, x, y float64, text string) {
	p.Labels = append(p.Labels, label{class, coordinate(x), coordinate(y), text})
}

// add appends a layer, if there is anything in it.
func (p *plot) add(class string, d path) {
	if len(d) > 0 {
		p.Layers = append(p.Layers, layer{class, d.String()})
	}
}

// band shades what is between two values all along the X axis.
func (p *plot) band(low, high float64) {
	var d path
	d.move(plotLeft, p.y.at(low))
	d.across(plotRight)
	d.down(p.y.at(high))
	d.across(plotLeft)
	p.add("band", d)
}

// mid draws the line of what is expected.
func (p *plot) mid(value float64) {
	var d path
	d.move(plotLeft, p.y.at(value))
	d.across(plotRight)
	p.add("mid", d)
}

// note puts a text beside the point x, y, on the side where there is room.
func (p *plot) note(x, y float64, text string) {
	left, top := p.x.at(x), min(max(p.y.at(y)+4, plotTop+10), plotBottom-4)
	if left < (plotLeft+plotRight)/2 {
		p.text("note start", left+8, top, text)
	} else {
		p.text("note end", left-8, top, text)
	}
}

// path is the text of an SVG path, with coordinates to a tenth of a unit.
type path []byte

// coordinate writes a place in the drawing.
func coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

func (d *path) number(command byte, v float64) {
	*d = append(*d, command)
	*d = append(*d, coordinate(v)...)
}

func (d *path) move(x, y float64) { d.number('M', x); d.number(' ', y) }
func (d *path) line(x, y float64) { d.number('L', x); d.number(' ', y) }
func (d *path) across(x float64)  { d.number('H', x) }
func (d *path) down(y float64)    { d.number('V', y) }

// dot adds a point: a line of no length, which the style sheet gives round ends.
func (d *path) dot(x, y float64) {
	d.move(x, y)
	*d = append(*d, "h0"...)
}

// diamond adds the mark of a point outside the band.
func (d *path) diamond(x, y float64) {
	d.move(x, y-4.5)
	*d = append(*d, "l4 4.5l-4 4.5l-4 -4.5z"...)
}

// box adds a rectangle between two corners.
func (d *path) box(x1, y1, x2, y2 float64) {
	d.move(x1, y1)
	d.across(x2)
	d.down(y2)
	d.across(x1)
	*d = append(*d, 'z')
}

func (d path) String() string { return string(d) }
