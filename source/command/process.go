package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/stream"
)

// killAfter is how long a program that is asked to end has for that, and one that ended its output for
// its exit status.
const killAfter = 200 * time.Millisecond

// pipeBytes is the capacity of a pipe (pipe(7)), and so the most that lies in it.
const pipeBytes = 64 << 10

// environment is all that the program knows of this process's environment.
var environment = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C"}

// process is a running program, leader of a process group of its own.
type process struct {
	cmd     *exec.Cmd
	out     *os.File // its standard output
	said    *messages
	dropped *source.Dropped
	once    sync.Once
	stop    chan struct{} // closed when it is to be waited for
	ended   chan struct{} // closed when it has been waited for

	mu     sync.Mutex
	killed bool // its number may be another process's by now
}

// start starts the program. Errors are an [*source.UnavailableError]. It runs on the reader's goroutine.
func (s *Source) start() (stream.Stream, error) {
	path, err := s.opt.program()
	if err != nil {
		return nil, err
	}
	user, err := s.opt.credential()
	if err != nil {
		return nil, err
	}
	if user == nil && !s.own {
		s.own = true
		s.log.Info("the program runs as this daemon's own user, since only root can switch to another one", "program", path)
	}
	out, outEnd, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", path, err)
	}
	defer outEnd.Close()
	said, saidEnd, err := newMessages(s.log)
	if err != nil {
		out.Close()
		return nil, fmt.Errorf("run %s: %w", path, err)
	}
	defer saidEnd.Close()
	p := &process{
		out: out, said: said, dropped: s.dropped, stop: make(chan struct{}), ended: make(chan struct{}),
		cmd: &exec.Cmd{
			Path: path, Args: s.opt.Argv, Env: environment, Dir: "/", Stdout: outEnd, Stderr: saidEnd,
			SysProcAttr: &syscall.SysProcAttr{Credential: user, Setpgid: true, Pdeathsig: syscall.SIGKILL},
		},
	}
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		out.Close()
		said.close()
		u := &source.UnavailableError{Reason: fmt.Sprintf("run %s: %v", path, err), Err: err}
		if errors.Is(err, os.ErrPermission) {
			u.Hint = "may that user run it? To switch users a service needs CAP_SETUID and CAP_SETGID, and CAP_KILL to end the program"
		}
		return nil, u
	}
	s.current.Store(p)
	s.log.Debug("program started", "program", path, "pid", p.cmd.Process.Pid)
	return p, nil
}

// run starts the program and waits for it. The signal that it gets with the death of its parent comes
// with that of the thread which started it (prctl(2), PR_SET_PDEATHSIG), so that thread must stay.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.ended)
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	<-p.stop
	// It is not waited for before its group has been killed: until then no other process or group can
	// have its number.
	time.Sleep(killAfter)
	p.mu.Lock()
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // fails if all of them have ended
	p.killed = true
	p.mu.Unlock()
	_ = p.cmd.Wait() // leaves the status
}

// terminate asks the program and all that it started in its group to end.
func (p *process) terminate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.killed {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
	}
}

// end waits for the program, which is killed if it runs on for longer than killAfter.
func (p *process) end() {
	p.once.Do(func() { close(p.stop) })
	<-p.ended
}

// Read implements [stream.Stream].
func (p *process) Read(b []byte) (int, error) {
	n, err := p.out.Read(b)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	p.end()
	u := &source.UnavailableError{Reason: fmt.Sprintf("program %s ended: %v", p.cmd.Path, p.cmd.ProcessState), Err: err}
	if last := p.said.last(); last != "" {
		u.Hint = "its last words: " + last
	}
	return 0, u
}

// Flush implements [stream.Stream]. What lies in the pipe is dropped; the program may be faster, so that
// it never becomes empty.
func (p *process) Flush() error {
	defer p.out.SetReadDeadline(time.Time{})
	buf := make([]byte, 4096)
	defer clear(buf)
	for dropped := 0; dropped < pipeBytes; {
		if err := p.out.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
			return err
		}
		begin := time.Now()
		n, err := p.out.Read(buf)
		p.dropped.Add(n, time.Since(begin))
		dropped += n
		if err != nil { // nothing there; or the end, which the next read tells
			return nil
		}
	}
	return nil
}

// Interrupt implements [stream.Stream].
func (p *process) Interrupt() {
	_ = p.out.SetReadDeadline(time.Unix(1, 0)) // fails only once it is closed
}

// Close implements [stream.Stream].
func (p *process) Close() error {
	p.terminate()
	p.end()
	p.said.close()
	return p.out.Close()
}
