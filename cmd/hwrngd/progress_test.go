package main

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// screen is a terminal that notes when it was written to.
type screen struct {
	mu      sync.Mutex
	begin   time.Time
	columns int
	writes  []string
	times   []time.Duration
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, string(p))
	s.times = append(s.times, time.Since(s.begin))
	return len(p), nil
}

// line is what the line shows after all writes; the cursor is at the returned column.
func (s *screen) line() (text string, cursor int) {
	line := []rune(strings.Repeat(" ", 200))
	for _, r := range strings.Join(s.writes, "") {
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
	return (&progress{w: s, width: func() int { return s.columns }}).start(text)
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &screen{begin: time.Now(), columns: 80}
		texts := []string{"a long line of text", "short", "gr\u00f6\u00dfer\x1b[31m", strings.Repeat("x", 100)}
		n := 0
		stop := watchOn(s, func() string { n++; return texts[min(n, len(texts))-1] })
		time.Sleep(progressDelay - time.Nanosecond)
		if synctest.Wait(); len(s.writes) != 0 {
			t.Errorf("%q after less than %s", s.writes, progressDelay)
		}
		for i, want := range []string{"a long line of text", "short", `größer\x1b[31m`, strings.Repeat("x", 79)} {
			time.Sleep(progressEvery)
			synctest.Wait()
			if text, cursor := s.line(); text != want || cursor > 79 {
				t.Errorf("update %d shows %q, cursor at %d, want %q", i, text, cursor, want)
			}
		}
		for i, at := range s.times {
			if want := progressDelay + time.Duration(i)*progressEvery; at != want {
				t.Errorf("update %d after %s, want %s", i, at, want)
			}
		}
		s.columns = 20 // the window became smaller
		time.Sleep(progressEvery)
		synctest.Wait()
		stop()
		stop()
		if text, cursor := s.line(); text != "" || cursor != 0 {
			t.Errorf("not erased: %q, cursor at %d", text, cursor)
		}
		updates := len(s.writes)
		time.Sleep(time.Minute)
		if len(s.writes) != updates {
			t.Error("shows progress of work that is done")
		}
	})
}

// TestProgressOfShortWork: what takes less than two seconds leaves no trace.
func TestProgressOfShortWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &screen{begin: time.Now(), columns: 80}
		stop := watchOn(s, func() string { return "working" })
		time.Sleep(progressDelay - time.Millisecond)
		stop()
		if len(s.writes) != 0 {
			t.Errorf("%q", s.writes)
		}
	})
}

// TestNoProgress: without a terminal, and on one that only prints, there is none.
func TestNoProgress(t *testing.T) {
	text := func() string { t.Error("asked for progress"); return "" }
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal to test with: %v", err)
	}
	defer terminal.Close()
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
