package source_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
)

// TestSticky simulates sources whose bits depend on the one before: the failure rates of the table.
func TestSticky(t *testing.T) {
	const blocks = 400
	for _, s := range source.Sticky {
		t.Run(fmt.Sprint(s.D), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(7, math.Float64bits(s.D)))
			limit := uint32((0.5 + s.D) * (1 << 32))
			failed := 0
			bit := byte(0)
			for range blocks {
				var block [fips.BlockBytes]byte
				for i := range block {
					for range 8 {
						if rnd.Uint32() >= limit {
							bit ^= 1
						}
						block[i] = block[i]<<1 | bit
					}
				}
				if fips.Check(&block, ^uint32(0)) != 0 {
					failed++
				}
			}
			got := float64(failed) / blocks
			// Four standard deviations of this simulation and of the one behind the table.
			if allowed := 4 * math.Sqrt(2*s.Rate*(1-s.Rate)/blocks); math.Abs(got-s.Rate) > allowed+0.002 {
				t.Errorf("%.4f of the blocks fail, the table says %.4f", got, s.Rate)
			}
		})
	}
}

func TestMinEntropyCeiling(t *testing.T) {
	for _, tt := range []struct{ rate, want float64 }{
		{0, 8}, {fips.ChanceAny, 8}, {0.003, -8 * math.Log2(0.505)}, {0.125, -8 * math.Log2(0.5125)}, {0.5, -8 * math.Log2(0.52)}, {1, 0},
	} {
		if got := source.MinEntropyCeiling(tt.rate); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("ceiling at a failure rate of %v is %v, want %v", tt.rate, got, tt.want)
		}
	}
	last := 8.0
	for rate := 0.0; rate < 1; rate += 0.001 {
		got := source.MinEntropyCeiling(rate)
		if got > last {
			t.Fatalf("ceiling rises to %v at %v", got, rate)
		}
		last = got
	}
}
