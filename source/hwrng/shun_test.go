package hwrng

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestShun: with Best the second best takes the place of a generator that failed its tests, for a time
// that grows with each failure; other choices are the operator's and stay.
func TestShun(t *testing.T) {
	current := func(t *testing.T, s *selector, want string) {
		t.Helper()
		if got, err := s.settle(); got != want || err != nil {
			t.Errorf("after %v: %q, %v, want %q", time.Now(), got, err, want)
		}
	}
	t.Run("best", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newSelector(Best, nil, board())
			current(t, s, "ccp-1-rng")
			s.shun("ccp-1-rng")
			current(t, s, "tpm-rng-0")
			time.Sleep(shunFirst - time.Second)
			current(t, s, "tpm-rng-0")
			time.Sleep(2 * time.Second)
			current(t, s, "ccp-1-rng")
			s.shun("ccp-1-rng")
			time.Sleep(2*shunFirst - time.Second)
			current(t, s, "tpm-rng-0")
			time.Sleep(2 * time.Second)
			current(t, s, "ccp-1-rng")
			for range 40 {
				s.shun("ccp-1-rng")
			}
			time.Sleep(shunMost + time.Second)
			current(t, s, "ccp-1-rng")
		})
	})
	t.Run("all bad", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newSelector(Best, nil, board())
			s.shun("ccp-1-rng")
			s.shun("tpm-rng-0")
			current(t, s, "ccp-1-rng")
		})
	})
	t.Run("denied stays denied", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newSelector(Best, []string{"tpm-rng-0"}, board())
			s.shun("ccp-1-rng")
			current(t, s, "ccp-1-rng")
		})
	})
	for _, want := range []string{Keep, "ccp-1-rng"} {
		t.Run(want, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := board()
				s, _ := newSelector(want, nil, k)
				s.shun("ccp-1-rng")
				current(t, s, "ccp-1-rng")
				if len(k.writes) != 0 {
					t.Errorf("wrote %q", k.writes)
				}
			})
		})
	}
}
