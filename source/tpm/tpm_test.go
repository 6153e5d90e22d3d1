package tpm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// TestRead: commands ask for 32 bytes at most, and what comes is the TPM's stream in order.
func TestRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(t)
		s := b.source()
		var got []byte
		for _, step := range []struct{ room, want int }{{2500, 32}, {32, 32}, {7, 7}, {0, 0}, {33, 32}} {
			buf := make([]byte, step.room)
			n, err := s.Read(t.Context(), buf)
			if n != step.want || err != nil {
				t.Fatalf("room for %d: %d, %v", step.room, n, err)
			}
			got = append(got, buf[:n]...)
		}
		if !bytes.Equal(got, bytesFrom(0, len(got))) || b.opens != 1 {
			t.Errorf("%x, %d opens", got, b.opens)
		}
		b.script = []step{{answer: right([]byte{1, 2, 3})}}
		buf := make([]byte, 32)
		if n, err := s.Read(t.Context(), buf); n != 3 || err != nil {
			t.Errorf("a short answer: %d, %v", n, err)
		}
		if info := s.Info(); info.Kind != source.KindTPM || info.Device != b.opt.Device || info.MinEntropy != 1 || info.ClaimOrigin != "default" {
			t.Errorf("%+v", info)
		}
		b.opt.Claim = 0.5
		if info := b.source().Info(); info.MinEntropy != 0.5 || info.ClaimOrigin != "configured" {
			t.Errorf("%+v", info)
		}
		e := b.rec.Events()
		if e.BytesRead != 0 {
			t.Errorf("%d bytes that the worker does not know", e.BytesRead)
		}
	})
}

// TestPace: half of its time is left to others, and after the start-up block it gives 128 bytes a second,
// if it is faster than that.
func TestPace(t *testing.T) {
	for _, tt := range []struct {
		took          time.Duration
		start, second time.Duration // of the start-up block, and of the next one
	}{
		// 79 commands and the rests between them, which last at least a quarter of a second in the end.
		{time.Millisecond, (2*79 - 1) * time.Millisecond, 79 * 251 * time.Millisecond},
		{30 * time.Millisecond, (2*79 - 1) * 30 * time.Millisecond, 79 * 280 * time.Millisecond},
		{time.Second, (2*79 - 1) * time.Second, 2 * 79 * time.Second},
	} {
		t.Run(tt.took.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBoard(t)
				b.took = tt.took
				s := b.source()
				block := func() time.Duration {
					begin := time.Now()
					for n := 0; n < fips.BlockBytes; {
						m, err := s.Read(t.Context(), make([]byte, fips.BlockBytes-n))
						if err != nil {
							t.Fatal(err)
						}
						n += m
					}
					return time.Since(begin)
				}
				if took := block(); took != tt.start {
					t.Errorf("start-up block %s, want %s", took, tt.start)
				}
				if took := block(); took < tt.second-time.Second || took > tt.second+time.Second {
					t.Errorf("second block %s, want %s", took, tt.second)
				}
			})
		})
	}
}

// TestBusy: a TPM that is busy is asked again after pauses that grow, and at last that is an error.
func TestBusy(t *testing.T) {
	for _, code := range []uint32{0x922, 0x908, 0x90A, 0xB0922} {
		synctest.Test(t, func(t *testing.T) {
			b := newBoard(t)
			s := b.source()
			b.script = []step{says(code), says(code), says(code)}
			buf := make([]byte, 32)
			begin := time.Now()
			if n, err := s.Read(t.Context(), buf); n != 32 || err != nil || time.Since(begin) != 7*busyFirst {
				t.Errorf("%#x: %d, %v after %s", code, n, err, time.Since(begin))
			}
			for range 2 * busyTries {
				b.script = append(b.script, says(code))
			}
			begin = time.Now()
			_, err := s.Read(t.Context(), buf)
			answer, ok := errors.AsType[*ResponseError](err)
			if !ok || answer.Code != code || sourcetest.Unavailable(err) != nil || len(b.script) != busyTries-1 {
				t.Errorf("%#x: %v, %d answers left", code, err, len(b.script))
			}
			if took := time.Since(begin); took < 10*time.Second || took > 11*time.Second {
				t.Errorf("gave up after %s", took)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			begin = time.Now()
			if _, err := s.Read(ctx, buf); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
				t.Errorf("%#x: %v after %s", code, err, time.Since(begin))
			}
		})
	}
}

