package jitter

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/jitter/jittertest"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// rig is a source on a clock of the test's own.
type rig struct {
	t   *testing.T
	s   *Source
	rec *sourcetest.Recorder
	log *sourcetest.Log
}

func newRig(t *testing.T, opt Options) *rig {
	t.Helper()
	r := &rig{t: t, rec: &sourcetest.Recorder{}}
	r.log, opt.Log = sourcetest.NewLog()
	opt.Recorder = r.rec
	r.s = New(opt)
	t.Cleanup(func() { r.s.Close() })
	return r
}

// engine waits until the source is at rest and returns its engine, which stays usable by the source.
// Nothing else may use the source meanwhile.
func (r *rig) engine() *engine {
	e := <-r.s.engine
	r.s.engine <- e
	return e
}

// read reads n bytes once.
func (r *rig) read(n int) ([]byte, error) {
	buf := make([]byte, n)
	n, err := r.s.Read(r.t.Context(), buf)
	r.engine() // with what comes after the hand-over
	return buf[:n], err
}

// mustRead reads n bytes. A slow machine, such as an emulated one, gives them piece by piece.
func (r *rig) mustRead(n int) []byte {
	r.t.Helper()
	var data []byte
	for len(data) < n {
		part, err := r.read(n - len(data))
		if err != nil || len(part) == 0 {
			r.t.Fatalf("read %d of %d bytes, then %d, %v", len(data), n, len(part), err)
		}
		data = append(data, part...)
	}
	return data
}

// noisy is a clock of 100 MHz on a memory walk like a real one.
func noisy(seed uint64) *jittertest.Clock {
	return &jittertest.Clock{Tick: 10, ReadTime: 23, Spread: 60, Step: jittertest.Noise(seed, 300, 50)}
}

func failed(err error) bool {
	_, ok := errors.AsType[*source.FailedError](err)
	return ok
}

// system writes files as below /sys or /proc into a new directory.
func system(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		kit.WriteFile(t, path, content, 0o644)
	}
	return root
}

const clocksourceDir = "devices/system/clocksource/clocksource0/"

// sysfsWith is a sysfs with that clocksource.
func sysfsWith(t *testing.T, clocksource string) linux.Sysfs {
	t.Helper()
	return linux.Sysfs(system(t, map[string]string{
		clocksourceDir + "current_clocksource":   clocksource + "\n",
		clocksourceDir + "available_clocksource": clocksource + " hpet acpi_pm \n",
	}))
}

// differs reports whether no two BlockSize pieces of data are equal.
func differs(data []byte) bool {
	for i := 0; i+BlockSize <= len(data); i += BlockSize {
		if bytes.Contains(data[i+BlockSize:], data[i:i+BlockSize]) {
			return false
		}
	}
	return true
}

// cancelled returns a context that is done.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
