package sp80090b

import (
	"encoding/json"
	"math"
	"strconv"
)

// Estimate is the result of one estimator of SP 800-90B section 6.3.
type Estimate struct {
	Name       string
	MinEntropy float64 // bits per symbol
}

// Estimates are the results of several estimators for the same symbols, in the order of
// section 6.3. In JSON they are an object, with the names as keys.
type Estimates []Estimate

// Min returns the smallest min-entropy, or 0 if there are no estimates.
func (e Estimates) Min() float64 { return e.Weakest().MinEntropy }

// Weakest returns the estimate that is the smallest, the first of several.
func (e Estimates) Weakest() Estimate {
	var weakest Estimate
	for i, x := range e {
		if i == 0 || x.MinEntropy < weakest.MinEntropy {
			weakest = x
		}
	}
	return weakest
}

// MarshalJSON implements json.Marshaler.
func (e Estimates) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, x := range e {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendQuote(text, x.Name)
		text = append(text, ':')
		text = strconv.AppendFloat(text, x.MinEntropy, 'g', -1, 64)
	}
	return append(text, '}'), nil
}

// UnmarshalJSON implements json.Unmarshaler. Names that are not those of an estimator are left out.
func (e *Estimates) UnmarshalJSON(text []byte) error {
	var byName map[string]float64
	if err := json.Unmarshal(text, &byName); err != nil {
		return err
	}
	*e = nil
	for _, name := range estimatorNames {
		if h, ok := byName[name]; ok {
			*e = append(*e, Estimate{name, h})
		}
	}
	return nil
}

// The estimators, in the order of SP 800-90B section 6.3.
const (
	nameMCV = iota
	nameCollision
	nameMarkov
	nameCompression
	nameTTuple
	nameLRS
	nameMultiMCW
	nameLag
	nameMultiMMC
	nameLZ78Y
	estimators
)

// estimatorNames are the names in NIST's reference results.
var estimatorNames = [estimators]string{
	"Most Common Value", "Collision", "Markov", "Compression", "t-Tuple", "LRS",
	"MultiMCW", "Lag", "MultiMMC", "LZ78Y",
}

// figures has the result of each estimator, or a negative number: it was not made.
type figures [estimators]float64

func noFigures() (f figures) {
	for i := range f {
		f[i] = -1
	}
	return f
}

// set sets a result, if ok.
func (f *figures) set(name int, h float64, ok bool) {
	if ok && !math.IsNaN(h) {
		f[name] = h
	}
}

// estimates appends the estimates that were made.
func (f *figures) estimates(list Estimates) Estimates {
	for i, h := range f {
		if h >= 0 {
			list = append(list, Estimate{estimatorNames[i], h})
		}
	}
	return list
}
