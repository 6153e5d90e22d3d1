// Package wire is what a test and the program inside the virtual machine say to each other over
// the machine's console: a request is one line of JSON, an answer is one line that begins with
// Mark. All other lines are the kernel's.
package wire

import "time"

// Mark begins each line that the guest says to the test.
const Mark = "\x02hwrngd-vm "

// The operations of a guest, with the fields of Request that count.
const (
	Load   = "load"   // Path: insert a kernel module
	Read   = "read"   // Path: the text of a file, or of all that match
	Write  = "write"  // Path, Data
	Run    = "run"    // Argv, Limit: run a program to its end
	Start  = "start"  // Name, Argv: start a program that goes on, which writes to a log
	Seed   = "seed"   // as Start, Limit: then wait until getrandom(2) answers
	Signal = "signal" // Name, Signal; Limit above 0: wait for the program's end
	Log    = "log"    // Name: what a started program has written so far, and whether it runs
	Scrape = "scrape" // Path: HOST:PORT whose page /metrics to fetch
	Socket = "socket" // Path: a Unix socket whose only answer to fetch
)

// Request asks the guest for something.
type Request struct {
	ID     int           `json:"id"` // the guest's first line, which nobody asked for, answers 0
	Op     string        `json:"op"`
	Name   string        `json:"name,omitempty"`
	Path   string        `json:"path,omitempty"`
	Data   string        `json:"data,omitempty"`
	Argv   []string      `json:"argv,omitempty"`
	Signal int           `json:"signal,omitempty"`
	Limit  time.Duration `json:"limit,omitempty"`
}

// Answer is what became of a request.
type Answer struct {
	ID    int    `json:"id"`
	Error string `json:"error,omitempty"` // what was attempted and what the kernel said

	Text    string        `json:"text,omitempty"`   // a file, a log, a page, standard output
	Stderr  string        `json:"stderr,omitempty"` // of Run
	PID     int           `json:"pid,omitempty"`
	Running bool          `json:"running,omitempty"`
	Code    int           `json:"code,omitempty"`  // exit code, or 128 and the number of the signal
	Ready   bool          `json:"ready,omitempty"` // getrandom(2) answers
	Took    time.Duration `json:"took,omitempty"`  // by the guest's clock
	Up      time.Duration `json:"up"`              // time since boot, by the guest's clock
}
