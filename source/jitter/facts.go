package jitter

import (
	"log/slog"
	"runtime"
	"strings"

	"github.com/hwrngd/hwrngd/internal/linux"
)

// Machine is what the system says of itself, as far as it matters to the noise loop. Everything is
// optional: zero values mean that it says nothing.
type Machine struct {
	Arch        string   `json:"goarch"`
	Kernel      string   `json:"kernel,omitempty"`
	Clocksource string   `json:"clocksource,omitempty"`
	Available   []string `json:"clocksources_available,omitempty"`
	Memory      int64    `json:"memory_bytes,omitempty"`
	L1          int      `json:"l1d_bytes,omitempty"`
	L2          int      `json:"l2_bytes,omitempty"`
	L3          int      `json:"l3_bytes,omitempty"`
}

// inspect asks the system.
func inspect(sys linux.Sysfs, proc linux.Procfs, log *slog.Logger) Machine {
	m := Machine{Arch: runtime.GOARCH}
	m.Kernel, _ = proc.KernelRelease()
	m.Clocksource, _ = sys.Clocksource()
	m.Available, _ = sys.Clocksources()
	m.Memory, _ = proc.MemTotal()
	caches, err := sys.Caches()
	for _, c := range caches {
		if c.Kind == "Instruction" {
			continue
		}
		switch c.Level {
		case 1:
			m.L1 = max(m.L1, c.Bytes)
		case 2:
			m.L2 = max(m.L2, c.Bytes)
		case 3:
			m.L3 = max(m.L3, c.Bytes)
		}
	}
	if err != nil {
		log.Debug("the system states no cache sizes, the noise loop starts from usual ones", "reason", err.Error())
	}
	return m
}

// clockName names the clock for people.
func (m Machine) clockName() string {
	if m.Clocksource == "" {
		return "the system's clock"
	}
	return `clock "` + m.Clocksource + `"`
}

// clockHint says what helps against a coarse clock.
func (m Machine) clockHint() string {
	var others []string
	for _, name := range m.Available {
		if name != m.Clocksource {
			others = append(others, name)
		}
	}
	hint := "use a hardware generator, or boot with a clocksource that reads a cycle counter"
	if len(others) > 0 {
		return hint + " (clocksource=NAME on the kernel's command line; available: " + strings.Join(others, " ") + ")"
	}
	return hint
}
