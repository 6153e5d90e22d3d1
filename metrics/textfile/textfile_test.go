package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// bench is a writer of numbered texts, with what it reported.
type bench struct {
	w *Writer

	mu     sync.Mutex // guards what follows
	log    bytes.Buffer
	failed int
	n      int // texts made
	broken error
}

func newBench() *bench {
	b := new(bench)
	b.w = New(Options{
		Write:  b.text,
		Failed: func() { b.locked(func() { b.failed++ }) },
		Logger: slog.New(slog.NewTextHandler(b, nil)),
	})
	return b
}

func (b *bench) locked(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func (b *bench) text(w io.Writer) (err error) {
	b.locked(func() {
		b.n++
		fmt.Fprintf(w, "text %d\n", b.n)
		err = b.broken
	})
	return err
}

// Write takes the log.
func (b *bench) Write(p []byte) (n int, err error) {
	b.locked(func() { n, err = b.log.Write(p) })
	return n, err
}

// reported returns the number of failures and the log so far.
func (b *bench) reported() (failed int, log string) {
	b.locked(func() { failed, log = b.failed, b.log.String() })
	return failed, log
}

// pass lets time go by and everything happen that is due. What is due at the very end may come after
// the Wait, so that the end is a little later.
func pass(d time.Duration) {
	time.Sleep(d + time.Microsecond)
	synctest.Wait()
}

// mustHold fails the test unless the file holds exactly that.
func mustHold(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
	}
}

// mustBeAlone fails the test unless the folder of the file holds nothing else.
func mustBeAlone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(path) {
		t.Errorf("beside %s: %v, %v", path, entries, err)
	}
}

func TestWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hwrngd.prom")
	other := filepath.Join(t.TempDir(), "other.prom")
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		b.w.SetPath(path)
		synctest.Wait()
		mustHold(t, path, "text 1\n")
		b.w.SetPath(path) // no change
		pass(every - time.Millisecond)
		mustHold(t, path, "text 1\n")
		pass(time.Millisecond)
		mustHold(t, path, "text 2\n")
		mustBeAlone(t, path)

		b.w.SetPath(other)
		synctest.Wait()
		mustHold(t, other, "text 3\n")
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the old file is still there: %v", err)
		}
		b.w.Close(time.Hour)
		mustHold(t, other, "text 4\n")
		b.w.Close(time.Hour) // nothing is left to do
		if failed, log := b.reported(); failed != 0 || log != "" {
			t.Errorf("%d failures, log %q", failed, log)
		}
	})
}

func TestFailuresAreRetried(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	path := filepath.Join(dir, "hwrngd.prom")
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		b.w.SetPath(path)
		pass(every)
		failed, log := b.reported()
		if failed != 2 {
			t.Errorf("%d failures, want 2", failed)
		}
		for _, want := range []string{"not written, retrying", path, "no such file", "make the folder " + dir} {
			if !strings.Contains(log, want) {
				t.Errorf("log lacks %q: %s", want, log)
			}
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		pass(every)
		mustHold(t, path, "text 3\n")
		if _, log := b.reported(); !strings.Contains(log, "written again") {
			t.Errorf("log %q", log)
		}
		b.locked(func() { b.broken = errors.New("no metrics") })
		pass(every)
		mustHold(t, path, "text 3\n")
		if failed, _ := b.reported(); failed != 3 {
			t.Errorf("%d failures, want 3", failed)
		}
		b.w.SetPath("")
		synctest.Wait()
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file that is not wanted any more is still there: %v", err)
		}
	})
}

// A file that hangs, as on a dead network share, holds up neither a reload nor the stop.
func TestHangingFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		hang := New(Options{
			Write:  func(io.Writer) error { <-release; return errors.New("too late") },
			Failed: func() {},
			Logger: slog.New(slog.DiscardHandler),
		})
		hang.SetPath("/a.prom")
		hang.SetPath("/b.prom")
		start := time.Now()
		hang.Close(time.Second)
		if took := time.Since(start); took != time.Second {
			t.Errorf("Close took %v", took)
		}
		close(release)
	})
}

func TestReplace(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	dir := t.TempDir()
	path, temp := filepath.Join(dir, "h.prom"), filepath.Join(dir, ".h.prom.new")
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Both names may be links that somebody else has put there.
	for _, link := range []string{path, temp} {
		if err := os.Symlink(victim, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := replace(path, []byte("new\n")); err != nil {
		t.Fatal(err)
	}
	mustHold(t, path, "new\n")
	mustHold(t, victim, "keep")
	mustBeAlone(t, path)
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != mode {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := replace(dir, nil); err == nil {
		t.Error("a folder was replaced")
	}
}

func TestHints(t *testing.T) {
	for _, c := range []struct {
		errno syscall.Errno
		want  string
	}{
		{syscall.ENOENT, "make the folder /d"},
		{syscall.ENOSPC, "disk is full"},
		{syscall.EDQUOT, "disk is full"},
		{syscall.EROFS, "ReadWritePaths"},
		{syscall.EACCES, "ReadWritePaths"},
		{syscall.EIO, ""},
	} {
		got := hintFor("/d/h.prom", &os.PathError{Op: "open", Path: "/d/h.prom", Err: c.errno})
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v: %q, want %q", c.errno, got, c.want)
		}
	}
}

// A reader never sees anything but one whole text.
func TestReadersSeeWholeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.prom")
	texts := []string{strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<12)}
	if err := replace(path, []byte(texts[0])); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := replace(path, []byte(texts[i%2])); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 500 {
		got, err := os.ReadFile(path)
		if err != nil || string(got) != texts[0] && string(got) != texts[1] {
			t.Errorf("read %d bytes, %v", len(got), err)
			break
		}
	}
	close(stop)
	writer.Wait()
}
