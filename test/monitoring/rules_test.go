package monitoring

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	rulesFolder = "../../packaging/prometheus"
	rulesFile   = rulesFolder + "/hwrngd.rules.yml"
	alertsFile  = rulesFolder + "/hwrngd.alerts.yml"
	runbook     = "../../docs/alerts.md"
)

// ruleFile is a file of rules, as Prometheus reads it.
type ruleFile struct {
	Groups []struct {
		Name     string `yaml:"name"`
		Interval string `yaml:"interval,omitempty"`
		Rules    []rule `yaml:"rules"`
	} `yaml:"groups"`
}

// rule is an alert or a recording rule.
type rule struct {
	Alert       string            `yaml:"alert,omitempty"`
	Record      string            `yaml:"record,omitempty"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readYAML reads a file and accepts no field that v does not have.
func readYAML(t *testing.T, path string, v any) {
	t.Helper()
	dec := yaml.NewDecoder(bytes.NewReader([]byte(readText(t, path))))
	dec.KnownFields(true)
	if err := dec.Decode(v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func readRules(t *testing.T, path string) (rules []rule) {
	t.Helper()
	var f ruleFile
	readYAML(t, path, &f)
	for _, g := range f.Groups {
		rules = append(rules, g.Rules...)
	}
	return rules
}

// Each alert tells how bad it is, what it saw, and where it is explained.
func TestAlertsAreComplete(t *testing.T) {
	severities := []string{"critical", "warning", "info"}
	for _, a := range readRules(t, alertsFile) {
		t.Run(a.Alert, func(t *testing.T) {
			if !strings.HasPrefix(a.Alert, "Hwrngd") {
				t.Errorf("an alert is called Hwrngd..., not %q", a.Alert)
			}
			if a.For == "" {
				t.Error("says not for how long its condition has to hold")
			}
			if !slices.Contains(severities, a.Labels["severity"]) {
				t.Errorf("severity %q, want one of %q", a.Labels["severity"], severities)
			}
			if summary := a.Annotations["summary"]; !strings.HasSuffix(summary, ".") || strings.Contains(summary, "{{") {
				t.Errorf("summary %q, want a sentence that is the same for all boards", summary)
			}
			for _, part := range []string{"{{ $labels.instance }}", "$value"} {
				if !strings.Contains(a.Annotations["description"], part) {
					t.Errorf("the description lacks %s: %s", part, a.Annotations["description"])
				}
			}
			want := "https://github.com/hwrngd/hwrngd/blob/main/docs/alerts.md#" + strings.ToLower(a.Alert)
			if got := a.Annotations["runbook_url"]; got != want {
				t.Errorf("runbook_url %q, want %q", got, want)
			}
		})
	}
}

// The runbook has a section for each alert and none for others. Each says what the alert means, why it may be,
// what to look at and what to do, on one screen.
func TestRunbook(t *testing.T) {
	const screen = 24 // lines
	sections := map[string]string{}
	for _, section := range strings.Split(readText(t, runbook), "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		sections[name] = text
	}
	alerts := map[string]bool{}
	for _, a := range readRules(t, alertsFile) {
		alerts[a.Alert] = true
		text, ok := sections[a.Alert]
		if !ok {
			t.Errorf("%s has no section in %s", a.Alert, runbook)
			continue
		}
		at := 0
		for _, part := range []string{"**Means.** ", "**Likely.** ", "**Look at.** ", "**Do.** "} {
			i := strings.Index(text[at:], part)
			if i < 0 {
				t.Errorf("the section of %s lacks %s, or has it in another place", a.Alert, part)
				continue
			}
			at += i
		}
		if n := strings.Count(text, "\n"); n > screen {
			t.Errorf("the section of %s has %d lines, which no screen holds", a.Alert, n)
		}
	}
	for name := range sections {
		if !alerts[name] {
			t.Errorf("%s explains %s, which is no alert", runbook, name)
		}
	}
	for _, name := range regexp.MustCompile(`Hwrngd[A-Z]\w+`).FindAllString(readText(t, runbook), -1) {
		if !alerts[name] {
			t.Errorf("%s speaks of %s, which is no alert", runbook, name)
		}
	}
}

// The promtool cases cover every alert: one that makes it fire, and one in which its series are there and it does
// not.
func TestEveryAlertHasItsCases(t *testing.T) {
	type covered struct{ fires, silent, live int }
	cases := map[string]*covered{}
	exprs := map[string]string{}
	for _, a := range readRules(t, alertsFile) {
		cases[a.Alert] = &covered{}
		exprs[a.Alert] += a.Expr + "\n"
	}
	for _, path := range caseFiles(t) {
		var f struct {
			RuleFiles          []string `yaml:"rule_files"`
			EvaluationInterval string   `yaml:"evaluation_interval"`
			Tests              []struct {
				Name        string `yaml:"name"`
				Interval    string `yaml:"interval"`
				InputSeries []struct {
					Series string `yaml:"series"`
					Values string `yaml:"values"`
				} `yaml:"input_series"`
				PromQL []any `yaml:"promql_expr_test"`
				Alerts []struct {
					Name     string `yaml:"alertname"`
					EvalTime string `yaml:"eval_time"`
					Expected []any  `yaml:"exp_alerts"`
				} `yaml:"alert_rule_test"`
			} `yaml:"tests"`
		}
		readYAML(t, path, &f)
		for _, test := range f.Tests {
			var series strings.Builder
			for _, s := range test.InputSeries {
				series.WriteString(s.Series + "\n")
			}
			for _, a := range test.Alerts {
				c := cases[a.Name]
				if c == nil {
					t.Errorf("%s, %s: %s is no alert", path, test.Name, a.Name)
					continue
				}
				named := metricName.FindString(resolve(t, exprs[a.Name]))
				switch {
				case len(a.Expected) > 0:
					c.fires++
				case strings.Contains(series.String(), named):
					c.silent++
				}
			}
		}
	}
	for _, b := range breakages {
		for _, name := range slices.Concat(b.alerts, b.atOnce) {
			cases[name].live++
		}
	}
	table := fmt.Sprintf("%-32s %8s %8s %8s\n", "alert", "fires", "silent", "live")
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		if c.fires == 0 || c.silent == 0 {
			t.Errorf("%s: %d cases in which it fires, %d in which it does not", name, c.fires, c.silent)
		}
		table += fmt.Sprintf("%-32s %8d %8d %8d\n", name, c.fires, c.silent, c.live)
	}
	t.Logf("REPORT moments at which promtool has an alert fire and not fire, and boards for which a real Prometheus raises it:\n%s", table)
}

// resolve puts recorded series' own expressions in the place of their names.
func resolve(t *testing.T, expr string) string {
	t.Helper()
	for range 5 {
		for _, r := range readRules(t, rulesFile) {
			expr = strings.ReplaceAll(expr, r.Record, "("+strings.TrimSpace(r.Expr)+")")
		}
	}
	return expr
}

func caseFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(rulesFolder + "/tests/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	return files
}
