package afalg

import (
	"errors"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
)

// TestRealGenerators reads each generator of this machine's kernel. Where the kernel lets nobody in, it
// says so with a hint.
func TestRealGenerators(t *testing.T) {
	list, err := Probe("/proc")
	if err != nil || len(list) == 0 {
		t.Skipf("no generators: %v", err)
	}
	for _, g := range list {
		t.Run(g.Driver, func(t *testing.T) {
			s := New(Options{Procfs: "/proc", Generator: g.Driver}, nil)
			defer s.Close()
			var tester fips.Tester
			failed := 0
			for range 4 { // all bad by chance: (1/1258)^4 is 2^-41
				var block [fips.BlockBytes]byte
				for n := 0; n < len(block); {
					m, err := s.Read(t.Context(), block[n:])
					if out, ok := errors.AsType[*source.UnavailableError](err); ok {
						if out.Hint == "" && !out.Denied {
							t.Errorf("no hint with %v", err)
						}
						t.Skip(err)
					} else if err != nil {
						t.Fatal(err)
					}
					n += m
				}
				if tester.Block(&block) != 0 {
					failed++
				}
			}
			if failed == 4 {
				t.Error("every block failed")
			}
		})
	}
}
