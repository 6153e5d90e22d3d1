package faults

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/faults/script"
	"github.com/hwrngd/hwrngd/test/kit"
)

// The soak: faults of every sort, one after the other, at random, for as long as -soak says. There is
// a daemon for each sort of device, and all of them have jitter beside it. Every now and then there is
// peace, in which the counters have to agree; in the end nothing may have grown.
func TestSoak(t *testing.T) {
	if *soakTime == 0 {
		t.Skip("only with -soak TIME")
	}
	for i, kind := range []string{"fifo", "pty", "fuse"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			newSoaker(t, kind, rand.New(rand.NewPCG(*soakSeed, uint64(i)))).run(*soakTime)
		})
	}
}

// soaker tortures one daemon.
type soaker struct {
	t       testing.TB
	kind    string
	rng     *rand.Rand
	bench   *bench
	tape    *tape
	channel channel
	d       *daemon
	plugged bool
	count   map[string]int // of faults
	rests   []rest
}

// rest is what a daemon takes in peace.
type rest struct{ memory, files, goroutines int }

func newSoaker(t testing.TB, kind string, rng *rand.Rand) *soaker {
	b := newBench(t)
	b.env = append(b.env, "HWRNGD_SOURCES=auto")
	s := &soaker{t: t, kind: kind, rng: rng, bench: b, tape: newTape(), count: map[string]int{}}
	s.tape.forget = true
	s.channel = newChannel(t, &script.Case{Channel: kind}, s.tape, filepath.Join(b.dir, "dev"))
	return s
}

// How often there is peace: each minute, but not too often and not too rarely.
const leastRests, mostRests = 6, 20

func (s *soaker) run(total time.Duration) {
	begun := time.Now()
	options := []string{}
	if s.kind == "fuse" {
		options = append(options, "--allow-file-source")
	}
	s.d = s.bench.start(append([]string{"run"}, options...)...)
	s.d.status() // it is up: a SIGHUP before that would end it
	wanted := max(leastRests, min(mostRests, int(total/time.Minute)))
	for len(s.rests) < wanted {
		for until := begun.Add(total * time.Duration(len(s.rests)+1) / time.Duration(wanted)); time.Now().Before(until); {
			f := soakFaults[s.rng.IntN(len(soakFaults))]
			if f.only != "" && f.only != s.kind {
				continue
			}
			s.count[f.name]++
			f.do(s)
			s.wait(time.Second, f.longest)
			if s.rng.IntN(2) == 0 { // let it recover, or go on from bad to worse
				s.feed("G1")
				s.wait(time.Second, 4*time.Second)
			}
		}
		s.peace()
	}
	s.verdict()
}

// wait waits for a random time, as long as the daemon lives.
func (s *soaker) wait(least, most time.Duration) {
	s.t.Helper()
	d := least
	if most > least {
		d += s.between(0, most-least)
	}
	select {
	case <-s.d.exited:
		s.t.Fatalf("it ended by itself, with exit code %d, after the faults %v", s.d.code, s.count)
	case <-time.After(d):
	}
}

// peace is a new device that works, and nothing else, until the daemon has settled.
func (s *soaker) peace() {
	s.t.Helper()
	s.unplug()
	s.bench.set("sys", "class/misc/hw_random/rng_current", "good.rng\n")
	s.bench.set("sys", "class/misc/hw_random/rng_available", "good.rng other.rng \n")
	s.bench.set("sys", "class/misc/hw_random/rng_quality", "0\n")
	s.reload("")
	s.tape.clear()
	s.feed("G1")
	s.wait(2*time.Second, 0)
	s.plug()
	kit.Within(s.t, 2*time.Minute, "a device that works is used", func() bool { return s.d.status().source("hwrng").State == "active" })
	kit.Within(s.t, time.Minute, "no fallback is in use", func() bool { return s.d.scrape()["hwrngd_source_fallback_active"] == 0 })
	s.wait(4*time.Second, 0) // what jitter needed for its work is given back
	if wrong := s.d.balanced(seedBits); wrong != "" {
		s.t.Errorf("counters do not agree after the faults %v: %s", s.count, wrong)
	}
	r := rest{s.d.resident(), s.d.descriptors(), int(s.d.scrape()["go_goroutines"])}
	for range 10 { // the least of it: the looks themselves cost some
		s.wait(300*time.Millisecond, 0)
		r.memory, r.files = min(r.memory, s.d.resident()), min(r.files, s.d.descriptors())
		r.goroutines = min(r.goroutines, int(s.d.scrape()["go_goroutines"]))
	}
	s.rests = append(s.rests, r)
}

