package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source/sourcetest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// serve serves status in a new runtime directory.
func serve(t *testing.T, status func() *pool.Status) (runtimeDir string) {
	t.Helper()
	dir := t.TempDir()
	_, log := sourcetest.NewLog()
	socket, err := serveStatus(dir, status, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	return dir
}

// fixed returns the same status each time.
func fixed(s *pool.Status) func() *pool.Status { return func() *pool.Status { return s } }

func TestStatusSocket(t *testing.T) {
	want := exampleStatus()
	dir := serve(t, fixed(want))
	got, err := askStatus(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := asJSON(t, got), asJSON(t, want); a != b {
		t.Errorf("got %s\nwant %s", a, b)
	}
	info, err := os.Stat(statusPath(dir))
	if err != nil || info.Mode() != fs.ModeSocket|0o666 {
		t.Errorf("mode %v, %v: every user may ask", info.Mode(), err)
	}
	if got.Credits.LastCredit.IsZero() || got.Sources[0].Since.IsZero() {
		t.Error("times are lost")
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestStatusSocketFresh: each client gets the status of the moment.
func TestStatusSocketFresh(t *testing.T) {
	pid := 0
	dir := serve(t, func() *pool.Status {
		pid++
		return &pool.Status{PID: pid}
	})
	for want := range 3 {
		if s, err := askStatus(dir); err != nil || s.PID != want+1 {
			t.Fatalf("got %+v, %v", s, err)
		}
	}
}

// TestStatusSocketClients: neither many clients at a time nor some that never read or talk nonsense
// keep others from their answer.
func TestStatusSocketClients(t *testing.T) {
	dir := serve(t, fixed(exampleStatus()))
	for range 20 {
		conn, err := net.Dial("unix", statusPath(dir))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "GET / HTTP/1.1\r\n\r\n")
	}
	var clients sync.WaitGroup
	for range 100 {
		clients.Go(func() {
			if s, err := askStatus(dir); err != nil || s.PID != 4242 {
				t.Errorf("got %+v, %v", s, err)
			}
		})
	}
	clients.Wait()
}

// TestStatusSocketBlockedClient: an answer that does not fit into the socket waits for its reader,
// but not for ever.
func TestStatusSocketBlockedClient(t *testing.T) {
	t.Parallel()
	big, small := exampleStatus(), exampleStatus()
	big.Credits.LastError = strings.Repeat("x", 4<<20)
	first := true
	dir := serve(t, func() *pool.Status {
		if first {
			first = false
			return big
		}
		return small
	})
	conn, err := net.Dial("unix", statusPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	begin := time.Now()
	kit.Eventually(t, "the next client's turn", func() bool {
		_, err := askStatus(dir)
		return err == nil
	})
	if took := time.Since(begin); took < statusTimeout/2 {
		t.Errorf("the first answer fitted: took %s", took)
	}
}

// TestStatusSocketStale: the socket of a daemon that was killed is replaced; what cannot be removed
// is an error.
func TestStatusSocketStale(t *testing.T) {
	dir := t.TempDir()
	dead, err := net.Listen("unix", statusPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	dead.(*net.UnixListener).SetUnlinkOnClose(false)
	dead.Close()
	if _, err := askStatus(dir); !errors.Is(err, syscall.ECONNREFUSED) || silence(err) != notRunning {
		t.Errorf("a dead socket: %v", err)
	}
	_, log := sourcetest.NewLog()
	socket, err := serveStatus(dir, fixed(exampleStatus()), log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := askStatus(dir); err != nil {
		t.Error(err)
	}
	socket.Close()
	if _, err := askStatus(dir); !errors.Is(err, fs.ErrNotExist) || silence(err) != notRunning {
		t.Errorf("after the end: %v", err)
	}

	plant(t, dir, map[string]string{"status.sock/file": ""})
	if _, err := serveStatus(dir, nil, log); err == nil {
		t.Error("took the place of a directory")
	}
	if _, err := serveStatus(t.TempDir()+strings.Repeat("/x", 60), nil, log); err == nil {
		t.Error("took a path that is too long and not there")
	}
}

// TestAskStatus: a server that is no hwrngd, or not a sound one, is an error that tells what is wrong.
func TestAskStatus(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer func(net.Conn)
		want   string // of the silence
	}{
		{"garbage", func(c net.Conn) { io.WriteString(c, "SSH-2.0-OpenSSH_9.2\r\n") }, "does not answer: no valid status from DIR/status.sock: invalid character 'S'"},
		{"nothing", func(net.Conn) {}, "does not answer: no valid status from DIR/status.sock: unexpected end of JSON input"},
		{"half of it", func(c net.Conn) { io.WriteString(c, `{"pid": 1, "sources": [`) }, "does not answer: no valid status from DIR/status.sock: unexpected end of JSON input"},
		{"wrong types", func(c net.Conn) { io.WriteString(c, `{"pid": "one"}`) }, "does not answer: no valid status from DIR/status.sock: json: cannot unmarshal"},
		{"endless", func(c net.Conn) { io.Copy(c, spaces{}) }, "does not answer: no valid status from DIR/status.sock: it is longer than 1048576 bytes"},
		{"silent", func(c net.Conn) { io.Copy(io.Discard, c) }, "does not answer: no valid status from DIR/status.sock: read unix"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			l, err := net.Listen("unix", statusPath(dir))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				if conn, err := l.Accept(); err == nil {
					tt.answer(conn)
					conn.Close()
				}
			}()
			s, err := askStatus(dir)
			if err == nil {
				t.Fatalf("got %+v", s)
			}
			if got := strings.ReplaceAll(silence(err), dir, "DIR"); !strings.HasPrefix(got, tt.want) {
				t.Errorf("silence is %q", got)
			}
		})
	}
}

// spaces is an endless stream of blanks, which JSON allows in front of a value.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestSilence(t *testing.T) {
	dial := func(errno syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "unix", Addr: &net.UnixAddr{Name: "/run/hwrngd/status.sock"}, Err: os.NewSyscallError("connect", errno)}
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{dial(syscall.ENOENT), "not running"},
		{dial(syscall.ECONNREFUSED), "not running"},
		{dial(syscall.EACCES), "cannot be asked: dial unix /run/hwrngd/status.sock: connect: permission denied"},
		{dial(syscall.EAGAIN), "does not answer: dial unix /run/hwrngd/status.sock: connect: resource temporarily unavailable"},
	} {
		if got := silence(tt.err); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