// TestTrouble: what a device or TPM answers, what that means, and that all is well once it works again.
func TestTrouble(t *testing.T) {
	failed := func(op string, errno error) step {
		return step{err: &os.PathError{Op: op, Path: "/dev/tpmrm0", Err: errno}}
	}
	for _, tt := range []struct {
		name   string
		step   step
		reason string
		hint   string // "" if it is no more than a read error
		denied bool
	}{
		{"self-test failed", says(0x101), "TPM_RC_FAILURE", "power the machine off", false},
		{"not started up", says(0x100), "TPM_RC_INITIALIZE", "kernel log", false},
		{"locked out", says(0x921), "TPM_RC_LOCKOUT", "clear-lockout", false},
		{"no such command", says(0xB0143), "TPM_RC_COMMAND_CODE", "cannot be a source", false},
		{"unknown code", says(0x1C4), "code 0x1c4", "", false},
		{"TPM 1.2", step{answer: answer(tagVersion1, 0x1E)}, "is a TPM 1.2", "/dev/hwrng", true},
		{"lying size", step{answer: append(right([]byte{1, 2}), 3)}, "it has 15 bytes and says that it has 14", "", false},
		{"reset", failed("write", syscall.EPIPE), "broken pipe", "opened again", false},
		{"gone", failed("write", syscall.ENODEV), "no such device", "opened again", false},
		{"no answer", failed("read", io.EOF), "EOF", "opened again", false},
		{"timed out", failed("write", syscall.ETIME), "timer expired", "", false},
		{"bus error", failed("write", syscall.EIO), "input/output error", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBoard(t)
				s := b.source()
				buf := make([]byte, 32)
				if n, err := s.Read(t.Context(), buf); n != 32 || err != nil {
					t.Fatal(n, err)
				}
				b.script = []step{tt.step}
				n, err := s.Read(t.Context(), buf)
				if n != 0 || err == nil || !strings.Contains(err.Error(), tt.reason) || !strings.Contains(err.Error(), "/tpmrm0") {
					t.Fatalf("%d, %v", n, err)
				}
				u := sourcetest.Unavailable(err)
				if tt.hint == "" && u != nil || tt.hint != "" && (u == nil || !strings.Contains(u.Hint, tt.hint) || u.Denied != tt.denied) {
					t.Errorf("%+v", u)
				}
				if n, err := s.Read(t.Context(), buf); n != 32 || err != nil || !bytes.Equal(buf, bytesFrom(32, 32)) || b.opens != 2 {
					t.Errorf("again: %d, %v, %x, %d opens", n, err, buf, b.opens)
				}
			})
		})
	}
}

// TestOpenFails: what keeps one from a TPM, and what helps.
func TestOpenFails(t *testing.T) {
	for _, tt := range []struct {
		errno error
		hint  string
	}{
		{syscall.EBUSY, "/tpmrm0, which serves many"},
		{syscall.EACCES, "group tss"},
		{syscall.EPERM, "group tss"},
		{syscall.ENOENT, "tpm_tis"},
		{syscall.ENXIO, "opened again"},
	} {
		b := newBoard(t)
		b.openErr = &os.PathError{Op: "open", Path: b.opt.Device, Err: tt.errno}
		u := sourcetest.Unavailable(second(b.source().Read(t.Context(), make([]byte, 8))))
		if u == nil || u.Denied || !strings.Contains(u.Hint, tt.hint) || !strings.Contains(u.Reason, b.opt.Device) || !errors.Is(u, tt.errno) {
			t.Errorf("%v: %+v", tt.errno, u)
		}
	}
}

// TestHang: a command that the driver does not give back keeps nobody waiting. What it brings at last goes
// to the next read, and Close does not wait for it. The next source does.
func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(t)
		hang := make(chan struct{})
		b.hang = hang
		s := newSource(b.opt, b.open, nil)
		buf := make([]byte, 32)
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			begin := time.Now()
			_, err := s.Read(ctx, buf)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
				t.Errorf("%v after %s", err, time.Since(begin))
			}
		}
		b.set(func() { b.hang = nil })
		close(hang)
		if n, err := s.Read(t.Context(), buf); !bytes.Equal(buf[:n], bytesFrom(0, 32)) || err != nil {
			t.Errorf("%x, %v", buf[:n], err)
		}

		again := make(chan struct{})
		b.set(func() { b.hang = again })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := s.Read(ctx, buf); err == nil {
			t.Error("no hang")
		}
		begin := time.Now()
		if err := s.Close(); err != nil || time.Since(begin) != 0 {
			t.Errorf("Close: %v after %s", err, time.Since(begin))
		}
		next := newSource(b.opt, b.open, s)
		defer next.Close()
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := next.Read(ctx, buf); err == nil || b.opens != 1 {
			t.Errorf("%v, %d opens while a command hangs", err, b.opens)
		}
		b.set(func() { b.hang = nil })
		close(again)
		if n, err := next.Read(t.Context(), buf); n != 32 || err != nil || b.opens != 2 || b.closes != 1 {
			t.Errorf("%d, %v, %d opens, %d closes", n, err, b.opens, b.closes)
		}
	})
}

// TestReplaced: another file of that name is another TPM, and what the old one still brings is dropped.
func TestReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(t)
		s := b.source()
		buf := make([]byte, 32)
		if _, err := s.Read(t.Context(), buf); err != nil {
			t.Fatal(err)
		}
		hang := make(chan struct{})
		b.hang = hang
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Read(ctx, buf); err == nil {
			t.Fatal("no hang")
		}
		b.link("/dev/zero")
		if changed, ok := s.Watch().(*source.ChangedError); !ok || changed.What != "device" {
			t.Errorf("%+v", changed)
		}
		b.set(func() { b.hang = nil })
		close(hang)
		// The command in progress answers 32..64, which nobody gets.
		if n, err := s.Read(t.Context(), buf); n != 32 || err != nil || !bytes.Equal(buf, bytesFrom(64, 32)) || b.opens != 2 {
			t.Errorf("%x, %v, %d opens", buf[:n], err, b.opens)
		}
	})
}

func second(_ int, err error) error { return err }
