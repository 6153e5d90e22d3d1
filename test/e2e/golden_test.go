package e2e

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// The whole scrape of the real program, fed with a script on fake trees. What differs from run to
// run is masked. It is also what promtool gets to see.
func TestGoldenScrape(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.fakeProcfs(modernPool)
	b.generators("tpm-rng-0", "tpm-rng-0 virtio_rng.0")
	b.tree(b.sysfs, classDir+`/rng_quality 512\n`)
	f := b.silence()
	d := b.start("--refill-interval", "1h")
	d.reaches("starting")
	f.play(good())
	d.credits(1)
	var s scrape
	kit.Eventually(t, "everything of the first credit is recorded", func() bool {
		s = d.scrape()
		return s["hwrngd_ready"] == 1 && s[`hwrngd_log_messages_total{level="info"}`] >= 4
	})
	code, text := d.page("/metrics")
	if code != http.StatusOK {
		t.Fatalf("code %d", code)
	}
	promtool(t, text)

	// The client library's own: which there are is its business, but they are wanted.
	if !strings.Contains(text, `tags="minimal"`) {
		mustContain(t, text, "\ngo_goroutines ", "\nprocess_resident_memory_bytes ", "\nprocess_start_time_seconds ", "\npromhttp_metric_handler_requests_total{")
	}
	kit.Golden(t, "testdata/scrape.golden", mask(text, b.dir))
	if n := d.source().BytesRead; n != firstBytes {
		t.Errorf("status: %d bytes read, the metrics say %d", n, firstBytes)
	}
}

// volatile matches the series whose values are times and durations, or follow from the rate at which a
// pipe could be read.
var volatile = regexp.MustCompile(`^hwrngd_(\w*timestamp_seconds|first_credit|startup_test_seconds|pool_wait_seconds|source_read_seconds|health_cutoff|health_false_alarm_ratio)`)

// foreign matches the lines of the client library's own metrics.
var foreign = regexp.MustCompile(`^(# (HELP|TYPE) )?(go|process|promhttp)_`)

var buildLabels = regexp.MustCompile(`(goversion|revision|version|tags|goarch)="[^"]*"`)

// mask leaves out or replaces what is different in each run, on each machine and in each build.
func mask(text, dir string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, dir, "DIR")) {
		switch {
		case foreign.MatchString(line):
			continue
		case strings.HasPrefix(line, "hwrngd_build_info"):
			line = buildLabels.ReplaceAllString(line, `$1="MASKED"`)
		case volatile.MatchString(line):
			line = line[:strings.LastIndexByte(line, ' ')] + " MASKED\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// promtoolAllowed holds the findings of promtool that are meant, with the reason: the kernel
// counts entropy in bits, in its files and its ioctls, and so does every standard.
var promtoolAllowed = map[string]string{
	`hwrngd_entropy_credited_bits_total use base unit "bytes" instead of "bits"`:     "as the kernel counts",
	`hwrngd_kernel_entropy_available_bits use base unit "bytes" instead of "bits"`:   "as entropy_avail",
	`hwrngd_kernel_entropy_pool_size_bits use base unit "bytes" instead of "bits"`:   "as poolsize",
	`hwrngd_source_claimed_min_entropy_bits use base unit "bytes" instead of "bits"`: "as SP 800-90B",
}

// promtool checks a scrape with Prometheus' own tool, whose path $PROMTOOL holds.
func promtool(t *testing.T, text string) {
	t.Helper()
	path := os.Getenv("PROMTOOL")
	if path == "" {
		t.Log("SKIPPED, NOT TESTED: promtool check metrics, for $PROMTOOL is not set (make e2e sets it)")
		return
	}
	if !filepath.IsAbs(path) {
		t.Fatalf("PROMTOOL=%s: want an absolute path", path)
	}
	cmd := exec.Command(path, "check", "metrics")
	cmd.Stdin = strings.NewReader(text)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	const findings = 3 // promtool's exit code for them
	if err != nil && cmd.ProcessState.ExitCode() != findings {
		t.Fatalf("promtool: %v\n%s", err, out.String())
	}
	unseen := maps.Clone(promtoolAllowed)
	for line := range strings.Lines(out.String()) {
		finding := strings.TrimSpace(line)
		if promtoolAllowed[finding] == "" {
			t.Errorf("promtool: new finding: %s", finding)
		}
		delete(unseen, finding)
	}
	for finding := range unseen {
		t.Errorf("promtool: not found any more, remove from the list: %s", finding)
	}
}
