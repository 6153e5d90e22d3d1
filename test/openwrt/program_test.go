package openwrt

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// emulated is a program with the emulator in front of it.
type emulated struct {
	t    *testing.T
	args []string
}

func (p emulated) command(args ...string) *exec.Cmd {
	words := append(slices.Clone(p.args), args...)
	return exec.Command(words[0], words[1:]...)
}

// expect runs the program to its end.
func (p emulated) expect(code int, want string, args ...string) {
	p.t.Helper()
	cmd := p.command(args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code || !strings.Contains(string(out), want) {
		p.t.Errorf("%q: %v, want exit code %d and %q\n%s", args, err, code, want, out)
	}
}

// stuck delivers the same byte for ever.
type stuck byte

func (s stuck) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(s)
	}
	return len(b), nil
}

// try uses the program as a router does, as far as an emulator lets it: it knows no crediting, so the daemon
// only watches. It must find out that a good generator is good and a stuck one is not.
func (p emulated) try(version string) {
	p.t.Helper()
	p.expect(0, version+"\n", "--version")
	for _, test := range []struct {
		name, until    string // a line of the log
		data           io.Reader
		passed, alarms bool // according to the metrics
	}{
		{"good", "start-up test passed", rand.NewChaCha8([32]byte{1}), true, false},
		{"stuck", "source quarantined", stuck(0x5a), false, true},
	} {
		metrics := p.watch(test.data, test.until)
		passed := !strings.Contains(metrics, "\nhwrngd_fips_blocks_total{result=\"pass\",source=\"hwrng\"} 0\n")
		alarms := regexp.MustCompile(`\nhwrngd_health_failures_total\{severity="permanent",source="hwrng",test="(apt|rct)"\} [1-9]`).MatchString(metrics)
		if !strings.Contains(metrics, "\nhwrngd_fips_blocks_total{") || passed != test.passed || alarms != test.alarms {
			p.t.Errorf("a %s generator: passed blocks %t, alarms %t; metrics:\n%s", test.name, passed, alarms, metrics)
		}
		if !strings.Contains(metrics, "\nhwrngd_entropy_credited_bits_total{source=\"hwrng\"} 0\n") {
			p.t.Errorf("a %s generator earned credit, or no metric says so:\n%s", test.name, metrics)
		}
	}
}

// watch runs the daemon with a generator of that data until the log has the text, stops it, and returns the
// metrics that it has left.
func (p emulated) watch(data io.Reader, until string) string {
	p.t.Helper()
	dir := p.t.TempDir()
	if err := syscall.Mkfifo(dir+"/generator", 0o600); err != nil {
		p.t.Fatal(err)
	}
	fifo, err := os.OpenFile(dir+"/generator", os.O_RDWR, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		io.Copy(fifo, data) // ends when it is closed
	}()
	defer func() { fifo.Close(); <-fed }()

	kit.WriteFile(p.t, dir+"/conf", "hwrng-device = \""+dir+"/generator\"\nruntime-dir = \""+dir+"/run\"\nsources = [\"hwrng\"]\nmonitor = true\n"+
		"metrics-listen = [\"127.0.0.1:0\"]\nmetrics-textfile = \""+dir+"/hwrngd.prom\"\n", 0o644)
	p.expect(0, "the configuration is valid", "check", "--config", dir+"/conf")
	daemon := p.command("run", "--config", dir+"/conf")
	var log lockedBuffer
	daemon.Stdout, daemon.Stderr = &log, &log
	if err := daemon.Start(); err != nil {
		p.t.Fatal(err)
	}
	defer daemon.Process.Kill()
	kit.Eventually(p.t, until, func() bool { return strings.Contains(log.String(), until) })
	daemon.Process.Signal(syscall.SIGTERM)
	if err := daemon.Wait(); err != nil {
		p.t.Errorf("the daemon: %v\n%s", err, log.String())
	}
	return kit.ReadFile(p.t, dir+"/hwrngd.prom")
}

// audit judges files.
func (p emulated) audit() {
	p.t.Helper()
	dir := p.t.TempDir()
	good := make([]byte, 2500*40)
	rand.NewChaCha8([32]byte{1}).Read(good)
	kit.WriteFile(p.t, dir+"/good", string(good), 0o644)
	kit.WriteFile(p.t, dir+"/bad", string(bytes.Repeat([]byte{0x5a}, len(good))), 0o644)
	p.expect(0, "PASS", "audit", dir+"/good")
	p.expect(1, "FAIL", "audit", dir+"/bad")
}

// lockedBuffer is a buffer that one may read while another writes.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
