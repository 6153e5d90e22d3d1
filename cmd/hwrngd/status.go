package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

// statusReport is what hwrngd status --output=json prints.
type statusReport struct {
	Schema  int          `json:"schema_version"`
	Verdict string       `json:"verdict"`
	Ready   bool         `json:"ready"` // seeded, and the daemon has a source in use
	Machine machine      `json:"machine"`
	Daemon  *pool.Status `json:"daemon"` // null if none answers
	Silence string       `json:"daemon_silence,omitempty"`

	at time.Time // of the report
}

// notRunning is the silence of a daemon that is not there.
const notRunning = "not running"

// cmdStatus shows the state of kernel and daemon.
func cmdStatus(_ context.Context, inv *Invocation) int {
	cfg, err := inv.LoadConfig()
	if err != nil {
		return inv.Fail(err)
	}
	daemon, silent := askStatus(cfg.RuntimeDir)
	report := newStatusReport(surveyMachine(cfg), daemon, silent, time.Now())
	if inv.JSON {
		err = inv.WriteJSON(report)
	} else {
		err = inv.WriteReport(report.text(inv.NewReport()))
	}
	if err != nil {
		return inv.Fail(err)
	}
	if !report.Ready {
		return exitUnavailable
	}
	return exitOK
}

// newStatusReport judges what the machine and the daemon, or the lack of its answer, say.
func newStatusReport(m machine, daemon *pool.Status, silent error, at time.Time) *statusReport {
	s := &statusReport{Schema: 1, Machine: m, Daemon: daemon, Ready: m.CRNGReady, at: at}
	if silent != nil {
		s.Silence = silence(silent)
	}
	if daemon != nil {
		s.Ready, _ = daemon.Ready()
	}
	s.Verdict = s.verdict()
	return s
}

// silence says why no daemon answered, as the end of a sentence about it.
func silence(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return notRunning
	case errors.Is(err, fs.ErrPermission):
		return "cannot be asked: " + err.Error()
	}
	return "does not answer: " + err.Error()
}

func (s *statusReport) text(r *Report) *Report {
	r.Line(s.Verdict)
	m := &s.Machine
	r.Section("Kernel")
	r.Row(plain("  release"), plain(m.Kernel))
	if m.CRNGError == "" {
		r.Row(plain("  generator"), yesNo(m.CRNGReady, "seeded", "NOT seeded: getrandom(2) waits"))
	} else {
		r.Row(plain("  generator"), bad("not known: "+m.CRNGError))
	}
	r.Row(plain("  pool"), plain(m.poolText()))
	if m.FIPSMode {
		r.Row(plain("  FIPS mode"), plain("on"))
	}
	r.Section("Who else seeds")
	r.Row(plain("  kernel thread"), plain(m.threadCredit()))
	r.Row(plain("  CPU"), plain(m.cpuText()))
	if m.TrustBootload != "" {
		r.Row(plain("  boot loader"), plain("random.trust_bootloader="+m.TrustBootload))
	}
	r.Section("Hardware generators")
	r.Row(plain("  current"), plain(orDash(m.HWRandom.Current)))
	r.Row(plain("  available"), plain(orDash(strings.Join(m.HWRandom.Available, " "))))
	if m.DefaultQuality != "" {
		r.Row(plain("  default quality"), plain("rng_core.default_quality="+m.DefaultQuality))
	}
	r.Section("Daemon")
	if s.Daemon == nil {
		r.Row(plain("  state"), warn(s.Silence))
		return r
	}
	s.daemonText(r)
	return r
}

func (s *statusReport) daemonText(r *Report) {
	d, c := s.Daemon, &s.Daemon.Credits
	r.Row(plain("  state"), plain(fmt.Sprintf("running as process %d, version %s, since %s", d.PID, d.Version, d.Started.Format(time.DateTime))))
	r.Row(plain("  ready"), yesNo(s.Ready, "yes", "no"))
	switch {
	case d.Monitor:
		r.Row(plain("  crediting"), plain("off: monitor mode"))
	case !c.CanCredit:
		r.Row(plain("  crediting"), bad("not possible: "+pool.ErrCannotCredit.Error()))
	case c.FirstCredit > 0:
		r.Row(plain("  first credit"), plain(fmt.Sprintf("%s after the start", c.FirstCredit.Round(time.Millisecond))))
		r.Row(plain("  last credit"), plain(fmt.Sprintf("%s, one %s", c.LastCredit.Format(time.DateTime), refillText(s.Machine.PoolBits, d.Refill))))
	default:
		r.Row(plain("  first credit"), plain("not yet"))
	}
	if c.LastError != "" {
		r.Row(plain("  last error"), bad(c.LastError))
	}
	for _, src := range d.Sources {
		r.Section("Source " + src.Name)
		state := warn(src.State)
		if src.State == source.Active.String() {
			state = good(src.State)
		}
		r.Row(plain("  state"), state)
		if src.Reason != "" {
			r.Row(plain("  reason"), plain(src.Reason))
		}
		if generator := strings.TrimSpace(src.Driver + " " + src.Device); generator != "" {
			r.Row(plain("  generator"), plain(generator))
		}
		if turns := src.Rotation; turns != nil {
			r.Row(plain("  rotation"), turnsText(turns))
		}
		r.Row(plain("  claim"), plain(fmt.Sprintf("%.3g of 8 bits a byte (%s)", src.MinEntropy, src.ClaimOrigin)))
		r.Row(plain("  read"), plain(fmt.Sprintf("%d bytes, %d errors", src.BytesRead, src.ReadErrors)))
		if src.LastError != "" {
			r.Row(plain("  last error"), plain(src.LastError))
		}
		r.Row(plain("  credited"), plain(fmt.Sprintf("%d bits in %d bytes added", c.Bits[src.Name], c.Bytes[src.Name])))
	}
}

// turnsText says whether the generators have their turns, and if not any more, since when and why.
func turnsText(r *source.Rotation) Cell {
	if r.Running {
		return plain("each generator in turn")
	}
	return warn(fmt.Sprintf("stopped at %s until a reload: %s", r.Stopped.Format(time.DateTime), r.Reason))
}

// cpuText says what the kernel may take from the CPU.
func (m *machine) cpuText() string {
	if len(m.CPUGenerators) == 0 {
		return "no random-number instruction"
	}
	trust := "the kernel's default decides whether they count"
	if m.TrustCPU != "" {
		trust = "random.trust_cpu=" + m.TrustCPU
	}
	return strings.Join(m.CPUGenerators, ", ") + "; " + trust
}

func yesNo(ok bool, yes, no string) Cell {
	if ok {
		return good(yes)
	}
	return bad(no)
}

func orDash(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
