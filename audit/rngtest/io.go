package rngtest

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"time"
)

// retryPause is how long to wait if input or output is not ready. It bounds the rate of system
// calls, and is short beside the time that a slow generator takes for a block.
const retryPause = 10 * time.Millisecond

// read reads once. It returns false if the run is to end: there is no more input, or it was
// stopped.
func (r *runner) read(buf []byte) (int, bool) {
	r.mu.Unlock()
	n, err := retry(r.Input, io.Reader.Read, buf)
	r.mu.Lock()
	switch {
	case r.over:
	case n > 0:
		return n, true // an error beside data comes again
	case err == io.EOF && r.Pipe:
	case err == io.EOF:
		r.tell(prefix + "entropy source drained\n")
	default:
		r.fail("error reading input", err)
	}
	return 0, false
}

// write passes a block on. It returns false if the run is to end.
func (r *runner) write(block []byte) bool {
	for len(block) > 0 {
		r.mu.Unlock()
		n, err := retry(r.Output, io.Writer.Write, block)
		r.mu.Lock()
		if r.over {
			return false
		}
		r.sent += int64(n)
		block = block[n:]
		if err != nil && !errors.Is(err, syscall.EAGAIN) {
			r.fail("error writing to output", err)
			return false
		}
	}
	return true
}

// retry calls a Read or Write until it has got somewhere or failed.
func retry[T any](stream T, call func(T, []byte) (int, error), buf []byte) (int, error) {
	for {
		n, err := call(stream, buf)
		if n > 0 || (err != nil && !errors.Is(err, syscall.EAGAIN)) {
			return n, err
		}
		time.Sleep(retryPause)
	}
}

// fail notes and reports that input or output failed.
func (r *runner) fail(what string, err error) {
	r.broken = true
	r.tell(prefix + what + ": " + reason(err) + "\n")
}

// reason returns what the system answered, with a capital letter as strerror(3) writes it.
func reason(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		err = errno // without the path, which for standard input is none
	}
	text := err.Error()
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// tell prints. Where that fails there is nobody left to tell.
func (r *runner) tell(text string) { _, _ = io.WriteString(r.Messages, text) }
