package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hwrngd/hwrngd/test/faults/script"
	"github.com/hwrngd/hwrngd/test/kit"
)

// ofScrape are the quantities that take a whole scrape. It costs the daemon a millisecond, so it is
// asked less often.
var ofScrape = map[string]func(s scrape, args []string) float64{
	"errors": func(s scrape, args []string) float64 {
		if len(args) == 1 {
			return s.readErrors(args[0])
		}
		return s.of(args[0], "source_read_errors_total", "reason", args[1])
	},
	"entered": func(s scrape, args []string) float64 {
		return s.of(args[0], "source_transitions_total", "to", args[1])
	},
	"passed": func(s scrape, args []string) float64 {
		return s.of(args[0], "fips_blocks_total", "result", "pass")
	},
	"failed": func(s scrape, args []string) float64 {
		return s.of(args[0], "fips_blocks_total", "result", "fail")
	},
	"alarms": func(s scrape, args []string) float64 {
		return s.of(args[0], "health_failures_total", "severity", "intermittent", "test", args[1]) +
			s.of(args[0], "health_failures_total", "severity", "permanent", "test", args[1])
	},
	"discarded": func(s scrape, args []string) float64 {
		return s.of(args[0], "source_discarded_bytes_total", "reason", args[1])
	},
	"read":   func(s scrape, args []string) float64 { return s.of(args[0], "source_read_bytes_total") },
	"metric": func(s scrape, args []string) float64 { return s[args[0]] },
}

// ofStatus are the numbers that the status socket tells.
var ofStatus = map[string]func(s *status, source string) float64{
	"credited": func(s *status, source string) float64 { return float64(s.Feeding.Bits[source]) },
	"added":    func(s *status, source string) float64 { return float64(s.Feeding.Bytes[source]) },
	"claim":    func(s *status, source string) float64 { return s.source(source).Claim },
	"filled":   func(s *status, source string) float64 { return s.source(source).Filled },
}

// pollPause is the time between two looks at a quantity.
func pollPause(quantity string) time.Duration {
	if ofScrape[quantity] != nil {
		return 250 * time.Millisecond
	}
	return 50 * time.Millisecond
}

// number returns what a quantity is now.
func (r *run) number(quantity string, args []string) float64 {
	r.t.Helper()
	if of := ofScrape[quantity]; of != nil {
		return of(r.d.scrape(), args)
	}
	if of := ofStatus[quantity]; of != nil {
		return of(r.d.status(), args[0])
	}
	switch quantity {
	case "log":
		return float64(len(r.d.lines(args[0], args[1:]...)))
	case "output":
		n := 0
		for line := range strings.Lines(r.d.text()) {
			if strings.Contains(line, args[0]) {
				n++
			}
		}
		return float64(n)
	case "exit":
		return float64(r.d.exit())
	case "processes":
		return float64(processes(args[0]))
	case "told":
		return float64(len(r.needManager().Got(args[0])))
	case "calls":
		return float64(len(r.needTrace().Calls(args...)))
	case "seeds":
		return float64(len(r.needTrace().Seeds()))
	case "tainted":
		n := 0
		for _, o := range r.tape.origins(r.needTrace().Seeds()) {
			if o == tainted {
				n++
			}
		}
		return float64(n)
	case "asked", "opened":
		asked, opened := r.channel.(counter).counts()
		if quantity == "asked" {
			return float64(asked)
		}
		return float64(opened)
	}
	panic("no quantity " + quantity)
}

// processes returns how many programs run whose command line holds a text.
func processes(text string) (n int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		line, err := os.ReadFile(path) // fails if it has ended
		if err == nil && strings.Contains(strings.ReplaceAll(string(line), "\x00", " "), text) {
			n++
		}
	}
	return n
}

// counter is a channel that counts what reaches it.
type counter interface{ counts() (asked, opened int64) }

func (r *run) needTrace() *kit.Trace {
	r.t.Helper()
	if r.trace == nil {
		r.t.Fatal("the case has no trace line")
	}
	return r.trace
}

func (r *run) needManager() *kit.Manager {
	r.t.Helper()
	if r.manager == nil {
		r.t.Fatal("the case has no notify line")
	}
	return r.manager
}

// words returns what a quantity that is a text is now.
func (r *run) words(quantity string, args []string) string {
	r.t.Helper()
	if quantity == "sysfile" {
		return r.bench.file("sys", args[0])
	}
	source := r.d.status().source(args[0])
	switch quantity {
	case "state":
		return source.State
	case "reason":
		return source.Reason
	case "driver":
		return source.Driver
	}
	panic("no quantity " + quantity)
}

// baseline returns the number from which a relative condition counts.
func (r *run) baseline(c script.Condition) float64 {
	if c.Relative {
		return r.number(c.Quantity, c.Args)
	}
	return 0
}

// holds tells whether a condition is true now, and what its quantity is.
func (r *run) holds(c script.Condition, start float64) (bool, string) {
	r.t.Helper()
	if c.IsText {
		now := r.words(c.Quantity, c.Args)
		if c.Op == "contains" {
			return strings.Contains(now, c.Text), now
		}
		return now == c.Text, now
	}
	now, want := r.number(c.Quantity, c.Args), start+c.Number
	shown := fmt.Sprintf("%.10g", now)
	if c.Relative {
		shown += fmt.Sprintf(", %.10g at the beginning of this step", start)
	}
	switch c.Op {
	case ">=":
		return now >= want, shown
	case "<=":
		return now <= want, shown
	}
	return now == want, shown
}
