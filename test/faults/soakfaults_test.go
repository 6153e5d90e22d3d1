package faults

import (
	"fmt"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/test/faults/script"
)

// soakFaults are what the soak chooses from.
var soakFaults = []struct {
	name    string
	only    string        // channel, "" for all
	longest time.Duration // that it lasts
	do      func(*soaker)
}{
	{"good data", "", 5 * time.Second, func(s *soaker) { s.feed("G1") }},
	{"bad data", "", 4 * time.Second, func(s *soaker) { s.feed(choose(s, "G10", "zeros", "G17", "G18", "G26", "banner")) }},
	{"bias", "", 4 * time.Second, func(s *soaker) {
		s.tape.add(script.Feed{Stream: script.Stream{Name: "G15", Param: choose(s, 0.4, 0.48, 0.49)}})
	}},
	{"repeats", "", 4 * time.Second, func(s *soaker) {
		s.tape.add(script.Feed{Stream: script.Stream{Name: "repeat", Param: choose(s, 1., 16, 4096)}})
	}},
	{"text", "", 3 * time.Second, func(s *soaker) {
		s.tape.add(script.Feed{Stream: script.Stream{Name: "G21", Form: choose(s, "hex", "base64", "top")}})
	}},
	{"bad spell", "", 4 * time.Second, func(s *soaker) {
		s.tape.add(script.Feed{Stream: script.Stream{Name: choose(s, "zeros", "G10", "banner")}, Bytes: 1 + s.rng.Int64N(10_000)})
		s.feed("G1")
	}},
	{"slow", "", 5 * time.Second, func(s *soaker) { s.pieces("G1", 1+s.rng.IntN(40), s.between(time.Millisecond, 200*time.Millisecond)) }},
	{"single bytes", "", 3 * time.Second, func(s *soaker) { s.pieces("G1", 1, 0) }},
	{"bursts", "", 6 * time.Second, func(s *soaker) { s.pieces("G1", 1+s.rng.IntN(3000), s.between(100*time.Millisecond, 3*time.Second)) }},
	{"silence", "", 20 * time.Second, func(s *soaker) { s.tape.add(script.Silence{}) }},
	{"errors", "fuse", 4 * time.Second, func(s *soaker) {
		s.tape.add(script.Fail{Errno: choose(s, syscall.EIO, syscall.EINVAL, syscall.ENODEV, syscall.EAGAIN, syscall.EBUSY, syscall.ETIMEDOUT), Times: 1 + s.rng.IntN(6)})
		s.feed("G1")
	}},
	{"errors all the time", "fuse", 4 * time.Second, func(s *soaker) { s.tape.add(script.Fail{Errno: choose(s, syscall.EIO, syscall.EINVAL)}) }},
	{"errors now and then", "fuse", 4 * time.Second, func(s *soaker) {
		s.tape.add(script.Feed{Stream: script.Stream{Name: "G1"}, Chunk: 100, Errno: choose(s, syscall.EIO, syscall.EINTR), Every: 2 + s.rng.IntN(5)})
	}},
	{"unplugged", "", 3 * time.Second, func(s *soaker) {
		s.unplug()
		s.wait(10*time.Millisecond, 4*time.Second)
		s.plug()
	}},
	{"gone", "", 10 * time.Second, func(s *soaker) { s.unplug() }},
	{"plugged", "", time.Second, func(s *soaker) { s.plug() }},
	{"replaced at once", "", 3 * time.Second, func(s *soaker) {
		s.unplug()
		s.plug()
	}},
	{"another generator", "", 4 * time.Second, func(s *soaker) {
		s.bench.set("sys", "class/misc/hw_random/rng_available", "good.rng other.rng tpm-rng-0 \n")
		s.bench.set("sys", "class/misc/hw_random/rng_current", choose(s, "good.rng\n", "other.rng\n", "tpm-rng-0\n", "none\n", "\n"))
	}},
	{"another quality", "", 3 * time.Second, func(s *soaker) {
		s.bench.set("sys", "class/misc/hw_random/rng_quality", fmt.Sprintln(choose(s, "0", "1", "100", "900", "1024", "high")))
	}},
	{"another configuration", "", 2 * time.Second, func(s *soaker) {
		s.reload(choose(s, "", "refill-interval = \"2s\"\n", "entropy = { hwrng = 1.0 }\n", "hwrng-deny = [\"other.rng\"]\n",
			"monitor = true\n", "sources = [\"hwrng\"]\n", "hwrng-select = \"best\"\n"))
	}},
	{"bad configuration", "", time.Second, func(s *soaker) { s.reload("refill-interval = \"soon\"\n") }},
	{"reloads in a row", "", time.Second, func(s *soaker) {
		for range 10 {
			s.reload("")
			s.wait(time.Millisecond, 20*time.Millisecond)
		}
	}},
	{"many questions", "", time.Second, func(s *soaker) {
		for range 20 {
			s.d.scrape()
			s.d.status()
		}
	}},
}
