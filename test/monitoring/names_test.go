package monitoring

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// metric has the labels of a metric, and for those with a fixed set the values.
type metric map[string][]string

// metricName matches the name of a metric of hwrngd, or a series of it if it is a histogram.
var metricName = regexp.MustCompile(`\b(hwrngd|node_textfile)_[a-z0-9_]+\b|\bup\b`)

var (
	docsRow   = regexp.MustCompile("(?m)^\\| `(hwrngd_\\w+)` \\| ([^|]*) \\| [^|]* \\| ([^|]*) \\|")
	docsLabel = regexp.MustCompile("`(\\w+)`(?: \\(([^)]*)\\))?")
	// selector matches a metric with its matchers, and matcher one of these.
	selector = regexp.MustCompile(`\b(hwrngd_\w+)(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"`)
	recorded = regexp.MustCompile(`\bhwrngd:[a-z0-9_:]+`)
)

// catalogue reads docs/metrics.md, which is generated from the code, and a test there fails on a difference.
func catalogue(t *testing.T) map[string]metric {
	t.Helper()
	all := map[string]metric{}
	for _, row := range docsRow.FindAllStringSubmatch(readText(t, "../../docs/metrics.md"), -1) {
		m := metric{}
		for _, label := range docsLabel.FindAllStringSubmatch(row[3], -1) {
			m[label[1]] = nil
			if label[2] != "" {
				m[label[1]] = strings.Split(label[2], ", ")
			}
		}
		all[row[1]] = m
		if row[2] == "histogram" {
			all[row[1]+"_bucket"], all[row[1]+"_sum"], all[row[1]+"_count"] = maps.Clone(m), m, m
			all[row[1]+"_bucket"]["le"] = nil
		}
	}
	if len(all) < 40 {
		t.Fatalf("%d metrics in docs/metrics.md, so it was not understood", len(all))
	}
	return all
}

// expression is a PromQL expression and where it stands.
type expression struct{ where, text string }

// target is a query of a panel of a dashboard.
type target struct {
	Expr string `json:"expr"`
}

// dashboardExpressions extracts what the dashboards ask.
func dashboardExpressions(t *testing.T) (found []expression) {
	t.Helper()
	files, err := filepath.Glob("../../packaging/grafana/*.json")
	if err != nil || len(files) != 2 {
		t.Fatalf("dashboards %q, %v; want two", files, err)
	}
	for _, file := range files {
		var d struct {
			Panels []struct {
				Title   string   `json:"title"`
				Targets []target `json:"targets"`
			} `json:"panels"`
		}
		if err := json.Unmarshal([]byte(readText(t, file)), &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				found = append(found, expression{filepath.Base(file) + ", " + p.Title, q.Expr})
			}
		}
	}
	return found
}

// ruleExpressions extracts what the rules ask.
func ruleExpressions(t *testing.T) (found []expression) {
	t.Helper()
	for _, r := range slices.Concat(readRules(t, rulesFile), readRules(t, alertsFile)) {
		found = append(found, expression{r.Alert + r.Record, r.Expr})
	}
	return found
}

// Every metric, label and label value in rules, dashboards and runbook is one that the daemon has.
func TestNamesAreInTheCatalogue(t *testing.T) {
	all := catalogue(t)
	records := map[string]bool{}
	for _, r := range readRules(t, rulesFile) {
		records[r.Record] = true
	}
	text := []expression{{runbook, readText(t, runbook)}}
	for _, e := range slices.Concat(ruleExpressions(t), dashboardExpressions(t), text) {
		for _, s := range selector.FindAllStringSubmatch(e.text, -1) {
			m, ok := all[s[1]]
			if !ok {
				t.Errorf("%s: no metric %s in docs/metrics.md", e.where, s[1])
				continue
			}
			checkMatchers(t, e.where, s[1], m, s[2])
		}
		for _, name := range recorded.FindAllString(e.text, -1) {
			if !records[name] {
				t.Errorf("%s: %s is not recorded by %s", e.where, name, rulesFile)
			}
		}
	}
}

func checkMatchers(t *testing.T, where, name string, m metric, matchers string) {
	t.Helper()
	for _, match := range matcher.FindAllStringSubmatch(matchers, -1) {
		label, value := match[1], match[3]
		if label == "instance" || label == "job" {
			continue
		}
		values, ok := m[label]
		if !ok {
			t.Errorf("%s: %s has no label %s", where, name, label)
		}
		for one := range strings.SplitSeq(value, "|") {
			if values != nil && !slices.Contains(values, one) {
				t.Errorf("%s: the label %s of %s is never %q", where, label, name, one)
			}
		}
	}
}
