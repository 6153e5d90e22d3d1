package faults

import (
	"context"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/faults/script"
)

// tape is what a device plays: the feed, silence, error and fault lines of a case, one after the
// other, as fast as somebody reads.
type tape struct {
	mu      sync.Mutex
	queue   []*segment
	wake    chan struct{} // closed when the queue changes
	streams map[script.Stream]io.Reader
	ready   time.Time // no data before this
	reads   int
	heard   string // what the device was sent

	forget bool   // keep no record of the data: it may become long
	given  []byte // all data so far
	spans  []span
	past   []moment
	fault  moment // its beginning; no time if there was none
}

// segment is a line of the tape.
type segment struct {
	action script.Action
	left   int64     // bytes or times, -1: without end
	until  time.Time // of a silence that has begun
}

// span is data of one stream among what was given.
type span struct {
	from, to int
	good     bool // it is G1
}

// moment is how many bytes had been given at a time.
type moment struct {
	at    time.Time
	bytes int
}

func newTape() *tape {
	return &tape{wake: make(chan struct{}), streams: map[script.Stream]io.Reader{}}
}

// add puts a line at the end. One before it that has no end ends now.
func (t *tape) add(a script.Action) {
	s := &segment{action: a, left: -1}
	switch a := a.(type) {
	case script.Feed:
		if a.Bytes > 0 {
			s.left = a.Bytes
		}
	case script.Fail:
		if a.Times > 0 {
			s.left = int64(a.Times)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if last := len(t.queue) - 1; last >= 0 && t.queue[last].endless() {
		t.queue = t.queue[:last]
	}
	t.queue = append(t.queue, s)
	close(t.wake)
	t.wake = make(chan struct{})
}

// clear takes all lines off that have not been played to their end.
func (t *tape) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = nil
}

func (s *segment) endless() bool {
	switch a := s.action.(type) {
	case script.Silence:
		return a.For == 0
	case script.Fault, script.Await:
		return false
	}
	return s.left < 0
}

// hear is what the device is sent.
func (t *tape) hear(data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard += string(data)
	close(t.wake)
	t.wake = make(chan struct{})
}

// faultNow is a fault that the device does not play: it is taken away.
func (t *tape) faultNow() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(time.Now())
}

func (t *tape) begin(now time.Time) {
	if t.fault.at.IsZero() {
		t.fault = moment{now, len(t.given)}
	}
}

// next returns at most n bytes, or an error of the script. It waits where the script does so.
func (t *tape) next(ctx context.Context, n int) ([]byte, error) {
	for {
		t.mu.Lock()
		data, wait, err := t.step(n)
		wake := t.wake
		t.mu.Unlock()
		if wait == 0 {
			return data, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-wake:
		case <-timer.C:
		}
		timer.Stop()
		if err != nil {
			return nil, err
		}
	}
}

// step returns what a read gets now, or how long it has to wait before it asks again.
func (t *tape) step(n int) (data []byte, wait time.Duration, err error) {
	now := time.Now()
	for len(t.queue) > 0 {
		s := t.queue[0]
		switch a := s.action.(type) {
		case script.Fault:
			t.begin(now)
		case script.Silence:
			if a.For == 0 {
				return nil, time.Hour, nil
			}
			if s.until.IsZero() {
				s.until = now.Add(a.For)
			}
			if wait := s.until.Sub(now); wait > 0 {
				return nil, wait, nil
			}
		case script.Await:
			if !strings.Contains(t.heard, a.Text) {
				return nil, time.Hour, nil
			}
		case script.Fail:
			if s.left != 0 {
				s.left--
				return nil, 0, a.Errno
			}
		case script.Feed:
			if wait := t.ready.Sub(now); wait > 0 {
				return nil, wait, nil
			}
			if s.left != 0 {
				data, err := t.data(s, a, n, now)
				return data, 0, err
			}
		}
		t.queue = t.queue[1:]
	}
	return nil, time.Hour, nil
}

