package vm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
	"github.com/hwrngd/hwrngd/test/vm/wire"
)

// Scenario a: nobody has seeded the kernel yet, and programs that need keys wait. How long does it
// take from the start of a daemon until getrandom(2) answers?
//
// All contestants start from the same state of one machine, in turns. The kernel's own thread credits
// nothing for the hardware, as with most drivers up to Linux 6.1. For those that do without it, it
// is silent: even the interrupts of a thread that reads all the time seed the kernel in the end.
func TestQuickUnseeded(t *testing.T) {
	onKernels(t, contest)
}

// The same on other architectures.
func TestUnseededArchitectures(t *testing.T) { onArchitectures(t, contest) }

// contest lets the contestants seed a kernel, and reports how long each takes.
func contest(t *testing.T, k kernel.Spec) {
	m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Silent()}}, programs: peers})
	rewind := m.unseeded()
	samples := make([][]sample, len(contestants))
	for range rounds {
		for i, c := range contestants {
			samples[i] = append(samples[i], m.sample(rewind, c))
		}
	}
	for i, c := range contestants {
		slices.SortFunc(samples[i], func(a, b sample) int { return cmp.Compare(a.ready, b.ready) })
		median := samples[i][rounds/2]
		comment := fmt.Sprintf("start of the program to getrandom, median of %d", rounds)
		if median.credit > 0 {
			comment += fmt.Sprintf("; first credit %.3f s after its main function began", median.credit.Seconds())
		}
		if median.unaided {
			comment += "; interrupts had seeded the kernel before"
		}
		reportTime(t, k, c.what, median.ready, comment)
	}
}

const (
	rounds   = 3
	attempts = 5 // until the daemon is faster than interrupts, which are no part of it
)

// contestant is a program that makes getrandom(2) answer.
type contestant struct {
	what   string
	argv   []string
	source string // what it is about, "" for any that works
}

var contestants = []contestant{
	{"hwrngd", []string{daemonPath}, ""},
	{"hwrngd, hardware only", []string{daemonPath, "--sources=hwrng"}, hardware},
	{"hwrngd, jitter only", []string{daemonPath, "--sources=jitter"}, jitter},
	{"rngd of rng-tools-debian", []string{"/peers/rngd-debian", "-f"}, hardware},
	{"rngd of rng-tools5", []string{"/peers/rngd-5", "-f"}, hardware},
	{"jitterentropy-rngd", []string{"/peers/jitterentropy-rngd", "-v"}, jitter},
	{"the kernel alone, asked by a program", []string{"/init", "wait"}, jitter},
}

// peers are the contestants that others made.
var peers = []program{
	{"/peers/rngd-debian", "rng-tools-debian", "/usr/sbin/rngd"},
	{"/peers/rngd-5", "rng-tools5", "/usr/sbin/rngd"},
	{"/peers/jitterentropy-rngd", "jitterentropy-rngd", "/usr/sbin/jitterentropy-rngd"},
}

// sample is what one run of a contestant took.
type sample struct {
	ready   time.Duration // from its start until getrandom answered
	credit  time.Duration // from the begin of its main function to the first credit, as hwrngd says
	unaided bool          // the kernel was faster, with what it credits for interrupts
}

// unseeded makes the kernel's own thread credit nothing, while the hardware is silent and nobody has seeded the
// kernel. It returns what takes the machine back to this state: a snapshot, or a new boot where snapshots fail.
func (m *machine) unseeded() (rewind func()) {
	m.t.Helper()
	begin := func() {
		m.t.Helper()
		if m.ready {
			m.t.Fatal("the kernel is seeded at boot: this shows nothing")
		}
		m.distrust()
	}
	begin()
	back := func() { m.bootAgain(); begin() }
	if m.vm.Snapshots() {
		m.step(m.vm.Save("unseeded"))
		back = func() { m.step(m.vm.Restore("unseeded")) }
	}
	return func() {
		m.hardware[0].Become(egd.Silent())
		back()
	}
}

// sample measures a contestant from the beginning. What counts for hardware is a run that it decides.
func (m *machine) sample(rewind func(), c contestant) (s sample) {
	m.t.Helper()
	for range attempts {
		rewind()
		if s = m.measure(c); c.source != hardware || !s.unaided {
			return s
		}
		m.t.Logf("%s: interrupts seeded the kernel before hardware, in %s; again", c.what, s.ready)
	}
	m.t.Errorf("%s: interrupts were faster than hardware %d times", c.what, attempts)
	return s
}

// measure lets a contestant seed the kernel.
func (m *machine) measure(c contestant) (s sample) {
	m.t.Helper()
	if c.source != jitter {
		m.hardware[0].Become(egd.Good("unseeded"))
	}
	a := m.ask(wire.Request{Op: wire.Seed, Name: "hwrngd", Argv: c.argv, Limit: kit.Patience})
	if s.ready = a.Took; !a.Ready {
		log := m.ask(wire.Request{Op: wire.Log, Name: "hwrngd"})
		m.t.Errorf("%s: getrandom does not answer after %s; it says:\n%s", c.what, kit.Patience, log.Text)
	}
	if c.argv[0] != daemonPath {
		return s
	}
	d := &daemon{m: m, t: m.t, name: "hwrngd"}
	const ready, first = "the kernel's random generator is ready", "first credit"
	d.logged(ready)
	kit.Within(m.t, jitterPatience, first, func() bool { return len(d.lines(first, "source="+c.source)) == 1 })
	log := d.log()
	s.unaided = strings.Index(log, ready) < strings.Index(log, first)
	s.credit = d.status().Credits.FirstCredit
	return s
}

// --once, from an early boot stage: it ends when the kernel is seeded, by hardware or without.
func TestQuickOnce(t *testing.T) {
	onKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Silent()}}})
		rewind := m.unseeded()
		for _, c := range []struct {
			what, source string
			phase        egd.Phase
		}{
			{"hwrngd --once, good hardware", hardware, egd.Good("once")},
			{"hwrngd --once, silent hardware", jitter, egd.Silent()},
			{"hwrngd --once, dead hardware", jitter, egd.Stuck(0)},
		} {
			once := func() wire.Answer {
				rewind()
				m.hardware[0].Become(c.phase)
				return m.hwrngd("run", "--once")
			}
			a := once()
			// Interrupts may be faster than jitter. Then there is nothing left to do.
			for again := 0; c.source == jitter && again < attempts && len(matching(a.Stderr, "credited_bits=0")) == 1; again++ {
				t.Logf("%s: the kernel was ready without it after %s; again", c.what, a.Took)
				a = once()
			}
			if a.Code != 0 || len(matching(a.Stderr, "first credit", "source="+c.source)) != 1 {
				t.Errorf("%s: exit code %d, want 0 and credit for %s first:\n%s", c.what, a.Code, c.source, a.Stderr)
			}
			reportTime(t, k, c.what, a.Took, "start of the program to its end")
		}
	})
}
