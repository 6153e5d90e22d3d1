package tpm

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// board is a machine on paper with a TPM that plays a script. Its device is a link to /dev/null, of which
// the machine's sysfs knows nothing unless it is told.
type board struct {
	t   *testing.T
	opt Options
	rec sourcetest.Recorder

	mu       sync.Mutex
	stream   io.Reader
	took     time.Duration // by each command
	hang     chan struct{} // commands wait until it is closed; nil for none
	openErr  error
	script   []step // what the next commands come to; then they work
	opens    int
	closes   int
	commands []time.Time // when each came
}

// step is what one command comes to: an error of the device, or an answer.
type step struct {
	err    error
	answer []byte
}

func newBoard(t *testing.T) *board {
	t.Helper()
	root := t.TempDir()
	b := &board{t: t, stream: fipstest.NewShake("tpm")}
	b.opt = Options{Device: filepath.Join(root, "tpmrm0"), Sysfs: linux.Sysfs(filepath.Join(root, "sys")), Recorder: &b.rec}
	b.link("/dev/null")
	return b
}

// link makes the device another one.
func (b *board) link(target string) {
	b.t.Helper()
	if err := os.Remove(b.opt.Device); err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.t.Fatal(err)
	}
	if err := os.Symlink(target, b.opt.Device); err != nil {
		b.t.Fatal(err)
	}
}

// plant makes a file of sysfs, or a link where the content begins with "->".
func (b *board) plant(path, content string) {
	b.t.Helper()
	path = filepath.Join(string(b.opt.Sysfs), path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	var err error
	if target, link := strings.CutPrefix(content, "->"); link {
		err = os.Symlink(target, path)
	} else {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// class tells sysfs that /dev/null is that device of that class.
func (b *board) class(class, name string) {
	b.t.Helper()
	b.plant(filepath.Join("devices/x", name, "subsystem"), "->/sys/class/"+class)
	b.plant("dev/char/1:3", "->../../devices/x/"+name)
}

func (b *board) set(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

// source makes the source, closed at the end of the test.
func (b *board) source() *Source {
	s := newSource(b.opt, b.open, nil)
	b.t.Cleanup(func() { s.Close() })
	return s
}

func (b *board) open(linux.Node) (transport, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opens++
	if b.openErr != nil {
		return nil, b.openErr
	}
	return &line{b}, nil
}

// line is the open device.
type line struct{ b *board }

func (l *line) Exchange(command, answer []byte) (int, error) {
	l.b.mu.Lock()
	l.b.commands = append(l.b.commands, time.Now())
	hang, took := l.b.hang, l.b.took
	var next step
	if len(l.b.script) > 0 {
		next, l.b.script = l.b.script[0], l.b.script[1:]
	}
	l.b.mu.Unlock()
	if hang != nil {
		<-hang
	}
	time.Sleep(took)
	switch {
	case next.err != nil:
		return 0, next.err
	case next.answer != nil:
		return copy(answer, next.answer), nil
	}
	data := make([]byte, binary.BigEndian.Uint16(command[headerBytes:]))
	if _, err := io.ReadFull(l.b.stream, data); err != nil {
		return 0, err
	}
	return copy(answer, right(data)), nil
}

func (l *line) Close() error {
	l.b.set(func() { l.b.closes++ })
	return nil
}

// answer makes one with that tag, code and body.
func answer(tag uint16, code uint32, body ...byte) []byte {
	a := binary.BigEndian.AppendUint16(nil, tag)
	a = binary.BigEndian.AppendUint32(a, uint32(headerBytes+len(body)))
	a = binary.BigEndian.AppendUint32(a, code)
	return append(a, body...)
}

// right is the answer with these random bytes.
func right(data []byte) []byte {
	return answer(tagNoSessions, 0, append(binary.BigEndian.AppendUint16(nil, uint16(len(data))), data...)...)
}

// says is an answer with that code.
func says(code uint32) step { return step{answer: answer(tagNoSessions, code)} }

// bytesFrom is what the TPM gives, from the offset on.
func bytesFrom(offset, n int) []byte {
	data := make([]byte, offset+n)
	if _, err := io.ReadFull(fipstest.NewShake("tpm"), data); err != nil {
		panic(err)
	}
	return data[offset:]
}
