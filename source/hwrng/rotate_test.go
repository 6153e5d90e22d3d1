package hwrng

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// carousel is a selector that rotates, and what becomes of it second by second.
type carousel struct {
	t   *testing.T
	s   *selector
	k   *kernel
	log *sourcetest.Log

	startup map[string]int // seconds until the start-up block, 5 if not listed
	since   int            // seconds of the present turn
	turns   []string       // name and length in seconds of each turn that is over
	last    string
}

// rotating runs a test in a bubble, on a kernel that has booted.
func rotating(t *testing.T, k *kernel, deny []string, test func(c *carousel)) {
	synctest.Test(t, func(t *testing.T) {
		s, log := newSelector(Rotate, deny, k)
		s.rotation.turn = time.Minute
		test(&carousel{t: t, s: s, k: k, log: log, startup: map[string]int{}})
	})
}

// ride lets seconds go by, in each of which the source looks at its generator. That the current one is
// denied or absent is for the source to say.
func (c *carousel) ride(seconds int) {
	c.t.Helper()
	for range seconds {
		current, err := c.s.settle()
		if err == nil && current != c.k.current {
			c.t.Fatalf("settled on %q, the kernel has %q", current, c.k.current)
		}
		if current != c.last {
			if c.last != "" {
				c.turns = append(c.turns, fmt.Sprintf("%s %d", c.last, c.since))
			}
			c.last, c.since = current, 0
		}
		after, listed := c.startup[current]
		if !listed {
			after = 5
		}
		if current != "" && c.since == after {
			c.s.rotation.serve()
		}
		c.since++
		time.Sleep(time.Second)
	}
}

func (c *carousel) want(turns ...string) {
	c.t.Helper()
	if !slices.Equal(c.turns, turns) {
		c.t.Errorf("turns %q, want %q", c.turns, turns)
	}
	c.turns = nil
}

// wantStopped checks that the rotation said once that it is over, and leaves everything alone from then on.
func (c *carousel) wantStopped(reason string) {
	c.t.Helper()
	before := len(c.k.writes)
	c.ride(600)
	lines := c.log.Lines(slog.LevelWarn, "rotation stopped until a reload")
	if len(lines) != 1 || !strings.Contains(lines[0], reason) {
		c.t.Errorf("want one line that says %q: %q", reason, lines)
	}
	c.s.restore()
	if len(c.k.writes) != before {
		c.t.Errorf("wrote %q", c.k.writes[before:])
	}
	if state := c.s.rotation.state.Load(); state.Running || !strings.Contains(state.Reason, reason) || time.Since(state.Stopped) < 600*time.Second {
		c.t.Errorf("want it stopped because %q since %s or longer: %+v", reason, time.Now().Add(-600*time.Second), state)
	}
}

func trio() *kernel { return &kernel{rngs: []rng{{"a.rng", 900}, {"b.rng", 500}, {"c.rng", 400}}} }

// Each generator gets its turn, which counts from the start-up block on. The one that was found is first
// and needs no write. In the end all is as found.
func TestRotate(t *testing.T) {
	for _, tt := range []struct {
		name     string
		kernel   *kernel
		deny     []string
		turns    []string
		current  string // in the end
		selected bool
	}{
		{"three", trio(), nil, []string{"a.rng 65", "b.rng 65", "c.rng 65", "a.rng 65"}, "a.rng", false},
		{"from the one that somebody chose", &kernel{rngs: trio().rngs, current: "b.rng", selected: true}, nil, []string{"b.rng 65", "c.rng 65", "a.rng 65", "b.rng 65"}, "b.rng", true},
		{"somebody chose none", &kernel{rngs: trio().rngs, selected: true}, nil, []string{"a.rng 65", "b.rng 65", "c.rng 65", "a.rng 65"}, "", true},
		{"never a denied one", trio(), []string{"b.rng"}, []string{"a.rng 65", "c.rng 65", "a.rng 65", "c.rng 65"}, "a.rng", false},
		{"a denied one is left at once", trio(), []string{"a.rng"}, []string{"b.rng 65", "c.rng 65", "b.rng 65", "c.rng 65"}, "a.rng", false},
		{"no rng_selected, before 4.14", &kernel{rngs: trio().rngs, noSelected: true}, nil, []string{"a.rng 65", "b.rng 65", "c.rng 65", "a.rng 65"}, "a.rng", false},
		{"a driver that does not start", &kernel{rngs: trio().rngs, init: map[string]error{"b.rng": syscall.EIO}}, nil, []string{"a.rng 65", "c.rng 65", "a.rng 65", "c.rng 65"}, "a.rng", false},
		{"one alone", &kernel{rngs: []rng{{"a.rng", 0}}}, nil, nil, "a.rng", false},
		{"the others denied", trio(), []string{"b.rng", "c.rng"}, nil, "a.rng", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rotating(t, tt.kernel, tt.deny, func(c *carousel) {
				c.ride(261)
				c.want(tt.turns...)
				c.s.restore()
				if c.k.current != tt.current || c.k.selected != tt.selected {
					t.Errorf("left at %q, selected %t", c.k.current, c.k.selected)
				}
				for _, denied := range tt.deny {
					if slices.Contains(c.k.writes, denied) {
						t.Errorf("wrote the denied %s", denied)
					}
				}
				if len(tt.turns) == 0 && len(c.k.writes) > 0 {
					t.Errorf("wrote %q", c.k.writes)
				}
			})
		})
	}
}

