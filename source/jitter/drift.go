package jitter

import "github.com/hwrngd/hwrngd/sp80090b"

// drift notices that samples are far worse than they were, long before they are worse than claimed.
// The health tests are made for the claim: with 0.5 bits claimed they say nothing when 4 bits become
// 0.6, as happens when a machine goes idle and its caches stay warm. So RCT and APT run a second time,
// for half of what was estimated when the setting was chosen. An alarm fails nothing: it is a warning
// and a step down the ladder, and the next estimate comes at once.
type drift struct {
	rct *sp80090b.RCT
	apt *sp80090b.APT
}

// newDrift returns an alarm for samples that were estimated at so many bits.
func newDrift(estimate float64) *drift {
	h := max(min(estimate/2, 8), 1.0/16)
	// The arguments are in range, so there is no error.
	rct, _ := sp80090b.NewRCT(h, alphaIntermittent, alphaIntermittent)
	apt, _ := sp80090b.NewAPT(h, sp80090b.WindowNonBinary, alphaIntermittent, alphaIntermittent)
	return &drift{rct, apt}
}

// add reports whether the samples raise the alarm.
func (d *drift) add(samples []byte) bool {
	_, a := d.rct.Scan(samples)
	_, b := d.apt.Scan(samples)
	return a != sp80090b.OK || b != sp80090b.OK
}
