package e2e

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// isRaw tells whether a line is in the mode that an audit sets.
func isRaw(t testing.TB, p *kit.PTY) bool {
	mode := p.Mode(t)
	return mode.Lflag&(syscall.ICANON|syscall.ISIG|syscall.ECHO) == 0 && mode.Iflag&(syscall.ICRNL|syscall.IXON) == 0 && mode.Cc[syscall.VMIN] == 1
}

// FC-050: a USB generator behind a tty that nobody has set up. Every byte value passes, control characters
// too, and the settings are as before afterwards.
func TestFC050CookedTTY(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := kit.NewPTY(t)
	before := p.Mode(t)
	if isRaw(t, p) {
		t.Fatal("a new pty is raw")
	}
	kept := filepath.Join(b.dir, "copy")
	r := b.audit(nil, p.Line, "--blocks=30", "--output=json", "--tee", kept)
	kit.Eventually(t, "the tty is raw", func() bool { return isRaw(t, p) })
	feed, err := io.ReadAll(first(streamBytes(30), good()))
	if err != nil {
		t.Fatal(err)
	}
	if seen := bytes.ContainsAny(feed, "\x00\x03\x04\r\n\x11\x13\x15\x1a\x1c\x7f"); !seen || len(feed) < 256 {
		t.Fatal("no control characters in the data")
	}
	if _, err := p.Master.Write(feed); err != nil {
		t.Fatal(err)
	}
	got := r.ends()
	a := got.report(t)
	if got.code != 0 || a.Input.Kind != "tty" || a.Input.Stopped != "blocks" || a.Counts.Blocks != 30 {
		t.Errorf("exit code %d, %+v, %s", got.code, a, got.stderr)
	}
	if data, err := os.ReadFile(kept); err != nil || !bytes.Equal(data, feed) {
		t.Errorf("%d bytes read of %d, %v", len(data), len(feed), err)
	}
	if after := p.Mode(t); after != before {
		t.Errorf("settings %+v, before %+v", after, before)
	}
}

// However the audit ends, the tty is as it was.
func TestAuditRestoresTTY(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		b := newBench(t)
		p := kit.NewPTY(t)
		before := p.Mode(t)
		r := b.audit(nil, p.Line, "--output=json")
		kit.Eventually(t, "the tty is raw", func() bool { return isRaw(t, p) })
		r.signal(sig)
		got := r.ends()
		if a := got.report(t); got.code != 65 || a.Input.Stopped != "interrupted" {
			t.Errorf("%v: exit code %d, %+v", sig, got.code, a)
		}
		if after := p.Mode(t); after != before {
			t.Errorf("%v: settings %+v, before %+v", sig, after, before)
		}
	}
}

// FC-051: a second reader would split the stream.
func TestFC051TTYInUse(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t) // whom the kernel lets open an exclusive tty
	b := newBench(t)
	p := kit.NewPTY(t)
	r := b.audit(nil, p.Line, "--blocks=20")
	kit.Eventually(t, "the tty is raw", func() bool { return isRaw(t, p) })
	got := b.audit(nil, p.Line).ends()
	if got.code != 75 || got.stdout != "" || !strings.HasPrefix(got.stderr, "hwrngd: cannot audit: "+p.Line+" is in use by another process\nhint: ") {
		t.Errorf("exit code %d, %s", got.code, got.stderr)
	}
	if !isRaw(t, p) {
		t.Error("the second reader has changed the settings")
	}
	if _, err := io.Copy(p.Master, first(streamBytes(20), good())); err != nil {
		t.Fatal(err)
	}
	if got := r.ends(); got.code != 0 {
		t.Errorf("the first reader: exit code %d, %s%s", got.code, got.stdout, got.stderr)
	}
}

// A tty that is unplugged in the middle.
func TestAuditTTYUnplugged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := kit.NewPTY(t)
	kept := filepath.Join(b.dir, "copy")
	r := b.audit(nil, p.Line, "--output=json", "--tee", kept)
	kit.Eventually(t, "the tty is raw", func() bool { return isRaw(t, p) })
	if _, err := io.Copy(p.Master, first(streamBytes(15), good())); err != nil {
		t.Fatal(err)
	}
	kit.Eventually(t, "everything was read", func() bool {
		info, err := os.Stat(kept)
		return err == nil && info.Size() == int64(streamBytes(15))
	})
	p.Master.Close()
	got := r.ends()
	a := got.report(t)
	ended := got.code == 65 && a.Input.Stopped == "end" || got.code == 74 && a.Input.Stopped == "error"
	if !ended || a.Counts.Blocks != 15 || a.Verdict != "insufficient" {
		t.Errorf("exit code %d, %+v, %s", got.code, a, got.stderr)
	}
}

// Somebody who has only typed the command learns what to do, and is not left with a dead terminal.
func TestAuditAtTerminal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := kit.NewPTY(t)
	slave, err := os.OpenFile(p.Line, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	for _, args := range [][]string{nil, {"-"}} {
		got := b.audit(slave, args...).ends()
		if got.code != 2 || got.stderr != "hwrngd: nothing to audit: standard input is a terminal\nhint: name a file or device, such as /dev/hwrng, or send data into a pipe\n" {
			t.Errorf("%q: exit code %d, %s", args, got.code, got.stderr)
		}
	}
}
