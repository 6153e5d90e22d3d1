package monitoring

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const fleetPage = "../../docs/fleet.md"

// The names of the configurations of docs/fleet.md.
const (
	oneServer = "one server"
	shardZero = "shard 0 of 4"
	overview  = "overview"
	siteAgent = "agent at a site"
)

// snippet matches a configuration of Prometheus in a page of documentation.
var snippet = regexp.MustCompile("(?ms)^```yaml\n# prometheus.yml(?:: ([^\n]*))?\n(.*?)^```$")

// snippets returns the configurations in a page, by name.
func snippets(t *testing.T, page string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, m := range snippet.FindAllStringSubmatch(readText(t, page), -1) {
		found[m[1]] = m[2]
	}
	return found
}

func TestConfigurationsInTheDocs(t *testing.T) {
	all := snippets(t, fleetPage)
	if want := []string{siteAgent, oneServer, overview, shardZero}; !slices.Equal(slices.Sorted(maps.Keys(all)), want) {
		t.Fatalf("found %q, want %q", slices.Sorted(maps.Keys(all)), want)
	}
	maps.Copy(all, snippets(t, runbook))
	for name, text := range all {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, path := range []string{rulesFile, alertsFile} {
				copyText(t, path, filepath.Join(dir, filepath.Base(path)))
			}
			writeText(t, filepath.Join(dir, "boards/all.json"), `[{"targets": ["board-1:9779"]}]`)
			writeText(t, filepath.Join(dir, "prometheus.yml"), text)
			args := []string{"check", "config", filepath.Join(dir, "prometheus.yml")}
			if name == siteAgent {
				args = append(args, "--agent")
			}
			promtool(t, args...)
		})
	}
}

