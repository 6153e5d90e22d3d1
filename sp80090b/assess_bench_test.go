package sp80090b

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// BenchmarkAssess has the time on one processor, for a million samples.
func BenchmarkAssess(b *testing.B) {
	for _, test := range []struct {
		name    string
		samples []byte
		bits    int
	}{
		{"8bit", uniform(1, EnoughSamples, 256), 8},
		{"4bit", uniform(2, EnoughSamples, 16), 4},
		{"1bit", uniform(3, EnoughSamples, 2), 1},
		{"four-values", uniform(4, EnoughSamples, 4), 8},
		{"twice-the-same", append(uniform(5, EnoughSamples/2, 256), uniform(5, EnoughSamples/2, 256)...), 8},
		{"mostly-zeros", biased(6, EnoughSamples, 256, 50), 8},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Assess(b.Context(), test.samples, test.bits, AssessOptions{Workers: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAssessLiteral(b *testing.B) {
	var s Scratch
	for _, n := range []int{1024, 4096, 16384} {
		for name, samples := range map[string][]byte{
			"uniform":   uniform(1, n, 256),
			"nibbles":   uniform(1, n, 16),
			"two-tone":  twoTone(n, 33.37, 2.5),
			"fibonacci": fibonacci(n),
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					AssessLiteral(samples, 8, &s)
				}
			})
		}
	}
}

// BenchmarkEstimators has the time of each job of an assessment.
func BenchmarkEstimators(b *testing.B) {
	samples := uniform(1, EnoughSamples, 256)
	bits := newBitString(samples, 8)
	counts := countSymbols(samples)
	f := noFigures()
	for _, test := range []struct {
		name string
		run  func()
	}{
		{"MCV", func() { mostCommonValue(counts[:], len(samples)) }},
		{"t-Tuple+LRS+MultiMMC+LZ78Y", func() { new(structure).assess(samples, 256, &f, nil) }},
		{"MultiMCW", func() { multiMCW(samples, 256, new([len(mcwWindows)]modeWindow), nil) }},
		{"Lag", func() { lag(samples, 256, nil) }},
		{"bits/Collision", func() { collision(bits) }},
		{"bits/Markov", func() { markov(bits) }},
		{"bits/Compression", func() { compression(bits, nil) }},
		{"bits/t-Tuple+LRS", func() { tuplesOfBits(bits, nil) }},
		{"bits/MultiMCW", func() { multiMCWBits(bits, nil) }},
		{"bits/Lag", func() { lagBits(bits, nil) }},
		{"bits/MultiMMC", func() { multiMMCBits(bits, maxPairs, nil) }},
		{"bits/LZ78Y", func() { lz78yBits(bits, maxContexts, nil) }},
	} {
		b.Run(test.name, func(b *testing.B) {
			for b.Loop() {
				test.run()
			}
		})
	}
}

// BenchmarkCancel has the time from cancelling an assessment to its end, at different
// stages of it.
func BenchmarkCancel(b *testing.B) {
	samples := append(uniform(5, EnoughSamples/2, 256), uniform(5, EnoughSamples/2, 256)...)
	worst := time.Duration(0)
	after := time.Duration(0)
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		var from time.Time
		timer := time.AfterFunc(after%(1500*time.Millisecond), func() { from = time.Now(); cancel() })
		_, err := Assess(ctx, samples, 8, AssessOptions{})
		if err != nil {
			worst = max(worst, time.Since(from))
		}
		timer.Stop()
		cancel()
		after += 70 * time.Millisecond
	}
	b.ReportMetric(float64(worst.Milliseconds()), "worst-ms")
}

func BenchmarkRestartCutoff(b *testing.B) {
	for b.Loop() {
		restartCutoff(7.3, RestartColumns, 5e-6)
	}
}
