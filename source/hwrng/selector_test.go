package hwrng

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// kernel is the hw_random class as kernels behave (reference/kernel.md, 2.2 and 3).
type kernel struct {
	rngs     []rng // in the order in which they were registered
	current  string
	selected bool

	readOnly   bool             // rng_current cannot be written: ProtectKernelTunables, no root
	missing    bool             // no class at all
	noSelected bool             // no rng_selected: before 4.14
	noNone     bool             // "none" is an unknown name: before 6.11
	unknown    error            // the answer to an unknown name: nil on most kernels, ENODEV on some
	init       map[string]error // of drivers that do not start

	writes []string
}

type rng struct {
	name    string
	quality int
}

func (k *kernel) RNGCurrent() (string, error) {
	if k.missing {
		return "", &fs.PathError{Op: "open", Path: "rng_current", Err: fs.ErrNotExist}
	}
	return k.current, nil
}

func (k *kernel) RNGAvailable() (names []string, err error) {
	if k.missing {
		return nil, &fs.PathError{Op: "open", Path: "rng_available", Err: fs.ErrNotExist}
	}
	for _, r := range k.rngs {
		names = append(names, r.name)
	}
	return names, nil
}

func (k *kernel) RNGSelected() (bool, error) {
	if k.missing || k.noSelected {
		return false, &fs.PathError{Op: "open", Path: "rng_selected", Err: fs.ErrNotExist}
	}
	return k.selected, nil
}

func (k *kernel) SelectRNG(name string) error {
	k.writes = append(k.writes, name)
	switch {
	case k.readOnly:
		return &fs.PathError{Op: "open", Path: "rng_current", Err: syscall.EROFS}
	case name == "":
		k.selected = false
		k.best()
	case name == "none" && !k.noNone:
		k.current, k.selected = "", true
	case k.find(name) < 0:
		return k.unknown
	case k.init[name] != nil:
		return &fs.PathError{Op: "write", Path: "rng_current", Err: k.init[name]}
	default:
		k.current, k.selected = name, true
	}
	return nil
}

func (k *kernel) BoundDriver(string) string { return "" }

func (k *kernel) DescribeHWRandom() string {
	return fmt.Sprintf("rng_current is %s, rng_available is %v", orNone(k.current), k.rngs)
}

func (k *kernel) find(name string) int {
	return slices.IndexFunc(k.rngs, func(r rng) bool { return r.name == name })
}

// best does what the kernel does: highest quality, then the earliest.
func (k *kernel) best() {
	k.current = ""
	quality := -1
	for _, r := range k.rngs {
		if r.quality > quality {
			k.current, quality = r.name, r.quality
		}
	}
}

func (k *kernel) plug(r rng) {
	k.rngs = append(k.rngs, r)
	if !k.selected {
		k.best()
	}
}

func (k *kernel) unplug(name string) {
	k.rngs = slices.Delete(k.rngs, k.find(name), k.find(name)+1)
	if k.current == name {
		k.selected = false
		k.best()
	}
}

// newSelector returns a selector on a kernel that has booted with the given generators.
func newSelector(want string, deny []string, k *kernel) (*selector, *sourcetest.Log) {
	if k.current == "" && !k.selected {
		k.best()
	}
	log, logger := sourcetest.NewLog()
	return &selector{sys: k, want: want, deny: deny, log: logger}, log
}

// board is FC-025's: the kernel picked the bad one of two.
func board() *kernel { return &kernel{rngs: []rng{{"ccp-1-rng", 1024}, {"tpm-rng-0", 1024}}} }

