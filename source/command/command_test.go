package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

type rig struct {
	t   *testing.T
	opt Options
	rec sourcetest.Recorder
	log *sourcetest.Log
}

func newRig(t *testing.T, argv ...string) *rig {
	t.Helper()
	if _, err := os.Stat(self); err != nil {
		t.Skip(err)
	}
	r := &rig{t: t}
	log, logger := sourcetest.NewLog()
	r.log = log
	r.opt = Options{Argv: argv, Recorder: &r.rec, Log: logger}
	return r
}

// make makes the source. However slow the machine is, nothing is stale.
func (r *rig) make(before *Source) *Source {
	s := New(r.opt, before)
	s.reader.Stale = time.Hour
	return s
}

// source makes the source, closed at the end of the test.
func (r *rig) source() *Source {
	s := r.make(nil)
	r.t.Cleanup(func() { s.Close(); <-s.reader.Ended() })
	return s
}

// read reads until what came ends in suffix.
func (r *rig) read(s *Source, suffix string) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), kit.Patience)
	defer cancel()
	var all strings.Builder
	for buf := make([]byte, 1000); !strings.HasSuffix(all.String(), suffix); {
		n, err := s.Read(ctx, buf)
		if err != nil {
			r.t.Fatalf("after %q: %v", all.String(), err)
		}
		all.Write(buf[:n])
	}
	return all.String()
}

// fails reads until there is an error.
func (r *rig) fails(s *Source) error {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), kit.Patience)
	defer cancel()
	for {
		if _, err := s.Read(ctx, make([]byte, 100)); err != nil {
			return err
		}
	}
}

// runs tells whether a process is there and has not ended.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}

// The program finds a clean place: no shell, no environment of ours, no rights, no files.
func TestSurroundings(t *testing.T) {
	t.Setenv("SECRET", "x")
	args := []string{"a b", "$HOME", "*", ";", ""}
	want := []string{
		`args ["a b" "$HOME" "*" ";" ""]`,
		`environment ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "LANG=C"]`,
		"directory /",
		"", // the user
		"leads its group true",
		`input "" <nil>`,
		"pipe 1 waits true",
		"pipe 2 waits true",
		"end",
	}
	for _, c := range []struct {
		name, user, group, want string
		root                    bool
	}{
		{"nobody", "", "", "user 65534 group 65534 groups []", true},
		{"numbers", "12345", "54321", "user 12345 group 54321 groups []", true},
		{"names", "root", "root", "user 0 group 0 groups []", true},
		{"as it is", "", "", fmt.Sprintf("user %d group %d groups ", os.Getuid(), os.Getgid()), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.root != (os.Geteuid() == 0) {
				t.Skip("runs as root:", !c.root)
			}
			r := newRig(t, argv("facts", args...)...)
			r.opt.User, r.opt.Group = c.user, c.group
			got := strings.Split(strings.TrimSuffix(r.read(r.source(), "end\n"), "\n"), "\n")
			if len(got) != len(want) {
				t.Fatalf("got %q", got)
			}
			for i := range want {
				if i == 3 {
					if !strings.HasPrefix(got[i], c.want) {
						t.Errorf("%s, want %s", got[i], c.want)
					}
				} else if got[i] != want[i] {
					t.Errorf("%s, want %s", got[i], want[i])
				}
			}
			if said := r.log.Lines(slog.LevelInfo, "own user"); (len(said) == 1) == c.root {
				t.Errorf("logged %q", said)
			}
		})
	}
}

func TestEveryByte(t *testing.T) {
	r := newRig(t, argv("stream")...)
	s := r.source()
	for i, buf := 0, make([]byte, 1000); i < 100000; {
		n, err := s.Read(t.Context(), buf)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range buf[:n] {
			if b != byte(i) {
				t.Fatalf("byte %d is %d", i, b)
			}
			i++
		}
	}
	if err := s.Watch(); err != nil {
		t.Error(err)
	}
}

// The end of a program tells why, and the next read starts it again.
func TestEnd(t *testing.T) {
	for _, c := range []struct{ name, reason, hint string }{
		{"exit", "program /proc/self/exe ended: exit status 3", "its last words: no such device"},
		{"closes", "program /proc/self/exe ended: signal: killed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, argv(c.name)...)
			s := r.source()
			for range 2 {
				sourcetest.WantUnavailable(t, r.fails(s), c.reason, c.hint, false)
			}
		})
	}
}

func TestCannotRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	kit.WriteFile(t, file, "", 0o644)
	broken := filepath.Join(dir, "broken")
	kit.WriteFile(t, broken, "no program\n", 0o755)
	me := "root"
	for _, c := range []struct {
		name         string
		argv         []string
		user, group  string
		reason, hint string
		denied, root bool
	}{
		{"nothing", nil, me, "", `run []: no absolute path`, "full path", true, false},
		{"no path", []string{"infnoise", "--raw"}, me, "", `run ["infnoise" "--raw"]: no absolute path`, "full path", true, false},
		{"not there", []string{dir + "/none"}, me, "", "/none: no such file", "installed", false, false},
		{"no program", []string{file}, me, "", "file: not an executable file", "installed", false, false},
		{"directory", []string{dir}, me, "", "not an executable file", "installed", false, false},
		{"not of this machine", []string{broken}, me, "", "broken: exec format error", "", false, false},
		{"forbidden", []string{broken}, "", "", "permission denied", "may that user run it", false, true},
		{"no such user", argv("silent"), "nosuchuser", "", "unknown user nosuchuser", "that exist", true, true},
		{"no such group", argv("silent"), "", "nosuchgroup", "unknown group nosuchgroup", "that exist", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.root && os.Geteuid() != 0 {
				t.Skip("needs root")
			}
			r := newRig(t, c.argv...)
			r.opt.User, r.opt.Group = c.user, c.group
			sourcetest.WantUnavailable(t, r.fails(r.source()), c.reason, c.hint, c.denied)
		})
	}
}

// A hung program holds up nobody.
func TestSilent(t *testing.T) {
	r := newRig(t, argv("silent")...)
	s := r.source()
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if n, err := s.Read(ctx, make([]byte, 1)); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d bytes, %v", n, err)
		}
		cancel()
	}
}

// pids reads the numbers of a program and its child.
func pids(t *testing.T, text string) (program, child int) {
	t.Helper()
	if _, err := fmt.Sscan(text, &program, &child); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return program, child
}

// Close kills all that the program started, and the next source starts after that.
func TestCloseKillsTheGroup(t *testing.T) {
	r := newRig(t, argv("stubborn")...)
	s := r.make(nil)
	program, child := pids(t, r.read(s, "\n"))
	if !runs(program) || !runs(child) {
		t.Error("not running")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	next := r.make(s)
	second, other := pids(t, r.read(next, "\n"))
	if runs(program) || runs(child) {
		t.Error("the first program or its child runs beside the second")
	}
	next.Close()
	<-next.reader.Ended()
	kit.Eventually(t, "all have ended", func() bool { return !runs(second) && !runs(other) })
}

// A daemon that is killed leaves no program behind.
func TestDeathOfTheParent(t *testing.T) {
	newRig(t)
	daemon := exec.Command(self, argv("daemon")[1:]...)
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	program, child := pids(t, line)
	defer syscall.Kill(child, syscall.SIGKILL) // it is the group that goes at Close, not now
	if !runs(program) {
		t.Error("the program ended with a thread of its parent")
	}
	if err := daemon.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = daemon.Wait()
	kit.Eventually(t, "the program ends", func() bool { return !runs(program) })
}

// What a program says goes to the log, and cannot fill it.
func TestMessages(t *testing.T) {
	r := newRig(t, argv("chatter")...)
	s := r.source()
	r.read(s, "ready")
	kit.Eventually(t, "all is read", func() bool { return s.current.Load().said.last() == "last" })
	got := r.log.Lines(slog.LevelInfo, "the program says")
	if len(got) != 1 || got[0] != `level=INFO msg="the program says" source=command text=first` {
		t.Errorf("logged %q", got)
	}
}

func TestPrintable(t *testing.T) {
	long := strings.Repeat("é", maxMessage)
	for _, c := range []struct{ name, in, want string }{
		{"as it is", "found 1 device", "found 1 device"},
		{"line end", "text\r\n", "text"},
		{"escape sequence", "\x1b[31mred", "[31mred"},
		{"no text", " \n", ""},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
		{"limit", long, long},
		{"beyond the limit", long + "x", long + "..."},
	} {
		if got := printable([]byte(c.in)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What lay in the pipe while nobody read is not used.
func TestStaleOutput(t *testing.T) {
	r := newRig(t, argv("numbers")...)
	s := r.source()
	delivered := len(r.read(s, "\n"))
	p := s.current.Load()
	// Its pages hold whole lines of 10 bytes.
	kit.Eventually(t, "the pipe is full", func() bool {
		n, err := kit.Unread(p.out)
		if err != nil {
			t.Fatal(err)
		}
		return n > pipeBytes*9/10
	})
	s.reader.Stale = 0
	buf := make([]byte, 100)
	n, err := s.Read(t.Context(), buf)
	if err != nil {
		t.Fatal(err)
	}
	dropped := r.rec.Events().Discarded[source.DiscardStartup]
	if dropped < pipeBytes*9/10 || n == 0 {
		t.Errorf("%d bytes dropped, %d read", dropped, n)
	}
	for i, got := range buf[:n] { // and no byte but those was lost
		at := delivered + dropped + i
		if want := fmt.Sprintf("%09d\n", at/10)[at%10]; got != want {
			t.Fatalf("byte %d is %q, want %q", at, got, want)
		}
	}
}

func TestInfo(t *testing.T) {
	r := newRig(t, "/usr/bin/infnoise", "--raw")
	if i := r.source().Info(); i.Name != "command" || i.Kind != "command" || i.Device != "/usr/bin/infnoise" || i.MinEntropy != 1 || i.ClaimOrigin != "default" {
		t.Errorf("%+v", i)
	}
	r.opt.Claim = 7.5
	if i := r.source().Info(); i.MinEntropy != 7.5 || i.ClaimOrigin != "configured" {
		t.Errorf("%+v", i)
	}
}
