package cpu

import (
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// TestRealInstructions executes each instruction of this machine. It passes on a machine that has none,
// where it says why.
func TestRealInstructions(t *testing.T) {
	found := Probe("/proc")
	if len(found) == 0 {
		t.Skip(New(Options{}).Watch())
	}
	for _, f := range found {
		t.Run(f.Name, func(t *testing.T) {
			s := New(Options{Procfs: "/proc", Instruction: f.Name})
			if f.Missing != "" {
				if sourcetest.Unavailable(s.Watch()) == nil {
					t.Errorf("missing (%s), but Watch = nil", f.Missing)
				}
				t.Skip(f.Missing)
			}
			// Four blocks are not all bad by chance: (1/1258)^4 is 2^-41.
			var (
				tester fips.Tester
				failed int
			)
			for range 4 {
				block := make([]byte, 0, fips.BlockBytes)
				for len(block) < fips.BlockBytes {
					n, err := s.Read(t.Context(), block[len(block):fips.BlockBytes])
					if err != nil {
						t.Fatal(err) // a hundred tries without a number
					}
					block = block[:len(block)+n]
				}
				if verdict := tester.Block((*[fips.BlockBytes]byte)(block)); verdict != 0 {
					t.Logf("a block failed: %v", verdict)
					failed++
				}
			}
			if failed == 4 {
				t.Error("every block failed")
			}
		})
	}
}

// BenchmarkRead is the rate of each instruction of this machine.
func BenchmarkRead(b *testing.B) {
	for _, f := range Probe("/proc") {
		b.Run(f.Name, func(b *testing.B) {
			if f.Missing != "" {
				b.Skip(f.Missing)
			}
			s, buf := New(Options{Procfs: "/proc", Instruction: f.Name}), make([]byte, fips.BlockBytes)
			b.SetBytes(fips.BlockBytes)
			for b.Loop() {
				if _, err := s.Read(b.Context(), buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
