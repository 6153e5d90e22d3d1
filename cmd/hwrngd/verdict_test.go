package main

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/hwrng"
)

// TestVerdict has every sentence that a user can get to see. Read them as that user.
func TestVerdict(t *testing.T) {
	kernelFeeds := exampleMachine
	alone := boardMachine
	unseeded := func() machine {
		m := boardMachine()
		m.CRNGReady, m.EntropyBits = false, 100
		return m
	}
	without := func() machine {
		m := boardMachine()
		m.HWRandom = hwrng.Class{Available: []string{}}
		return m
	}
	for _, tt := range []struct {
		name   string
		m      func() machine
		daemon *pool.Status
		err    error
		want   string
	}{
		{
			"well, beside the kernel", kernelFeeds, exampleStatus(), nil,
			"all is well: the kernel's generator is seeded, the kernel also reads virtio_rng.0 by itself without testing it, and hwrngd adds tested data of virtio_rng.0 every 60s",
		},
		{
			"well, alone", alone, exampleStatus(), nil,
			"all is well: the kernel's generator is seeded and hwrngd adds tested data of virtio_rng.0 every 60s; the kernel itself reads no generator",
		},
		{
			"well, the thread has nothing to read", func() machine {
				m := exampleMachine()
				m.HWRandom = hwrng.Class{}
				return m
			}, exampleStatus(), nil,
			"all is well: the kernel's generator is seeded and hwrngd adds tested data of virtio_rng.0 every 60s; the kernel itself reads no generator",
		},
		{
			"well, a device without a name", alone, changed(func(s *pool.Status) { s.Sources[0].Driver, s.Refill = "", time.Hour }), nil,
			"all is well: the kernel's generator is seeded and hwrngd adds tested data of the configured device every 1h; the kernel itself reads no generator",
		},
		{
			"well, by jitter", without, changed(func(s *pool.Status) {
				lost := s.Sources[0]
				lost.State, lost.Reason = "starting", "no data for 15s"
				s.Sources = []source.Snapshot{lost, {Name: "jitter", Kind: source.KindJitter, State: "active"}}
			}), nil,
			"all is well: the kernel's generator is seeded and hwrngd adds tested data of CPU jitter every 60s; the kernel itself reads no generator",
		},
		{
			"well, by a program", without, changed(func(s *pool.Status) {
				s.Sources = []source.Snapshot{{Name: "command", Kind: source.KindCommand, Device: "/usr/bin/infnoise", State: "active"}}
			}), nil,
			"all is well: the kernel's generator is seeded and hwrngd adds tested data of /usr/bin/infnoise every 60s; the kernel itself reads no generator",
		},
		{
			"well, legacy", func() machine {
				m := boardMachine()
				m.PoolBits = 4096
				return m
			}, exampleStatus(), nil,
			"all is well: the kernel's generator is seeded and hwrngd adds tested data of virtio_rng.0 whenever the kernel asks; the kernel itself reads no generator",
		},
		{
			"not enough yet", unseeded, exampleStatus(), nil,
			"hwrngd adds tested data of virtio_rng.0 every 60s, but the kernel's generator is NOT seeded: programs that need keys wait",
		},
		{
			"seeded or not", func() machine {
				m := boardMachine()
				m.CRNGReady, m.CRNGError = false, "getrandom(GRND_NONBLOCK): function not implemented"
				return m
			}, exampleStatus(), nil,
			"hwrngd adds tested data of virtio_rng.0 every 60s, but whether the kernel's generator is seeded is not known (getrandom(GRND_NONBLOCK): function not implemented)",
		},
		{
			"overdue", alone, changed(func(s *pool.Status) { s.Credits.LastCredit = reportTime.Add(-3*time.Minute - 1) }), nil,
			"hwrngd tests virtio_rng.0 but has credited nothing since 2026-11-30 11:56:59; the kernel's generator is seeded",
		},
		{
			"slow, but not overdue", alone, changed(func(s *pool.Status) { s.Refill, s.Credits.LastCredit = time.Hour, reportTime.Add(-2*time.Hour) }), nil,
			"all is well: the kernel's generator is seeded and hwrngd adds tested data of virtio_rng.0 every 1h; the kernel itself reads no generator",
		},
		{
			"first credit to come", alone, changed(uncredited), nil,
			"hwrngd tests virtio_rng.0 and has credited nothing yet; the kernel's generator is seeded",
		},
		{
			"claim too low", alone, changed(func(s *pool.Status) {
				uncredited(s)
				s.Credits.Bytes["hwrng"] = 64
				s.Sources[0].Driver = "atmel-sha204a"
			}), nil,
			"hwrngd adds tested data of atmel-sha204a every 60s, which earns no credit at so low a claim; the kernel's generator is seeded",
		},
		{
			"kernel refuses", unseeded, changed(func(s *pool.Status) {
				uncredited(s)
				s.Credits.LastError = "RNDADDENTROPY /dev/random: bad address"
			}), nil,
			"hwrngd tests virtio_rng.0 but the kernel has taken nothing yet (RNDADDENTROPY /dev/random: bad address); the kernel's generator is NOT seeded: programs that need keys wait",
		},
		{
			"may not credit", kernelFeeds, changed(func(s *pool.Status) {
				uncredited(s)
				s.Credits.CanCredit = false
			}), nil,
			"hwrngd tests virtio_rng.0 but may not credit it (no CAP_SYS_ADMIN); the kernel's generator is seeded",
		},
		{
			"monitor, beside the kernel", kernelFeeds, changed(func(s *pool.Status) { s.Monitor = true }), nil,
			"the kernel's generator is seeded and the kernel reads virtio_rng.0 by itself; hwrngd tests virtio_rng.0 and, in monitor mode, credits nothing",
		},
		{
			"monitor, alone", alone, changed(func(s *pool.Status) { s.Monitor = true }), nil,
			"the kernel's generator is seeded; hwrngd tests virtio_rng.0 and, in monitor mode, credits nothing",
		},
		{
			"starting", unseeded, changed(waiting(source.Starting, "", 0.43)), nil,
			"hwrngd runs but feeds nothing (source hwrng is starting, 43 % of a test block read); the kernel's generator is NOT seeded: programs that need keys wait",
		},
		{
			"bad data", kernelFeeds, changed(waiting(source.Quarantined, "rct health test: value 0x00 repeated 11 times", 0)), nil,
			"hwrngd runs but feeds nothing (source hwrng is quarantined: rct health test: value 0x00 repeated 11 times); the kernel's generator is seeded",
		},
		{
			"not running, kernel feeds", kernelFeeds, nil, fs.ErrNotExist,
			"the kernel's generator is seeded and the kernel reads virtio_rng.0 by itself, but nothing tests that generator: hwrngd is not running",
		},
		{
			"not running, generator idle", alone, nil, fs.ErrNotExist,
			"the kernel's generator is seeded; the kernel does not read iproc-rng200 by itself, and hwrngd, which would, is not running",
		},
		{
			"not running, unseeded", unseeded, nil, fs.ErrNotExist,
			"the kernel's generator is NOT seeded: programs that need keys wait; start hwrngd, which can seed it from iproc-rng200",
		},
		{
			"not running, none selected", func() machine {
				m := boardMachine()
				m.HWRandom = hwrng.Class{Available: []string{"a.rng", "tpm-rng-0"}}
				return m
			}, nil, fs.ErrNotExist,
			"the kernel's generator is seeded; no hardware generator is current (there are: a.rng tpm-rng-0), and hwrngd is not running",
		},
		{
			"not running, no generator", without, nil, fs.ErrNotExist,
			"the kernel's generator is seeded; there is no hardware generator, and hwrngd is not running",
		},
		{
			"not running, no generator, unseeded", func() machine {
				m := without()
				m.CRNGReady = false
				return m
			}, nil, fs.ErrNotExist,
			"the kernel's generator is NOT seeded: programs that need keys wait; start hwrngd, which can seed it from CPU jitter",
		},
		{
			"forbidden", alone, nil, &fs.PathError{Op: "connect", Path: "/run/hwrngd/status.sock", Err: fs.ErrPermission},
			"the kernel's generator is seeded; hwrngd cannot be asked: connect /run/hwrngd/status.sock: permission denied",
		},
		{
			"no answer", alone, nil, errors.New("read unix @->/run/hwrngd/status.sock: i/o timeout"),
			"the kernel's generator is seeded; hwrngd does not answer: read unix @->/run/hwrngd/status.sock: i/o timeout",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := newStatusReport(tt.m(), tt.daemon, tt.err, reportTime).Verdict
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if strings.ContainsAny(got, "\n") || strings.HasSuffix(got, ".") || strings.Contains(got, "  ") || strings.Contains(got, "%!") {
				t.Errorf("not one plain sentence: %q", got)
			}
			// Nobody is told that all is well unless tested data reaches a seeded kernel.
			if m := tt.m(); strings.Contains(got, "all is well") && (!m.CRNGReady || tt.daemon == nil || tt.daemon.Credits.TotalBits() == 0) {
				t.Errorf("too good to be true: %q", got)
			}
		})
	}
}
