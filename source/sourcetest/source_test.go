package sourcetest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// TestScript plays each kind of step and compares what reads get, and when.
func TestScript(t *testing.T) {
	info := sourcetest.Info()
	changed := info
	changed.Driver = "ath9k"
	gone := &source.UnavailableError{Reason: "gone"}
	good := make([]byte, 60)
	if _, err := io.ReadFull(sourcetest.Good(info.Name), good); err != nil {
		t.Fatal(err)
	}
	type want struct {
		after time.Duration
		data  []byte
		err   error // by errors.Is, or any ChangedError for one
	}
	for _, tt := range []struct {
		name   string
		script []sourcetest.Step
		want   []want
	}{
		{"no script", nil, []want{{0, good[:10], nil}, {0, good[10:20], nil}}},
		{"give", []sourcetest.Step{sourcetest.Give(4)}, []want{{0, good[:4], nil}, {0, good[4:14], nil}}},
		{
			"data",
			[]sourcetest.Step{sourcetest.Data([]byte("twelve bytes"))},
			[]want{{0, []byte("twelve byt"), nil}, {0, []byte("es"), nil}, {0, good[:10], nil}},
		},
		{"fail", []sourcetest.Step{sourcetest.Fail(syscall.EIO)}, []want{{0, nil, syscall.EIO}, {0, good[:10], nil}}},
		{"pause", []sourcetest.Step{sourcetest.Pause(3 * time.Second)}, []want{{3 * time.Second, good[:10], nil}, {3 * time.Second, good[10:20], nil}}},
		{
			"pause longer than a read waits",
			[]sourcetest.Step{sourcetest.Pause(12 * time.Second)},
			[]want{{10 * time.Second, nil, context.DeadlineExceeded}, {12 * time.Second, good[:10], nil}},
		},
		{
			"silence",
			[]sourcetest.Step{sourcetest.Silence()},
			[]want{{10 * time.Second, nil, context.DeadlineExceeded}, {20 * time.Second, nil, context.DeadlineExceeded}},
		},
		{"outage", []sourcetest.Step{sourcetest.Outage(time.Hour, gone)}, []want{{0, nil, gone}, {0, nil, gone}}},
		{"change", []sourcetest.Step{sourcetest.Change("generator", changed)}, []want{{0, nil, &source.ChangedError{}}, {0, good[:10], nil}}},
		{
			"forever",
			[]sourcetest.Step{sourcetest.Forever(sourcetest.Pause(time.Second), sourcetest.Give(2))},
			[]want{{1 * time.Second, good[:2], nil}, {2 * time.Second, good[2:4], nil}, {3 * time.Second, good[4:6], nil}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, begin := sourcetest.New(info, nil, tt.script...), time.Now()
				for i, w := range tt.want {
					ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
					buf := make([]byte, 10)
					n, err := s.Read(ctx, buf)
					cancel()
					var change *source.ChangedError
					if _, ok := w.err.(*source.ChangedError); ok && errors.As(err, &change) {
						err = w.err
					}
					if !bytes.Equal(buf[:n], w.data) || !errors.Is(err, w.err) || time.Since(begin) != w.after {
						t.Errorf("read %d: %q, %v after %v, want %q, %v after %v", i, buf[:n], err, time.Since(begin), w.data, w.err, w.after)
					}
				}
				if n := len(s.Calls(sourcetest.Read)); n != len(tt.want) {
					t.Errorf("%d calls recorded, want %d", n, len(tt.want))
				}
			})
		})
	}
}

// TestPlay replaces a script under a read that waits.
func TestPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sourcetest.New(sourcetest.Info(), nil, sourcetest.Silence()).Chunked(3)
		time.AfterFunc(time.Minute, func() { s.Play(sourcetest.Data([]byte("data"))) })
		begin, buf := time.Now(), make([]byte, 10)
		n, err := s.Read(t.Context(), buf)
		if string(buf[:n]) != "dat" || err != nil || time.Since(begin) != time.Minute {
			t.Errorf("%q, %v after %v", buf[:n], err, time.Since(begin))
		}
	})
}

// TestWatch answers as a read would, apart from data.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := sourcetest.Info()
		to.Driver = "ath9k"
		s := sourcetest.New(sourcetest.Info(), nil, sourcetest.Change("generator", to), sourcetest.Outage(time.Minute, syscall.ENODEV))
		var change *source.ChangedError
		if err := s.Watch(); !errors.As(err, &change) || s.Info() != to {
			t.Errorf("Watch = %v, Info = %+v", err, s.Info())
		}
		if err := s.Watch(); !errors.Is(err, syscall.ENODEV) {
			t.Errorf("Watch = %v", err)
		}
		time.Sleep(time.Minute)
		if err := s.Watch(); err != nil {
			t.Errorf("Watch = %v after the outage", err)
		}
	})
}