// verdict compares what the daemon takes at the end with what it took half way, after the warm-up.
func (s *soaker) verdict() {
	warm := s.rests[len(s.rests)/4:]
	early, late := warm[:len(warm)/2], warm[len(warm)/2:]
	for _, c := range []struct {
		what  string
		of    func(rest) int
		spare int // in percent
	}{
		{"goroutines", func(r rest) int { return r.goroutines }, 0},
		{"open files", func(r rest) int { return r.files }, 0},
		{"KiB resident", func(r rest) int { return r.memory >> 10 }, 10},
	} {
		// A leak leaves no moment with less than before.
		before, after := c.of(slices.MaxFunc(early, by(c.of))), c.of(slices.MinFunc(late, by(c.of)))
		if after > before+before*c.spare/100 {
			s.t.Errorf("grown from at most %d to at least %d %s", before, after, c.what)
		}
	}
	final := s.d.scrape()
	lines := len(s.d.lines("any"))
	s.d.stop()
	s.t.Logf("faults: %v", s.count)
	s.t.Logf("resident KiB, files and goroutines at rest: %s", restList(s.rests))
	s.t.Logf("%v bytes read, %v blocks passed, %v failed, %v bits credited of hwrng; %v of jitter; %d lines logged; %.2f %% of a core",
		final.of("hwrng", "source_read_bytes_total"), ofScrape["passed"](final, []string{"hwrng"}), ofScrape["failed"](final, []string{"hwrng"}),
		final.of("hwrng", "entropy_credited_bits_total"), final.of("jitter", "entropy_credited_bits_total"), lines,
		100*s.d.cpuTime().Seconds()/s.d.ended.Sub(s.d.begun).Seconds())
	if errors := s.d.lines("ERROR"); len(errors) > s.count["bad configuration"] {
		s.t.Errorf("%d errors logged, %d bad configurations: %v", len(errors), s.count["bad configuration"], errors)
	}
}

func by(of func(rest) int) func(a, b rest) int {
	return func(a, b rest) int { return of(a) - of(b) }
}

func restList(all []rest) (text string) {
	for _, r := range all {
		text += fmt.Sprintf(" %d/%d/%d", r.memory>>10, r.files, r.goroutines)
	}
	return text
}

func (s *soaker) feed(stream string) { s.tape.add(script.Feed{Stream: script.Stream{Name: stream}}) }

func (s *soaker) plug() {
	s.t.Helper()
	if s.plugged {
		return
	}
	if err := s.channel.plug(s.bench.device); err != nil {
		s.t.Fatal(err)
	}
	s.plugged = true
}

func (s *soaker) unplug() {
	s.t.Helper()
	if !s.plugged {
		return
	}
	if err := s.channel.unplug(); err != nil {
		s.t.Fatal(err)
	}
	s.plugged = false
}

func (s *soaker) reload(config string) {
	s.t.Helper()
	s.bench.set("config", "", config)
	if err := s.d.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		s.t.Fatal(err)
	}
}

// choose returns one of several.
func choose[T any](s *soaker, all ...T) T { return all[s.rng.IntN(len(all))] }

// between returns a duration.
func (s *soaker) between(least, most time.Duration) time.Duration {
	return least + time.Duration(s.rng.Int64N(int64(most-least)))
}

// pieces is data in pieces of that size, with a pause after each.
func (s *soaker) pieces(stream string, chunk int, pause time.Duration) {
	s.tape.add(script.Feed{Stream: script.Stream{Name: stream}, Chunk: chunk, Pause: pause})
}
