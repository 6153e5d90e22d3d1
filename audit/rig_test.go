package audit

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// good returns a stream of n blocks, and the word before them, of a good generator. Each seed makes
// another one.
func good(seed uint64, n int) []byte {
	data := make([]byte, blockOffset(int64(n)))
	fill(seed, data)
	return data
}

// fill makes data random.
func fill(seed uint64, data []byte) {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], "hwrngd audit")
	rand.NewChaCha8(key).Read(data)
}

// biased returns a stream of n blocks whose bits are ones with probability p, and equal the one before
// with probability same if that is not 0.
func biased(seed uint64, n int, p, same float64) []byte {
	rng := rand.New(rand.NewPCG(seed, 0))
	data := make([]byte, blockOffset(int64(n)))
	bit := false
	for i := range data {
		for range 8 {
			if same == 0 {
				bit = rng.Float64() < p
			} else {
				bit = bit == (rng.Float64() < same)
			}
			data[i] <<= 1
			if bit {
				data[i]++
			}
		}
	}
	return data
}

// measure counts a stream.
func measure(data []byte) *Run {
	m := NewMeter(MeterOptions{})
	m.Write(data)
	return m.Finish()
}

// judged is the report of a stream by the rules.
func judged(data []byte, rules Rules) *Report { return Judge(measure(data), rules) }

// hintNames lists the names of the hints of a report.
func hintNames(r *Report) []string {
	var names []string
	for _, h := range r.Hints {
		names = append(names, h.Name)
	}
	return names
}

// statistic returns a statistic by its name.
func statistic(t *testing.T, r *Report, name string) Statistic {
	t.Helper()
	for _, s := range r.Statistics {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no statistic %s", name)
	return Statistic{}
}
