package qemu

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Config describes a virtual machine.
type Config struct {
	Arch       string // Debian's name
	Image      string
	Initrd     string
	Disk       string // image of the first disk, "" for none; what the machine writes is lost
	Append     string // to the kernel's command line
	MemoryMiB  int
	Generators []Generator
	TPM        string // control socket of the software TPM that the machine has, "" for none
	Dir        string // of the machine's own files; exists, with a short path
}

func (c *Config) socket() string { return filepath.Join(c.Dir, "qmp.sock") }

// Machine is a running virtual machine.
type Machine struct {
	Console io.ReadWriter
	QMP     *QMP

	config Config
	cmd    *exec.Cmd
	exited chan struct{}
	ended  error // once exited is closed
	killed sync.Once
	stderr tail
}

// Start starts a virtual machine. Whoever starts it must Kill it.
func Start(c Config) (*Machine, error) {
	a, ok := architectures[c.Arch]
	if !ok {
		return nil, fmt.Errorf("no virtual machine for architecture %q", c.Arch)
	}
	m := &Machine{config: c, exited: make(chan struct{})}
	m.cmd = exec.Command(a.program, c.arguments(a)...)
	m.cmd.Dir = c.Dir
	// It ends with the test, even if that is killed.
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	m.cmd.Stderr = &m.stderr
	in, err := m.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	m.Console = struct {
		io.Reader
		io.Writer
	}{out, in}
	started := make(chan error)
	go m.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", a.program, err)
	}
	if m.QMP, err = m.connect(); err != nil {
		m.Kill()
		return nil, fmt.Errorf("%s: %w; it said: %s", a.program, err, m.stderr.String())
	}
	return m, nil
}

// run stays on one thread from start to end: the signal that ends QEMU with its parent comes when
// the thread that started it ends.
func (m *Machine) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := m.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	// Not Wait at once: it closes the console, which may hold the last words.
	state, err := m.cmd.Process.Wait()
	if err == nil && !state.Success() {
		err = errors.New(state.String())
	}
	m.ended = err
	close(m.exited)
}

// connect waits until QEMU answers.
func (m *Machine) connect() (*QMP, error) {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		q, err := Dial(m.config.socket())
		if err == nil {
			return q, nil
		}
		select {
		case <-m.exited:
			return nil, fmt.Errorf("it ended: %v", m.ended)
		default:
		}
		if time.Now().After(deadline) {
			return nil, err
		}
	}
}

// Kill ends the machine at once, if it still runs, and frees what it holds. It may be called again.
func (m *Machine) Kill() { m.killed.Do(m.kill) }

func (m *Machine) kill() {
	if m.QMP != nil {
		m.QMP.Close()
	}
	select {
	case <-m.exited:
	default:
		_ = syscall.Kill(-m.cmd.Process.Pid, syscall.SIGKILL)
		<-m.exited
	}
	_ = m.cmd.Wait() // closes the pipes
}

// Said returns the end of what QEMU wrote to its standard error.
func (m *Machine) Said() string { return strings.TrimSpace(m.stderr.String()) }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-4096):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
