package cpu

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

const (
	// Name is the configured name of this source.
	Name = "cpu"
	// Auto stands for the preferred one of the instructions that the machine has.
	Auto = "auto"
)

// persistent is how many reads in a row have to fail before the instruction counts as out of order.
// With the pauses that a worker makes these are some seconds.
const persistent = 5

// Options configure the source.
type Options struct {
	Procfs      linux.Procfs // "" or a mounted procfs, for what the kernel has switched off
	Instruction string       // Auto, which "" means too, or a name out of Instructions
	Claim       float64      // bits per byte, 0 for the instruction's own
}

// Source executes a random-number instruction. It implements [source.Source].
type Source struct {
	opt      Options
	unit     unit
	others   []unit                   // that may take the unit's place
	missing  *source.UnavailableError // nil if there is an instruction
	worked   bool                     // the unit has given a number
	failures int                      // failed reads in a row
	number   [maxSize]byte
}

var _ source.Source = (*Source)(nil)

// New returns the source. It executes nothing before the first Read. Where the machine does not have
// the instruction, Read and Watch tell why.
func New(opt Options) *Source { return newSource(opt, units(opt.Procfs)) }

func newSource(opt Options, units []unit) *Source {
	s := &Source{opt: opt}
	if s.opt.Instruction == "" {
		s.opt.Instruction = Auto
	}
	var why []string
	for _, u := range units {
		switch {
		case s.opt.Instruction != Auto && s.opt.Instruction != u.Name:
		case u.missing == "":
			s.others = append(s.others, u)
		default:
			why = append(why, u.Name+": "+u.missing)
		}
	}
	if len(s.others) > 0 {
		s.unit, s.others = s.others[0], s.others[1:]
	} else {
		s.unit.Instruction, s.missing = none(s.opt.Instruction, why)
	}
	return s
}

// none tells why there is no unit of that name, or for Auto none at all. It returns what is known of the
// instruction.
func none(name string, why []string) (Instruction, *source.UnavailableError) {
	chosen, known := lookup(name)
	switch {
	case len(why) > 0:
		return chosen, &source.UnavailableError{
			Reason: "no random-number instruction to execute: " + strings.Join(why, "; "),
			Hint:   "in a virtual machine, let the hypervisor pass the instruction on; else leave " + Name + " out of the sources",
		}
	case name == Auto:
		return chosen, &source.UnavailableError{
			Reason: "no random-number instruction is known on this architecture, " + runtime.GOARCH,
			Hint:   "leave " + Name + " out of the sources",
		}
	case known:
		return chosen, &source.UnavailableError{
			Reason: fmt.Sprintf("%s is not on this architecture, %s: it is an instruction of %s", name, runtime.GOARCH, chosen.Architecture),
			Hint:   "choose the instruction " + Auto,
		}
	}
	var names []string
	for _, i := range Instructions {
		names = append(names, i.Name)
	}
	return chosen, &source.UnavailableError{
		Reason: fmt.Sprintf("no random-number instruction is called %q", name),
		Hint:   "choose " + Auto + " or one of " + strings.Join(names, ", "),
	}
}

// Info implements [source.Source].
func (s *Source) Info() source.Info {
	info := source.Info{
		Name: Name, Kind: source.KindCPU, Noise: source.NoiseCPU, Driver: s.unit.Name, Note: s.unit.Note,
		MinEntropy: s.unit.MinEntropy, ClaimOrigin: "default",
	}
	switch {
	case s.opt.Claim > 0:
		info.MinEntropy, info.ClaimOrigin = s.opt.Claim, "configured"
	case info.MinEntropy == 0: // no instruction at all
		info.MinEntropy = stretchClaim
	}
	return info
}

// Read implements [source.Source]. It returns fewer bytes than there is room for if the instruction
// fails on the way.
func (s *Source) Read(ctx context.Context, dst []byte) (int, error) {
	if s.missing != nil {
		return 0, s.missing
	}
	defer clear(s.number[:])
	n := 0
	for n < len(dst) && ctx.Err() == nil && s.try() {
		n += copy(dst[n:], s.number[:s.unit.size])
	}
	switch {
	case n > 0 || len(dst) == 0:
		s.worked, s.failures = s.worked || n > 0, 0
		return n, nil
	case ctx.Err() != nil:
		return 0, ctx.Err()
	}
	s.failures++
	if failed := s.exhausted(); failed != nil {
		if !s.worked && len(s.others) > 0 {
			return 0, s.replace()
		}
		return 0, failed
	}
	return 0, fmt.Errorf("execute %s: no number in %d tries", s.unit.Name, s.unit.tries)
}

// replace puts the next instruction in the place of one that never worked.
func (s *Source) replace() error {
	changed := &source.ChangedError{What: "generator", From: s.unit.Name, To: s.others[0].Name}
	s.unit, s.others, s.failures = s.others[0], s.others[1:], 0
	return changed
}

// try draws one number.
func (s *Source) try() bool {
	for range s.unit.tries {
		if s.unit.draw(s.number[:s.unit.size]) {
			return true
		}
	}
	return false
}

// exhausted returns what is to be said of an instruction that fails all the time.
func (s *Source) exhausted() error {
	if s.failures < persistent {
		return nil
	}
	return &source.UnavailableError{
		Reason: fmt.Sprintf("execute %s: no number in %d reads of %d tries each", s.unit.Name, persistent, s.unit.tries),
		Hint:   "the CPU's generator is out of order or other programs drain it: update the firmware and microcode, or leave " + Name + " out of the sources",
	}
}

// Watch implements [source.Source]. It executes nothing.
func (s *Source) Watch() error {
	if s.missing != nil {
		return s.missing
	}
	return s.exhausted()
}

// Close implements [source.Source]. There is nothing to release.
func (s *Source) Close() error { return nil }
