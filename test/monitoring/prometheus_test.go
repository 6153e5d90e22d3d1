package monitoring

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// pause is how often Prometheus scrapes and evaluates.
const pause = 500 * time.Millisecond

// server is a running Prometheus and a pager that it notifies, if any.
type server struct {
	t     testing.TB
	url   string
	pager *pager
}

// watch starts a Prometheus that scrapes the boards, and evaluates the rules hurried.
func watch(t testing.TB, boards ...*board) *server {
	t.Helper()
	p := newPager(t)
	var targets []scrapeTargets
	for _, b := range boards {
		targets = append(targets, scrapeTargets{[]string{b.address}, map[string]string{"instance": b.name}})
	}
	s := startServer(t, freeAddress(t), map[string]any{
		"global":         map[string]string{"scrape_interval": pause.String(), "scrape_timeout": pause.String(), "evaluation_interval": pause.String()},
		"rule_files":     []string{hurried(t, rulesFile), hurried(t, alertsFile)},
		"scrape_configs": []any{map[string]any{"job_name": "hwrngd", "static_configs": targets}},
		"alerting": map[string]any{"alertmanagers": []any{map[string]any{
			"static_configs": []scrapeTargets{{Targets: []string{strings.TrimPrefix(p.URL, "http://")}}},
		}}},
	})
	s.pager = p
	return s
}

// scrapeTargets is what a configuration of Prometheus says about targets.
type scrapeTargets struct {
	Targets []string          `yaml:"targets"`
	Labels  map[string]string `yaml:"labels,omitempty"`
}

// agentMode makes a Prometheus that has no rules and no queries, and sends all that it scrapes elsewhere.
const agentMode = "--enable-feature=agent"

// startServer starts a Prometheus that listens at an address, with further arguments, until the end of the
// case.
func startServer(t testing.TB, address string, config map[string]any, args ...string) *server {
	t.Helper()
	path := tool(t, "PROMETHEUS")
	text, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s := &server{t: t, url: "http://" + address}
	storage := "--storage.tsdb.path"
	if slices.Contains(args, agentMode) {
		storage = "--storage.agent.path"
	}
	cmd := exec.Command(path, append(args, "--config.file", file, storage, filepath.Join(dir, "data"), "--web.listen-address", address)...)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("log of Prometheus:\n%s", text)
		}
	})
	eventually(t, "Prometheus is ready", func() bool {
		answer, err := http.Get(s.url + "/-/ready")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	return s
}

// sample is a series and its value, as Prometheus writes it.
type sample struct {
	Metric map[string]string `json:"metric"`
	Value  [2]any            `json:"value"`
}

// query evaluates an expression now.
func (s *server) query(expr string) []sample {
	s.t.Helper()
	answer, err := http.Get(s.url + "/api/v1/query?query=" + url.QueryEscape(expr))
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	var result struct {
		Error string `json:"error"`
		Data  struct {
			Result json.RawMessage `json:"result"`
		} `json:"data"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&result); err != nil || result.Error != "" {
		s.t.Fatalf("query %s: %v %s", expr, err, result.Error)
	}
	var samples []sample
	if err := json.Unmarshal(result.Data.Result, &samples); err != nil {
		s.t.Fatalf("query %s: not a vector: %s", expr, result.Data.Result)
	}
	return samples
}

// has tells whether an expression has a value that is a number.
func (s *server) has(expr string) bool {
	s.t.Helper()
	for _, one := range s.query(expr) {
		if one.Value[1] != "NaN" {
			return true
		}
	}
	return false
}

// in tells whether an alert is in a state, "pending" or "firing", for a board.
func (s *server) in(state, alert string, b *board) bool {
	s.t.Helper()
	return s.has(fmt.Sprintf(`ALERTS{alertname=%q, alertstate=%q, instance=%q}`, alert, state, b.name))
}

// wasIn tells whether it ever was.
func (s *server) wasIn(state, alert string, b *board) bool {
	s.t.Helper()
	return s.has(fmt.Sprintf(`last_over_time(ALERTS{alertname=%q, alertstate=%q, instance=%q}[1h])`, alert, state, b.name))
}
