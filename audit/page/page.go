// Package page writes the report of an audit as one HTML file: no script, no font, no picture and
// no address outside of it, so that it can be attached to a bug report, printed, or opened years
// later on a machine without a network.
package page

import (
	"bufio"
	"embed"
	"fmt"
	"html/template"
	"io"
	"reflect"
	"sync"

	"github.com/hwrngd/hwrngd/audit"
)

// Options are options of Write.
type Options struct {
	// OmitData leaves out the picture of the first bits. It is the only part of the page that
	// holds the data itself, audit.HeadBytes of them.
	OmitData bool
}

//go:embed *.tmpl
var files embed.FS

// pages is made when it is first needed: a daemon never does.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"count":    func(n any) string { return count(reflect.ValueOf(n).Int()) },
		"figure":   figure,
		"z":        deviations,
		"chance":   chance,
		"observed": observed,
		"limits":   limits,
		"passed":   passed,
		"sentence": sentence,
		"capital":  capital,
		"short":    short,
		"words":    words,
	}).ParseFS(files, "*.tmpl"))
})

// Write writes the report. The same report gives the same bytes. Parts for which the report has
// nothing to show are left out. Errors are those of w.
func Write(w io.Writer, r *audit.Report, opt Options) error {
	c, err := newContent(r, opt)
	if err != nil {
		return fmt.Errorf("make the HTML report: %w", err)
	}
	out := bufio.NewWriter(w)
	if err := pages().ExecuteTemplate(out, "page.tmpl", c); err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	return nil
}

// content is what the templates show.
type content struct {
	*audit.Report
	Causes     []string
	Tested     []fact
	Provenance []fact
	Tally      []tally // of the units of a lot
	Plots      []*plot
	Raster     *raster
	RunLengths []runLength
	Estimates  []estimate
	Procedures []procedure
	Failing    []audit.FailedBlock
	Further    int64 // failing blocks that are not in Failing
}

func newContent(r *audit.Report, opt Options) (*content, error) {
	c := &content{
		Report:     r,
		Causes:     causes(r),
		Tested:     tested(r),
		Provenance: provenance(r),
		Tally:      tallies(r.Units),
		RunLengths: runLengths(&r.Run.Counters),
		Estimates:  estimates(r.Assessment),
		Procedures: procedures(r),
	}
	c.Failing, c.Further = failing(r)
	for _, p := range []*plot{
		histogram(&r.Run.Counters),
		positions(&r.Run.Counters),
		autocorrelation(&r.Run.Counters),
		cumulative(r.Run.Timeline),
		throughput(r),
		latencies(r.Timing),
	} {
		if p != nil {
			c.Plots = append(c.Plots, p)
		}
	}
	if opt.OmitData {
		return c, nil
	}
	var err error
	c.Raster, err = newRaster(r.Run.Head)
	return c, err
}
