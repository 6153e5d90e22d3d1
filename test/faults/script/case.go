package script

import (
	"syscall"
	"time"
)

// BlockBytes is the size of a block of the FIPS 140-2 tests.
const BlockBytes = 2500

// Case is one case file.
type Case struct {
	Title   string
	Channel string  // fifo, pty, fuse, file or link
	Cooked  bool    // of a pty: it is left as terminals are found, with echo, lines and signals
	Target  string  // of a link
	CPU     float64 // share of a core that the daemon may take, 0 for the default
	Steps   []Step
}

// Step is a line that does something.
type Step struct {
	Line   int    // in the file, from 1
	Text   string // as it stands there, without its comment
	Action Action
}

// Action is what a step does: one of the types below.
type Action interface{ action() }

// What the device does.
type (
	// Feed is data.
	Feed struct {
		Stream Stream
		Bytes  int64         // 0: without end
		Chunk  int           // most bytes at once, 0: any number
		Pause  time.Duration // after each chunk
		Errno  syscall.Errno // of each read number Every, 2*Every, ...
		Every  int
	}
	// Silence is no data.
	Silence struct{ For time.Duration } // 0: without end
	// Fail makes reads fail.
	Fail struct {
		Errno syscall.Errno
		Times int // 0: without end
	}
	// Await is silence until the device has been sent this text.
	Await struct{ Text string }
	// Fault marks where the fault begins.
	Fault struct{}
)

// Stream names a generator of data: G15 p=0.4 has the parameter 0.4.
type Stream struct {
	Name  string
	Form  string  // of G21
	Param float64 // p of G15, period of repeat, first byte of G1
}

// What happens to the machine.
type (
	// Plug makes the device appear.
	Plug struct{ As string } // "" for the usual name
	// Unplug makes it vanish.
	Unplug struct{}
	// SetFile writes a file of a fake tree, sys or proc, or the configuration.
	SetFile struct{ Tree, Path, Text string }
	// Sink replaces /dev/random.
	Sink struct{ Path string } // "file" for an empty file
	// Without takes a capability away.
	Without struct{ Capability string }
	// Notify makes a service manager listen.
	Notify struct{ Watchdog time.Duration } // 0: none
	// Trace records system calls.
	Trace struct {
		Calls []string
		Of    string // device, sink or any
	}
	// Inject makes system calls fail.
	Inject struct {
		Call, Errno, When string // as strace has them; When may be ""
		Of                string // device or sink
	}
)

// What is done with the program.
type (
	// Start starts the daemon.
	Start struct{ Options []string }
	// Run runs another command.
	Run struct{ Args []string }
	// Reload is SIGHUP.
	Reload struct{}
	// Stop is SIGTERM.
	Stop struct{}
	// Wait waits.
	Wait struct{ For time.Duration }
	// Check looks whether a condition holds.
	Check struct {
		When      string // within, for or expect
		For       time.Duration
		Condition Condition
	}
)

func (Feed) action()    {}
func (Silence) action() {}
func (Fail) action()    {}
func (Await) action()   {}
func (Fault) action()   {}
func (Plug) action()    {}
func (Unplug) action()  {}
func (SetFile) action() {}
func (Sink) action()    {}
func (Without) action() {}
func (Notify) action()  {}
func (Trace) action()   {}
func (Inject) action()  {}
func (Start) action()   {}
func (Run) action()     {}
func (Reload) action()  {}
func (Stop) action()    {}
func (Wait) action()    {}
func (Check) action()   {}

// beforeStart tells whether an action makes sense only before the program runs.
func beforeStart(a Action) bool {
	switch a.(type) {
	case Sink, Without, Notify, Trace, Inject:
		return true
	}
	return false
}

// afterStart tells whether an action needs a program that runs.
func afterStart(a Action) bool {
	switch a.(type) {
	case Reload, Stop, Check:
		return true
	}
	return false
}
