package script

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// duration takes a time such as 1.5s.
func (r *reader) duration() time.Duration {
	text := r.next("a time")
	d, err := time.ParseDuration(text)
	if r.err == nil && (err != nil || d <= 0 || d > time.Hour) {
		r.fail("%q is not a time of at most an hour, want for example 10s", text)
	}
	return d
}

// count takes a whole number above 0.
func (r *reader) count(what string) int {
	text := r.next(what)
	n, err := strconv.Atoi(text)
	if r.err == nil && (err != nil || n <= 0 || n > 1<<30) {
		r.fail("%q is not a number above 0", text)
	}
	return n
}

// errnos are the errors that devices give.
var errnos = map[string]syscall.Errno{
	"EAGAIN": syscall.EAGAIN, "EBUSY": syscall.EBUSY, "EFAULT": syscall.EFAULT, "EINTR": syscall.EINTR, "EINVAL": syscall.EINVAL,
	"EIO": syscall.EIO, "ENODEV": syscall.ENODEV, "ENXIO": syscall.ENXIO, "EPERM": syscall.EPERM, "ETIMEDOUT": syscall.ETIMEDOUT,
}

// errno takes the name of an error.
func (r *reader) errno() syscall.Errno {
	name := r.next("an error such as EIO")
	errno, known := errnos[name]
	if !known {
		r.fail("no such error %q", name)
	}
	return errno
}

// oneOf takes one of these words.
func (r *reader) oneOf(choices ...string) string {
	text := r.next("one of " + strings.Join(choices, ", "))
	if r.err == nil && !slices.Contains(choices, text) {
		r.fail("%q is none of %s", text, strings.Join(choices, ", "))
	}
	return text
}

// plain are the streams without a parameter.
var plain = []string{"G10", "zeros", "G17", "G18", "banner", "G26"}

// stream takes the name of a generator with its parameter.
func (r *reader) stream() Stream {
	s := Stream{Name: r.next("a stream")}
	switch {
	case slices.Contains(plain, s.Name):
	case s.Name == "G1":
		if r.is("from") {
			s.Param = float64(r.count("the first byte"))
		}
	case s.Name == "repeat":
		s.Param = float64(r.count("the period in bytes"))
		if s.Param > 1<<20 {
			r.fail("a period of %.0f bytes is too long", s.Param)
		}
	case s.Name == "G15":
		text, ok := strings.CutPrefix(r.next("p=SHARE"), "p=")
		share, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil || !(share > 0 && share < 1) || math.IsNaN(share) {
			r.fail("want G15 p=SHARE, the share of ones between 0 and 1")
		}
		s.Param = share
	case s.Name == "G21":
		s.Form = r.oneOf("hex", "base64", "top")
	default:
		r.fail("no such stream %q", s.Name)
	}
	return s
}

// feed takes the words of a feed line.
func (r *reader) feed() Feed {
	f := Feed{Stream: r.stream()}
	for !r.empty() && r.err == nil {
		switch {
		case r.is("rate"):
			rate := r.count("a number of bytes a second")
			// Fifty times a second, if that leaves a byte each time.
			f.Chunk = max(1, rate/50)
			if rate > 0 {
				f.Pause = time.Duration(f.Chunk) * time.Second / time.Duration(rate)
			}
		case r.is("burst"):
			f.Chunk = r.count("a number of bytes")
			if !r.is("every") {
				r.fail("want burst N every TIME")
			}
			f.Pause = r.duration()
		case r.is("chunk"):
			f.Chunk = r.count("a number of bytes")
		case r.is("error"):
			f.Errno = r.errno()
			if !r.is("every") {
				r.fail("want error ERRNO every N")
			}
			f.Every = r.count("a number of reads")
		default:
			if f.Bytes != 0 {
				r.fail("one amount is enough")
			}
			f.Bytes = int64(r.count("an amount"))
			if r.oneOf("bytes", "blocks") == "blocks" {
				f.Bytes *= BlockBytes
			}
		}
	}
	return f
}