// data takes the next bytes of a segment.
func (t *tape) data(s *segment, f script.Feed, n int, now time.Time) ([]byte, error) {
	if t.reads++; f.Every > 0 && t.reads%f.Every == 0 {
		return nil, f.Errno
	}
	if f.Chunk > 0 {
		n = min(n, f.Chunk)
	}
	if s.left > 0 {
		n = int(min(int64(n), s.left))
		s.left -= int64(n)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(t.stream(f.Stream), data); err != nil {
		return nil, syscall.EIO
	}
	// Late by little, the next one comes the sooner, so that the rate is right.
	if now.Sub(t.ready) > 100*time.Millisecond {
		t.ready = now
	}
	t.ready = t.ready.Add(f.Pause)
	t.record(data, f.Stream.Name == "G1", now)
	return data, nil
}

// stream returns a generator, which goes on where it stopped unless it says where it begins.
func (t *tape) stream(s script.Stream) io.Reader {
	key := s
	if s.Name == "G1" {
		key.Param = 0
	}
	r, known := t.streams[key]
	if !known {
		r = openStream(s)
		t.streams[key] = r
	}
	return r
}

func (t *tape) record(data []byte, good bool, now time.Time) {
	if t.forget {
		return
	}
	from := len(t.given)
	t.given = append(t.given, data...)
	t.past = append(t.past, moment{now, len(t.given)})
	if last := len(t.spans) - 1; last >= 0 && t.spans[last].good == good {
		t.spans[last].to = len(t.given)
		return
	}
	t.spans = append(t.spans, span{from, len(t.given), good})
}

// faultBegan returns when the fault began, at no time if there was none.
func (t *tape) faultBegan() moment {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fault
}

// givenBy returns how many bytes had been given at that time.
func (t *tape) givenBy(at time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, m := range t.past {
		if m.at.After(at) {
			break
		}
		n = m.bytes
	}
	return n
}

func TestTape(t *testing.T) {
	parsed, err := script.Parse(`title t
channel fuse
feed G1 3 bytes
error EIO 2 times
silence 50ms
feed G1 4 bytes error ENODEV every 4
fault
feed zeros 5 bytes chunk 2
feed G10
start
expect exit = -1
`)
	if err != nil {
		t.Fatal(err)
	}
	tp := newTape()
	for _, s := range parsed.Steps[:len(parsed.Steps)-2] {
		tp.add(s.Action)
	}
	want := openStream(script.Stream{Name: "G1"})
	good := make([]byte, 7)
	_, _ = io.ReadFull(want, good)
	for i, c := range []struct {
		n    int
		data string
		err  error
	}{
		{10, string(good[:3]), nil},
		{10, "", syscall.EIO},
		{10, "", syscall.EIO},
		{1, string(good[3:4]), nil}, // after the silence
		{1, string(good[4:5]), nil},
		{1, "", syscall.ENODEV},
		{10, string(good[5:7]), nil},
		{10, "\x00\x00", nil},
		{1, "\x00", nil},
		{10, "\x00\x00", nil},
		{3, "\xff\xff\xff", nil},
		{4, "\xff\xff\xff\xff", nil},
	} {
		begin := time.Now()
		data, err := tp.next(t.Context(), c.n)
		if string(data) != c.data || err != c.err {
			t.Errorf("read %d: %x, %v, want %x, %v", i, data, err, c.data, c.err)
		}
		if i == 3 && time.Since(begin) < 50*time.Millisecond {
			t.Error("no silence")
		}
	}
	if tp.faultBegan().bytes != 7 || len(tp.spans) != 2 || tp.spans[1] != (span{7, 19, false}) {
		t.Errorf("fault at %d, spans %v", tp.faultBegan().bytes, tp.spans)
	}
	tp.add(script.Silence{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if data, err := tp.next(ctx, 1); err == nil {
		t.Errorf("%x in a silence", data)
	}
	if tp.givenBy(time.Now()) != 19 {
		t.Errorf("%d bytes given", tp.givenBy(time.Now()))
	}
}
