package sp80090b

import (
	"context"
	"fmt"
	"math"
)

// RestartRows and RestartColumns are the restarts and the samples of each that SP 800-90B
// section 3.1.4.1 asks for.
const (
	RestartRows    = 1000
	RestartColumns = 1000
)

// RestartAssessment is the result of the restart tests of SP 800-90B (January 2018)
// section 3.1.4.
type RestartAssessment struct {
	Rows       int     `json:"rows"`
	Columns    int     `json:"columns"`
	SymbolBits int     `json:"symbol_bits"`
	HInitial   float64 `json:"h_initial"` // H_I

	// The sanity check, section 3.1.4.3: how often the most common sample of a row and
	// of a column comes up at most, X_R and X_C, and how often it may.
	RowMax       int  `json:"row_max"`
	RowCutoff    int  `json:"row_cutoff"`
	ColumnMax    int  `json:"column_max"`
	ColumnCutoff int  `json:"column_cutoff"`
	SanityPassed bool `json:"sanity_passed"`

	// The validation, section 3.1.4.2: estimates for the row by row and the column by
	// column sequence. The smaller one must not be less than half of HInitial.
	RowEstimates     Estimates `json:"row_estimates"`
	ColumnEstimates  Estimates `json:"column_estimates"`
	HRow             float64   `json:"h_row"`    // H_r
	HColumn          float64   `json:"h_column"` // H_c
	ValidationPassed bool      `json:"validation_passed"`

	Passed bool `json:"passed"` // both
	// MinEntropy is the smallest of HInitial, HRow and HColumn, or 0 if a test failed.
	MinEntropy float64 `json:"min_entropy"`
}

// AssessRestarts makes the restart tests on a matrix: each row of columns samples, of
// symbolBits bits, comes right after a restart of the source. hInitial is the estimate
// from consecutive samples, in bits per sample. The standard asks for RestartRows and
// RestartColumns; other sizes have the meaning of a rehearsal only.
//
// Like NIST's tool ea_restart, it estimates from the samples as they are, not from their
// bits, and does not compare with the binomial distribution of the standard's text, which
// is that of one value and not of the most common one. The tool finds its cutoff by
// simulation, where AssessRestarts computes it.
func AssessRestarts(ctx context.Context, matrix []byte, rows, columns, symbolBits int, hInitial float64, opt AssessOptions) (*RestartAssessment, error) {
	err := checkSamples(matrix, symbolBits)
	switch {
	case err != nil:
	case rows < 2 || columns < 2 || rows > len(matrix) || len(matrix)%rows != 0 || len(matrix)/rows != columns:
		err = fmt.Errorf("%d samples are not a matrix of %d rows and %d columns", len(matrix), rows, columns)
	case rows > maxRestarts || columns > maxRestarts:
		err = fmt.Errorf("a matrix of %d rows and %d columns is too large, %d is the limit", rows, columns, maxRestarts)
	case !(hInitial > 0 && hInitial <= float64(symbolBits)):
		err = fmt.Errorf("initial min-entropy of %v bits per sample is not in (0, %d]", hInitial, symbolBits)
	}
	if err != nil {
		return nil, fmt.Errorf("assess restarts: %w", err)
	}
	transposed := make([]byte, len(matrix))
	for r := range rows {
		for c, s := range matrix[r*columns : (r+1)*columns] {
			transposed[c*rows+r] = s
		}
	}
	a := &RestartAssessment{
		Rows: rows, Columns: columns, SymbolBits: symbolBits, HInitial: hInitial,
		RowMax: mostInRow(matrix, columns), ColumnMax: mostInRow(transposed, rows),
	}
	// The chance of a false alarm is 1 % in all, so that of each row and column is this.
	alpha := -math.Expm1(math.Log(0.99) / float64(rows+columns))
	a.RowCutoff = restartCutoff(hInitial, columns, alpha)
	a.ColumnCutoff = restartCutoff(hInitial, rows, alpha)
	a.SanityPassed = a.RowMax <= a.RowCutoff && a.ColumnMax <= a.ColumnCutoff

	stop := stopper(func() bool { return ctx.Err() != nil })
	row, column := noFigures(), noFigures()
	var p plan
	p.literal(matrix, symbolBits, &row, stop)
	p.literal(transposed, symbolBits, &column, stop)
	if err := p.run(ctx, opt); err != nil {
		return nil, fmt.Errorf("assess restarts: %w", err)
	}
	a.RowEstimates, a.ColumnEstimates = row.estimates(nil), column.estimates(nil)
	a.HRow = min(float64(symbolBits), a.RowEstimates.Min())
	a.HColumn = min(float64(symbolBits), a.ColumnEstimates.Min())
	a.ValidationPassed = min(a.HRow, a.HColumn) >= hInitial/2
	a.Passed = a.SanityPassed && a.ValidationPassed
	if a.Passed {
		a.MinEntropy = min(hInitial, a.HRow, a.HColumn)
	}
	return a, nil
}

// maxRestarts bounds the time that restartCutoff takes.
const maxRestarts = 2000

// mostInRow returns how often the most common sample of a row comes up at most.
func mostInRow(matrix []byte, columns int) int {
	most := 0
	for len(matrix) > 0 {
		counts := countSymbols(matrix[:columns])
		for _, count := range counts {
			most = max(most, count)
		}
		matrix = matrix[columns:]
	}
	return most
}

// restartCutoff returns the smallest number of times that the most common one of n
// samples exceeds with a probability of alpha at most, if no sample is likelier than
// 2^-h. The worst case is as many values of that probability as there can be, and one
// for the rest: Hagerty and Draper, Entropy Bounds and Statistical Tests, 2012.
func restartCutoff(h float64, n int, alpha float64) int {
	low, high := 0, n // the cutoff is in (low, high]
	for high-low > 1 {
		mid := (low + high) / 2
		if noneAbove(h, n, mid) >= 1-alpha {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// noneAbove returns the probability that no value comes up more than most times among n
// samples from the worst case. The counts of the values are those of independent Poisson
// variables with the same means, given that these add up to n, so it is the ratio of the
// probabilities that they add up to n without and with a count above most.
func noneAbove(h float64, n, most int) float64 {
	p := math.Exp2(-h)
	values := int(1 / p)
	rest := 1 - float64(values)*p
	sum := []float64{1} // distribution of the sum of some counts
	if rest > 1e-12 {
		sum = poisson(rest*float64(n), min(n, most))
	}
	power := poisson(p*float64(n), min(n, most)) // of 1, 2, 4 ... counts
	for ; values > 0; values >>= 1 {
		if values&1 != 0 {
			sum = convolve(sum, power, n)
		}
		if values > 1 {
			power = convolve(power, power, n)
		}
	}
	if len(sum) <= n {
		return 0
	}
	return sum[n] / poisson(float64(n), n)[n]
}

// poisson returns the probabilities of 0 to most.
func poisson(mean float64, most int) []float64 {
	p := make([]float64, most+1)
	for k := range p {
		gamma, _ := math.Lgamma(float64(k) + 1)
		p[k] = math.Exp(float64(k)*math.Log(mean) - mean - gamma)
	}
	return p
}

// convolve returns the distribution of a sum of two variables, up to n.
func convolve(a, b []float64, n int) []float64 {
	sum := make([]float64, min(n+1, len(a)+len(b)-1))
	for i, x := range a {
		for j, y := range b[:min(len(b), len(sum)-i)] {
			sum[i+j] += x * y
		}
	}
	return sum
}
