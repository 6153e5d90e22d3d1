package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/metrics/metricstest"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// talk is what a daemon says while it runs.
type talk struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *talk) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *talk) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// startRun runs the daemon in process, on the machine in dir but with the real /dev/random, to which
// no test gives anything. It returns what it says and its exit code to come.
func startRun(t *testing.T, ctx context.Context, dir string, args ...string) (*talk, <-chan int) {
	t.Helper()
	threads := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(threads) }) // the daemon makes do with one
	all := []string{
		"run", "--config=/dev/null", "--log-format=console", "--sysfs=" + dir + "/sys", "--procfs=" + dir + "/proc",
		"--hwrng-device=" + dir + "/hwrng", "--runtime-dir=" + dir + "/run", "--metrics-listen=unix:" + dir + "/metrics.sock",
	}
	out, code := &talk{}, make(chan int, 1)
	go func() {
		code <- dispatch(ctx, process{stdin: strings.NewReader(""), stdout: out, stderr: out}, append(all, args...))
	}()
	return out, code
}

// TestRunRefuses: what is wrong is said before anything starts, with the exit code for it.
func TestRunRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"configuration", []string{"--refill-interval=0s"}, exitUsage, []string{"out of range", "hint: "}},
		{"device", []string{"--hwrng-device=/dev/urandom"}, exitUsage, []string{"/dev/urandom cannot be a source", "hint: old guides"}},
		{"file as sink", []string{"--random-device=DIR/file"}, exitUsage, []string{"cannot feed DIR/file (regular file)", "hint: --random-device must be"}},
		{"no sink", []string{"--random-device=DIR/missing"}, exitOS, []string{"cannot open the kernel's random device: open DIR/missing: no such file"}},
		{"second one", []string{"--runtime-dir=DIR/taken"}, exitAlreadyRunning, []string{"another hwrngd already runs: lock DIR/taken/lock: held by process PID", "hint: stop it first"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			plant(t, dir, map[string]string{"file": "", "taken/": ""})
			lock, err := linux.TryLock(filepath.Join(dir, "taken", "lock"))
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Release()
			fill := strings.NewReplacer("DIR", dir, "PID", fmt.Sprint(os.Getpid()))
			var args []string
			for _, arg := range tt.args {
				args = append(args, fill.Replace(arg))
			}
			out, code := startRun(t, t.Context(), dir, args...)
			if got := <-code; got != tt.code {
				t.Errorf("exit code %d, want %d", got, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), fill.Replace(want)) {
					t.Errorf("no %q in %s", fill.Replace(want), out)
				}
			}
			if strings.Contains(out.String(), "started") {
				t.Errorf("started: %s", out)
			}
		})
	}
}

