package faults

import (
	"crypto/sha512"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hwrngd/hwrngd/test/faults/script"
	"github.com/hwrngd/hwrngd/test/kit"
)

// traced makes the next start run under strace, for these lines of a case. The daemon stays the test's
// own child (-D). Nil without such lines.
func (b *bench) traced(lines []script.Action) *kit.Trace {
	if len(lines) == 0 {
		return nil
	}
	tr := &kit.Trace{T: b.t, Path: filepath.Join(b.dir, "strace")}
	options := append([]string{"-D", "-I", "waiting", "--seccomp-bpf", "-o", tr.Path}, kit.StraceOptions...)
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

// origin is what a seed is made of.
type origin uint8

const (
	unknown origin = iota // not of the device: jitter
	clean                 // 2500 bytes of G1
	tainted               // 2500 bytes of the device, some of them not of G1
)

// origins tells for each seed what it is made of. A seed is the SHA-512 of one block, and a block is 2500
// bytes in a row of what the device gave.
func (t *tape) origins(seeds []kit.Seed) []origin {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := make([]origin, len(seeds))
	left := map[string][]int{}
	for i, s := range seeds {
		left[string(s.Data)] = append(left[string(s.Data)], i)
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
