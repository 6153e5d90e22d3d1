package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
)

// reloads is a daemon that runs and is told to reload.
type reloads struct {
	*rig
	next chan []string // options of the configuration that comes next
	done int
}

// startReloads starts a daemon with a good generator, and waits until it has credited.
func startReloads(t *testing.T) *reloads {
	t.Helper()
	r := &reloads{rig: newRig(t, pooltest.Modern(), "refill-interval=1h"), next: make(chan []string, 1)}
	plant(t, r.dir, generators("virtio_rng.0", "virtio_rng.0"))
	goodFIFO(t, filepath.Join(r.dir, "hwrng"))
	r.d.loadConfig = func() (*Config, error) { return r.config(append([]string{"refill-interval=1h"}, <-r.next...)...) }
	ctx, cancel := context.WithCancel(t.Context())
	r.d.start(ctx)
	code := r.supervise(ctx)
	t.Cleanup(func() {
		cancel()
		if got := <-code; got != exitOK {
			t.Errorf("exit code %d", got)
		}
	})
	kit.Eventually(t, "credit", func() bool { return r.d.status().Credits.TotalBits() >= 512 })
	return r
}

// reload loads a configuration that differs from the first one by these options, and waits for the end
// of it. It returns what was logged as changed, or refused.
func (r *reloads) reload(options ...string) string {
	r.t.Helper()
	answers := func() []string { return r.log.Lines(slog.LevelDebug, `msg="configuration re`) }
	r.next <- options
	r.hup <- syscall.SIGHUP
	r.done++
	kit.Eventually(r.t, "a reload", func() bool { return len(answers()) == r.done })
	return answers()[r.done-1]
}

// recorded fails the test unless the metrics were told so often of reloads that did well and did not.
func (r *reloads) recorded(well, ill int) {
	r.t.Helper()
	if a, b := r.rec.Count("Reloaded true"), r.rec.Count("Reloaded false"); a != well || b != ill {
		r.t.Errorf("recorded %d good and %d bad reloads, want %d and %d", a, b, well, ill)
	}
}

