package monitoring

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// fleet is a process that answers for many boards, each like a real daemon that goes on as it began.
type fleet struct {
	lines []line
	begin time.Time
}

// line is one line of a scrape.
type line struct {
	text  string // up to the value
	value float64
	rate  float64 // by how much it goes up in a second, if it does
}

// moving matches what goes up as time goes by: counters, and the time of what happens again and again.
var moving = regexp.MustCompile(`^\w+_(total|sum|count|bucket|timestamp_seconds)\b`)

// newFleet makes a model of two scrapes of a real daemon.
func newFleet(t *testing.T, first, second string, between time.Duration) *fleet {
	t.Helper()
	values := func(text string) (found []line) {
		for l := range strings.Lines(text) {
			if strings.HasPrefix(l, "#") {
				found = append(found, line{text: l})
				continue
			}
			at := strings.LastIndexByte(l, ' ')
			value, err := strconv.ParseFloat(strings.TrimSpace(l[at+1:]), 64)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, line{text: l[:at+1], value: value})
		}
		return found
	}
	before := map[string]float64{}
	for _, l := range values(first) {
		before[l.text] = l.value
	}
	f := &fleet{lines: values(second), begin: time.Now()}
	for i, l := range f.lines {
		if was, ok := before[l.text]; ok && moving.MatchString(l.text) {
			f.lines[i].rate = (l.value - was) / between.Seconds()
		}
	}
	return f
}

// ServeHTTP implements http.Handler.
func (f *fleet) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	past := time.Since(f.begin).Seconds()
	var b bytes.Buffer
	for _, l := range f.lines {
		b.WriteString(l.text)
		if !strings.HasPrefix(l.text, "#") {
			value := l.value + l.rate*past
			if l.value == math.Trunc(l.value) { // counts stay whole, as they compress better
				value = math.Trunc(value)
			}
			b.WriteString(strconv.FormatFloat(value, 'g', -1, 64) + "\n")
		}
	}
	_, _ = w.Write(b.Bytes())
}

// What a fleet costs a Prometheus. A measurement and no verdict; $HWRNGD_FLEET is the number of boards,
// $HWRNGD_FLEET_TIME how long it runs. Rules look back for an hour, so less than that is too cheap. With
// $HWRNGD_FLEET_LEAN the server is configured as docs/fleet.md says, else with what is most expensive.
func TestFleetCost(t *testing.T) {
	boards, err := strconv.Atoi(os.Getenv("HWRNGD_FLEET"))
	if err != nil {
		t.Skip("a measurement: set HWRNGD_FLEET=1000 and HWRNGD_FLEET_TIME=70m")
	}
	needRoot(t)
	length, err := time.ParseDuration(os.Getenv("HWRNGD_FLEET_TIME"))
	if err != nil {
		t.Fatal(err)
	}
	b := newBoard(t, "model")
	b.sources = "auto"
	b.plug(good(1))
	b.start()
	scrape := func() (text string) {
		t.Helper()
		eventually(t, "the model answers, has credited and an estimate", func() bool {
			answer, err := http.Get("http://" + b.address + "/metrics")
			if err != nil {
				return false
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			text = string(body)
			return err == nil && strings.Contains(text, "hwrngd_first_credit_seconds ") &&
				strings.Contains(text, "hwrngd_source_min_entropy_bits{")
		})
		return text
	}
	const between = 15 * time.Second // from one ping of the watchdog to the next
	first := scrape()
	time.Sleep(between)
	f := httptest.NewServer(newFleet(t, first, scrape(), between))
	defer f.Close()
	var targets []scrapeTargets
	for i := range boards {
		name := fmt.Sprintf("board-%d", i)
		targets = append(targets, scrapeTargets{
			[]string{strings.TrimPrefix(f.URL, "http://")},
			map[string]string{"instance": name, "__metrics_path__": "/" + name},
		})
	}
	var rules []string
	for _, path := range []string{rulesFile, alertsFile} {
		absolute, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, absolute)
	}
	address := freeAddress(t)
	global, job := map[string]any{"scrape_interval": "15s", "evaluation_interval": "1m"}, map[string]any{"job_name": "hwrngd"}
	if os.Getenv("HWRNGD_FLEET_LEAN") != "" {
		config := fleetConfig(t, oneServer, strings.NewReplacer())
		global, job = config["global"].(map[string]any), config["scrape_configs"].([]any)[0].(map[string]any)
		delete(job, "file_sd_configs")
	}
	job["static_configs"] = targets
	s := startServer(t, address, map[string]any{
		"global": global, "rule_files": rules,
		"scrape_configs": []any{
			job,
			map[string]any{"job_name": "prometheus", "static_configs": []scrapeTargets{{Targets: []string{address}}}},
		},
	})
	time.Sleep(length)
	for _, one := range []struct{ what, expr string }{
		{"boards", `count(up{job="hwrngd"} == 1)`},
		{"series a board", `max(scrape_samples_scraped{job="hwrngd"})`},
		{"kept of them", `max(scrape_samples_post_metric_relabeling{job="hwrngd"})`},
		{"series", `prometheus_tsdb_head_series`},
		{"samples/s", `sum(rate(prometheus_tsdb_head_samples_appended_total[5m]))`},
		{"memory, bytes", `process_resident_memory_bytes{job="prometheus"}`},
		{"processor, cores", `rate(process_cpu_seconds_total{job="prometheus"}[5m])`},
		{"scrape, s, median", `quantile(0.5, scrape_duration_seconds{job="hwrngd"})`},
		{"scrape, s, 99 %", `quantile(0.99, scrape_duration_seconds{job="hwrngd"})`},
		{"a group of rules, s, on average", `avg_over_time(prometheus_rule_group_last_duration_seconds[10m])`},
		{"failed evaluations", `sum(prometheus_rule_evaluation_failures_total)`},
		{"alerts that fire", `count(ALERTS{alertstate="firing"}) or vector(0)`},
	} {
		for _, result := range s.query(one.expr) {
			_, group, _ := strings.Cut(result.Metric["rule_group"], ";")
			t.Logf("REPORT %s %s: %v", one.what, group, result.Value[1])
		}
	}
}