// A generator that failed its tests has no turn for a while, longer each time; and one that gives nothing
// does not hold up the others for ever.
func TestRotateLeavesOut(t *testing.T) {
	t.Run("failed its tests", func(t *testing.T) {
		rotating(t, trio(), nil, func(c *carousel) {
			for _, rest := range []time.Duration{shunFirst, 2 * shunFirst} {
				for c.last != "b.rng" {
					c.ride(1)
				}
				c.turns = nil
				c.s.shun("b.rng")
				c.ride(int(rest/time.Second) - 1)
				for _, turn := range c.turns[1:] {
					if strings.HasPrefix(turn, "b.rng") {
						t.Errorf("turns within %s: %q", rest, c.turns)
					}
				}
			}
		})
	})
	t.Run("forgiven after a turn that went well", func(t *testing.T) {
		rotating(t, trio(), nil, func(c *carousel) {
			for range 3 {
				for c.last != "b.rng" {
					c.ride(1)
				}
				c.ride(1)
				c.s.shun("b.rng")
				c.ride(int(shunFirst/time.Second) + 2*65) // the first time again
				c.turns = nil
				c.ride(3 * 65)
				if !slices.Contains(c.turns, "b.rng 65") {
					t.Errorf("turns %q", c.turns)
				}
			}
		})
	})
	t.Run("all failed", func(t *testing.T) {
		rotating(t, trio(), nil, func(c *carousel) {
			c.ride(1)
			for _, name := range []string{"b.rng", "c.rng", "a.rng"} {
				c.s.shun(name)
			}
			c.ride(int(shunFirst/time.Second) - 2)
			if len(c.k.writes) != 0 {
				t.Errorf("wrote %q, where none is better", c.k.writes)
			}
		})
	})
	t.Run("slow", func(t *testing.T) {
		rotating(t, trio(), nil, func(c *carousel) {
			c.startup["b.rng"] = 131 // 20 B/s
			c.ride(5*65 + 131)
			c.want("a.rng 65", "b.rng 191", "c.rng 65", "a.rng 65")
		})
	})
	t.Run("silent", func(t *testing.T) {
		rotating(t, trio(), nil, func(c *carousel) {
			c.startup["b.rng"] = -1
			c.ride(65 + 300 + 3*65)
			c.want("a.rng 65", "b.rng 300", "c.rng 65", "a.rng 65")
			if lines := c.log.Lines(slog.LevelWarn, "left out"); len(lines) != 1 || !strings.Contains(lines[0], "generator=b.rng") {
				t.Errorf("log: %q", lines)
			}
		})
	})
}

// Whoever else writes to rng_current has the last word.
func TestRotateYields(t *testing.T) {
	for _, tt := range []struct {
		name, reason string
		meanwhile    func(*kernel)
		current      string
	}{
		{"another name", "rng_current is a.rng and not b.rng", func(k *kernel) { k.SelectRNG("a.rng") }, "a.rng"},
		{"none", "rng_current is none and not b.rng", func(k *kernel) { k.SelectRNG("none") }, ""},
		{"the kernel's choice", "rng_current is a.rng and not b.rng", func(k *kernel) { k.SelectRNG("") }, "a.rng"},
		{"the kernel's choice, which is ours", "rng_selected is 0", func(k *kernel) { k.rngs[1].quality = 1000; k.SelectRNG("") }, "b.rng"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rotating(t, trio(), nil, func(c *carousel) {
				c.ride(80)
				c.want("a.rng 65")
				tt.meanwhile(c.k)
				selected := c.k.selected
				c.wantStopped(tt.reason)
				if c.k.current != tt.current || c.k.selected != selected {
					t.Errorf("left at %q, selected %t", c.k.current, c.k.selected)
				}
			})
		})
	}
}

// What the kernel does by itself is no reason to stop.
func TestRotateFollowsKernel(t *testing.T) {
	rotating(t, trio(), nil, func(c *carousel) {
		c.ride(20)
		c.k.plug(rng{"d.rng", 1000}) // nobody has chosen so far, so the kernel takes it
		c.ride(70)
		c.want("a.rng 20", "d.rng 65")
		c.ride(50)
		c.k.unplug("a.rng") // at its turn
		c.ride(130)
		c.want("a.rng 55", "d.rng 65")
		if lines := c.log.Lines(slog.LevelWarn, ""); len(lines) > 0 {
			t.Errorf("log: %q", lines)
		}
		c.k.rngs, c.k.current, c.k.selected = nil, "", false // all of them
		if _, err := c.s.settle(); sourcetest.Unavailable(err) == nil {
			t.Errorf("%v", err)
		}
		c.k.plug(rng{"e.rng", 0})
		c.ride(1)
		if c.last != "e.rng" {
			t.Errorf("settled on %q", c.last)
		}
	})
}