func TestSettle(t *testing.T) {
	const (
		noDriver = "device node present, but no driver behind it"
		eio      = syscall.EIO
	)
	for _, c := range []struct {
		name   string
		want   string
		deny   []string
		kernel *kernel

		current      string   // that settle returns
		writes       []string // that the kernel sees
		reason, hint string   // of the error
		denied       bool
	}{
		{name: "keep", want: Keep, kernel: board(), current: "ccp-1-rng"},
		{name: "keep, a denied one elsewhere", want: Keep, deny: []string{"tpm-rng-0"}, kernel: board(), current: "ccp-1-rng"},
		{name: "keep, denied", want: Keep, deny: []string{"ccp-1-rng"}, kernel: board(), reason: "ccp-1-rng is denied by configuration", hint: "--hwrng-select", denied: true},
		{name: "keep, deny list is exact", want: Keep, deny: []string{"ccp", "CCP-1-RNG", "ccp-1-rng2"}, kernel: board(), current: "ccp-1-rng"},
		{name: "keep, nothing there", want: Keep, kernel: &kernel{}, reason: noDriver, hint: "load the driver"},
		{name: "keep, user chose none", want: Keep, kernel: &kernel{rngs: []rng{{"a.rng", 900}}, selected: true}, reason: noDriver, hint: "load the driver"},
		{name: "keep, no class", want: Keep, kernel: &kernel{missing: true}},
		{name: "deny without a class", want: Keep, deny: []string{"a.rng"}, kernel: &kernel{missing: true}, reason: "cannot tell which generator is current", hint: "sysfs"},

		{name: "name, already current", want: "ccp-1-rng", kernel: board(), current: "ccp-1-rng"},
		{name: "name, switched to", want: "tpm-rng-0", kernel: board(), current: "tpm-rng-0", writes: []string{"tpm-rng-0"}},
		{name: "name, user chose none", want: "a.rng", kernel: &kernel{rngs: []rng{{"a.rng", 900}}, selected: true}, current: "a.rng", writes: []string{"a.rng"}},
		{name: "name, not there", want: "b.rng", kernel: board(), reason: "selected generator b.rng is not there (available: ccp-1-rng, tpm-rng-0)"},
		// FC-053: no fuzzy guess, a hint.
		{name: "name, nearly there", want: "tpm-rng", kernel: board(), reason: "tpm-rng is not there (available: ccp-1-rng, tpm-rng-0)", hint: "did you mean tpm-rng-0?"},
		{name: "name, more than there", want: "tpm-rng-0.1", kernel: board(), reason: "is not there", hint: "did you mean tpm-rng-0?"},
		{name: "name, nothing there", want: "tpm-rng-0", kernel: &kernel{}, reason: "tpm-rng-0 is not there (available: none)"},
		{name: "name, denied", want: "tpm-rng-0", deny: []string{"tpm-rng-0"}, kernel: board(), reason: "both selected and denied", denied: true},
		{name: "name, read-only", want: "tpm-rng-0", kernel: &kernel{rngs: board().rngs, readOnly: true}, writes: []string{"tpm-rng-0"}, reason: "cannot select generator tpm-rng-0: open rng_current: read-only file system", hint: "root"},
		{name: "name, driver does not start", want: "tpm-rng-0", kernel: &kernel{rngs: board().rngs, init: map[string]error{"tpm-rng-0": eio}}, writes: []string{"tpm-rng-0"}, reason: "input/output error"},
		{name: "name, no class", want: "a.rng", kernel: &kernel{missing: true}, reason: "cannot tell which generator is current", hint: "sysfs"},

		{name: "best, already current", want: Best, kernel: board(), current: "ccp-1-rng"},
		{name: "best, TPM last", want: Best, kernel: &kernel{rngs: []rng{{"tpm-rng-0", 1024}, {"other-rng", 0}}}, current: "other-rng", writes: []string{"other-rng"}},
		{name: "best, weak hardware before a TPM", want: Best, kernel: &kernel{rngs: []rng{{"tpm-rng-0", 1024}, {"imx-rngc", 19}}}, current: "imx-rngc", writes: []string{"imx-rngc"}},
		{name: "best, TPM alone", want: Best, kernel: &kernel{rngs: []rng{{"tpm-rng-0", 1024}}}, current: "tpm-rng-0"},
		{name: "best, higher claim", want: Best, kernel: &kernel{rngs: []rng{{"ath9k_0", 1000}, {"imx-rngc", 19}, {"a.rng", 0}}}, current: "a.rng", writes: []string{"a.rng"}},
		{name: "best, equal claims: current stays", want: Best, kernel: &kernel{rngs: []rng{{"a.rng", 500}, {"b.rng", 900}}}, current: "b.rng"},
		{name: "best, equal claims, user's choice stays", want: Best, kernel: &kernel{rngs: []rng{{"a.rng", 900}, {"b.rng", 500}}, current: "b.rng", selected: true}, current: "b.rng"},
		{name: "best, not a denied one", want: Best, deny: []string{"a.rng"}, kernel: &kernel{rngs: []rng{{"a.rng", 900}, {"ath9k_0", 0}, {"b.rng", 0}}}, current: "b.rng", writes: []string{"b.rng"}},
		{name: "best, all but the TPM denied", want: Best, deny: []string{"a.rng"}, kernel: &kernel{rngs: []rng{{"a.rng", 900}, {"tpm-rng-0", 0}}}, current: "tpm-rng-0", writes: []string{"tpm-rng-0"}},
		{name: "best, all denied", want: Best, deny: []string{"ccp-1-rng", "tpm-rng-0"}, kernel: board(), reason: "ccp-1-rng is denied", hint: "--hwrng-deny", denied: true},
		{name: "best, nothing there", want: Best, kernel: &kernel{}, reason: noDriver, hint: "load the driver"},
		{name: "best, user chose none", want: Best, kernel: &kernel{rngs: []rng{{"a.rng", 900}}, selected: true}, current: "a.rng", writes: []string{"a.rng"}},
		{name: "best, read-only", want: Best, kernel: &kernel{rngs: []rng{{"tpm-rng-0", 1024}, {"other-rng", 0}}, readOnly: true}, current: "tpm-rng-0", writes: []string{"other-rng"}},
		{name: "best, read-only and denied", want: Best, deny: []string{"tpm-rng-0"}, kernel: &kernel{rngs: []rng{{"tpm-rng-0", 1024}, {"other-rng", 0}}, readOnly: true}, writes: []string{"other-rng"}, reason: "tpm-rng-0 is denied", hint: "--hwrng-select", denied: true},
		{name: "best, driver does not start", want: Best, kernel: &kernel{rngs: []rng{{"tpm-rng-0", 1024}, {"other-rng", 0}}, init: map[string]error{"other-rng": eio}}, current: "tpm-rng-0", writes: []string{"other-rng"}},
		{name: "best, no class", want: Best, kernel: &kernel{missing: true}, reason: "cannot tell which generator is current", hint: "sysfs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := newSelector(c.want, c.deny, c.kernel)
			got, err := s.settle()
			if c.reason != "" {
				sourcetest.WantUnavailable(t, err, c.reason, c.hint, c.denied)
			} else if err != nil {
				t.Error(err)
			}
			if got != c.current || !slices.Equal(c.kernel.writes, c.writes) {
				t.Errorf("got %q by writes %q, want %q by %q", got, c.kernel.writes, c.current, c.writes)
			}
			if c.reason == "" && c.kernel.current != c.current {
				t.Errorf("the kernel has %q", c.kernel.current)
			}

			// Settled is settled.
			before := len(c.kernel.writes)
			if again, err := s.settle(); again != got || err != nil != (c.reason != "") {
				t.Errorf("second time: %q, %v", again, err)
			}
			if c.reason == "" && len(c.kernel.writes) != before {
				t.Errorf("written again: %q", c.kernel.writes)
			}
		})
	}
}

