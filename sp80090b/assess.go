package sp80090b

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

const (
	// MinSamples is the smallest number of samples that is assessed at all.
	MinSamples = 1000
	// EnoughSamples is how many consecutive samples SP 800-90B section 3.1.1 asks for.
	EnoughSamples = 1_000_000
	// MaxSampleBits is the largest number of samples times bits of a sample.
	MaxSampleBits = 1 << 29
)

// ErrTooFewSamples means that there are fewer than MinSamples.
var ErrTooFewSamples = errors.New("too few samples for an estimate of min-entropy")

// Assessment is an estimate of min-entropy without the assumption that samples are
// independent, by SP 800-90B (January 2018) section 6.2 and the estimators of 6.3.
type Assessment struct {
	Samples    int `json:"samples"`
	SymbolBits int `json:"symbol_bits"`
	Symbols    int `json:"symbols"` // different ones that came up

	// Literal are the estimates for the samples, in bits per sample: all ten if there
	// are two different symbols, otherwise the seven that do not need bits.
	Literal Estimates `json:"literal"`
	// BitString are the estimates for the bits of the samples, in bits per bit. There
	// are none if there are fewer than three different symbols.
	BitString Estimates `json:"bitstring,omitempty"`

	HOriginal  float64 `json:"h_original"`            // the smallest of Literal, at most SymbolBits
	HBitString float64 `json:"h_bitstring,omitempty"` // the smallest of BitString, at most 1
	// AssessedMinEntropy is the smaller of HOriginal and SymbolBits * HBitString, in
	// bits per sample: the initial estimate of section 3.1.3 but for the submitter's own.
	AssessedMinEntropy float64 `json:"assessed_min_entropy"`
}

// AssessOptions are options of Assess and AssessRestarts.
type AssessOptions struct {
	// Workers is how many estimators run at a time, 0 for one a processor.
	Workers int
	// Progress, if any, is told each time an estimator is done, by one goroutine at a
	// time, how many are of how many.
	Progress func(done, total int)
}

// Assess estimates the min-entropy of samples of symbolBits bits, 1 to 8, in the low bits
// of each byte. The results are those of NIST's tool ea_non_iid 1.1.8 with option -a; an
// estimator is missing where the tool, too, cannot make the estimate: of few or of very
// regular samples. Samples that are all equal have a min-entropy of 0.
//
// A million 8-bit samples take a second of a server's CPU time and 95 MB, most of both
// to find repeats in their bits. Long repeats, as in samples that are mostly equal or
// come twice, make it three seconds and 270 MB. Both grow no faster than the number of
// samples, however long the repeats are.
func Assess(ctx context.Context, samples []byte, symbolBits int, opt AssessOptions) (*Assessment, error) {
	if err := checkSamples(samples, symbolBits); err != nil {
		return nil, fmt.Errorf("assess samples: %w", err)
	}
	a := &Assessment{Samples: len(samples), SymbolBits: symbolBits}
	stop := stopper(func() bool { return ctx.Err() != nil })
	literal, bitString := noFigures(), noFigures()
	var p plan
	a.Symbols = p.literal(samples, symbolBits, &literal, stop)
	if a.Symbols > 2 {
		p.bits(newBitString(samples, symbolBits), &bitString, stop)
	}
	if err := p.run(ctx, opt); err != nil {
		return nil, fmt.Errorf("assess samples: %w", err)
	}
	a.Literal = literal.estimates(nil)
	a.HOriginal = min(float64(symbolBits), a.Literal.Min())
	a.AssessedMinEntropy = a.HOriginal
	if a.Symbols > 2 {
		a.BitString = bitString.estimates(nil)
		a.HBitString = min(1, a.BitString.Min())
		a.AssessedMinEntropy = min(a.AssessedMinEntropy, float64(symbolBits)*a.HBitString)
	}
	return a, nil
}

