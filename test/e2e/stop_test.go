package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// stopLimit is the time from SIGTERM to the end in any state. The cases here measure, so they do
// not run beside others.
const stopLimit = time.Second

// stopsInTime ends the daemon and fails the case if that takes too long.
func (d *daemon) stopsInTime() {
	d.t.Helper()
	took := d.stop()
	d.t.Logf("REPORT from SIGTERM to the end: %s", took.Round(time.Millisecond))
	if took >= stopLimit {
		d.t.Errorf("%s from SIGTERM to the end, the limit is %s", took, stopLimit)
	}
}

// FC-004: a reader that cannot be interrupted.
func TestFC004StopWithSilentSource(t *testing.T) {
	kit.NeedRoot(t)
	b := newBench(t)
	b.silence()
	m := b.serviceManager()
	d := b.start()
	m.Wait(t, "READY=1")
	kit.Eventually(t, "a read that waits", func() bool { return d.readers() == 1 })
	d.stopsInTime()
	m.Wait(t, "STOPPING=1")
	d.atMost(0, "WARN ERROR")
}

func TestFC004StopWhileOpenHangs(t *testing.T) {
	kit.NeedRoot(t)
	b := newBench(t)
	b.fifo() // without a writer its open waits
	d := b.start()
	d.reaches("starting")
	time.Sleep(300 * time.Millisecond) // nothing outside shows the open that waits
	d.stopsInTime()
}

func TestFC004StopWithoutSource(t *testing.T) {
	kit.NeedRoot(t)
	b := newBench(t)
	d := b.start()
	kit.Eventually(t, "a reason", func() bool { return d.source().Reason != "" })
	d.stopsInTime()
}

func TestFC004StopWhileFeeding(t *testing.T) {
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{chunk: 50, pause: 10 * time.Millisecond})
	d := b.start("--refill-interval", "1s")
	d.credits(1)
	d.stopsInTime()
}

// A sink that does not answer, when it is asked for the right to credit and when it is used.
func TestFC004StopWhileSinkHangs(t *testing.T) {
	kit.NeedRoot(t)
	t.Run("in use", func(t *testing.T) {
		b := newBench(t)
		b.restrict = []string{hangReseed} // right after the first credit, by the same goroutine
		b.feed(good(), pace{})
		d := b.start()
		d.logged("first credit")
		kit.Eventually(t, "a call that hangs", func() bool { return d.stuckIn(syscall.SYS_IOCTL, b.random) == 1 })
		d.stopsInTime()
	})
	t.Run("at the start", func(t *testing.T) {
		b := newBench(t)
		b.restrict = []string{hangAdd}
		b.feed(good(), pace{})
		d := b.start()
		kit.Eventually(t, "a call that hangs", func() bool { return d.stuckIn(syscall.SYS_IOCTL, b.random) == 1 })
		d.stopsInTime()
	})
}

// Clients that ask for half a page, or never read the answer, hold nothing up.
func TestFC004StopWithHangingClients(t *testing.T) {
	kit.NeedRoot(t)
	b := newBench(t)
	b.silence()
	d := b.start()
	d.page("/-/healthy")
	d.status()
	metrics := strings.TrimPrefix(b.metrics[0], "unix:")
	for _, client := range []struct{ socket, says string }{
		{metrics, "GET /metrics HTTP/1.1\r\n"}, {metrics, ""}, {filepath.Join(b.runtime, "status.sock"), ""},
	} {
		conn, err := net.Dial("unix", client.socket)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if client.says == "" {
			continue // not even nothing can be written to who has answered and gone
		}
		if _, err := conn.Write([]byte(client.says)); err != nil {
			t.Fatal(err)
		}
	}
	d.stopsInTime()
}

// Nobody reads the log any more: a log daemon that hangs, a pager that waits for a key.
func TestFC004StopWhileLogHangs(t *testing.T) {
	kit.NeedRoot(t)
	b := newBench(t)
	b.feed(good(), pace{})
	m := b.serviceManager()
	b.env = append(b.env, "WATCHDOG_USEC=1000000")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	b.stderr = writer
	d := b.start("--log-level", "debug")
	d.reaches("active")
	fill(t, int(writer.Fd()))
	d.signal(syscall.SIGHUP) // something to say
	time.Sleep(1200 * time.Millisecond)
	pings := len(m.Got("WATCHDOG=1"))
	always(t, 1500*time.Millisecond, "the daemon runs", d.alive)
	if n := len(m.Got("WATCHDOG=1")); n == pings {
		t.Error("no pings any more: the service manager would kill the daemon")
	}
	d.stopsInTime()
}

// fill writes to a pipe until it is full to the last byte.
func fill(t *testing.T, fd int) {
	t.Helper()
	// The daemon shares this mode, so it is put back.
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for chunk := make([]byte, 4096); len(chunk) > 0; {
		if _, err := syscall.Write(fd, chunk); err != nil {
			chunk = chunk[:len(chunk)/2]
		}
	}
	if err := syscall.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
}
