package monitoring

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// board is a machine with a generator, a FIFO that the case feeds, and a daemon.
type board struct {
	t       testing.TB
	name    string // the label instance
	dir     string
	address string // of its metrics
	sources string // --sources
	args    []string

	cmd  *exec.Cmd
	done chan struct{} // closed when the daemon has ended

	fifo *os.File
	fed  chan struct{} // closed when the feeder has ended

	mu     sync.Mutex // guards script
	script io.Reader
}

// newBoard makes a machine without a device and without a running daemon.
func newBoard(t testing.TB, name string) *board {
	t.Helper()
	// Not t.TempDir: socket paths have at most 107 bytes.
	dir, err := os.MkdirTemp("", "hwmon")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b := &board{t: t, name: name, dir: dir, address: freeAddress(t), sources: "hwrng"}
	b.write("hwrngd.toml", "")
	const class = "sys/class/misc/hw_random/"
	b.write(class+"rng_available", "virtio_rng.0 other.rng tpm-rng-0\n")
	b.write(class+"rng_quality", "1023\n")
	b.swap("virtio_rng.0")
	return b
}

// swap puts another generator behind the device.
func (b *board) swap(rng string) {
	b.t.Helper()
	b.write("sys/class/misc/hw_random/rng_current", rng+"\n")
}

func (b *board) path(name string) string { return filepath.Join(b.dir, name) }

func (b *board) write(name, text string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// freeAddress is a local address that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs the daemon until stop or the end of the case, with a watchdog that somebody listens to.
func (b *board) start() {
	b.t.Helper()
	log, err := os.OpenFile(b.path("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		b.t.Fatal(err)
	}
	defer log.Close()
	b.cmd = exec.Command(program, append([]string{
		"run", "--config", b.path("hwrngd.toml"), "--sysfs", b.path("sys"),
		"--hwrng-device", b.path("device"), "--runtime-dir", b.path("run"), "--metrics-listen", b.address,
		"--sources", b.sources, "--refill-interval", "1s",
	}, b.args...)...)
	b.cmd.Env = []string{"NOTIFY_SOCKET=" + b.manager(), "WATCHDOG_USEC=30000000"}
	b.cmd.Stderr = log
	if err := b.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait()
		close(done)
	}(b.cmd, b.done)
	b.t.Cleanup(func() {
		_ = b.cmd.Process.Kill()
		<-b.done
		if b.t.Failed() {
			text, _ := os.ReadFile(b.path("log"))
			b.t.Logf("log of %s:\n%s", b.name, text)
		}
	})
}

// manager is a socket that takes what the daemon tells its service manager.
func (b *board) manager() string {
	b.t.Helper()
	path := b.path("notify")
	_ = os.Remove(path) // of an earlier start
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: path})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { conn.Close() })
	go func() { _, _ = io.Copy(io.Discard, conn) }()
	return path
}

func (b *board) signal(sig syscall.Signal) {
	b.t.Helper()
	if err := b.cmd.Process.Signal(sig); err != nil {
		b.t.Fatal(err)
	}
}

func (b *board) stop() {
	b.t.Helper()
	b.signal(syscall.SIGTERM)
	<-b.done
}

// plug makes the device and feeds it with a script.
func (b *board) plug(script io.Reader) {
	b.t.Helper()
	if err := syscall.Mkfifo(b.path("device"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	// Open for both directions the open waits for no reader. Without blocking, Close ends a write that
	// waits.
	var err error
	if b.fifo, err = os.OpenFile(b.path("device"), os.O_RDWR|syscall.O_NONBLOCK, 0); err != nil {
		b.t.Fatal(err)
	}
	b.shrink()
	b.script = script
	b.fed = make(chan struct{})
	go b.feed(b.fifo, b.fed)
	b.t.Cleanup(func() { _ = b.fifo.Close() })
}

// page is what the pipe holds.
const page = 4096

// shrink makes the pipe hold one page only, so that the daemon sees a change of the script soon.
func (b *board) shrink() {
	b.t.Helper()
	const setPipeSize = 1031 // F_SETPIPE_SZ
	conn, err := b.fifo.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) { _, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, page) })
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// play replaces the script, and takes what is in the pipe out of it.
func (b *board) play(script io.Reader) {
	b.t.Helper()
	b.mu.Lock()
	b.script = script
	b.mu.Unlock()
	if _, err := io.CopyN(io.Discard, b.fifo, 2*page); err != nil {
		b.t.Fatal(err)
	}
}

func (b *board) feed(fifo *os.File, fed chan struct{}) {
	defer close(fed)
	buf := make([]byte, 512)
	for {
		b.mu.Lock()
		_, _ = io.ReadFull(b.script, buf) // scripts have no end
		b.mu.Unlock()
		if _, err := fifo.Write(buf); err != nil {
			return // closed
		}
	}
}

// unplug takes the device away: the node goes and its reader sees the end.
func (b *board) unplug() {
	b.t.Helper()
	if err := os.Remove(b.path("device")); err != nil {
		b.t.Fatal(err)
	}
	_ = b.fifo.Close()
	<-b.fed
}

// good is a generator without fault. Another part has another seed: data that comes again is a fault.
func good(part byte) io.Reader { return rand.NewChaCha8([32]byte{part}) }

// stuck gives one value for ever.
type stuck struct{}

// Read implements io.Reader.
func (stuck) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte{0x55}, len(p))), nil }

// uneven has the byte 0x69 in one of 77 places, and so 6.3 bits of min-entropy a byte at the most. No health
// test for 8 bits minds, nor does a FIPS 140-2 test.
type uneven struct{ *rand.ChaCha8 }

// Read implements io.Reader.
func (u uneven) Read(p []byte) (int, error) {
	_, _ = u.ChaCha8.Read(p)
	for i := range p {
		if u.Uint64()%110 == 0 { // and one of 256 by chance
			p[i] = 0x69
		}
	}
	return len(p), nil
}

// weak is a part that fails one block in eight by design: after a good start one of 16 stretches of the
// size of a block is biased, and most of these lie in two blocks.
type weak struct {
	*rand.ChaCha8
	given int
}

// Read implements io.Reader.
func (w *weak) Read(p []byte) (int, error) {
	const block, start, period = 2500, 20, 16
	part := io.Reader(w.ChaCha8)
	if n := w.given / block; n > start && n%period == 0 {
		part = biased{w.ChaCha8}
	}
	w.given += len(p)
	return part.Read(p)
}

// biased has ones of probability 7/16, which no health test for half of the entropy minds, and no block of
// which passes the monobit test.
type biased struct{ *rand.ChaCha8 }

// Read implements io.Reader.
func (b biased) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 0
		for bits, n := b.Uint64(), 0; n < 8; n++ {
			if bits>>(4*n)&15 < 7 {
				p[i] |= 1 << n
			}
		}
	}
	return len(p), nil
}
