package monitoring

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Every expression of the dashboards, asked of a Prometheus that scrapes two real daemons, has an answer.
func TestDashboardsShowData(t *testing.T) {
	t.Parallel()
	needRoot(t)
	b := newBoard(t, "good")
	b.plug(good(1))
	b.start()
	broken := newBoard(t, "broken") // for the panels that show alerts
	broken.start()
	s := watch(t, b, broken)
	eventually(t, "an alert fires", func() bool { return s.in("firing", "HwrngdNoActiveSource", broken) })

	values := strings.NewReplacer("$instance", b.name, "$job", ".+")
	var asked []expression
	for _, e := range dashboardExpressions(t) {
		e.text = values.Replace(e.text)
		if strings.Contains(e.text, "$") {
			t.Errorf("%s: a variable without a value: %s", e.where, e.text)
		}
		asked = append(asked, e)
	}
	if len(asked) < 60 {
		t.Fatalf("%d expressions, so they were not found", len(asked))
	}
	left := slices.Clone(asked)
	for deadline := time.Now().Add(patience); len(left) > 0 && time.Now().Before(deadline); time.Sleep(pause) {
		left = slices.DeleteFunc(left, func(e expression) bool { return s.has(e.text) })
	}
	for _, e := range left {
		t.Errorf("%s: no data: %s", e.where, e.text)
	}
	t.Logf("REPORT %d of %d expressions have data", len(asked)-len(left), len(asked))
}
