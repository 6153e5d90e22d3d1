//go:build amd64 || 386

package cpu

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/test/kit"
)

// TestKernelSwitchesOff: an instruction that CPUID shows and cpuinfo does not is left alone.
func TestKernelSwitchesOff(t *testing.T) {
	for _, tt := range []struct {
		name, cpuinfo string
		off           map[string]bool
	}{
		{"neither", "flags\t\t: fpu rdrand rdseed\n", nil},
		{"RDSEED", "flags\t\t: fpu rdrand\n", map[string]bool{"rdseed": true}},
		{"both", "flags\t\t: fpu rdrandx\n", map[string]bool{"rdseed": true, "rdrand": true}},
		{"no cpuinfo to read", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			if tt.cpuinfo != "" {
				kit.WriteFile(t, filepath.Join(root, "cpuinfo"), tt.cpuinfo, 0o644)
			}
			without := Probe("")
			for i, f := range Probe(linux.Procfs(root)) {
				switch {
				case without[i].Missing != "": // not on this CPU
					if f.Missing != without[i].Missing {
						t.Errorf("%s: %q", f.Name, f.Missing)
					}
				case strings.Contains(f.Missing, "cpuinfo") != tt.off[f.Name]:
					t.Errorf("%s: %q", f.Name, f.Missing)
				}
			}
		})
	}
}
