package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/test/vm/wire"
)

// environment is that of a service.
var environment = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/", "NO_COLOR=1"}

// program is a started one.
type program struct {
	cmd    *exec.Cmd
	log    string
	exited chan struct{} // closed when it has ended
}

// exitCode gives what a shell would.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

func (g *guest) run(req wire.Request) (wire.Answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), req.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, req.Argv[0], req.Argv[1:]...)
	cmd.Env = environment
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := now()
	err := cmd.Run()
	a := wire.Answer{Text: stdout.String(), Stderr: stderr.String(), Took: now() - begin}
	if ctx.Err() != nil {
		return a, fmt.Errorf("%v: still runs after %s", req.Argv, req.Limit)
	}
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return a, err
	}
	a.Code = exitCode(cmd.ProcessState)
	return a, nil
}

func (g *guest) start(req wire.Request) (wire.Answer, error) {
	p := &program{cmd: exec.Command(req.Argv[0], req.Argv[1:]...), log: "/run/log-" + req.Name, exited: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return wire.Answer{}, err
	}
	defer log.Close()
	p.cmd.Env = environment
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return wire.Answer{}, err
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.programs[req.Name] = p
	return wire.Answer{PID: p.cmd.Process.Pid}, nil
}

// seed measures from just before the program starts until getrandom(2) answers.
func (g *guest) seed(req wire.Request) (wire.Answer, error) {
	if ready() {
		return wire.Answer{}, errors.New("the kernel's generator is seeded before the program has started")
	}
	begin := now()
	a, err := g.start(req)
	if err != nil {
		return a, err
	}
	for !ready() {
		if now()-begin > req.Limit {
			return a, nil
		}
		time.Sleep(time.Millisecond)
	}
	a.Ready, a.Took = true, now()-begin
	return a, nil
}

func (g *guest) find(name string) (*program, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p := g.programs[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no program %q was started", name)
}

func (g *guest) signal(req wire.Request) (wire.Answer, error) {
	p, err := g.find(req.Name)
	if err != nil {
		return wire.Answer{}, err
	}
	begin := now()
	if err := p.cmd.Process.Signal(syscall.Signal(req.Signal)); err != nil {
		return wire.Answer{}, err
	}
	if req.Limit == 0 {
		return wire.Answer{Running: true}, nil
	}
	select {
	case <-p.exited:
		return wire.Answer{Code: exitCode(p.cmd.ProcessState), Took: now() - begin}, nil
	case <-time.After(req.Limit):
		return wire.Answer{Running: true, Took: now() - begin}, nil
	}
}

func (g *guest) log(req wire.Request) (wire.Answer, error) {
	p, err := g.find(req.Name)
	if err != nil {
		return wire.Answer{}, err
	}
	text, err := os.ReadFile(p.log)
	a := wire.Answer{Text: string(text), PID: p.cmd.Process.Pid}
	select {
	case <-p.exited:
		a.Code = exitCode(p.cmd.ProcessState)
	default:
		a.Running = true
	}
	return a, err
}
