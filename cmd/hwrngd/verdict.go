package main

import (
	"fmt"

	"github.com/hwrngd/hwrngd/pool"
)

// verdict says in one plain sentence how things stand and what this daemon adds. daemon is nil if
// none runs.
func verdict(m *machine, daemon *pool.Status) string {
	seeded := "the kernel's generator is seeded"
	if !m.CRNGReady {
		seeded = "the kernel's generator is NOT seeded, programs that need keys wait for it"
	}
	if daemon == nil {
		return notRunning(m, seeded)
	}
	active := daemon.Active()
	switch {
	case len(active) == 0:
		_, why := daemon.Ready()
		return fmt.Sprintf("hwrngd runs but feeds nothing (%s); %s", why, seeded)
	case daemon.Monitor:
		return fmt.Sprintf("%s; hwrngd tests %s and, in monitor mode, credits nothing", seeded, generatorName(active[0].Driver))
	case !daemon.Credits.CanCredit:
		return fmt.Sprintf("hwrngd tests %s but may not credit it (no CAP_SYS_ADMIN); %s", generatorName(active[0].Driver), seeded)
	case daemon.Credits.TotalBits() == 0:
		return fmt.Sprintf("hwrngd tests %s and has credited nothing yet; %s", generatorName(active[0].Driver), seeded)
	}
	adds := fmt.Sprintf("hwrngd adds tested data of %s every %s", generatorName(active[0].Driver), daemon.Refill)
	switch {
	case !m.CRNGReady:
		return adds + ", but " + seeded
	case m.KernelThread:
		return fmt.Sprintf("all is well: %s, the kernel also reads %s by itself without testing it, and %s", seeded, generatorName(m.HWRandom.Current), adds)
	}
	return fmt.Sprintf("all is well: %s and %s, which nothing else does", seeded, adds)
}

func notRunning(m *machine, seeded string) string {
	switch {
	case !m.CRNGReady && m.HWRandom.Current != "":
		return seeded + fmt.Sprintf("; start hwrngd, which can seed it from %s", m.HWRandom.Current)
	case !m.CRNGReady:
		return seeded + "; hwrngd is not running, and there is no hardware generator"
	case m.KernelThread:
		return fmt.Sprintf("%s and the kernel reads %s by itself, but nothing tests that generator: hwrngd is not running", seeded, generatorName(m.HWRandom.Current))
	case m.HWRandom.Current != "":
		return fmt.Sprintf("%s, but nothing reads %s: hwrngd is not running", seeded, m.HWRandom.Current)
	}
	return seeded + " and there is no hardware generator to add; hwrngd is not running"
}

func generatorName(driver string) string {
	if driver == "" {
		return "the configured device"
	}
	return driver
}

// formatQuality renders a kernel quality for people.
func formatQuality(q int) string {
	return fmt.Sprintf("credits %d/1024 bit per bit", q)
}
