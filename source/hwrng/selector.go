package hwrng

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

// The words that --hwrng-select takes beside a generator's name.
const (
	Keep   = "keep"   // leave the choice as it is
	Best   = "best"   // the generator with the highest claim, TPMs last
	Rotate = "rotate" // each in turn
)

// Policy tells whether a value of --hwrng-select is one of these words, and no generator's name.
func Policy(text string) bool { return text == Keep || text == Best || text == Rotate }

const selectHint = "writing rng_current needs root and a writable sysfs"

const noDriverHint = "load the driver of the board's generator; hwrngd picks it up by itself"

// refusedPause is how long a best generator that the kernel refused is left alone: each attempt
// may start its driver.
const refusedPause = time.Minute

// hwRandom is what a selector needs of the kernel's hw_random class. [linux.Sysfs] is the real one.
type hwRandom interface {
	RNGCurrent() (string, error)
	RNGAvailable() ([]string, error)
	RNGSelected() (bool, error)
	SelectRNG(name string) error
	DescribeHWRandom() string
	binder
}

var _ hwRandom = linux.Sysfs("")

// selector keeps the wanted generator behind /dev/hwrng, through the hw_random class in sysfs.
type selector struct {
	sys  hwRandom
	want string // Keep, Best, Rotate or a name
	deny []string
	log  *slog.Logger

	wrote    string // the name we last put in place, "" if none
	found    string // what was current before
	selected bool   // whether somebody had chosen it

	refused string    // the best name, if it could not be put in place
	retry   time.Time // when that is tried again

	shunned map[string]shunning // by name: failed their tests

	rotation rotation
}

// settle puts the wanted generator in place if it is not, and returns the current one's name.
// Errors are of type [*source.UnavailableError].
func (s *selector) settle() (string, error) {
	current, err := s.sys.RNGCurrent()
	if err != nil {
		if s.want == Keep && len(s.deny) == 0 {
			return "", nil // nothing depends on the name
		}
		return "", &source.UnavailableError{
			Reason: "cannot tell which generator is current: " + err.Error(), Err: err,
			Hint: "selecting and denying generators needs the hw_random class of sysfs",
		}
	}
	if s.want == Rotate {
		if current, err = s.rotate(current); err != nil {
			return "", err
		}
	} else if wanted, err := s.wanted(current); err != nil {
		return "", err
	} else if wanted != current {
		if current, err = s.put(current, wanted); err != nil {
			return "", err
		}
	}
	if current == "" {
		return "", &source.UnavailableError{
			Reason: "device node present, but no driver behind it: " + s.sys.DescribeHWRandom(),
			Hint:   noDriverHint,
		}
	}
	if slices.Contains(s.deny, current) {
		return "", &source.UnavailableError{
			Reason: fmt.Sprintf("current generator %s is denied by configuration", current), Denied: true,
			Hint: "choose another one with --hwrng-select, or take it off --hwrng-deny",
		}
	}
	return current, nil
}

// wanted returns the name that should be current.
func (s *selector) wanted(current string) (string, error) {
	if s.want == Keep {
		return current, nil
	}
	available, err := s.sys.RNGAvailable()
	if err != nil {
		return "", &source.UnavailableError{Reason: "cannot list the generators: " + err.Error(), Err: err}
	}
	if s.want == Best {
		if slices.Contains(available, current) {
			// To be as good is no reason to take its place.
			available = slices.Concat([]string{current}, available)
		}
		// Better one that failed its tests, and earns nothing until it passes them, than none.
		for _, avoid := range [][]string{slices.Concat(s.deny, s.avoided()), s.deny} {
			if best := rank(available, avoid, s.sys); best != "" {
				return best, nil
			}
		}
		return current, nil
	}
	if slices.Contains(s.deny, s.want) {
		return "", &source.UnavailableError{Reason: fmt.Sprintf("generator %s is both selected and denied by configuration", s.want), Denied: true}
	}
	if !slices.Contains(available, s.want) {
		list := strings.Join(available, ", ")
		if list == "" {
			list = "none"
		}
		return "", &source.UnavailableError{
			Reason: fmt.Sprintf("selected generator %s is not there (available: %s)", s.want, list),
			Hint:   suggest(s.want, available),
		}
	}
	return s.want, nil
}

// put makes name the current generator and returns the one that is current then.
func (s *selector) put(current, name string) (string, error) {
	if name == s.refused && time.Now().Before(s.retry) {
		return current, nil
	}
	if err := s.write(current, name); err != nil {
		if s.want == Best {
			// Better the second best than nothing.
			if name != s.refused {
				s.log.Warn("cannot select the best generator, keeping the current one", "best", name, "current", current, "reason", err.Error())
			}
			s.refused, s.retry = name, time.Now().Add(refusedPause)
			return current, nil
		}
		hint := ""
		if forbidden(err) {
			hint = selectHint
		}
		return "", &source.UnavailableError{Reason: fmt.Sprintf("cannot select generator %s: %v", name, err), Err: err, Hint: hint}
	}
	s.refused = ""
	s.log.Info("selected generator", "from", current, "to", name)
	return name, nil
}

// write puts name into rng_current, and remembers what was there before the first time.
func (s *selector) write(current, name string) error {
	selected, _ := s.sys.RNGSelected() // absent on old kernels: then nothing was selected
	if err := s.sys.SelectRNG(name); err != nil {
		return err
	}
	// Most kernels take any name without complaint and without effect.
	if now, err := s.sys.RNGCurrent(); err != nil {
		return err
	} else if now != name {
		return fmt.Errorf("the kernel took %q but rng_current is %q", name, now)
	}
	if s.wrote == "" {
		s.found, s.selected = current, selected
	}
	s.wrote = name
	return nil
}

// restore leaves rng_current as it was found, if it still holds what we wrote.
func (s *selector) restore() {
	if s.wrote == "" {
		return
	}
	if current, err := s.sys.RNGCurrent(); err != nil || current != s.wrote {
		return
	}
	back := s.found
	switch {
	case !s.selected:
		back = "" // nobody had chosen: let the kernel choose again
	case back == "":
		back = "none" // somebody had chosen none
	}
	if err := s.sys.SelectRNG(back); err != nil {
		s.log.Warn("cannot restore rng_current", "reason", err.Error())
	}
}

// rank returns the best of the available generators that are not denied: no TPM before another
// kind, then the higher claim, then the order of the list. "" if there is none.
func rank(available, deny []string, sys binder) string {
	best, bestKnown := "", Driver{}
	for _, name := range available {
		if slices.Contains(deny, name) {
			continue
		}
		known, _ := Identify(name, sys)
		if best == "" || better(known, bestKnown) {
			best, bestKnown = name, known
		}
	}
	return best
}

func better(a, b Driver) bool {
	if tpmA, tpmB := a.Kind == source.KindTPM, b.Kind == source.KindTPM; tpmA != tpmB {
		return tpmB
	}
	return a.MinEntropy > b.MinEntropy
}

// suggest names the available generator whose name is contained in name or contains it: indices
// and suffixes are what people get wrong.
func suggest(name string, available []string) string {
	for _, have := range available {
		if strings.Contains(have, name) || strings.Contains(name, have) {
			return "did you mean " + have + "?"
		}
	}
	return ""
}
