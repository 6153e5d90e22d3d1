package vm

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// result is one row of the table: a figure of a case, or its verdict.
type result struct {
	Case    string  `json:"case"`
	Kernel  string  `json:"kernel"`
	What    string  `json:"what"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Comment string  `json:"comment,omitempty"`
}

// table collects results of all cases.
type table struct {
	mu   sync.Mutex
	rows []result
}

var results table

// report adds a figure to the table.
func report(t *testing.T, k kernel.Spec, what string, value float64, unit, comment string) {
	t.Helper()
	results.mu.Lock()
	defer results.mu.Unlock()
	results.rows = append(results.rows, result{caseName(t), k.String(), what, value, unit, comment})
}

// caseName is the name of the test without the kernel, which has a column of its own.
func caseName(t *testing.T) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(t.Name(), "Test"), "/")
	return name
}

// reportTime adds a duration to the table, in seconds.
func reportTime(t *testing.T, k kernel.Spec, what string, d time.Duration, comment string) {
	t.Helper()
	report(t, k, what, float64(d.Milliseconds())/1000, "s", comment)
}

// reportVerdict adds what became of a case that began then.
func reportVerdict(t *testing.T, k kernel.Spec, begin time.Time) {
	verdict := "passed"
	switch {
	case t.Failed():
		verdict = "FAILED"
	case t.Skipped():
		verdict = "SKIPPED, NOT TESTED"
	}
	reportTime(t, k, verdict, time.Since(begin), "the whole case by this machine's clock")
}

// publish prints the table, and leaves it as text and as JSON if a path is given.
func (t *table) publish(path string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.rows) == 0 {
		return nil
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CASE\tKERNEL\tWHAT\tVALUE\tUNIT\tCOMMENT")
	for _, r := range t.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%g\t%s\t%s\n", r.Case, r.Kernel, r.What, r.Value, r.Unit, r.Comment)
	}
	w.Flush()
	fmt.Print(text.String())
	if path == "" {
		return nil
	}
	if err := os.WriteFile(path+".txt", []byte(text.String()), 0o644); err != nil {
		return err
	}
	data, err := json.MarshalIndent(t.rows, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path+".json", append(data, '\n'), 0o644)
}
