// Package textfile writes the metrics to a file, where the textfile collector of node_exporter
// finds them. A host that has node_exporter then needs no second port.
//
// Nothing in it can hold up the daemon: files are written by a goroutine that nobody waits for, and
// a folder that is not there or a disk that is full is only a log line.
package textfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"
)

// every is how often the file is written. Prometheus asks node_exporter about as often, and alerts
// take a file that is two minutes old for that of a dead daemon.
const every = 15 * time.Second

// Options configures a Writer. All fields are needed.
type Options struct {
	// Write writes all metrics in the text format. It must not block.
	Write func(io.Writer) error
	// Failed is called for each file that could not be written.
	Failed func()
	// Logger gets a line for each such file: it should hold back what repeats.
	Logger *slog.Logger
}

// Writer keeps one file up to date.
type Writer struct {
	o Options

	mu   sync.Mutex // guards what follows, never held while writing
	file *file      // nil if off
}

// New returns a writer without a file.
func New(o Options) *Writer { return &Writer{o: o} }

// SetPath makes the writer write to path from now on, or nowhere if path is "". The file of before
// is removed, since node_exporter would show its last content for ever. SetPath does not wait for
// anything to be written.
func (w *Writer) SetPath(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file != nil {
		if w.file.path == path {
			return
		}
		w.file.end <- remove
		w.file = nil
	}
	if path != "" {
		w.file = &file{path: path, o: w.o, end: make(chan end, 1), done: make(chan struct{})}
		go w.file.run()
	}
}

// Close writes the file a last time and waits for that, at most limit. The file stays.
func (w *Writer) Close(limit time.Duration) {
	w.mu.Lock()
	f := w.file
	w.file = nil
	w.mu.Unlock()
	if f == nil {
		return
	}
	f.end <- leave
	select {
	case <-f.done:
	case <-time.After(limit):
	}
}

// end is what becomes of a file that is written no more.
type end int

const (
	leave  end = iota // with what is true at the end
	remove            // it is not wanted any more
)

// file is one file with the goroutine that writes it.
type file struct {
	path    string
	o       Options
	end     chan end // gets one value, and has room for it
	done    chan struct{}
	failing bool
}

func (f *file) run() {
	defer close(f.done)
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		f.write()
		select {
		case <-ticks.C:
		case how := <-f.end:
			f.finish(how)
			return
		}
	}
}

func (f *file) finish(how end) {
	if how == leave {
		f.write()
		return
	}
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.o.Logger.Warn("old metrics file not removed", "file", f.path, "error", err)
	}
}

func (f *file) write() {
	var text bytes.Buffer
	err := f.o.Write(&text)
	if err == nil {
		err = replace(f.path, text.Bytes())
	}
	if err == nil {
		if f.failing {
			f.o.Logger.Info("metrics file written again", "file", f.path)
		}
		f.failing = false
		return
	}
	f.failing = true
	f.o.Failed()
	attrs := []any{"file", f.path, "error", err}
	if hint := hintFor(f.path, err); hint != "" {
		attrs = append(attrs, "hint", hint)
	}
	f.o.Logger.Warn("metrics file not written, retrying", attrs...)
}
