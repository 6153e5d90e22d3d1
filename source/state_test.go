package source_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
)

// tableText renders the state machine as ARCHITECTURE.md has it.
func tableText() string {
	var b strings.Builder
	b.WriteString("| from | event | to |\n|---|---|---|\n")
	for _, from := range source.States {
		for _, to := range source.States {
			var events []string
			for _, e := range source.Events {
				if next, listed := source.Transitions[from][e]; listed && next == to {
					events = append(events, e.String())
				}
			}
			if len(events) > 0 {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", from, strings.Join(events, ", "), to)
			}
		}
	}
	return b.String()
}

// TestTableInDocs: the page shows the table that the code goes by.
func TestTableInDocs(t *testing.T) {
	page := kit.ReadFile(t, "../ARCHITECTURE.md")
	if want := tableText(); !strings.Contains(page, want) {
		t.Errorf("ARCHITECTURE.md does not hold this table:\n%s", want)
	}
}

// TestStateMachine asserts what the table must never lose.
func TestStateMachine(t *testing.T) {
	reaches := func(from, to source.State) bool {
		seen := []source.State{from}
		for i := 0; i < len(seen); i++ {
			for _, next := range source.Transitions[seen[i]] {
				if !slices.Contains(seen, next) {
					seen = append(seen, next)
				}
			}
		}
		return slices.Contains(seen, to)
	}
	for _, s := range source.States {
		if s != source.Failed && !reaches(s, source.Active) {
			t.Errorf("no way from %s back to active", s)
		}
		for e, next := range source.Transitions[s] {
			if next == s {
				t.Errorf("%s on %q is listed and changes nothing", s, e)
			}
			if next == source.Active && !(s == source.Starting && e == source.TestPassed || s == source.Suspect && e == source.Recovered) {
				t.Errorf("%s on %q earns credit without a test", s, e)
			}
			if next == source.Failed && e != source.Latched {
				t.Errorf("%s on %q is for ever", s, e)
			}
			if s == source.Failed && e != source.Stopped {
				t.Errorf("failed is left on %q", e)
			}
		}
		if s != source.Disabled && s.Next(source.Stopped) != source.Disabled {
			t.Errorf("%s does not stop", s)
		}
		if (s == source.Active || s == source.Suspect || s == source.Starting) && s.Next(source.Alarm) != source.Quarantined {
			t.Errorf("%s takes no notice of an alarm", s)
		}
	}
	if next := source.Quarantined.Next(source.Retest); next != source.Starting {
		t.Errorf("a quarantine ends in %s, not in a re-test", next)
	}
}