// A generator that leaves between the list and the write is an unknown name, which most kernels
// take in silence. Only reading back tells.
func TestSettleReadsBack(t *testing.T) {
	for _, c := range []struct {
		name    string
		unknown error
		want    string
		reason  string // "" if the current one is kept
	}{
		{"silent, name", nil, "b.rng", `the kernel took "b.rng" but rng_current is "tpm-rng-0"`},
		{"refused, name", syscall.ENODEV, "b.rng", "no such device"},
		{"silent, best", nil, Best, ""},
		{"refused, best", syscall.ENODEV, Best, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := &leaving{kernel: kernel{rngs: []rng{{"tpm-rng-0", 1024}}, unknown: c.unknown}, listed: []string{"tpm-rng-0", "b.rng"}}
			s, log := newSelector(c.want, nil, &k.kernel)
			s.sys = k
			current, err := s.settle()
			if c.reason != "" {
				sourcetest.WantUnavailable(t, err, c.reason, "", false)
			} else if current != "tpm-rng-0" || err != nil {
				t.Errorf("got %q, %v", current, err)
			}
			if !slices.Equal(k.writes, []string{"b.rng"}) || k.current != "tpm-rng-0" {
				t.Errorf("kernel has %q after writes %q", k.current, k.writes)
			}
			if lines := log.Lines(slog.LevelInfo, "selected generator"); len(lines) != 0 {
				t.Errorf("claims success: %q", lines)
			}
			s.restore()
			if len(k.writes) != 1 {
				t.Errorf("restores what was never changed: %q", k.writes)
			}
		})
	}
}

// leaving lists a generator that is not there any more.
type leaving struct {
	kernel
	listed []string
}

func (l *leaving) RNGAvailable() ([]string, error) { return l.listed, nil }

