// Package egd plays the hardware behind a virtual machine's random number generators. QEMU asks it
// for entropy over a socket, and a script says what it gets: good data, bad data, too little or
// none, one after the other.
package egd

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// Script is what a generator does: one phase after the other, the last one for ever.
type Script []Phase

// Phase is one way to behave.
type Phase struct {
	Name string
	Fill func(p []byte) // makes data; nil: no answer at all
	Rate int            // bytes a second, 0: as fast as it goes

	// A phase ends after so many bytes or so long, whatever is not 0.
	Bytes int
	For   time.Duration
}

// Good gives data that no test can tell from random. Each label has a stream of its own.
func Good(label string) Phase {
	stream := fipstest.NewShake("vm " + label)
	return Phase{Name: "good", Fill: func(p []byte) { _, _ = stream.Read(p) }}
}

// Stuck gives one byte for ever; 0 is hardware that is off.
func Stuck(b byte) Phase {
	return Phase{Name: fmt.Sprintf("stuck %#02x", b), Fill: func(p []byte) {
		for i := range p {
			p[i] = b
		}
	}}
}

// Biased gives independent bits, each a one with this chance.
func Biased(ones float64) Phase {
	rng := rand.New(rand.NewChaCha8([32]byte([]byte("hwrngd test/vm: bits with a bias"))))
	return Phase{Name: fmt.Sprintf("biased %.2f", ones), Fill: func(p []byte) {
		for i := range p {
			p[i] = 0
			for range 8 {
				p[i] <<= 1
				if rng.Float64() < ones {
					p[i] |= 1
				}
			}
		}
	}}
}

// Silent never answers. What was asked meanwhile is answered by the next phase.
func Silent() Phase { return Phase{Name: "silent"} }

// At makes a phase slow: so many bytes a second.
func (p Phase) At(rate int) Phase { p.Rate = rate; return p }

// Until ends a phase after so many bytes.
func (p Phase) Until(bytes int) Phase { p.Bytes = bytes; return p }

// Lasting ends a phase after some time.
func (p Phase) Lasting(d time.Duration) Phase { p.For = d; return p }
