package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// self is this test binary, which is also the program that tests run as a source. The directory that
// holds it is closed to other users; this link is not.
const self = "/proc/self/exe"

// programs are what the binary does instead of testing if its first argument is "program".
var programs = map[string]func(args []string){
	"facts":    programFacts,
	"stream":   programStream,
	"exit":     programExit,
	"stubborn": programStubborn,
	"chatter":  programChatter,
	"numbers":  programNumbers,
	"daemon":   programDaemon,
	"silent":   func([]string) { time.Sleep(time.Hour) },
	"closes":   programCloses,
}

// The main thread never ends, so another one shall start what the daemon among the programs runs.
func init() {
	if len(os.Args) > 2 && os.Args[1] == "program" {
		runtime.LockOSThread()
	}
}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "program" {
		programs[os.Args[2]](os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

// argv is the configuration for one of the programs.
func argv(name string, args ...string) []string {
	return append([]string{self, "program", name}, args...)
}

// programFacts tells what a program finds when it starts.
func programFacts(args []string) {
	dir, _ := os.Getwd()
	groups, _ := os.Getgroups()
	input, err := io.ReadAll(os.Stdin)
	fmt.Printf("args %q\n", args)
	fmt.Printf("environment %q\n", os.Environ())
	fmt.Printf("directory %s\n", dir)
	fmt.Printf("user %d group %d groups %d\n", os.Getuid(), os.Getgid(), groups)
	fmt.Printf("leads its group %v\n", syscall.Getpgrp() == os.Getpid())
	fmt.Printf("input %q %v\n", input, err)
	for fd := range 10 {
		target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err == nil && (strings.HasPrefix(target, "pipe:") || strings.HasPrefix(target, "/tmp")) {
			flags, _, _ := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
			fmt.Printf("pipe %d waits %v\n", fd, flags&syscall.O_NONBLOCK == 0)
		}
	}
	fmt.Println("end")
	time.Sleep(time.Hour)
}

// programStream writes each byte value, for ever.
func programStream([]string) {
	var all [256]byte
	for i := range all {
		all[i] = byte(i)
	}
	for {
		if _, err := os.Stdout.Write(all[:]); err != nil {
			os.Exit(1)
		}
	}
}

// programNumbers writes a line with a number each time it can.
func programNumbers([]string) {
	for i := 0; ; i++ {
		if _, err := fmt.Printf("%09d\n", i); err != nil {
			os.Exit(1)
		}
	}
}

func programExit([]string) {
	fmt.Print("data")
	fmt.Fprintln(os.Stderr, "no such device")
	os.Exit(3)
}

// programCloses ends its output and runs on.
func programCloses([]string) {
	os.Stdout.Close()
	time.Sleep(time.Hour)
}

// programStubborn and the child that it starts do not end when they are asked to.
func programStubborn(args []string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGPIPE)
	if len(args) == 0 {
		child := exec.Command(self, "program", "stubborn", "child")
		if err := child.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Printf("%d %d\n", os.Getpid(), child.Process.Pid)
	}
	time.Sleep(time.Hour)
}

func programChatter([]string) {
	fmt.Fprintln(os.Stderr, "first")
	for range 30 {
		fmt.Fprintf(os.Stderr, "\x1b[31m%s\n", strings.Repeat("long ", 2000))
	}
	fmt.Fprintln(os.Stderr, "last")
	fmt.Print("ready")
	time.Sleep(time.Hour)
}

// programDaemon reads a source of its own, lets threads end as some goroutines do, and tells the numbers
// of its program.
func programDaemon([]string) {
	_, logger := sourcetest.NewLog()
	s := New(Options{Argv: argv("stubborn"), Recorder: &sourcetest.Recorder{}, Log: logger}, nil)
	buf := make([]byte, 100)
	n, err := s.Read(context.Background(), buf)
	if err != nil {
		fmt.Println(err)
	}
	var all sync.WaitGroup
	all.Add(50)
	for range 50 {
		go func() {
			runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
			all.Done()
			all.Wait()
		}()
	}
	all.Wait()
	time.Sleep(50 * time.Millisecond)
	os.Stdout.Write(buf[:n])
	time.Sleep(time.Hour)
}
