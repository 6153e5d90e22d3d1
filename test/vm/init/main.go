// Command init does what the test asks for over a virtual machine's console, and nothing else. As
// the first process it makes a machine of a bare kernel; with the argument "serve" it is a service
// of a whole system; with the argument "wait" it waits for the kernel's generator.
//
// It stays away from crypto/rand, which would wait for the generator that is to be seeded.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hwrngd/hwrngd/test/vm/wire"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "wait" {
		os.Exit(waitForGenerator())
	}
	if len(os.Args) == 1 {
		// The end of the first process is a panic of the kernel, which the test sees.
		check(setUp())
	}
	console, err := openConsole()
	check(err)
	g := &guest{console: console, programs: map[string]*program{}}
	g.answer(wire.Answer{Text: release(), Ready: ready()})
	requests := bufio.NewReader(console)
	for {
		line, err := requests.ReadBytes('\n')
		if err != nil {
			check(fmt.Errorf("console: %w", err))
		}
		var req wire.Request
		if err := json.Unmarshal(line, &req); err != nil {
			g.answer(wire.Answer{ID: req.ID, Error: fmt.Sprintf("request %q: %v", line, err)})
			continue
		}
		// Some of what is asked for hangs in the kernel, which must not hold up the rest.
		go g.handle(req)
	}
}

// check ends the program on an error.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "init:", err)
		os.Exit(1)
	}
}

// waitForGenerator does what any program does that needs a key: it waits until the kernel's
// generator is seeded. While it waits, the kernel makes noise of its own.
func waitForGenerator() int {
	if _, err := unix.Getrandom(make([]byte, 16), 0); err != nil {
		fmt.Fprintln(os.Stderr, "getrandom:", err)
		return 1
	}
	return 0
}

// guest is this side of the conversation.
type guest struct {
	mu       sync.Mutex // guards both
	console  *os.File
	programs map[string]*program
}

// operations do what is asked. What they return needs no ID.
var operations = map[string]func(*guest, wire.Request) (wire.Answer, error){
	wire.Load:   (*guest).load,
	wire.Read:   (*guest).read,
	wire.Write:  (*guest).write,
	wire.Run:    (*guest).run,
	wire.Start:  (*guest).start,
	wire.Seed:   (*guest).seed,
	wire.Signal: (*guest).signal,
	wire.Log:    (*guest).log,
	wire.Scrape: (*guest).scrape,
	wire.Socket: (*guest).socket,
}

func (g *guest) handle(req wire.Request) {
	var a wire.Answer
	do, known := operations[req.Op]
	err := fmt.Errorf("no operation %q", req.Op)
	if known {
		a, err = do(g, req)
	}
	a.ID = req.ID
	if err != nil {
		a.Error = err.Error()
	}
	g.answer(a)
}

func (g *guest) answer(a wire.Answer) {
	a.Up = now()
	line, err := json.Marshal(a)
	if err != nil {
		line = fmt.Appendf(nil, `{"id":%d,"error":%q}`, a.ID, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	// In front, a line end: the kernel may have left a line open.
	_, _ = g.console.Write(append(append([]byte("\n"+wire.Mark), line...), '\n'))
}

// now is the time since boot.
func now() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