// checkSamples reports whether samples can be assessed.
func checkSamples(samples []byte, width int) error {
	if width < 1 || width > 8 {
		return fmt.Errorf("symbols of %d bits are not supported, 1 to 8 are", width)
	}
	if len(samples) < MinSamples {
		return fmt.Errorf("%w: %d of at least %d", ErrTooFewSamples, len(samples), MinSamples)
	}
	if len(samples) > MaxSampleBits/width {
		return fmt.Errorf("%d samples of %d bits are more than %d bits", len(samples), width, MaxSampleBits)
	}
	for i, s := range samples {
		if bits.Len8(s) > width {
			return fmt.Errorf("sample %d is %#x, more than %d bits", i, s, width)
		}
	}
	return nil
}

// A plan is a list of jobs that do not depend on each other. The longest come first.
type plan struct {
	jobs []job
}

type job struct {
	cost  int64 // nanoseconds, roughly, for the order
	makes int   // estimates
	run   func()
}

// add adds a job that takes about so many nanoseconds for each of n symbols.
func (p *plan) add(cost float64, n, makes int, run func()) {
	p.jobs = append(p.jobs, job{int64(cost * float64(n)), makes, run})
}

// literal plans the estimates for samples as they are, and returns how many symbols
// there are.
func (p *plan) literal(samples []byte, width int, f *figures, stop stopper) int {
	symbols := make([]byte, len(samples))
	k, counts := renumber(symbols, samples, width)
	switch k {
	case 1:
		*f = zeroFigures(width == 1)
		return k
	case 2:
		p.bits(newBitString(symbols, 1), f, stop)
		return k
	}
	n := len(symbols)
	f[nameMCV] = mostCommonValue(counts[:], n)
	p.add(300, n, 4, func() { new(structure).assess(symbols, k, f, stop) })
	p.add(60, n, 1, func() {
		h, ok := multiMCW(symbols, k, new([len(mcwWindows)]modeWindow), stop)
		f.set(nameMultiMCW, h, ok)
	})
	p.add(15, n, 1, func() { f[nameLag] = lag(symbols, k, stop) })
	return k
}

// bits plans the estimates for bits.
func (p *plan) bits(b *bitString, f *figures, stop stopper) {
	p.add(30, b.n, 1, func() { f[nameMultiMMC] = multiMMCBits(b, maxPairs, stop) })
	p.add(40, b.n, 2, func() { f[nameTTuple], f[nameLRS] = tuplesOfBits(b, stop) })
	p.add(8, b.n, 1, func() { f[nameLag] = lagBits(b, stop) })
	p.add(8, b.n, 1, func() {
		h, ok := multiMCWBits(b, stop)
		f.set(nameMultiMCW, h, ok)
	})
	p.add(1, b.n, 1, func() {
		h, ok := compression(b, stop)
		f.set(nameCompression, h, ok)
	})
	p.add(6, b.n, 1, func() { f[nameLZ78Y] = lz78yBits(b, maxContexts, stop) })
	p.add(5, b.n, 3, func() {
		ones := b.ones()
		f[nameMCV] = mostCommonValue([]int{ones, b.n - ones}, b.n)
		f[nameCollision] = collision(b)
		f[nameMarkov] = markov(b)
	})
}

// run runs all jobs.
func (p *plan) run(ctx context.Context, opt AssessOptions) error {
	workers := opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	slices.SortStableFunc(p.jobs, func(a, b job) int { return cmp.Compare(b.cost, a.cost) })
	total := 0
	for _, j := range p.jobs {
		total += j.makes
	}
	var (
		wait sync.WaitGroup
		lock sync.Mutex
		next int
		done int
	)
	take := func(finished int) (job, bool) {
		lock.Lock()
		defer lock.Unlock()
		if ctx.Err() != nil {
			return job{}, false
		}
		if finished > 0 {
			done += finished
			if opt.Progress != nil {
				opt.Progress(done, total)
			}
		}
		if next == len(p.jobs) || ctx.Err() != nil {
			return job{}, false
		}
		next++
		return p.jobs[next-1], true
	}
	for range min(workers, len(p.jobs)) {
		wait.Go(func() {
			for j, ok := take(0); ok; j, ok = take(j.makes) {
				j.run()
			}
		})
	}
	wait.Wait()
	return ctx.Err()
}

// stopper tells estimators that nobody waits for them any more. Once it is true it stays
// so. Nil never is.
type stopper func() bool

// pollEvery is after how many steps an estimator asks.
const pollEvery = 1 << 16

func (s stopper) stopped() bool { return s != nil && s() }
