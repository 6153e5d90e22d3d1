package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

// overdue is how long there may be no credit at least before the verdict says so. A slow generator
// may take longer for a block than the refill interval.
const overdue = 3 * time.Minute

// verdict says in one plain sentence how things stand and what this daemon adds.
func (s *statusReport) verdict() string {
	m, seeded := &s.Machine, s.Machine.seeded()
	switch {
	case s.Daemon == nil && s.Silence == notRunning:
		return s.withoutDaemon()
	case s.Daemon == nil:
		return seeded + "; hwrngd " + s.Silence
	}
	active := s.Daemon.Active()
	if len(active) == 0 {
		_, why := s.Daemon.Ready()
		return fmt.Sprintf("hwrngd runs but feeds nothing (%s); %s", why, seeded)
	}
	name := generatorName(&active[0])
	credits := &s.Daemon.Credits
	rhythm := refillText(m.PoolBits, s.Daemon.Refill)
	switch {
	case s.Daemon.Monitor && m.kernelReads():
		return fmt.Sprintf("%s and the kernel reads %s by itself; hwrngd tests %s and, in monitor mode, credits nothing", seeded, m.HWRandom.Current, name)
	case s.Daemon.Monitor:
		return fmt.Sprintf("%s; hwrngd tests %s and, in monitor mode, credits nothing", seeded, name)
	case !credits.CanCredit:
		return fmt.Sprintf("hwrngd tests %s but may not credit it (no CAP_SYS_ADMIN); %s", name, seeded)
	case credits.TotalBits() == 0 && credits.LastError != "":
		return fmt.Sprintf("hwrngd tests %s but the kernel has taken nothing yet (%s); %s", name, credits.LastError, seeded)
	case credits.TotalBits() == 0 && added(credits) > 0:
		return fmt.Sprintf("hwrngd adds tested data of %s %s, which earns no credit at so low a claim; %s", name, rhythm, seeded)
	case credits.TotalBits() == 0:
		return fmt.Sprintf("hwrngd tests %s and has credited nothing yet; %s", name, seeded)
	}
	if s.at.Sub(credits.LastCredit) > max(overdue, 3*s.Daemon.Refill) {
		return fmt.Sprintf("hwrngd tests %s but has credited nothing since %s; %s", name, credits.LastCredit.Format(time.DateTime), seeded)
	}
	adds := fmt.Sprintf("hwrngd adds tested data of %s %s", name, rhythm)
	switch {
	case !m.CRNGReady:
		return adds + ", but " + seeded
	case m.kernelReads():
		return fmt.Sprintf("all is well: %s, the kernel also reads %s by itself without testing it, and %s", seeded, m.HWRandom.Current, adds)
	}
	return fmt.Sprintf("all is well: %s and %s; the kernel itself reads no generator", seeded, adds)
}

// withoutDaemon is the verdict where no daemon runs.
func (s *statusReport) withoutDaemon() string {
	m, seeded := &s.Machine, s.Machine.seeded()
	current := m.HWRandom.Current
	switch {
	case !m.CRNGReady && current != "":
		return fmt.Sprintf("%s; start hwrngd, which can seed it from %s", seeded, current)
	case !m.CRNGReady:
		return seeded + "; start hwrngd, which can seed it from CPU jitter"
	case m.kernelReads():
		return fmt.Sprintf("%s and the kernel reads %s by itself, but nothing tests that generator: hwrngd is not running", seeded, current)
	case current != "":
		return fmt.Sprintf("%s; the kernel does not read %s by itself, and hwrngd, which would, is not running", seeded, current)
	case len(m.HWRandom.Available) > 0:
		return fmt.Sprintf("%s; no hardware generator is current (there are: %s), and hwrngd is not running", seeded, strings.Join(m.HWRandom.Available, " "))
	}
	return seeded + "; there is no hardware generator, and hwrngd is not running"
}

// seeded says whether the kernel's generator is.
func (m *machine) seeded() string {
	switch {
	case m.CRNGReady:
		return "the kernel's generator is seeded"
	case m.CRNGError != "":
		return "whether the kernel's generator is seeded is not known (" + m.CRNGError + ")"
	}
	return "the kernel's generator is NOT seeded: programs that need keys wait"
}

// kernelReads tells whether the kernel feeds itself from a hardware generator.
func (m *machine) kernelReads() bool { return m.KernelThread && m.HWRandom.Current != "" }

// refillText says when the daemon adds to a seeded pool of that size.
func refillText(poolBits int, interval time.Duration) string {
	if poolBits > pool.ModernPoolBits {
		return "whenever the kernel asks"
	}
	return "every " + formatDuration(interval)
}

// added is the number of bytes that the pool got from all sources, credited or not.
func added(c *pool.Credits) (total uint64) {
	for _, n := range c.Bytes {
		total += n
	}
	return total
}

func generatorName(src *source.Snapshot) string {
	switch {
	case src.Driver != "":
		return src.Driver
	case src.Kind == source.KindJitter:
		return "CPU jitter"
	case src.Kind == source.KindTTY, src.Kind == source.KindCommand:
		return src.Device
	}
	return "the configured device"
}