func TestSelectorLog(t *testing.T) {
	k := &kernel{rngs: []rng{{"ccp-1-rng", 1024}, {"tpm-rng-0", 1024}}}
	s, log := newSelector("tpm-rng-0", nil, k)
	for range 10 {
		s.settle()
	}
	want := []string{`level=INFO msg="selected generator" from=ccp-1-rng to=tpm-rng-0`}
	if got := log.Lines(slog.LevelDebug, ""); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A write that the kernel refuses may start a driver each time. So it is tried seldom, and said
// once, while the selector is asked all the time.
func TestBestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &kernel{rngs: []rng{{"tpm-rng-0", 1024}, {"a.rng", 0}, {"ath9k_0", 0}}, init: map[string]error{"a.rng": syscall.EIO}}
		s, log := newSelector(Best, nil, k)
		for range 600 {
			if current, err := s.settle(); current != "tpm-rng-0" || err != nil {
				t.Fatalf("got %q, %v", current, err)
			}
			time.Sleep(time.Second)
		}
		if n := len(k.writes); n < 5 || n > 11 {
			t.Errorf("%d writes in ten minutes", n)
		}
		if lines := log.Lines(slog.LevelDebug, ""); len(lines) != 1 || !strings.Contains(lines[0], "keeping the current one") || !strings.Contains(lines[0], "a.rng") {
			t.Errorf("log: %q", lines)
		}

		// Another one that appears need not wait.
		k.plug(rng{"b.rng", 0})
		k.unplug("a.rng")
		if current, err := s.settle(); current != "b.rng" || err != nil {
			t.Errorf("got %q, %v", current, err)
		}
		if lines := log.Lines(slog.LevelInfo, "to=b.rng"); len(lines) != 1 {
			t.Errorf("log: %q", log.Lines(slog.LevelDebug, ""))
		}

		// And the first may recover, fail again, and is then news.
		k.unplug("b.rng")
		k.plug(rng{"a.rng", 0})
		s.settle()
		if lines := log.Lines(slog.LevelWarn, "a.rng"); len(lines) != 2 {
			t.Errorf("log: %q", log.Lines(slog.LevelDebug, ""))
		}
	})
}

// A name that somebody asked for comes back whenever the kernel moved away from it.
func TestSelectionIsKept(t *testing.T) {
	k := &kernel{rngs: []rng{{"a.rng", 900}, {"b.rng", 500}}}
	s, _ := newSelector("b.rng", nil, k)
	settled := func(want string) {
		t.Helper()
		if current, err := s.settle(); err != nil || current != want || k.current != want {
			t.Errorf("got %q, %v, kernel has %q, want %q", current, err, k.current, want)
		}
	}
	settled("b.rng")

	k.unplug("b.rng")
	if current, err := s.settle(); sourcetest.Unavailable(err) == nil {
		t.Errorf("unplugged: %q, %v", current, err)
	}
	if k.current != "a.rng" {
		t.Errorf("kernel has %q", k.current)
	}
	k.plug(rng{"b.rng", 500})
	settled("b.rng")

	k.SelectRNG("a.rng") // somebody's echo
	settled("b.rng")
	k.SelectRNG("") // somebody wrote rng_quality
	settled("b.rng")
}

