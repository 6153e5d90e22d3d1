package kit

import (
	"encoding/hex"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// StraceOptions make strace follow every thread, print whole seeds (in hex, unlike paths), the time of each
// call and the path of each descriptor, and leave signals out. Further options say what to trace or which
// faults to inject; their -P keeps a fault off all other files. Numbers in "when=" count for each thread by
// itself.
var StraceOptions = []string{"-f", "-qq", "-y", "-ttt", "-x", "-s", "200", "-e", "signal=none"}

// Trace is a file that strace writes with these options.
type Trace struct {
	T    testing.TB
	Path string
}

// Call is a system call that has ended.
type Call struct {
	At   time.Time // of its begin
	Text string    // as strace prints it, with its result
}

var traceLine = regexp.MustCompile(`^(\d+) +(\d+\.\d+) (.*)$`)

// Calls returns the calls so far that hold all the parts. One that another thread's line interrupts is put
// together.
func (tr *Trace) Calls(parts ...string) (all []Call) {
	tr.T.Helper()
	text, err := os.ReadFile(tr.Path)
	if err != nil && !os.IsNotExist(err) {
		tr.T.Fatal(err)
	}
	begun := map[string]Call{} // by thread
	for line := range strings.Lines(string(text)) {
		whole, ok := strings.CutSuffix(line, "\n")
		m := traceLine.FindStringSubmatch(whole)
		if !ok || m == nil {
			continue // not written yet, or no call
		}
		thread, rest := m[1], m[3]
		seconds, _ := strconv.ParseFloat(m[2], 64)
		at := time.UnixMicro(int64(seconds * 1e6))
		if start, ok := strings.CutSuffix(rest, " <unfinished ...>"); ok {
			begun[thread] = Call{at, start}
			continue
		}
		if _, end, ok := strings.Cut(rest, " resumed>"); ok && strings.HasPrefix(rest, "<...") {
			at, rest = begun[thread].At, begun[thread].Text+end
		}
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(rest, part) }) {
			all = append(all, Call{at, rest})
		}
	}
	return all
}

// Seed is one RNDADDENTROPY with data: the call that credits.
type Seed struct {
	At    time.Time
	Bits  int // entropy_count
	Bytes int // buf_size
	Data  []byte
	OK    bool
}

var addEntropyCall = regexp.MustCompile(`RNDADDENTROPY, \{entropy_count=(-?\d+), buf_size=(\d+), buf="([^"]*)"\}\) += (-?\d+)`)

// Seeds returns the calls that offered data. Those without, by which the daemon asks whether it may credit,
// must not offer credit either.
func (tr *Trace) Seeds() (all []Seed) {
	tr.T.Helper()
	for _, c := range tr.Calls("RNDADDENTROPY") {
		m := addEntropyCall.FindStringSubmatch(c.Text)
		if m == nil {
			tr.T.Fatalf("cannot read %q", c.Text)
		}
		s := Seed{At: c.At, OK: m[4] == "0"}
		s.Bits, _ = strconv.Atoi(m[1])
		s.Bytes, _ = strconv.Atoi(m[2])
		s.Data, _ = hex.DecodeString(strings.ReplaceAll(m[3], `\x`, ""))
		if s.Bytes == 0 && s.Bits != 0 {
			tr.T.Errorf("credit without data: %s", c.Text)
		}
		if s.Bytes > 0 {
			all = append(all, s)
		}
	}
	return all
}