// TestReloadApplies: what changed is applied at once and nothing that was counted is lost.
func TestReloadApplies(t *testing.T) {
	m := newServiceManager(t)
	r := startReloads(t)
	before := r.d.running()[0]
	var heard []string
	hears := func(text string) {
		t.Helper()
		kit.Eventually(t, "a message "+text, func() bool {
			heard = append(heard, m.messages()...)
			return slices.ContainsFunc(heard, func(got string) bool { return strings.Contains(got, text) })
		})
	}
	hears("READY=1")
	// reload is bracketed by messages to the service manager.
	reload := func(options ...string) string {
		t.Helper()
		heard = nil
		line := r.reload(options...)
		hears("RELOADING=1\nMONOTONIC_USEC=")
		hears("READY=1")
		return line
	}

	line := reload("refill-interval=30s", "log-level=debug", "metrics-listen=unix:"+r.dir+"/a.sock", "mix-uncredited=true")
	if !strings.Contains(line, `changed="refill-interval mix-uncredited metrics-listen log-level"`) {
		t.Errorf("logged %s", line)
	}
	policy, level := r.d.feeder.Policy(), r.d.level.Level()
	if policy.RefillInterval != 30*time.Second || !policy.MixUncredited || policy.Monitor || level != slog.LevelDebug {
		t.Errorf("policy %+v, level %s", policy, level)
	}
	listening := func(want ...string) {
		t.Helper()
		var got []string
		for _, l := range r.d.web.Listeners() {
			got = append(got, strings.TrimPrefix(l.Address, "unix:"+r.dir+"/"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("listening on %q, want %q", got, want)
		}
	}
	listening("a.sock")
	if r.d.running()[0] != before || r.rec.Count("hwrng State") != 2 {
		t.Errorf("the source was started anew for nothing: %q", r.rec.Calls())
	}

	reload("metrics-listen=unix:" + r.dir + "/b.sock,unix:" + r.dir + "/a.sock")
	listening("b.sock", "a.sock")
	if r.d.feeder.Policy().RefillInterval != time.Hour || r.d.level.Level() != slog.LevelInfo {
		t.Error("the first values did not come back")
	}
	if line := reload("monitor=true"); !strings.Contains(line, `changed="monitor metrics-listen"`) || !r.d.status().Monitor {
		t.Errorf("logged %s", line)
	}
	listening()
	if line := reload("monitor=true"); !strings.Contains(line, "changed=nothing") {
		t.Errorf("logged %s", line)
	}
	r.recorded(4, 0)
}

// TestReloadOfSourceOptions: these start the source's tests anew, and only them.
func TestReloadOfSourceOptions(t *testing.T) {
	r := startReloads(t)
	before, bits := r.d.running()[0], r.d.status().Credits.TotalBits()

	r.reload("entropy=hwrng=2", "sources=hwrng")
	after := r.d.running()[0]
	if after == before {
		t.Fatal("the source goes on with the old options")
	}
	select {
	case <-before.done:
	default:
		t.Error("the old worker still runs")
	}
	if before.Snapshot().State != "disabled" {
		t.Errorf("the old one is %s", before.Snapshot().State)
	}
	kit.Eventually(t, "the new start-up test", func() bool { return after.InUse() })
	if s := after.Snapshot(); s.MinEntropy != 2 || s.ClaimOrigin != "configured" {
		t.Errorf("got %+v", s)
	}
	if got := r.d.status().Credits.TotalBits(); got < bits {
		t.Errorf("credits went from %d to %d bits", bits, got)
	}

	// The new worker is the one that is asked from now on. Its first block comes unasked.
	r.reload("entropy=hwrng=2", "sources=hwrng", "refill-interval=1s")
	kit.Eventually(t, "credit from the new worker", func() bool { return r.d.status().Credits.TotalBits() >= bits+2*512 })
	if r.d.running()[0] != after {
		t.Error("the interval started the source anew")
	}
	r.recorded(2, 0)
	r.logged(0, slog.LevelWarn, "")
}

// TestReloadRotation: a rotation that left the choice to somebody else goes on after a reload, whether
// anything was changed for it or not.
func TestReloadRotation(t *testing.T) {
	r := startReloads(t)
	plant(t, r.dir, generators("a.rng", "a.rng b.rng"))
	options := []string{"hwrng-select=rotate", "hwrng-deny=a.rng", "refill-interval=1s"}
	current := func(want string) {
		t.Helper()
		kit.Eventually(t, "rng_current to be "+want, func() bool {
			got, err := os.ReadFile(filepath.Join(r.dir, classDir+"rng_current"))
			return err == nil && string(got) == want+"\n"
		})
	}
	r.reload(options...)
	current("b.rng")
	kit.Eventually(t, "the source in use", r.d.running()[0].InUse)

	plant(t, r.dir, generators("a.rng", "a.rng b.rng")) // by hand
	recorded := func(want string) {
		t.Helper()
		kit.Eventually(t, "the metrics to have the rotation "+want, func() bool {
			calls := slices.DeleteFunc(r.rec.Calls(), func(call string) bool { return !strings.HasPrefix(call, "HWRNGRotation ") })
			return calls[len(calls)-1] == "HWRNGRotation "+want
		})
	}
	recorded("stopped")
	if got := r.d.status().Rotation(); got.Running || !strings.Contains(got.Reason, "rng_current is a.rng and not b.rng") {
		t.Errorf("the status has %+v", got)
	}
	r.logged(1, slog.LevelWarn, "rotation stopped until a reload: somebody else chooses the generator")
	current("a.rng")

	if line := r.reload(options...); !strings.Contains(line, "changed=nothing") {
		t.Errorf("logged %s", line)
	}
	current("b.rng")
	kit.Eventually(t, "the source in use", r.d.running()[0].InUse)
	recorded("running")
	r.reload("refill-interval=1s") // as it was at first
	recorded("none")
}

// askedAtStart asks for the status whenever a source is about to be made.
type askedAtStart struct {
	metrics.Recorder
	ask func()
}

func (a askedAtStart) Source(name string) source.Recorder {
	a.ask()
	return a.Recorder.Source(name)
}

// TestReloadShowsSources: the status has the old sources until it has the new ones.
func TestReloadShowsSources(t *testing.T) {
	r := newRig(t, pooltest.Modern())
	asked, want := 0, 0
	r.d.rec.Recorder = askedAtStart{r.d.rec.Recorder, func() {
		asked++
		if s := r.d.status(); len(s.Sources) != want {
			t.Errorf("the status shows %d sources, want %d; %s", len(s.Sources), want, s.Line())
		}
	}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.d.start(ctx)
	asked, want = 0, 1
	r.d.loadConfig = func() (*Config, error) { return r.config("entropy=hwrng=2") }
	r.d.reload(ctx)
	if asked == 0 {
		t.Error("no source was made anew")
	}
	stopWorkers(r.d.running())
}

// TestReloadRefused: a bad configuration changes nothing at all, and the reason is one line.
func TestReloadRefused(t *testing.T) {
	r := startReloads(t)
	cfg, worker := r.d.feeder.Policy(), r.d.running()[0]
	for _, tt := range []struct {
		option, want string
	}{
		{"refill-interval=1ms", "out of range"},
		{"hwrng-device=/dev/urandom", "the kernel's own /dev/urandom"},
		{"monitor=true", "contradict each other"},
		{"web-config=" + r.dir + "/gone.yml", webConfigGone},
	} {
		line := r.reload(tt.option, "log-level=debug", "entropy=hwrng=1", "once=true")
		if !strings.Contains(line, "level=ERROR") || !strings.Contains(line, "the old one stays") || !strings.Contains(line, tt.want) {
			t.Errorf("%s: logged %s", tt.option, line)
		}
	}
	if r.d.feeder.Policy() != cfg || r.d.running()[0] != worker || r.d.level.Level() != slog.LevelInfo {
		t.Error("a refused configuration left a trace")
	}
	r.recorded(0, 4)
	r.reload()
	r.recorded(1, 4)
}

// TestReloadWarnings: what takes a restart, and what is odd in the file, is said.
func TestReloadWarnings(t *testing.T) {
	r := startReloads(t)
	line := r.reload("runtime-dir=/elsewhere", "random-device=/dev/urandom", "once=true", "log-format=json")
	if !strings.Contains(line, `changed="once log-format random-device runtime-dir"`) {
		t.Errorf("logged %s", line)
	}
	r.logged(1, slog.LevelWarn, `msg="some options take effect only after a restart" options="once log-format random-device runtime-dir"`)
}

// TestReloadTellsOddities of the file itself.
func TestReloadTellsOddities(t *testing.T) {
	r := newRig(t, pooltest.Modern())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.d.loadConfig = func() (*Config, error) {
		cfg, err := r.config()
		cfg.Warnings = []string{"every user can change it"}
		return cfg, err
	}
	r.d.reload(ctx)
	r.logged(1, slog.LevelWarn, `msg=configuration warning="every user can change it"`)

	r.d.loadConfig = func() (*Config, error) { return nil, errors.New("gone") }
	r.d.reload(ctx)
	r.logged(1, slog.LevelError, `msg="configuration refused, the old one stays" reason=gone`)
}

// TestEveryOptionFollows: each option of the table either takes effect at a reload or says that it does
// not. A new one has to be put into one of these lists.
func TestEveryOptionFollows(t *testing.T) {
	read := []string{
		"refill-interval", "monitor", "mix-uncredited", // the feeder's policy
		"metrics-listen", "metrics-textfile", "web-config", "log-level",
		"require-source", // looked up at each use
		"config",         // stays what it was at the start
	}
	for i := range options {
		name, n := options[i].Name, 0
		for _, list := range [][]string{read, needRestart, needSources} {
			if slices.Contains(list, name) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("option %s is in %d lists", name, n)
		}
	}
}

// TestListenRefused: an address that the server cannot take costs the metrics only.
func TestListenRefused(t *testing.T) {
	r := newRig(t, pooltest.Modern())
	r.d.publish(&Config{MetricsListen: []ListenAddress{{"tcp", "nonsense"}}})
	r.logged(1, slog.LevelError, "metrics addresses refused")
}
