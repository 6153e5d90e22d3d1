package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// Kind K7: life as a service among others.

// A double start: the second one says who runs and leaves the first one alone.
func TestFC021SecondDaemon(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{})
	d := b.start("--refill-interval", "1s")
	before := d.credits(1)
	r := b.exec("run")
	if r.code != 75 {
		t.Errorf("exit code %d, want 75:\n%s", r.code, r.stderr)
	}
	if r.took > 5*time.Second {
		t.Errorf("took %s: it waited for something", r.took)
	}
	mustContain(t, r.stderr, "another hwrngd already runs", fmt.Sprintf("process %d", d.pid()), "hint:")

	if s := d.status(); s.PID != d.pid() {
		t.Errorf("the status socket answers for process %d, want %d", s.PID, d.pid())
	}
	kit.Eventually(t, "the first goes on", func() bool { return d.scrape().credited() > before.credited() })
	d.atMost(0, "WARN ERROR")
}

// The metrics port is taken: feeding goes on, the port is taken later.
func TestFC038PortTaken(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	address, holder := freePort(t)
	b.metrics = []string{address}
	b.feed(good(), pace{})
	d := b.start("--refill-interval", "1s")
	d.logged("WARN", "metrics listener down, retrying", address, "address already in use")
	credited := d.status().Feeding.Bits["hwrng"]
	kit.Eventually(t, "feeding goes on", func() bool { return d.status().Feeding.Bits["hwrng"] > credited })
	holder.Close()
	kit.Eventually(t, "the port is bound", func() bool {
		code, _, err := kit.HTTPGet(address, "/metrics")
		return err == nil && code == 200
	})
	d.logged("INFO", "metrics listener up", address)
	if n := d.scrape()[`hwrngd_metrics_export_errors_total{output="listener"}`]; n < 1 {
		t.Errorf("%v failures counted", n)
	}
	d.atMost(1, "WARN ERROR")
}

// Each address has its own line: what is said of one must not hide another.
func TestFC038EveryListenerIsLogged(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	for range 2 {
		address, holder := freePort(t)
		holder.Close()
		b.metrics = append(b.metrics, address)
	}
	d := b.start()
	for _, address := range b.metrics {
		d.logged("metrics listener up", address)
	}
}

func TestFC038NoMetrics(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.metrics = []string{"off"}
	b.feed(good(), pace{})
	d := b.start()
	d.reaches("active")
	d.logged("first credit")
	d.atMost(0, "", "listener")
}

// The hw_random core refuses any open for writing. A tty must not become our terminal.
func TestFC080OpenFlags(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{})
	tr := b.underStrace("-P", b.device, "-e", "trace=?open,openat")
	d := b.start()
	d.reaches("active")
	opens := tr.Calls(b.device)
	if len(opens) == 0 {
		t.Fatal("the device was not opened")
	}
	for _, c := range opens {
		if !strings.Contains(c.Text, "O_RDONLY") || !strings.Contains(c.Text, "O_CLOEXEC") || !strings.Contains(c.Text, "O_NOCTTY") {
			t.Errorf("opened with other flags: %s", c.Text)
		}
	}
}

// What a security policy has to know: the files that the daemon opens (FC-095).
func TestFC095OpenedFiles(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.fakeProcfs(modernPool)
	b.feed(good(), pace{})
	tr := b.underStrace("-e", "trace=?open,openat")
	d := b.start("--refill-interval", "1s")
	d.credits(2)
	d.stop()
	allowed := []string{
		b.device, b.random, b.config, b.runtime + "/lock", b.sysfs + "/" + classDir + "/", b.procfs + "/sys/kernel/random/",
		kit.Program(), // a library of the metrics hashes it
		"/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", // the Go runtime
		"/sys/fs/cgroup/", "/proc/self/cgroup", "/proc/self/mountinfo", // its look at the CPU limit
		"/proc/sys/net/core/somaxconn", // its net package
		"/etc/localtime", "/usr/share/zoneinfo/", "/usr/lib/go/lib/time/zoneinfo.zip",
		"/proc/self/", "/proc/stat", "/proc/" + fmt.Sprint(d.pid()), // process_* metrics
		b.procfs + "/self/smaps", // where its code is in memory
	}
	for _, c := range tr.Calls("open") {
		if strings.Contains(c.Text, "O_PATH") {
			continue // a directory's name for Landlock, which nothing is read by
		}
		_, path, _ := strings.Cut(c.Text, `"`)
		path, _, _ = strings.Cut(path, `"`)
		if strings.HasPrefix(path, b.procfs) && strings.HasSuffix(path, "/comm") {
			continue // the name of the parent: is it procd
		}
		if !slices.ContainsFunc(allowed, func(prefix string) bool { return strings.HasPrefix(path, prefix) }) {
			t.Errorf("opened: %s", c.Text)
		}
	}
}

// Early boot: there is no place for the runtime directory yet. Nobody can make one in procfs.
func TestFC083NoRuntimeDirectory(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	b.runtime = "/proc/hwrngd-e2e/run"
	b.feed(good(), pace{})
	d := b.start("--refill-interval", "1s")
	d.credits(2)
	if lines := d.lines("WARN ERROR"); len(lines) != 1 || !strings.Contains(lines[0], "runtime directory") {
		t.Errorf("want one warning about the runtime directory, got %q", lines)
	}
	d.stop()
}

// A healthy daemon in its usual life is silent (FC-011) and sleeps. A minute of refills each
// second stands for an hour of refills each minute. What it costs is a figure, not a verdict.
func TestSteadyState(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	span := time.Minute
	if testing.Short() {
		span = 10 * time.Second
	}
	refill := newBench(t)
	refill.feed(good(), pace{})
	busy := refill.start("--refill-interval", "1s")
	busy.credits(1)
	rest := newBench(t)
	rest.feed(good(), pace{})
	idle := rest.start()
	idle.credits(1)

	begin, credited := time.Now(), busy.scrape().credited()
	cpu, wake := [2]time.Duration{busy.cpuTime(), idle.cpuTime()}, [2]int{busy.wakeUps(), idle.wakeUps()}
	time.Sleep(span)
	took := time.Since(begin).Seconds()
	t.Logf("REPORT refill every second: %.3f %% of a core, %.2f wake-ups a second",
		100*(busy.cpuTime()-cpu[0]).Seconds()/took, float64(busy.wakeUps()-wake[0])/took)
	t.Logf("REPORT idle between refills: %.3f %% of a core (target 0.1), %.2f wake-ups a second (target 1)",
		100*(idle.cpuTime()-cpu[1]).Seconds()/took, float64(idle.wakeUps()-wake[1])/took)
	t.Logf("REPORT resident memory: %s", idle.taskField(fmt.Sprint(idle.pid()), "VmRSS"))

	refills := (busy.scrape().credited() - credited) / 512
	if refills < took/2 || refills > took/0.9+1 {
		t.Errorf("%v refills in %.0f s", refills, took)
	}
	for _, d := range []*daemon{busy, idle} {
		d.atMost(10, "") // FC-011
		d.atMost(0, "WARN ERROR")
		var kib int
		if _, err := fmt.Sscan(d.taskField(fmt.Sprint(d.pid()), "VmRSS"), &kib); err != nil || kib > 20<<10 { // FC-098
			t.Errorf("%d KiB resident, want 20 MiB at most (%v)", kib, err)
		}
	}
}
