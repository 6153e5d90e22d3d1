package tpm

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// software is a TPM of swtpm. It takes commands and gives answers on a socket as a driver would.
type software struct {
	t    *testing.T
	dir  string
	tpm2 bool
	cmd  *exec.Cmd
}

func newSoftware(t *testing.T, version string) *software {
	t.Helper()
	kit.NeedTool(t, "swtpm")
	s := &software{t: t, dir: kit.TempDir(t), tpm2: version == "2.0"}
	s.turnOn("startup-clear")
	return s
}

func (s *software) socket() string { return filepath.Join(s.dir, "socket") }

// turnOn starts the TPM, as after a reset, and waits until it listens.
func (s *software) turnOn(startup string) {
	s.t.Helper()
	args := []string{"socket", "--tpmstate", "dir=" + s.dir, "--server", "type=unixio,path=" + s.socket(), "--flags", "not-need-init," + startup}
	if s.tpm2 {
		args = append(args, "--tpm2")
	}
	os.Remove(s.socket())
	s.cmd = exec.Command("swtpm", args...)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	cmd := s.cmd
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if conn, err := net.Dial("unix", s.socket()); err == nil {
			conn.Close()
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatal("swtpm does not listen")
		}
	}
}

// turnOff ends the TPM in the middle of whatever it does.
func (s *software) turnOff() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// wire is a transport by socket.
type wire struct{ net.Conn }

func (w wire) Exchange(command, answer []byte) (int, error) {
	if _, err := w.Write(command); err != nil {
		return 0, err
	}
	return w.Read(answer)
}

func (s *software) open(linux.Node) (transport, error) {
	conn, err := net.Dial("unix", s.socket())
	if err != nil {
		return nil, err
	}
	return wire{conn}, nil
}

// device makes a character device of the TPM: a pseudo terminal in raw mode. What is written to it goes to
// the TPM and the answer comes back, so that the source opens, writes and reads as it does a driver's.
func (s *software) device() string {
	s.t.Helper()
	pty := kit.NewPTY(s.t)
	if err := pty.SetRaw(); err != nil {
		s.t.Fatal(err)
	}
	// Held open, or the master would fail whenever the source closes its end.
	held, err := os.OpenFile(pty.Line, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { held.Close() })
	go func() {
		buf := make([]byte, maxAnswer)
		for {
			n, err := pty.Master.Read(buf)
			if err != nil {
				return
			}
			conn, err := net.Dial("unix", s.socket())
			if err != nil {
				continue // a TPM that is off does not answer
			}
			if _, err := conn.Write(buf[:n]); err == nil {
				if n, err = conn.Read(buf); err == nil {
					_, _ = pty.Master.Write(buf[:n])
				}
			}
			conn.Close()
		}
	}()
	return pty.Line
}

// block reads one block and returns how many commands that took.
func block(t *testing.T, s *Source, b *[fips.BlockBytes]byte) (commands int) {
	t.Helper()
	for n := 0; n < len(b); commands++ {
		m, err := s.Read(t.Context(), b[n:])
		if err != nil {
			t.Fatalf("after %d bytes: %v", n, err)
		}
		n += m
	}
	return commands
}

// TestSoftwareTPM reads a whole TPM in software, by its socket and as a device.
func TestSoftwareTPM(t *testing.T) {
	for _, way := range []string{"socket", "device"} {
		t.Run(way, func(t *testing.T) {
			sw := newSoftware(t, "2.0")
			b := newBoard(t)
			open := sw.open
			if way == "device" {
				b.link(sw.device())
				open = b.opt.open
			}
			s := newSource(b.opt, open, nil)
			defer s.Close()
			var tester fips.Tester
			failed := 0
			begin := time.Now()
			const blocks = 4 // all bad by chance: (1/1258)^4 is 2^-41
			for range blocks {
				var data [fips.BlockBytes]byte
				s.given = 0 // its own speed
				if commands := block(t, s, &data); commands != 79 {
					t.Errorf("%d commands", commands)
				}
				if tester.Block(&data) != 0 {
					failed++
				}
			}
			if failed == blocks {
				t.Error("every block failed")
			}
			took := time.Since(begin)
			t.Logf("%d bytes in %s: %.0f bytes a second", blocks*fips.BlockBytes, took.Round(time.Millisecond), blocks*fips.BlockBytes/took.Seconds())
		})
	}
}

// TestSoftwareTPMWorker takes a TPM through a worker: it passes its tests, is switched off under it, and is
// back when it is on again.
func TestSoftwareTPMWorker(t *testing.T) {
	sw := newSoftware(t, "2.0")
	b := newBoard(t)
	s := newSource(b.opt, sw.open, nil)
	ctx, stop := context.WithCancel(t.Context())
	_, logger := sourcetest.NewLog()
	out := make(chan *source.Block)
	w := source.NewWorker(s, out, &b.rec, logger)
	done := make(chan struct{})
	go func() { defer close(done); w.Run(ctx) }()
	defer func() { stop(); <-done }()
	next := func() {
		t.Helper()
		select {
		case block := <-out:
			block.Clear()
		case <-time.After(2 * time.Minute):
			t.Fatalf("no block; %+v", w.Snapshot())
		}
	}
	next()
	sw.turnOff()
	w.Request()
	for deadline := time.Now().Add(time.Minute); w.InUse(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in use although it is off; %+v", w.Snapshot())
		}
	}
	sw.turnOn("startup-clear")
	next()
	if !w.InUse() {
		t.Errorf("%+v", w.Snapshot())
	}
}

// TestSoftwareTPMHangs: a device that does not answer keeps nobody waiting, although its read sits in the
// kernel.
func TestSoftwareTPMHangs(t *testing.T) {
	sw := newSoftware(t, "2.0")
	b := newBoard(t)
	b.link(sw.device())
	s := New(b.opt, nil)
	if _, err := s.Read(t.Context(), make([]byte, 32)); err != nil {
		t.Fatal(err)
	}
	if err := sw.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if n, err := s.Read(ctx, make([]byte, 32)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d, %v", n, err)
	}
	s.Close()
	next := New(b.opt, s)
	defer next.Close()
	select {
	case <-s.reader.Ended():
		t.Error("the read came to an end although nothing answers")
	default:
	}
	if err := sw.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if n, err := next.Read(t.Context(), make([]byte, 32)); n != 32 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// TestSoftwareTPMNotStarted: nobody has sent TPM2_Startup, which is the driver's to do.
func TestSoftwareTPMNotStarted(t *testing.T) {
	sw := newSoftware(t, "2.0")
	sw.turnOff()
	sw.turnOn("startup-none")
	b := newBoard(t)
	s := newSource(b.opt, sw.open, nil)
	defer s.Close()
	u := sourcetest.Unavailable(second(s.Read(t.Context(), make([]byte, 32))))
	if u == nil || !strings.Contains(u.Reason, "TPM_RC_INITIALIZE") {
		t.Errorf("%+v", u)
	}
}

// TestSoftwareTPM12: a TPM 1.2 is recognised by its answer.
func TestSoftwareTPM12(t *testing.T) {
	sw := newSoftware(t, "1.2")
	b := newBoard(t)
	b.link(sw.device())
	s := New(b.opt, nil)
	defer s.Close()
	_, err := s.Read(t.Context(), make([]byte, 32))
	if old, ok := errors.AsType[*oldError](err); !ok || !sourcetest.Unavailable(err).Denied {
		t.Errorf("%v, %+v", err, old)
	}
}
