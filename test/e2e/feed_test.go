package e2e

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// What the daemon does with a source's bytes, as far as the cases count on it.
const (
	blockBytes = 2500 // of a FIPS 140-2 block
	flushBytes = 128  // dropped after each open
	firstBytes = flushBytes + blockBytes
)

// pace is how a feeder writes: so many bytes at once, with a pause after each. The zero value
// writes as fast as the daemon reads.
type pace struct {
	burst int // the first write, if it is to be larger
	chunk int
	pause time.Duration
}

// feeder plays a device: it writes a script to a FIFO that it keeps open. When the script has
// come to its end it is silent.
type feeder struct {
	t    testing.TB
	path string
	file *os.File
	done chan struct{} // closed when the goroutine has ended

	mu     sync.Mutex // guards script
	script io.Reader

	sent atomic.Int64 // bytes written
}

// feed makes the FIFO that is the bench's device, if it does not exist, and feeds it.
func (b *bench) feed(script io.Reader, p pace) *feeder {
	b.t.Helper()
	return b.feedAt(b.device, script, p)
}

// silence is a device that gives nothing.
func (b *bench) silence() *feeder { return b.feed(bytes.NewReader(nil), pace{}) }

// fifo makes the FIFO that is the bench's device and opens it at no end.
func (b *bench) fifo() {
	b.t.Helper()
	if err := syscall.Mkfifo(b.device, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) feedAt(path string, script io.Reader, p pace) *feeder {
	b.t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil && !errors.Is(err, os.ErrExist) {
		b.t.Fatal(err)
	}
	// Open for both directions the open waits for no reader, and a reader that comes and goes
	// breaks nothing. Without blocking, Close ends a write that waits.
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	f := &feeder{t: b.t, path: path, file: file, done: make(chan struct{}), script: script}
	f.shrink()
	go f.run(p)
	b.t.Cleanup(f.close)
	return f
}

// shrink makes the pipe hold one page only, so that the daemon sees a change of the script soon.
func (f *feeder) shrink() {
	const setPipeSize, page = 1031, 4096
	conn, err := f.file.SyscallConn()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := conn.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, page)
	}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *feeder) run(p pace) {
	defer close(f.done)
	if p.chunk == 0 {
		p.chunk = 512
	}
	buf := make([]byte, max(p.chunk, p.burst))
	for size := len(buf); ; size = p.chunk {
		f.mu.Lock()
		n, _ := io.ReadFull(f.script, buf[:size])
		f.mu.Unlock()
		written, err := f.file.Write(buf[:n])
		f.sent.Add(int64(written))
		if err != nil {
			return // closed
		}
		if n == 0 {
			time.Sleep(10 * time.Millisecond) // silent, until there is another script
		}
		time.Sleep(p.pause)
	}
}

// play replaces the script. What is in the pipe already, at most a page, comes first.
func (f *feeder) play(script io.Reader) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = script
}

// playAtOnce replaces the script and takes what is in the pipe out of it. It is for a reader that
// pauses: one that reads now sees a gap in the new script.
func (f *feeder) playAtOnce(script io.Reader) {
	f.t.Helper()
	f.play(script)
	fd, err := syscall.Open(f.path, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		f.t.Fatal(err)
	}
	defer syscall.Close(fd)
	// More than the pipe and a write that waits hold.
	buf, left := make([]byte, 4096), 16<<10
	kit.Eventually(f.t, "the pipe is empty", func() bool {
		n, _ := syscall.Read(fd, buf)
		left -= max(n, 0)
		return left <= 0
	})
}

// close closes the FIFO: its reader sees the end of the file.
func (f *feeder) close() {
	_ = f.file.Close()
	<-f.done
}

// vanish is the device that is unplugged: the node goes and its reader sees the end.
func (f *feeder) vanish() {
	f.t.Helper()
	if err := os.Remove(f.path); err != nil {
		f.t.Fatal(err)
	}
	f.close()
}
