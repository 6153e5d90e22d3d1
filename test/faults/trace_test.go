package faults

import (
	"crypto/sha512"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/faults/script"
)

// trace is what strace writes.
type trace struct {
	t    testing.TB
	path string
}

// traced makes the next start run under strace, for these lines of a case. The daemon stays the test's
// own child (-D). Nil without such lines.
func (b *bench) traced(lines []script.Action) *trace {
	if len(lines) == 0 {
		return nil
	}
	tr := &trace{b.t, filepath.Join(b.dir, "strace")}
	// Follow every thread; print paths of descriptors, times, and whole seeds in hex.
	options := []string{"-D", "-I", "waiting", "-f", "--seccomp-bpf", "-qq", "-y", "-ttt", "-x", "-s", "200", "-e", "signal=none", "-o", tr.path}
	paths := map[string]string{"device": b.device, "sink": b.random}
	var calls, of []string
	for _, line := range lines {
		switch a := line.(type) {
		case script.Trace:
			calls, of = append(calls, a.Calls...), append(of, a.Of)
		case script.Inject:
			calls, of = append(calls, a.Call), append(of, a.Of)
			fault := "inject=" + a.Call + ":error=" + a.Errno
			if a.When != "" {
				fault += ":when=" + a.When
			}
			options = append(options, "-e", fault)
		}
	}
	options = append(options, "-e", "trace="+strings.Join(calls, ","))
	slices.Sort(of)
	for _, what := range slices.Compact(of) {
		if path := paths[what]; path != "" && !slices.Contains(of, "any") {
			options = append(options, "-P", path)
		}
	}
	b.strace = options
	return tr
}

// call is a system call that has ended.
type call struct {
	at   time.Time
	text string // as strace prints it, with its result
}

var traceLine = regexp.MustCompile(`^(\d+) +(\d+\.\d+) (.*)$`)

// calls returns the calls so far that hold all the texts. One that another thread's line interrupts is
// put together.
func (tr *trace) calls(texts ...string) (all []call) {
	text, err := os.ReadFile(tr.path)
	if err != nil && !os.IsNotExist(err) {
		tr.t.Fatal(err)
	}
	begun := map[string]call{} // by thread
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
			begun[thread] = call{at, start}
			continue
		}
		if _, end, ok := strings.Cut(rest, " resumed>"); ok && strings.HasPrefix(rest, "<...") {
			at, rest = begun[thread].at, begun[thread].text+end
		}
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(rest, text) }) {
			all = append(all, call{at, rest})
		}
	}
	return all
}

// seed is one RNDADDENTROPY with data: the call that credits.
type seed struct {
	at   time.Time
	bits int
	data string
	ok   bool
}

var addEntropyCall = regexp.MustCompile(`RNDADDENTROPY, \{entropy_count=(-?\d+), buf_size=(\d+), buf="([^"]*)"\}\) += (-?\d+)`)

func (tr *trace) seeds() (all []seed) {
	for _, c := range tr.calls("RNDADDENTROPY") {
		m := addEntropyCall.FindStringSubmatch(c.text)
		if m == nil {
			tr.t.Fatalf("cannot read %q", c.text)
		}
		data, _ := hex.DecodeString(strings.ReplaceAll(m[3], `\x`, ""))
		s := seed{at: c.at, data: string(data), ok: m[4] == "0"}
		s.bits, _ = strconv.Atoi(m[1])
		if m[2] != "0" {
			all = append(all, s)
		}
	}
	return all
}

// origin is what a seed is made of.
type origin uint8

const (
	unknown origin = iota // not of the device: jitter
	clean                 // 2500 bytes of G1
	tainted               // 2500 bytes of the device, some of them not of G1
)

// origins tells for each seed what it is made of. A seed is the SHA-512 of one block, and a block is 2500
// bytes in a row of what the device gave.
func (t *tape) origins(seeds []seed) []origin {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := make([]origin, len(seeds))
	left := map[string][]int{}
	for i, s := range seeds {
		left[s.data] = append(left[s.data], i)
	}
	for at := 0; at+script.BlockBytes <= len(t.given) && len(left) > 0; at++ {
		sum := sha512.Sum512(t.given[at:][:script.BlockBytes])
		for _, i := range left[string(sum[:])] {
			found[i] = tainted
			if t.clean(at, at+script.BlockBytes) {
				found[i] = clean
			}
		}
		delete(left, string(sum[:]))
	}
	return found
}

// clean tells whether all bytes of a stretch are of G1.
func (t *tape) clean(from, to int) bool {
	return !slices.ContainsFunc(t.spans, func(s span) bool { return !s.good && s.from < to && from < s.to })
}