func TestRestore(t *testing.T) {
	two := []rng{{"a.rng", 900}, {"b.rng", 500}, {"c.rng", 400}}
	for _, c := range []struct {
		name         string
		want         string
		kernel       *kernel
		meanwhile    func(*kernel)
		current      string
		selected     bool
		restoreWrite []string // after the writes of settle
	}{
		{name: "never changed", want: Keep, kernel: &kernel{rngs: two}, current: "a.rng"},
		{name: "was right already", want: "a.rng", kernel: &kernel{rngs: two}, current: "a.rng"},
		{name: "found the kernel's choice", want: "b.rng", kernel: &kernel{rngs: two}, current: "a.rng", restoreWrite: []string{""}},
		{name: "found a user's choice", want: "b.rng", kernel: &kernel{rngs: two, current: "c.rng", selected: true}, current: "c.rng", selected: true, restoreWrite: []string{"c.rng"}},
		{name: "found a user's none", want: "b.rng", kernel: &kernel{rngs: two, selected: true}, current: "", selected: true, restoreWrite: []string{"none"}},
		{name: "kernel does not tell who chose", want: "b.rng", kernel: &kernel{rngs: two, noSelected: true}, current: "a.rng", restoreWrite: []string{""}},
		{
			name: "somebody chose another since", want: "b.rng", kernel: &kernel{rngs: two}, current: "c.rng", selected: true,
			meanwhile: func(k *kernel) { k.SelectRNG("c.rng"); k.writes = k.writes[:1] },
		},
		{
			name: "unplugged since", want: "b.rng", kernel: &kernel{rngs: two}, current: "a.rng",
			meanwhile: func(k *kernel) { k.rngs = slices.Clone(k.rngs); k.unplug("b.rng") },
		},
		{
			name: "class gone since", want: "b.rng", kernel: &kernel{rngs: two}, current: "b.rng", selected: true,
			meanwhile: func(k *kernel) { k.missing = true },
		},
		{
			name: "read-only since", want: "b.rng", kernel: &kernel{rngs: two}, current: "b.rng", selected: true, restoreWrite: []string{""},
			meanwhile: func(k *kernel) { k.readOnly = true },
		},
		{
			name: "best", want: Best, kernel: &kernel{rngs: []rng{{"tpm-rng-0", 1024}, {"a.rng", 0}}}, current: "tpm-rng-0", restoreWrite: []string{""},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, log := newSelector(c.want, nil, c.kernel)
			if _, err := s.settle(); err != nil {
				t.Fatal(err)
			}
			settled := len(c.kernel.writes)
			if c.meanwhile != nil {
				c.meanwhile(c.kernel)
			}
			s.restore()
			if got := c.kernel.writes[settled:]; !slices.Equal(got, c.restoreWrite) {
				t.Errorf("wrote %q, want %q", got, c.restoreWrite)
			}
			if c.kernel.current != c.current || c.kernel.selected != c.selected {
				t.Errorf("left at %q, selected %v, want %q, %v", c.kernel.current, c.kernel.selected, c.current, c.selected)
			}
			if warned := len(log.Lines(slog.LevelWarn, "restore")) > 0; warned != c.kernel.readOnly {
				t.Errorf("log: %q", log.Lines(slog.LevelDebug, ""))
			}
		})
	}
}

// What was found first is what is put back, whatever happened between.
func TestRestoreAfterReselection(t *testing.T) {
	k := &kernel{rngs: []rng{{"a.rng", 900}, {"b.rng", 500}, {"c.rng", 400}}, current: "c.rng", selected: true}
	s, _ := newSelector("b.rng", nil, k)
	s.settle()
	k.SelectRNG("a.rng")
	s.settle()
	s.restore()
	if k.current != "c.rng" || !k.selected {
		t.Errorf("left at %q, selected %v", k.current, k.selected)
	}
}

func TestRank(t *testing.T) {
	for _, c := range []struct {
		available, deny []string
		want            string
	}{
		{nil, nil, ""},
		{[]string{"a"}, nil, "a"},
		{[]string{"a", "b"}, nil, "a"},
		{[]string{"a", "b"}, []string{"a"}, "b"},
		{[]string{"a", "b"}, []string{"a", "b"}, ""},
		{[]string{"imx-rngc", "ath9k_0", "a"}, nil, "a"},
		{[]string{"imx-rngc", "ath9k_0"}, nil, "ath9k_0"},
		{[]string{"tpm-rng-0", "atmel-sha204a"}, nil, "atmel-sha204a"},
		{[]string{"tpm-rng-1", "tpm-rng-0"}, nil, "tpm-rng-1"},
	} {
		if got := rank(c.available, c.deny, boundTo("")); got != c.want {
			t.Errorf("%q without %q: got %q, want %q", c.available, c.deny, got, c.want)
		}
	}
}

func TestSuggest(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"tpm-rng", "did you mean tpm-rng-0?"},
		{"virtio_rng", "did you mean virtio_rng.0?"},
		{"tpm-rng-0.5", "did you mean tpm-rng-0?"},
		{"TPM-RNG-0", ""},
		{"ccp-1-rng", ""},
	} {
		if got := suggest(c.name, []string{"tpm-rng-0", "virtio_rng.0"}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := suggest("a", nil); got != "" {
		t.Errorf("nothing there: %q", got)
	}
}

var _ hwRandom = (*kernel)(nil)

// The error of a refused selection keeps its cause visible.
func TestSettleErrorCause(t *testing.T) {
	s, _ := newSelector("tpm-rng-0", nil, &kernel{rngs: board().rngs, readOnly: true})
	if _, err := s.settle(); !errors.Is(err, syscall.EROFS) {
		t.Errorf("got %v", err)
	}
}
