package hwrng

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// rig is a machine on paper: a directory for device nodes and a sysfs of plain files, which take
// every write as it comes. kernel, in selector_test.go, is the one that behaves.
type rig struct {
	t      *testing.T
	dev    string // the configured node, not there yet
	sys    linux.Sysfs
	rec    sourcetest.Recorder
	log    *sourcetest.Log
	opt    Options
	feeder *os.File // the FIFO, open for both
}

// newRig makes a machine whose class shows the given files.
func newRig(t *testing.T, class map[string]string) *rig {
	t.Helper()
	root := t.TempDir()
	r := &rig{t: t, dev: filepath.Join(root, "dev/hwrng"), sys: linux.Sysfs(filepath.Join(root, "sys"))}
	for _, dir := range []string{filepath.Dir(r.dev), r.class("")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range class {
		r.set(name, content)
	}
	log, logger := sourcetest.NewLog()
	r.log = log
	r.opt = Options{
		Device: r.dev, Sysfs: r.sys, Select: Keep, Class: func(Class) {}, Recorder: &r.rec, Log: logger,
	}
	return r
}

// virtio is a class with one generator.
func virtio() map[string]string {
	return map[string]string{
		"rng_current": "virtio_rng.0\n", "rng_available": "virtio_rng.0 none\n", "rng_quality": "1024\n", "rng_selected": "0\n",
	}
}

func (r *rig) class(file string) string {
	return filepath.Join(string(r.sys), "class/misc/hw_random", file)
}

// set changes a file of the class. The rename makes it happen at once for readers.
func (r *rig) set(file, content string) {
	r.t.Helper()
	path := r.class(file)
	kit.WriteFile(r.t, path+".new", content, 0o644)
	if err := os.Rename(path+".new", path); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) get(file string) string {
	r.t.Helper()
	return kit.ReadFile(r.t, r.class(file))
}

// mkfifo makes the device node a FIFO.
func (r *rig) mkfifo() {
	r.t.Helper()
	if err := syscall.Mkfifo(r.dev, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// feed writes to the FIFO, which it first opens for both reading and writing: so it never waits
// and the source never sees an end.
func (r *rig) feed(data []byte) {
	r.t.Helper()
	if r.feeder == nil {
		f, err := os.OpenFile(r.dev, os.O_RDWR, 0)
		if err != nil {
			r.t.Fatal(err)
		}
		r.feeder = f
		r.t.Cleanup(func() { f.Close() })
	}
	if _, err := r.feeder.Write(data); err != nil {
		r.t.Fatal(err)
	}
}

// source makes the source, closed at the end of the test.
func (r *rig) source() *Source {
	s := New(r.opt, nil)
	r.t.Cleanup(func() { s.Close() })
	return s
}

// wantDropped checks how many bytes were read and not delivered: the worker is told of neither.
func (r *rig) wantDropped(want int) {
	r.t.Helper()
	e := r.rec.Events()
	if e.Discarded[source.DiscardStartup] != want || e.BytesRead != want || e.AllDiscarded() != want {
		r.t.Errorf("%d bytes read and %d dropped, want %d", e.BytesRead, e.AllDiscarded(), want)
	}
}

// playing makes the source read a scripted device in place of the node, which is a FIFO that
// nobody opens. To be called in a bubble.
func (r *rig) playing(steps ...step) (*Source, *player) {
	r.t.Helper()
	r.mkfifo()
	p := newPlayer(steps...)
	s := New(r.opt, nil)
	s.reader.close()
	s.reader = newReader(p.open, nil)
	return s, p
}

// player is a scripted device. Each read plays the next step, and waits where there is none. What
// a step has beyond the room of the read goes to the next read.
type player struct {
	node    linux.Node
	openErr func(n int) error // the answer to the nth open, from 1; nil for success

	steps chan step
	rest  []byte // belongs to the goroutine that reads
	mu    sync.Mutex
	opens int
	shut  int   // closes
	asked []int // room of each read
}

type step struct {
	data []byte
	err  error
	took time.Duration
	do   func() // what happens elsewhere while the read is in the kernel
}

func newPlayer(steps ...step) *player {
	p := &player{node: linux.Node{Type: linux.CharDevice, Major: 10, Minor: 183}, steps: make(chan step, 256)}
	for _, s := range steps {
		p.steps <- s
	}
	return p
}

func (p *player) open() (device, error) {
	p.mu.Lock()
	p.opens++
	n := p.opens
	p.mu.Unlock()
	if p.openErr != nil {
		if err := p.openErr(n); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *player) Node() linux.Node { return p.node }

func (p *player) Read(buf []byte) (int, error) {
	p.mu.Lock()
	p.asked = append(p.asked, len(buf))
	p.mu.Unlock()
	if len(p.rest) > 0 {
		n := copy(buf, p.rest)
		p.rest = p.rest[n:]
		return n, nil
	}
	s, ok := <-p.steps
	if !ok {
		return 0, io.EOF
	}
	time.Sleep(s.took)
	if s.do != nil {
		s.do()
	}
	n := copy(buf, s.data)
	p.rest = s.data[n:]
	return n, s.err
}

func (p *player) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shut++
	return nil
}

func (p *player) counts() (opens, reads, shut int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opens, len(p.asked), p.shut
}

func (p *player) rooms() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// release ends the source and lets go of a read that hangs, so that the bubble can end.
func (p *player) release(s *Source) {
	s.Close()
	close(p.steps)
}

func give(data []byte) step { return step{data: data} }
func fail(err error) step   { return step{err: err} }
func letters(n int) []byte  { return bytes.Repeat([]byte("x"), n) }