func copyText(t *testing.T, from, to string) {
	t.Helper()
	writeText(t, to, readText(t, from))
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The list of what to keep has all that rules and the fleet dashboard use, and nothing else.
func TestKeepList(t *testing.T) {
	var config struct {
		ScrapeConfigs []struct {
			Relabel []struct {
				Regex string `yaml:"regex"`
			} `yaml:"metric_relabel_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(snippets(t, fleetPage)[oneServer]), &config); err != nil {
		t.Fatal(err)
	}
	list := config.ScrapeConfigs[0].Relabel[0].Regex
	names := strings.Split(strings.TrimSuffix(strings.TrimPrefix(list, "hwrngd_("), ")"), "|")
	used := map[string]bool{}
	for _, e := range slices.Concat(ruleExpressions(t), dashboardExpressions(t)) {
		if strings.HasPrefix(e.where, "board.json") {
			continue
		}
		for _, m := range selector.FindAllStringSubmatch(e.text, -1) {
			used[strings.TrimPrefix(m[1], "hwrngd_")] = true
		}
	}
	if want := slices.Sorted(maps.Keys(used)); !slices.Equal(slices.Sorted(slices.Values(names)), want) {
		t.Errorf("the list is\n%q, and what is used\n%q", slices.Sorted(slices.Values(names)), want)
	}
}

// fleetConfig reads a configuration of the docs, with other names in the place of hosts.
func fleetConfig(t *testing.T, name string, hosts *strings.Replacer) (config map[string]any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(hosts.Replace(snippets(t, fleetPage)[name])), &config); err != nil {
		t.Fatal(err)
	}
	return config
}

// fleetServer starts a Prometheus with a configuration of the docs, made faster, and with boards as targets.
func fleetServer(t *testing.T, name string, boards []scrapeTargets, hosts *strings.Replacer, args ...string) *server {
	t.Helper()
	config := fleetConfig(t, name, hosts)
	global := config["global"].(map[string]any)
	global["scrape_interval"], global["scrape_timeout"] = pause.String(), pause.String()
	if _, ok := config["rule_files"]; ok {
		global["evaluation_interval"] = pause.String()
		config["rule_files"] = []string{hurried(t, rulesFile), hurried(t, alertsFile)}
	}
	for _, job := range config["scrape_configs"].([]any) {
		if job := job.(map[string]any); job["file_sd_configs"] != nil {
			delete(job, "file_sd_configs")
			job["static_configs"] = boards
		}
	}
	return startServer(t, freeAddress(t), config, args...)
}

// Four servers share out the boards: each board has exactly one.
func TestShards(t *testing.T) {
	t.Parallel()
	var boards []scrapeTargets
	for i := range 40 {
		boards = append(boards, scrapeTargets{Targets: []string{fmt.Sprintf("127.0.1.%d:9", i+1)}}) // where nobody answers
	}
	seen := map[string]int{}
	for shard := range 4 {
		number := strings.NewReplacer(`shard: "0"`, fmt.Sprintf(`shard: "%d"`, shard), `regex: "0"`, fmt.Sprintf(`regex: "%d"`, shard))
		s := fleetServer(t, shardZero, boards, number)
		var targets struct {
			Data struct {
				Active []struct {
					Labels map[string]string `json:"labels"`
				} `json:"activeTargets"`
			} `json:"data"`
		}
		eventually(t, "targets", func() bool {
			answer, err := http.Get(s.url + "/api/v1/targets?state=active")
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if err := json.NewDecoder(answer.Body).Decode(&targets); err != nil {
				t.Fatal(err)
			}
			return len(targets.Data.Active) > 0
		})
		for _, target := range targets.Data.Active {
			seen[target.Labels["instance"]]++
		}
		t.Logf("REPORT shard %d has %d of %d boards", shard, len(targets.Data.Active), len(boards))
	}
	if len(seen) != len(boards) {
		t.Errorf("%d boards are scraped, of %d", len(seen), len(boards))
	}
	for board, n := range seen {
		if n != 1 {
			t.Errorf("%s is scraped by %d servers", board, n)
		}
	}
}

// An agent sends a real daemon's metrics to a centre, where the rules run; a server with the list of names
// keeps what they need; and one that looks over both sees what they recorded.
func TestFleetConfigurations(t *testing.T) {
	t.Parallel()
	needRoot(t)
	b := newBoard(t, "board")
	b.sources = "auto"
	b.plug(good(1))
	b.start()
	boards := []scrapeTargets{{[]string{b.address}, map[string]string{"instance": b.name}}}

	centre := fleetServer(t, oneServer, nil, strings.NewReplacer(), "--web.enable-remote-write-receiver")
	fleetServer(t, siteAgent, boards, strings.NewReplacer("https://prometheus.example.net", centre.url), agentMode)
	eventually(t, "rules of the centre see the site", func() bool {
		return centre.has(`hwrngd:credited_bits:rate5m{site="north", instance="board"} > 0`)
	})

	server := fleetServer(t, oneServer, boards, strings.NewReplacer())
	eventually(t, "rules have data", func() bool {
		return server.has(`hwrngd:credited_bits:rate5m{instance="board"} > 0`) && server.has(`hwrngd_source_min_entropy_bits`)
	})
	for _, one := range server.query(`scrape_samples_post_metric_relabeling{job="hwrngd"}`) {
		t.Logf("REPORT %v of %v samples of a scrape are kept", one.Value[1], server.query(`scrape_samples_scraped{job="hwrngd"}`)[0].Value[1])
	}

	address := strings.TrimPrefix(server.url, "http://")
	above := fleetServer(t, overview, nil, strings.NewReplacer("shard-0.example.net:9090", address, "shard-1.example.net:9090", strings.TrimPrefix(centre.url, "http://")))
	eventually(t, "what was recorded arrives", func() bool {
		return above.has(`hwrngd:credited_bits:rate5m{job="hwrngd", instance="board", site=""}`) &&
			above.has(`hwrngd:credited_bits:rate5m{job="hwrngd", instance="board", site="north"}`)
	})
	b.stop()
	eventually(t, "an alert arrives", func() bool {
		return above.has(`ALERTS{alertname="HwrngdDown", instance="board", alertstate="firing", site=""}`) &&
			above.has(`ALERTS{alertname="HwrngdDown", instance="board", alertstate="firing", site="north"}`)
	})
}
