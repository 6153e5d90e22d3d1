package ais31

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// someOf skips most of the cases of a slow table under the race detector, and in short runs.
func someOf(t *testing.T, i int) {
	t.Helper()
	if (race || testing.Short()) && i%5 != 0 {
		t.Skip("one in five will do")
	}
}

// good returns the first n bytes of a stream that passes.
func good(n int) func() []byte {
	return func() []byte { return fipstest.Shake("ais31", n) }
}

// repeated returns a piece over and over, FirstBytes of it.
func repeated(piece ...byte) func() []byte {
	return func() []byte { return slices.Repeat(piece, FirstBytes/len(piece)+1)[:FirstBytes] }
}

// planted returns FirstBytes of good data with the first n bytes copied to byte at.
func planted(n, at int) func() []byte {
	return func() []byte {
		data := good(FirstBytes)()
		copy(data[at:], data[:n])
		return data
	}
}

// biased returns FirstBytes of independent bits that are one with probability p.
func biased(p float64) func() []byte {
	return func() []byte {
		rng := rand.New(rand.NewPCG(20, 31))
		data := make([]byte, FirstBytes)
		for i := range 8 * FirstBytes {
			if rng.Float64() < p {
				fipstest.SetBit(data, i, 1)
			}
		}
		return data
	}
}

// chained returns FirstBytes in which each bit equals the one that lies back bits before it with
// probability 1/2 + d.
func chained(back int, d float64) func() []byte {
	return func() []byte {
		rng := rand.New(rand.NewPCG(20, 31))
		data := make([]byte, FirstBytes)
		for i := range 8 * FirstBytes {
			v := byte(0)
			if i >= back {
				v = fipstest.Bit(data, i-back)
			}
			if rng.Float64() >= 0.5+d {
				v ^= 1
			}
			fipstest.SetBit(data, i, v)
		}
		return data
	}
}