// needSeededKernel skips a test that would have to seed the real kernel.
func needSeededKernel(t *testing.T) {
	t.Helper()
	if ready, err := linux.CRNGReady(); !ready {
		t.Skipf("the kernel's generator is not seeded: %v", err)
	}
	f, err := os.OpenFile("/dev/random", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	f.Close()
}

// TestRunOnce has nothing to do on a kernel that is seeded.
func TestRunOnce(t *testing.T) {
	needSeededKernel(t)
	out, code := startRun(t, t.Context(), t.TempDir(), "--once")
	if got := <-code; got != exitOK {
		t.Errorf("exit code %d: %s", got, out)
	}
	if !strings.Contains(out.String(), "crng_ready=true") || !strings.Contains(out.String(), `credited_bits=0`) {
		t.Errorf("logged %s", out)
	}
}

// TestRunMonitor is a whole life: start, test, answer, reload and stop, without any credit.
func TestRunMonitor(t *testing.T) {
	needSeededKernel(t)
	dir := t.TempDir()
	plant(t, dir, generators("virtio_rng.0", "virtio_rng.0"))
	plant(t, dir, map[string]string{"hwrngd.toml": "refill-interval = \"1h\"\n"})
	if err := os.Chmod(filepath.Join(dir, "hwrngd.toml"), 0o666); err != nil {
		t.Fatal(err)
	}
	goodFIFO(t, filepath.Join(dir, "hwrng"))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, code := startRun(t, ctx, dir, "--monitor", "--config="+dir+"/hwrngd.toml")

	status := func() result {
		return call(nil, "status", "--config=/dev/null", "--runtime-dir="+dir+"/run", "--sysfs="+dir+"/sys", "--procfs="+dir+"/proc")
	}
	kit.Eventually(t, "a status that is ready", func() bool { return strings.Contains(status().stdout, "ready      yes") })
	if got := status(); got.code != exitOK || !strings.Contains(got.stdout, "hwrngd tests virtio_rng.0 and, in monitor mode, credits nothing") {
		t.Errorf("status: %+v", got)
	}
	if got := call(nil, "run", "--config=/dev/null", "--runtime-dir="+dir+"/run"); got.code != exitAlreadyRunning {
		t.Errorf("a second one: %+v", got)
	}

	client := http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", dir+"/metrics.sock")
		},
		DisableKeepAlives: true,
	}}
	for _, page := range []string{"/-/healthy", "/-/ready", "/metrics"} {
		kit.Eventually(t, page, func() bool {
			answer, err := client.Get("http://hwrngd" + page)
			if err != nil {
				return false
			}
			answer.Body.Close()
			return answer.StatusCode == http.StatusOK
		})
	}

	plant(t, dir, map[string]string{"hwrngd.toml": "refill-interval = \"2h\"\n"})
	hup := func(want string) {
		t.Helper()
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		kit.Eventually(t, want, func() bool { return strings.Contains(out.String(), want) })
	}
	hup("configuration refused, the old one stays")
	plant(t, dir, map[string]string{"hwrngd.toml": "refill-interval = \"30m\"\n"})
	hup("changed=refill-interval")

	stop()
	if got := <-code; got != exitOK {
		t.Errorf("exit code %d", got)
	}
	for _, want := range []string{
		"WARN  configuration ", "INFO  started ", "INFO  start-up test passed ", "INFO  stopped ", `reason="stopped by a signal" credited_bits=0`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if got := status(); !strings.Contains(got.stdout, "  state  not running") {
		t.Errorf("after the end: %+v", got)
	}
	if lock, err := linux.TryLock(filepath.Join(dir, "run", "lock")); err != nil {
		t.Errorf("the next one cannot start: %v", err)
	} else {
		lock.Release()
	}
}

func TestLockRuntimeDir(t *testing.T) {
	log, logger := sourcetest.NewLog()
	dir := filepath.Join(t.TempDir(), "a", "b")
	lock, err := lockRuntimeDir(dir, logger)
	if err != nil || lock == nil {
		t.Fatalf("%v, %v", lock, err)
	}
	if _, err := lockRuntimeDir(dir, logger); exitCode(err) != exitAlreadyRunning {
		t.Errorf("the second one: %v", err)
	}
	lock.Release()
	again, err := lockRuntimeDir(dir, logger)
	if err != nil || again == nil {
		t.Fatalf("after the first has gone: %v, %v", again, err)
	}
	again.Release()
	if lines := log.Lines(slog.LevelDebug, ""); lines != nil {
		t.Errorf("logged %q", lines)
	}

	// In early boot there may be no place for it.
	plant(t, filepath.Dir(dir), map[string]string{"file": ""})
	none, err := lockRuntimeDir(filepath.Join(filepath.Dir(dir), "file", "run"), logger)
	if none != nil || err != nil || len(log.Lines(slog.LevelWarn, "going on without lock and status socket")) != 1 {
		t.Errorf("%v, %v, %q", none, err, log.Lines(slog.LevelDebug, ""))
	}
}

// TestOpenKernelForbidden: a device filter of a container is told from a missing right to credit.
func TestOpenKernelForbidden(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root opens everything")
	}
	dir := t.TempDir()
	plant(t, dir, map[string]string{"random": ""})
	if err := os.Chmod(filepath.Join(dir, "random"), 0); err != nil {
		t.Fatal(err)
	}
	_, err := openKernel(&Config{RandomDevice: filepath.Join(dir, "random")})
	if exit, ok := errors.AsType[*exitError](err); !ok || exit.code != exitPermission || !strings.Contains(exit.hint, "device filter") || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

func TestRecordBuild(t *testing.T) {
	rec := &metricstest.Recorder{}
	recordBuild(rec)
	if rec.Count("BuildInfo {"+buildVersion().Version) != 1 || !strings.Contains(rec.Calls()[0], runtime.GOARCH) {
		t.Errorf("recorded %q", rec.Calls())
	}
}
