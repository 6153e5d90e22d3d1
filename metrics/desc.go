// Package metrics holds what hwrngd tells monitoring: the catalogue of every metric and the
// interface through which the daemon reports.
//
// [Catalogue] is the only place where names, types, labels and help texts stand. Package prom
// turns it into Prometheus collectors and docs/metrics.md is generated from it. The package
// imports no metrics library, so that a build for small routers can write the same catalogue as
// text by hand.
//
// Names and labels are a contract with alerts and dashboards: a metric may be added, but none is
// renamed, and no label takes a value from random data or from an error text.
package metrics

import (
	"fmt"
	"slices"
)

// Desc describes one metric.
type Desc struct {
	Name   string
	Type   Type
	Unit   string // "bits", "bytes", "seconds", "ratio", or "" for plain numbers and flags
	Labels []Label
	Help   string

	// Absent says when a scrape lacks the metric, such as "until the first credit". Where it is
	// empty, all combinations of label values are there from the start, at 0; only an Info metric
	// has to be set first.
	Absent string
	// NotInTextfile keeps the metric out of files for node_exporter's textfile collector, where
	// it would only repeat what node_exporter itself reports.
	NotInTextfile bool
	// Buckets holds the upper bounds of a histogram's classic buckets.
	Buckets []float64
}

// LabelNames returns the names of the labels in order.
func (d Desc) LabelNames() []string {
	var names []string
	for _, l := range d.Labels {
		names = append(names, l.Name)
	}
	return names
}

// Grouped tells whether the series of the metric come, change and go together: the label sets of an
// info metric, the states of a state set, the one value of a gauge that is absent until known.
func (d Desc) Grouped() bool { return d.Type == Info || d.Type == StateSet || d.Absent != "" }

// PerSource tells whether the metric exists once for each source. The label source is its first one.
func (d Desc) PerSource() bool { return len(d.Labels) > 0 && d.Labels[0].Name == "source" }

// Combinations returns the label values of every series that is there from the start, or with a source
// from the start of that; source is ignored if the metric is not of one. A metric without labels has
// the one empty combination, a group has none until it is set.
func (d Desc) Combinations(source string) [][]string {
	if d.Grouped() {
		return nil
	}
	all, labels := [][]string{nil}, d.Labels
	if d.PerSource() {
		all, labels = [][]string{{source}}, labels[1:]
	}
	for _, l := range labels {
		var longer [][]string
		for _, head := range all {
			for _, value := range l.Values {
				longer = append(longer, append(slices.Clip(head), value))
			}
		}
		all = longer
	}
	return all
}

// Label is one label of a metric. Values lists all its values where the set is closed; it is nil
// for labels such as source, whose values are only known at run time.
type Label struct {
	Name   string
	Values []string
}

// Type is the type of a metric.
type Type uint8

// The types. The text format knows neither Info nor StateSet: both are gauges there.
const (
	Gauge     Type = iota
	Counter        // only ever grows, from 0 at start
	Histogram      // counts observations by size
	Info           // always 1; the labels are the message
	StateSet       // one series for each state, of which exactly one is 1
)

var typeNames = [...]string{"gauge", "counter", "histogram", "gauge", "gauge"}

// String returns the type as the TYPE line of the text format gives it.
func (t Type) String() string { return typeNames[t] }

// open is a label whose values are only known at run time.
func open(name string) Label { return Label{Name: name} }

// closed is a label that takes the names of values and nothing else.
func closed[T fmt.Stringer](name string, values ...T) Label {
	return closedNames(name, stringsOf(values))
}

func closedNames(name string, values []string) Label { return Label{Name: name, Values: values} }

func stringsOf[T fmt.Stringer](values []T) []string {
	var names []string
	for _, v := range values {
		names = append(names, v.String())
	}
	return names
}