// Without the right to choose there is no rotation.
func TestRotateRefused(t *testing.T) {
	t.Run("at the start", func(t *testing.T) {
		k := trio()
		k.readOnly = true
		rotating(t, k, nil, func(c *carousel) {
			c.ride(100)
			c.wantStopped("cannot select generators")
			if len(k.writes) != 1 || k.current != "a.rng" {
				t.Errorf("wrote %q, left at %s", k.writes, k.current)
			}
		})
	})
	t.Run("later", func(t *testing.T) {
		rotating(t, trio(), nil, func(c *carousel) {
			c.ride(100)
			c.k.readOnly = true
			c.ride(100)
			if lines := c.log.Lines(slog.LevelWarn, "rotation stopped"); len(lines) != 1 || c.k.current != "b.rng" {
				t.Errorf("left at %s, log %q", c.k.current, lines)
			}
		})
	})
	t.Run("no class", func(t *testing.T) {
		rotating(t, &kernel{missing: true}, nil, func(c *carousel) {
			if _, err := c.s.settle(); sourcetest.Unavailable(err) == nil {
				t.Errorf("%v", err)
			}
		})
	})
}

// TestRotateSource: the source goes on with the next generator by what it has read of this one, and says
// that it will be back.
func TestRotateSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, map[string]string{"rng_current": "a.rng\n", "rng_available": "a.rng b.rng none\n", "rng_selected": "0\n"})
		r.opt.Select, r.opt.Turn = Rotate, time.Minute
		s, p := r.playing(give(stale()), give(letters(2499)), give(letters(2)), give(stale()), give([]byte("b")))
		defer p.release(s)
		// now is when the turn began as far as the rotation knows.
		now := func() time.Duration { return time.Since(s.selector.rotation.served) }
		if s.Rotation() != nil {
			t.Error("rotates although nothing was selected yet")
		}
		for got := 0; got < 2499; {
			n, err := s.Read(t.Context(), make([]byte, 2500-got))
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
		if !s.selector.rotation.served.IsZero() {
			t.Error("2499 bytes are not a block")
		}
		read(t, s, 64, "xx")
		if now() != 0 {
			t.Errorf("served %s ago", now())
		}
		r.set("rng_selected", "1\n") // what the write will do
		time.Sleep(time.Minute - time.Nanosecond)
		if err := s.Watch(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Nanosecond)
		changed := s.Watch()
		wantChanged(t, changed, "generator", "a.rng", "b.rng")
		if c, _ := errors.AsType[*source.ChangedError](changed); !c.InTurn || r.get("rng_current") != "b.rng\n" {
			t.Errorf("%+v, rng_current is %q", c, r.get("rng_current"))
		}
		read(t, s, 64, "b")
		r.wantDropped(2 * flushBytes)

		r.set("rng_current", "a.rng\n")
		before := s.Rotation()
		if !before.Running {
			t.Error("stopped too early")
		}
		changed = s.Watch()
		wantChanged(t, changed, "generator", "b.rng", "a.rng")
		if c, _ := errors.AsType[*source.ChangedError](changed); !c.InTurn {
			t.Error("what is held against a.rng since its turn is forgotten")
		}
		want := source.Rotation{Stopped: time.Now(), Reason: "somebody else chooses the generator: rng_current is a.rng and not b.rng"}
		if got := *s.Rotation(); got != want || !before.Running {
			t.Errorf("%+v, want %+v", got, want)
		}

		// What happens now is nobody's turn.
		r.set("rng_current", "b.rng\n")
		changed = s.Watch()
		wantChanged(t, changed, "generator", "a.rng", "b.rng")
		if c, _ := errors.AsType[*source.ChangedError](changed); c.InTurn {
			t.Error("a change by somebody else is told as a turn")
		}
	})
}

// Whether there is a rotation is what the source does and not what it was asked for.
func TestNoRotation(t *testing.T) {
	class := func() map[string]string {
		return map[string]string{"rng_current": "a.rng\n", "rng_available": "a.rng b.rng none\n"}
	}
	another := class()
	another["dev"] = "10:183\n" // the rig's device is a FIFO
	for _, tt := range []struct {
		name, want string
		class      map[string]string
	}{
		{"keep", Keep, class()},
		{"best", Best, class()},
		{"a name", "b.rng", class()},
		{"no class", Rotate, nil},
		{"the class is of another device", Rotate, another},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.class)
			r.opt.Select = tt.want
			s, p := r.playing()
			defer p.release(s)
			_ = s.Watch() // without a class it says so
			if got := s.Rotation(); got != nil {
				t.Errorf("%+v", *got)
			}
		})
	}
}
