package vm

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/vm/qemu"
	"github.com/hwrngd/hwrngd/test/vm/wire"
)

// Limits for what must come. They are long, since they cost nothing where all is well, and an
// emulated machine on a busy one is slow.
const (
	bootLimit   = 5 * time.Minute
	answerLimit = 5 * time.Minute
)

// conversation is the console of a machine, at whose other end is the program in directory init.
type conversation struct {
	t       *testing.T
	console io.Writer

	mu      sync.Mutex
	lastID  int
	answers map[int]chan wire.Answer
	other   []string // the last lines of the kernel, or whoever else wrote
	ended   chan struct{}
}

// keptLines is how much of the console a failed case shows.
const keptLines = 100

func converse(t *testing.T, vm *qemu.Machine) *conversation {
	c := &conversation{t: t, console: vm.Console, answers: map[int]chan wire.Answer{0: make(chan wire.Answer, 1)}, ended: make(chan struct{})}
	go c.listen(vm.Console)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("console of the machine:\n%s", c.lines())
		}
	})
	return c
}

func (c *conversation) listen(console io.Reader) {
	defer close(c.ended)
	in := bufio.NewReader(console)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		said, ok := strings.CutPrefix(line, wire.Mark)
		var a wire.Answer
		if ok && json.Unmarshal([]byte(said), &a) == nil && c.deliver(a) {
			continue
		}
		if line = strings.TrimSpace(line); line != "" {
			c.mu.Lock()
			c.other = append(c.other, line)
			c.other = c.other[max(0, len(c.other)-keptLines):]
			c.mu.Unlock()
		}
	}
}

// deliver hands an answer to who asked. It returns false if nobody waits for it (any more).
func (c *conversation) deliver(a wire.Answer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := c.answers[a.ID]
	if answer == nil {
		return false
	}
	delete(c.answers, a.ID)
	answer <- a
	return true
}

func (c *conversation) lines() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.other, "\n")
}

// receive waits for an answer.
func (c *conversation) receive(id int, limit time.Duration) (wire.Answer, error) {
	c.mu.Lock()
	answer := c.answers[id]
	c.mu.Unlock()
	select {
	case a := <-answer:
		if a.Error != "" {
			return a, errors.New(a.Error)
		}
		return a, nil
	case <-c.ended:
		return wire.Answer{}, errors.New("the machine is off")
	case <-time.After(limit):
		c.mu.Lock()
		delete(c.answers, id)
		c.mu.Unlock()
		return wire.Answer{}, fmt.Errorf("no answer within %s", limit)
	}
}

// send asks for something without waiting, and returns the number of the answer.
func (c *conversation) send(req wire.Request) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	req.ID = c.lastID
	c.answers[req.ID] = make(chan wire.Answer, 1)
	line, err := json.Marshal(req)
	if err != nil {
		return 0, err
	}
	_, err = c.console.Write(append(line, '\n'))
	return req.ID, err
}

// try asks for something and returns what became of it.
func (c *conversation) try(req wire.Request) (wire.Answer, error) {
	id, err := c.send(req)
	if err != nil {
		return wire.Answer{}, err
	}
	return c.receive(id, req.Limit+answerLimit)
}

// ask asks for something that must work.
func (c *conversation) ask(req wire.Request) wire.Answer {
	c.t.Helper()
	a, err := c.try(req)
	if err != nil {
		c.t.Fatalf("%s %s %s %q: %v", req.Op, req.Name, req.Path, req.Argv, err)
	}
	return a
}
