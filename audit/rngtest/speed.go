package rngtest

import (
	"fmt"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// units are the prefixes of bits/s, each 1024 times the one before.
var units = [...]string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}

// speed holds how long blocks took in one stage of the work.
type speed struct {
	blocks        int64
	sum, min, max time.Duration
}

// add takes the time of one block.
func (s *speed) add(took time.Duration) {
	took = max(took, 1) // shorter than the clock can tell
	if s.blocks == 0 || took < s.min {
		s.min = took
	}
	s.max = max(s.max, took)
	s.sum += took
	s.blocks++
}

// String returns the lowest, the mean and the highest speed. They share a unit, the largest in
// which none of them is below 1.
func (s *speed) String() string {
	var low, mean, high float64 // bits/s
	if s.blocks > 0 {
		low = fips.BlockBits / s.max.Seconds()
		mean = fips.BlockBits * float64(s.blocks) / s.sum.Seconds()
		high = fips.BlockBits / s.min.Seconds()
	}
	unit := 0
	for min(low, mean, high) >= 1024 && unit < len(units)-1 {
		low, mean, high = low/1024, mean/1024, high/1024
		unit++
	}
	return fmt.Sprintf("(min=%.3f; avg=%.3f; max=%.3f)%sbits/s", low, mean, high, units[unit])
}
