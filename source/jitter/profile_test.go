package jitter

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

func TestProfiles(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name    string
		memory  int64
		l2      int
		limit   int
		first   Profile
		biggest int
	}{
		{"nothing known", 0, 0, 0, Profile{16 * mib, 16}, 32 * mib},
		{"server", 64 << 30, mib, 0, Profile{16 * mib, 16}, 32 * mib},
		{"large L2", 64 << 30, 2 * mib, 0, Profile{32 * mib, 16}, 32 * mib},
		{"huge L2", 64 << 30, 12 * mib, 0, Profile{32 * mib, 16}, 32 * mib},
		{"huge L2, more allowed", 64 << 30, 12 * mib, 256 * mib, Profile{256 * mib, 16}, 256 * mib},
		{"small L2", 4 << 30, 256 << 10, 0, Profile{16 * mib, 16}, 32 * mib},
		{"512 MiB", 512 * mib, 512 << 10, 0, Profile{16 * mib, 16}, 32 * mib},
		{"256 MiB", 256 * mib, 512 << 10, 0, Profile{16 * mib, 16}, 16 * mib},
		{"128 MiB", 128 * mib, 0, 0, Profile{mib, 1024}, mib},
		{"64 MiB", 64 * mib, 0, 0, Profile{mib, 1024}, mib},
		{"32 MiB", 32 * mib, 0, 0, Profile{256 << 10, 1024}, 256 << 10},
		{"operator's limit of 1 MiB", 64 << 30, mib, mib, Profile{mib, 1024}, mib},
		{"operator's limit of 300 KiB", 64 << 30, mib, 300 << 10, Profile{256 << 10, 1024}, 256 << 10},
		{"operator's limit of everything", 0, 1 << 30, 1<<31 - 1, Profile{1 << 30, 16}, 1 << 30},
	} {
		list := profiles(Machine{Memory: c.memory, L2: c.l2}, c.limit)
		if list[0] != c.first {
			t.Errorf("%s: first is %s, want %s", c.name, list[0], c.first)
		}
		for _, p := range list {
			if p.Buffer > c.biggest || p.Buffer&(p.Buffer-1) != 0 || p.Touches < 16 || p.Touches > 4096 {
				t.Errorf("%s: %s", c.name, p)
			}
		}
		if again := slices.Compact(slices.Clone(list)); len(again) != len(list) {
			t.Errorf("%s: %v", c.name, list)
		}
	}
}

func TestChoose(t *testing.T) {
	try := func(estimate, median float64) trial {
		return trial{Measurement: Measurement{Estimate: estimate, Median: median}}
	}
	bad := trial{fault: "no", Measurement: Measurement{Estimate: 5, Median: 1}}
	for _, c := range []struct {
		name   string
		trials []trial
		want   int
	}{
		{"none", nil, -1},
		{"faults only", []trial{bad, bad}, -1},
		{"comfortable before fast", []trial{bad, try(1.9, 100), try(2.1, 1000)}, 2},
		{"of comfortable ones the most entropy for its time", []trial{try(4, 1000), try(2.5, 500), try(8, 4000)}, 1},
		{"with the margin only", []trial{try(1.1, 1000), try(1.5, 1200), try(0.9, 10)}, 1},
		{"without it the highest", []trial{try(0.3, 10), bad, try(0.9, 10000)}, 2},
	} {
		if got := choose(c.trials, 0.5); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if slow := try(1, 30000); !slow.tooSlow(Profile{Touches: 64}) || func() bool {
		slow.Touches = 16
		return slow.tooSlow(Profile{Touches: 32})
	}() {
		t.Error("limit of time for a sample")
	}
}

func TestInspect(t *testing.T) {
	sys := linux.Sysfs(system(t, map[string]string{
		"devices/system/cpu/cpu0/cache/index0/level":                    "1\n",
		"devices/system/cpu/cpu0/cache/index0/size":                     "48K\n",
		"devices/system/cpu/cpu0/cache/index0/type":                     "Data\n",
		"devices/system/cpu/cpu0/cache/index1/level":                    "1\n",
		"devices/system/cpu/cpu0/cache/index1/size":                     "32K\n",
		"devices/system/cpu/cpu0/cache/index1/type":                     "Instruction\n",
		"devices/system/cpu/cpu0/cache/index2/level":                    "2\n",
		"devices/system/cpu/cpu0/cache/index2/size":                     "2M\n",
		"devices/system/cpu/cpu0/cache/index2/type":                     "Unified\n",
		"devices/system/clocksource/clocksource0/current_clocksource":   "tsc\n",
		"devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet \n",
	}))
	proc := linux.Procfs(system(t, map[string]string{"meminfo": "MemTotal:        1024 kB\n", "sys/kernel/osrelease": "6.1\n"}))
	seen, log := sourcetest.NewLog()
	m := inspect(sys, proc, log)
	if m.L1 != 48<<10 || m.L2 != 2<<20 || m.L3 != 0 || m.Memory != 1<<20 || m.Clocksource != "tsc" || m.Kernel != "6.1" {
		t.Errorf("%+v", m)
	}
	if lines := seen.Lines(slog.LevelDebug, ""); len(lines) != 0 {
		t.Errorf("logged %q", lines)
	}
	if got := m.clockHint(); got != "use a hardware generator, or boot with a clocksource that reads a cycle counter (clocksource=NAME on the kernel's command line; available: hpet)" {
		t.Error(got)
	}
}

// FC-100: without the tree of CPUs in sysfs the source works from usual sizes and says so once, for
// those who debug.
func TestNoCacheSizes(t *testing.T) {
	r := newRig(t, Options{Clock: noisy(1), Sysfs: linux.Sysfs(t.TempDir()), Procfs: linux.Procfs(t.TempDir())})
	for range 3 {
		r.mustRead(200)
	}
	if lines := r.log.Lines(slog.LevelDebug, "no cache sizes"); len(lines) != 1 {
		t.Errorf("said %q", lines)
	}
	if lines := r.log.Lines(slog.LevelWarn, ""); len(lines) != 0 {
		t.Errorf("warned %q", lines)
	}
	if got, want := r.s.Status().Setting, (Profile{16 << 20, 16}); got != want {
		t.Errorf("setting %s, want %s", got, want)
	}
}

// TestCheapFirst: a small machine that is slow tries little work first, a fast one much, and both settle
// on what has enough jitter.
func TestCheapFirst(t *testing.T) {
	for _, c := range []struct {
		name         string
		mean, jitter float64 // nanoseconds for 16 touches
		want         int     // touches
	}{
		{"fast, in a near cache", 25, 6, 1024},
		{"a router: each touch misses the caches", 1600, 60, 64},
		{"emulated", 24000, 900, 64},
		{"slow, with little jitter", 800, 4, 1024},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := &jittertest.Clock{Tick: 10, ReadTime: 23, Spread: 60, Step: jittertest.Noise(3, c.mean, c.jitter)}
			r := newRig(t, Options{Clock: clock, Memory: smallBuffer})
			r.mustRead(BlockSize)
			if p := r.s.Status().Setting; p.Touches != c.want || p.Buffer != smallBuffer {
				t.Errorf("settled on %s, want %d touches; %q", p, c.want, r.log.Lines(slog.LevelDebug, "tried"))
			}
		})
	}
}
