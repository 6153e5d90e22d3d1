package jitter

// MaxClaim is the most min-entropy that is ever claimed of a sample, in bits. The memory walk
// that it is made for shows 2 bits and more (see the package's documentation).
const MaxClaim = 0.5

const (
	// margin is how many times its claim a source must show before it is believed.
	margin = 2
	// comfort is how many times its claim a setting must show to be taken without looking further.
	comfort = 4
)

// rungs are the claims in bits a sample, highest first. A claim is lowered step by step when
// estimates fall, and never raised while the process runs: a lower one takes more samples for each
// block.
var rungs = [...]float64{MaxClaim, 1.0 / 3, 1.0 / 5, 1.0 / 8}

// ladder is the claims that remain below the operator's ceiling.
type ladder struct {
	claims []float64
	at     int // index of the claim in force
}

// newLadder returns a ladder that starts at ceiling, or at MaxClaim if that is 0 or more than it.
func newLadder(ceiling float64) *ladder {
	if !(ceiling > 0 && ceiling <= MaxClaim) {
		ceiling = MaxClaim
	}
	l := &ladder{claims: []float64{ceiling}}
	for _, h := range rungs {
		if h < ceiling {
			l.claims = append(l.claims, h)
		}
	}
	return l
}

func (l *ladder) claim() float64 { return l.claims[l.at] }

// lowest returns the least claim of all.
func (l *ladder) lowest() float64 { return l.claims[len(l.claims)-1] }

// fit steps down until the estimate has its margin. It reports false if not even the lowest claim
// has; the ladder then stays at the lowest.
func (l *ladder) fit(estimate float64) bool {
	for estimate < margin*l.claim() {
		if !l.down() {
			return false
		}
	}
	return true
}

// down takes one step, if there is one.
func (l *ladder) down() bool {
	if l.at == len(l.claims)-1 {
		return false
	}
	l.at++
	return true
}
