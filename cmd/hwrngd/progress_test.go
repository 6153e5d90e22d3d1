package main

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// screen is a terminal that notes when it was written to. All its methods lock, as the race detector
// does not take the order of a bubble's clock for one.
type screen struct {
	mu      sync.Mutex
	begin   time.Time
	columns int
	text    strings.Builder
	times   []time.Duration
}

func newScreen() *screen { return &screen{begin: time.Now(), columns: 80} }

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times = append(s.times, time.Since(s.begin))
	return s.text.Write(p)
}

func (s *screen) width() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.columns
}

func (s *screen) resize(columns int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.columns = columns
}

// written returns when it was written to.
func (s *screen) written() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.times)
}

// line is what the line shows after all writes, and where the cursor is.
func (s *screen) line() (text string, cursor int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := []rune(strings.Repeat(" ", 200))
	for _, r := range s.text.String() {
		if r == '\r' {
			cursor = 0
			continue
		}
		line[cursor] = r
		cursor++
	}
	return strings.TrimRight(string(line), " "), cursor
}

func watchOn(s *screen, text func() string) (stop func()) {
	return (&progress{w: s, width: s.width}).start(text)
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen()
		texts := []string{"a long line of text", "short", "gr\u00f6\u00dfer\x1b[31m", strings.Repeat("x", 100)}
		n := 0
		stop := watchOn(s, func() string { n++; return texts[min(n, len(texts))-1] })
		time.Sleep(progressDelay - time.Nanosecond)
		if synctest.Wait(); len(s.written()) != 0 {
			t.Errorf("written to after %v", s.written())
		}
		for i, want := range []string{"a long line of text", "short", `größer\x1b[31m`, strings.Repeat("x", 79)} {
			time.Sleep(progressEvery)
			synctest.Wait()
			if text, cursor := s.line(); text != want || cursor > 79 {
				t.Errorf("update %d shows %q, cursor at %d, want %q", i, text, cursor, want)
			}
		}
		for i, at := range s.written() {
			if want := progressDelay + time.Duration(i)*progressEvery; at != want {
				t.Errorf("update %d after %s, want %s", i, at, want)
			}
		}
		s.resize(20) // the window became smaller
		time.Sleep(progressEvery)
		synctest.Wait()
		stop()
		stop()
		if text, cursor := s.line(); text != "" || cursor != 0 {
			t.Errorf("not erased: %q, cursor at %d", text, cursor)
		}
		updates := len(s.written())
		time.Sleep(time.Minute)
		if len(s.written()) != updates {
			t.Error("shows progress of work that is done")
		}
	})
}

// TestProgressOfShortWork: what takes less than two seconds leaves no trace.
func TestProgressOfShortWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen()
		stop := watchOn(s, func() string { return "working" })
		time.Sleep(progressDelay - time.Millisecond)
		stop()
		if len(s.written()) != 0 {
			t.Errorf("written to after %v", s.written())
		}
	})
}

// TestNoProgress: without a terminal, and on one that only prints, there is none.
func TestNoProgress(t *testing.T) {
	text := func() string { t.Error("asked for progress"); return "" }
	terminal := kit.NewPTY(t).Master
	synctest.Test(t, func(t *testing.T) {
		for _, inv := range []*Invocation{{Stderr: &bytes.Buffer{}}, {Stderr: terminal, Environ: []string{"TERM=dumb"}}} {
			stop := inv.watch(text)
			time.Sleep(time.Minute)
			stop()
		}
		shown := 0
		stop := (&Invocation{Stderr: terminal, Environ: []string{"TERM=xterm"}}).watch(func() string { shown++; return "x" })
		time.Sleep(progressDelay + 10*progressEvery)
		stop()
		if shown != 11 && shown != 10 {
			t.Errorf("%d updates on a terminal", shown)
		}
	})
}

func TestTally(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTally("samples", 1000)
		want := func(text string) {
			t.Helper()
			if got := c.String(); got != text {
				t.Errorf("got %q, want %q", got, text)
			}
		}
		want("0 of 1000 samples (0 %)")
		time.Sleep(10 * time.Second)
		want("0 of 1000 samples (0 %)")
		c.done.Add(250)
		want("250 of 1000 samples (25 %), 25 a second, 30s left")
		guess := func() int64 { return 5000 }
		c.guess.Store(&guess)
		want("1000 of 1000 samples (100 %), 100 a second, 0s left")
		c = newTally("estimates", 0)
		want("0 of 0 estimates (0 %)")
		c.set(3, 17)
		time.Sleep(3 * time.Second)
		want("3 of 17 estimates (17 %), 1 a second, 14s left")
	})
}
