package afalg

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/hwrngd/hwrngd/internal/linux"
)

// Generator is what is known of one generator of the crypto API.
type Generator struct {
	Driver string
	// MinEntropy is the default claim in bits per byte. See the package's documentation.
	MinEntropy float64
	Note       string // one line for people
	NotAuto    string // why Auto does not take it, "" if it may
	Refused    string // why it is never read, "" if it may be

	listed   bool // MinEntropy is a known driver's
	priority int
}

const (
	engineClaim = 4.0  // of hardware of which nothing more is known
	jitterClaim = 1.0  // of the kernel's jitter generator
	ownClaim    = 0.01 // of the kernel's own output, since a claim has to be more than 0
)

const (
	jitterDriver = "jitterentropy_rng"
	ownOutput    = "it is seeded by the kernel's own generator, and feeding the kernel with its own output adds nothing"
)

// known lists the drivers that are no hardware, first match wins. Patterns are those of path.Match.
var known = []struct {
	pattern string
	Generator
}{
	{jitterDriver, Generator{MinEntropy: jitterClaim, Note: "the kernel's jitter generator; tests cannot see a dead noise source behind its hash"}},
	{"drbg_*", Generator{MinEntropy: ownClaim, Note: "DRBG of the kernel", NotAuto: ownOutput}},
	{"krng", Generator{MinEntropy: ownClaim, Note: "the kernel's generator under another name", NotAuto: ownOutput}},
}

// describe returns what is known of a generator.
func describe(rng linux.CryptoRNG) Generator {
	g := Generator{MinEntropy: engineClaim, Note: "engine of the kernel crypto API, module " + rng.Module}
	for _, k := range known {
		if ok, _ := path.Match(k.pattern, rng.Driver); ok {
			g = k.Generator
			g.listed = true
			break
		}
	}
	g.Driver, g.priority = rng.Driver, rng.Priority
	if rng.SeedSize > 0 {
		g.Refused = fmt.Sprintf("it wants a seed of %d bytes from its user, and what it gives is as random as that", rng.SeedSize)
	}
	if g.NotAuto == "" && !rng.Passed {
		g.NotAuto = "it did not pass the kernel's self-test"
	}
	return g
}

// Probe lists the generators that the kernel has loaded, in the order in which Auto takes them and with
// those that it does not take at the end. It opens none.
func Probe(procfs linux.Procfs) ([]Generator, error) {
	rngs, err := procfs.CryptoRNGs()
	if err != nil {
		return nil, err
	}
	var list []Generator
	for _, rng := range rngs {
		list = append(list, describe(rng))
	}
	rank := func(g Generator) int {
		switch {
		case g.Refused != "":
			return 3
		case g.NotAuto != "":
			return 2
		case g.Driver == jitterDriver:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b Generator) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.priority, a.priority))
	})
	return list, nil
}
