package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// captureOutput is where a capture goes. Files are made by this program or not at all: an older capture
// is never overwritten, and nobody else may read a new one. A capture that fails leaves no file behind.
type captureOutput struct {
	format string
	hash   hash.Hash
	buf    *bufio.Writer // of the sample file; nil for json
	doc    bytes.Buffer  // samples for the document
	dst    io.Writer

	file, sidecar *os.File // nil for standard output; sidecar also for json
}

// newCaptureOutput makes the files, before any sample is taken.
func newCaptureOutput(inv *Invocation, opt *captureOptions) (*captureOutput, error) {
	o := &captureOutput{format: opt.format, hash: sha256.New(), dst: inv.Stdout}
	if opt.out == "" {
		if opt.format != formatJSON && isTerminal(inv.Stdout) {
			return nil, exitErrorf(exitUsage, "name a file by --out, or send the output into a pipe or a file", "format %s is not for a terminal", opt.format)
		}
	} else {
		var err error
		if o.file, err = createNew("capture", opt.out); err != nil {
			return nil, err
		}
		o.dst = o.file
		if opt.format != formatJSON {
			if o.sidecar, err = createNew("capture", opt.out+".json"); err != nil {
				o.abandon()
				return nil, err
			}
		}
	}
	o.buf = bufio.NewWriterSize(o.dst, 1<<16)
	return o, nil
}

// createNew makes a file of data that only its owner can read. It says in errors what the file is.
func createNew(what, path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, exitErrorf(exitUsage, "name another file, or remove this one", "%s exists, and a %s never overwrites", path, what)
	case errors.Is(err, fs.ErrPermission):
		return nil, exitErrorf(exitPermission, "", "cannot create the %s: %w", what, err)
	case err != nil:
		return nil, exitErrorf(exitIO, "", "cannot create the %s: %w", what, err)
	}
	return file, nil
}

// Write takes samples, or times in format u64.
func (o *captureOutput) Write(p []byte) (int, error) {
	o.hash.Write(p)
	if o.format == formatJSON {
		return o.doc.Write(p)
	}
	n, err := o.buf.Write(p)
	return n, o.failed(err)
}

// failed puts a write error into words. It hides the path that an error on standard output has: it is
// /dev/stdout, which is not where the output goes.
func (o *captureOutput) failed(err error) error {
	if err == nil {
		return nil
	}
	what := "standard output"
	if o.file != nil {
		what = o.file.Name()
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return exitErrorf(exitIO, "", "cannot write to %s: %w", what, err)
}

// finish writes the header, and in format json the samples.
func (o *captureOutput) finish(h *captureHeader) error {
	h.SHA256 = hex.EncodeToString(o.hash.Sum(nil))
	header, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return exitErrorf(exitOS, "", "cannot express the header as JSON: %w", err)
	}
	if o.format == formatJSON {
		// The document is the header with one more member, written as it goes: as values of Go the
		// samples would take far more memory.
		o.buf.Write(bytes.TrimSuffix(header, []byte("\n}")))
		o.buf.WriteString(",\n  \"samples\": [")
		o.samples(h.Columns)
		o.buf.WriteString("]\n}\n") // bufio keeps the first error for Flush
	}
	if err := o.failed(o.buf.Flush()); err != nil {
		return err
	}
	if o.file == nil {
		return nil
	}
	if o.sidecar != nil {
		if _, err := o.sidecar.Write(append(header, '\n')); err != nil {
			return exitErrorf(exitIO, "", "cannot write the header: %w", err)
		}
		if err := o.sidecar.Close(); err != nil {
			return exitErrorf(exitIO, "", "cannot write the header: %w", err)
		}
	}
	return o.failed(o.file.Close())
}

// samples writes the samples as numbers, one row a line.
func (o *captureOutput) samples(columns int) {
	var number []byte
	for i, sample := range o.doc.Bytes() {
		number = number[:0]
		if i > 0 {
			number = append(number, ',')
		}
		if i > 0 && i%columns == 0 {
			number = append(number, '\n')
		}
		o.buf.Write(strconv.AppendUint(number, uint64(sample), 10))
	}
}

// abandon removes what was made and says so. What has gone into a pipe cannot be taken back.
func (o *captureOutput) abandon() string {
	if o.file == nil {
		if o.buf == nil || o.format == formatJSON {
			return ""
		}
		_ = o.buf.Flush() // a pipe that is broken has been reported
		return "the output is not complete"
	}
	left := o.names() + " removed"
	for _, file := range []*os.File{o.file, o.sidecar} {
		if file == nil {
			continue
		}
		_ = file.Close() // may have been closed before
		if err := os.Remove(file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			left = "cannot remove " + file.Name()
		}
	}
	return left
}

// failure ends a capture that did not work out, and adds to the error what became of the output.
func (o *captureOutput) failure(err error, count *tally) error {
	if errors.Is(err, context.Canceled) {
		err = exitErrorf(exitIO, "", "interrupted after %d of %d samples", count.done.Load(), count.total.Load())
	}
	left := o.abandon()
	if left == "" || o.file == nil && count.done.Load() == 0 {
		return err
	}
	hint := ""
	if exit, ok := errors.AsType[*exitError](err); ok {
		hint = exit.hint
	}
	return exitErrorf(exitCode(err), hint, "%w; %s", err, left)
}

// names lists the files.
func (o *captureOutput) names() string {
	if o.sidecar == nil {
		return o.file.Name()
	}
	return o.file.Name() + " and " + o.sidecar.Name()
}
