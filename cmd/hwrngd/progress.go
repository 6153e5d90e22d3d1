package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

const (
	// progressDelay is how long work goes on in silence. Most is done by then.
	progressDelay = 2 * time.Second
	// progressEvery is the time between two updates: a serial console of 9600 baud carries four lines
	// of 80 columns in a third of a second.
	progressEvery = 250 * time.Millisecond
)

// watch shows what text returns on the terminal behind standard error, one line that is written over
// again and again, until the returned function is called, which erases it. Where there is no terminal
// it shows nothing. Text is called by another goroutine.
func (inv *Invocation) watch(text func() string) (stop func()) {
	kind, _ := lookupEnv(inv.Environ, "TERM")
	file, ok := inv.Stderr.(*os.File)
	if !ok || kind == "dumb" || !isTerminal(file) {
		return func() {}
	}
	width := func() int {
		columns, _, err := term.GetSize(int(file.Fd()))
		if err != nil || columns <= 0 {
			return 80 // serial consoles do not say
		}
		return columns
	}
	return (&progress{w: file, width: width}).start(text)
}

// progress is one line on a terminal. It needs nothing of that but carriage return.
type progress struct {
	w     io.Writer
	width func() int
	shown int // columns in use
}

func (p *progress) start(text func() string) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		p.loop(text, quit)
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-done
	})
}

func (p *progress) loop(text func() string, quit <-chan struct{}) {
	timer := time.NewTimer(progressDelay)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			p.show(text())
			timer.Reset(progressEvery)
		case <-quit:
			if p.shown > 0 {
				p.show("")
			}
			return
		}
	}
}

// show writes over the line. The last column stays free: some terminals begin a new line after it.
func (p *progress) show(text string) {
	text = escapeControls(text)
	if room := max(p.width()-1, 0); utf8.RuneCountInString(text) > room {
		text = string([]rune(text)[:room])
	}
	length := utf8.RuneCountInString(text)
	line := "\r" + text + strings.Repeat(" ", max(p.shown-length, 0))
	if text == "" {
		line += "\r"
	}
	p.shown = length
	_, _ = io.WriteString(p.w, line) // a terminal that is gone needs no progress
}

// tally counts how much of some work is done, for a progress line.
type tally struct {
	unit  string
	total atomic.Int64
	begin time.Time
	done  atomic.Int64
	// guess, if any, is how much more is done than was counted: for work that cannot be counted
	// before it ends.
	guess atomic.Pointer[func() int64]
}

func newTally(unit string, total int) *tally {
	t := &tally{unit: unit, begin: time.Now()}
	t.total.Store(int64(total))
	return t
}

// String is the progress line: how much is done, how fast, how long it will take.
func (t *tally) String() string {
	done, total := t.done.Load(), t.total.Load()
	if guess := t.guess.Load(); guess != nil {
		done = min(done+(*guess)(), total)
	}
	elapsed := time.Since(t.begin)
	text := fmt.Sprintf("%d of %d %s (%d %%)", done, total, t.unit, 100*done/max(total, 1))
	if done == 0 || elapsed <= 0 {
		return text
	}
	rate := float64(done) / elapsed.Seconds()
	left := time.Duration(float64(total-done) / rate * float64(time.Second))
	return text + fmt.Sprintf(", %.0f a second, %s left", rate, left.Round(time.Second))
}

// set takes the progress of work that is told in steps.
func (t *tally) set(done, total int) {
	t.total.Store(int64(total))
	t.done.Store(int64(done))
}
