package hwrng

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// read makes one read that must bring want.
func read(t *testing.T, s *Source, room int, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	buf := make([]byte, room)
	n, err := s.Read(ctx, buf)
	if err != nil || string(buf[:n]) != want {
		t.Errorf("read %q, %v, want %q", buf[:n], err, want)
	}
}

// failing makes one read that must not bring anything, and returns its error.
func failing(t *testing.T, s *Source) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	n, err := s.Read(ctx, make([]byte, 64))
	if n != 0 || err == nil {
		t.Errorf("read %d bytes, %v", n, err)
	}
	return err
}

// wantChanged checks that err says what changed.
func wantChanged(t *testing.T, err error, what, from, to string) {
	t.Helper()
	changed, ok := errors.AsType[*source.ChangedError](err)
	if !ok {
		t.Errorf("got %v, want a ChangedError", err)
	} else if changed.What != what || changed.From != from || changed.To != to {
		t.Errorf("got %v, want %s from %s to %s", err, what, from, to)
	}
}

// notOpen checks that no process has the FIFO open for reading.
func notOpen(t *testing.T, fifo string) {
	t.Helper()
	f, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		f.Close()
	}
	if !errors.Is(err, syscall.ENXIO) {
		t.Errorf("somebody has %s open (%v)", fifo, err)
	}
}

// stale is a buffer that the hw_random core filled for whoever came before.
func stale() []byte { return bytes.Repeat([]byte{0xAA}, flushBytes) }

func TestSourceReadsFIFO(t *testing.T) {
	r := newRig(t, virtio())
	r.mkfifo()
	s := r.source()

	before := s.Info()
	if before.Device != r.dev || before.Driver != "" || before.MinEntropy != UnknownMinEntropy {
		t.Errorf("before the first read: %+v", before)
	}
	r.feed(append(stale(), "fresh"...))
	read(t, s, 64, "fresh")
	r.wantDropped(flushBytes)

	virtio, _ := Lookup("virtio_rng.0")
	want := source.Info{
		Name: "hwrng", Kind: source.KindHWRNG, Device: r.dev, Driver: "virtio_rng.0",
		Note: virtio.Note, MinEntropy: 4, ClaimOrigin: "driver table",
	}
	if got := s.Info(); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}

	// FC-044: one byte a write, and every byte is there.
	for _, c := range "onebyone" {
		r.feed([]byte(string(c)))
		read(t, s, 64, string(c))
	}
	// Never more than there is room for.
	r.feed([]byte("abcdef"))
	read(t, s, 4, "abcd")
	read(t, s, 4, "ef")
	r.wantDropped(flushBytes)
	if err := s.Watch(); err != nil {
		t.Error(err)
	}
}

// A slow source gives its stale bytes in pieces.
func TestSourceFlushesPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, virtio())
		s, p := r.playing(give(stale()[:1]), give(stale()[:100]), give(stale()[:27]), give([]byte("fresh")))
		defer p.release(s)
		read(t, s, 64, "fresh")
		r.wantDropped(flushBytes)
		// Not one byte more is asked for than has to be dropped.
		if got, want := p.rooms(), []int{128, 127, 27, 64}; !slices.Equal(got, want) {
			t.Errorf("asked for %d, want %d", got, want)
		}
	})
}

// FC-025: the wanted generator is put in place before the first read.
func TestSourceSelects(t *testing.T) {
	r := newRig(t, map[string]string{
		"rng_available": "ccp-1-rng tpm-rng-0 \n", "rng_current": "ccp-1-rng\n", "rng_selected": "0\n", "rng_quality": "1024\n",
	})
	r.opt.Select = "tpm-rng-0"
	r.mkfifo()
	s := New(r.opt, nil)
	r.feed(append(stale(), "a"...))
	read(t, s, 64, "a")
	if got := r.get("rng_current"); got != "tpm-rng-0\n" {
		t.Errorf("rng_current is %q", got)
	}
	if i := s.Info(); i.Driver != "tpm-rng-0" || i.Kind != source.KindTPM {
		t.Errorf("info is %+v", i)
	}
	if lines := r.log.Lines(slog.LevelInfo, "from=ccp-1-rng to=tpm-rng-0"); len(lines) != 1 || !strings.Contains(lines[0], "source=hwrng") {
		t.Errorf("log: %q", r.log.Lines(slog.LevelDebug, ""))
	}

	// Somebody else's choice is undone, and the data of that time dropped.
	r.set("rng_current", "ccp-1-rng\n")
	if err := s.Watch(); err != nil {
		t.Errorf("put back in time: %v", err)
	}
	if got := r.get("rng_current"); got != "tpm-rng-0\n" {
		t.Errorf("rng_current is %q", got)
	}

	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := r.get("rng_current"); got != "\n" {
		t.Errorf("after the end rng_current is %q: nobody had chosen, so the kernel chooses", got)
	}
}

// The end of the source waits for nothing and puts rng_current back, also with a hung open.
func TestSourceCloseWhileHung(t *testing.T) {
	r := newRig(t, virtio())
	r.set("rng_available", "virtio_rng.0 a.rng \n")
	r.set("rng_selected", "1\n")
	r.opt.Select = "a.rng"
	r.mkfifo() // nobody writes, so the open waits
	s := New(r.opt, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Read(ctx, make([]byte, 64)); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("took %s", took)
	}
	if got := r.get("rng_current"); got != "virtio_rng.0\n" {
		t.Errorf("rng_current is %q", got)
	}
	// Let the goroutine go: it holds the FIFO open until it has seen that it is to end.
	f, err := os.OpenFile(r.dev, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.Write(letters(64))
}

func TestSourceEmptyRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, virtio())
		s, p := r.playing(give(stale()), give([]byte("a")))
		defer p.release(s)
		if n, err := s.Read(t.Context(), nil); n != 0 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		read(t, s, 64, "a")
	})
}

// The machine's own generator, of which little is taken: it gives 9.5 kB a second to everybody.
func TestRealDevice(t *testing.T) {
	if _, err := os.Open("/dev/hwrng"); err != nil {
		t.Skip(err)
	}
	if name, err := linux.Sysfs("/sys").RNGCurrent(); name == "" {
		t.Skipf("no generator behind it: %v", err)
	}
	var rec sourcetest.Recorder
	_, logger := sourcetest.NewLog()
	s := New(Options{Device: "/dev/hwrng", Sysfs: "/sys", Select: Keep, Recorder: &rec, Log: logger}, nil)
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	buf := make([]byte, 64)
	n, err := s.Read(ctx, buf)
	if n == 0 || err != nil || bytes.Count(buf[:n], buf[:1]) > 32 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if e := rec.Events(); e.AllDiscarded() != flushBytes {
		t.Errorf("%d bytes dropped", e.AllDiscarded())
	}
	t.Logf("%+v", s.Info())
}
