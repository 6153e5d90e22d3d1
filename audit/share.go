package audit

import "math"

// Share is a number of bits, Count of Of, of which an ideal source has each with probability 1/2,
// independent of the others.
type Share struct{ Count, Of int64 }

// Fraction returns Count/Of, and 1/2 of nothing.
func (s Share) Fraction() float64 {
	if s.Of == 0 {
		return 0.5
	}
	return float64(s.Count) / float64(s.Of)
}

// Z returns by how many standard deviations, sqrt(Of)/2, the count is above one half.
func (s Share) Z() float64 {
	if s.Of == 0 {
		return 0
	}
	return (2*float64(s.Count) - float64(s.Of)) / math.Sqrt(float64(s.Of))
}

// P returns the probability of a count as far from one half, on either side: an exact binomial tail,
// not that of Z.
func (s Share) P() float64 {
	return twoSided(binomialMore(s.Of, 0.5, s.Count), binomialFewer(s.Of, 0.5, s.Count))
}

// statistic makes a figure of the share, a member of some family.
func (s Share) statistic(where string) Statistic {
	return Statistic{Where: where, Kind: kindZ, Value: s.Z(), Observed: s.Fraction(), Expected: 0.5, P: s.P()}
}
