package source_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

var (
	errIO    = &os.PathError{Op: "read", Path: "/dev/hwrng", Err: syscall.EIO}
	errInval = &os.PathError{Op: "read", Path: "/dev/hwrng", Err: syscall.EINVAL}
	errAgain = &os.PathError{Op: "read", Path: "/dev/hwrng", Err: syscall.EAGAIN}
	errGone  = &source.UnavailableError{Reason: "no driver behind /dev/hwrng", Hint: "load one", Err: syscall.ENODEV}
)

// other is another generator behind the same device.
func other() source.Info {
	info := sourcetest.Info()
	info.Driver, info.MinEntropy, info.ClaimOrigin = "ath9k", 2.5, "driver table"
	return info
}

// TestOnDemand: the block of the start-up test comes unasked, every other one is asked for, and
// nobody reads in between.
func TestOnDemand(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.holds(r.block(0), 0)
		r.states(source.Starting, source.Active)
		r.noBlock(time.Hour)
		if n := len(r.src.Calls(sourcetest.Read)); n != 1 {
			t.Errorf("%d reads, want 1", n)
		}
		// The kernel tells nobody when it puts another generator there.
		if n := len(r.src.Calls(sourcetest.Watch)); n != int(time.Hour/source.WatchInterval) {
			t.Errorf("watched %d times in an hour, want every %v", n, source.WatchInterval)
		}
		for i := 1; i <= 3; i++ {
			r.w.Request()
			r.holds(r.block(0), i*fips.BlockBytes)
			r.noBlock(time.Minute)
		}
		e := r.rec.Events()
		if len(e.Startups) != 1 || len(e.Successes) != 4 || e.Reads != 4 {
			t.Errorf("recorded %+v", e)
		}
		if want := []source.Info{sourcetest.Info(), sourcetest.Info()}; !slices.Equal(e.Infos, want) {
			t.Errorf("described as %+v", e.Infos)
		}
		r.accounted(4)
		r.warnings(0, "")
	})
}

// TestRequestsMerge: however often a block is asked for before it comes, it comes once.
func TestRequestsMerge(t *testing.T) {
	trickle := []sourcetest.Step{sourcetest.Forever(sourcetest.Pause(time.Second), sourcetest.Give(250))}
	bubble(t, trickle, func(t *testing.T, r *rig) {
		r.w.Request() // before the start-up test is over
		r.pass(5 * time.Second)
		r.w.Request()
		r.block(time.Minute)
		r.noBlock(time.Minute)
		r.w.Request()
		r.pass(5 * time.Second)
		r.w.Request()
		r.w.Request()
		r.block(time.Minute)
		r.noBlock(time.Minute)
		r.w.Request()
		r.block(time.Minute)
	})
}

// TestShortReads assembles blocks from any pieces (FC-044).
func TestShortReads(t *testing.T) {
	for _, n := range []int{1, 7, 64, 2499, 2500} {
		t.Run(fmt.Sprintf("%d bytes", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := startRig(t, sourcetest.New(sourcetest.Info(), nil).Chunked(n))
				for i := range 3 {
					if i > 0 {
						r.w.Request()
					}
					r.holds(r.block(0), i*fips.BlockBytes)
				}
				if s := r.w.Snapshot(); s.ReadErrors != 0 || s.LastError != "" {
					t.Errorf("a short read is no error: %+v", s)
				}
			})
		})
	}
}

// TestPassingErrors are errors that come and go: data goes on as if nothing had been, and the
// source keeps its state.
func TestPassingErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script []sourcetest.Step
		reason source.ReadReason
		errors int // in three blocks
	}{
		{"first read fails (FC-045)", []sourcetest.Step{sourcetest.Fail(errIO)}, source.ReadEIO, 1},
		{"first two reads fail", []sourcetest.Step{sourcetest.Fail(errIO), sourcetest.Fail(errIO)}, source.ReadEIO, 2},
		{
			"every third read fails (FC-019)",
			[]sourcetest.Step{sourcetest.Forever(sourcetest.Give(400), sourcetest.Give(400), sourcetest.Fail(errIO))},
			source.ReadEIO, 9,
		},
		{
			"every second read is interrupted (FC-044)",
			[]sourcetest.Step{sourcetest.Forever(sourcetest.Give(500), sourcetest.Fail(syscall.EINTR))},
			source.ReadOther, 14,
		},
		{"end of file now and then", []sourcetest.Step{sourcetest.Give(3000), sourcetest.Fail(io.EOF)}, source.ReadEOF, 1},
		{"nothing read", []sourcetest.Step{sourcetest.Give(3000), sourcetest.Fail(io.ErrNoProgress)}, source.ReadShort, 1},
		{"no device for a moment", []sourcetest.Step{sourcetest.Give(3000), sourcetest.Fail(syscall.ENODEV)}, source.ReadENODEV, 1},
		{"not allowed for a moment", []sourcetest.Step{sourcetest.Give(3000), sourcetest.Fail(syscall.EACCES)}, source.ReadEPERM, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.script, func(t *testing.T, r *rig) {
				for i := range 3 {
					if i > 0 {
						r.w.Request()
					}
					r.holds(r.block(10*time.Second), i*fips.BlockBytes)
				}
				r.states(source.Starting, source.Active)
				e, s := r.rec.Events(), r.w.Snapshot()
				if e.ReadErrors[tt.reason] != tt.errors || len(e.ReadErrors) != 1 || s.ReadErrors != uint64(tt.errors) {
					t.Errorf("errors %v, snapshot %d, want %d of %s", e.ReadErrors, s.ReadErrors, tt.errors, tt.reason)
				}
				if s.Reason != "" {
					t.Errorf("a mark is left: %q", s.Reason)
				}
				if lines := r.log.Lines(slog.LevelInfo, ""); len(lines) != 1 {
					t.Errorf("lines beside that of the start-up test: %q", lines)
				}
			})
		})
	}
}

// TestBrokenForEver backs off to half a minute, says so once, and notices when it works again
// (FC-071).
func TestBrokenForEver(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script []sourcetest.Step
		states []source.State
	}{
		{"from the start", nil, []source.State{source.Starting}},
		{"later", []sourcetest.Step{sourcetest.Give(fips.BlockBytes)}, []source.State{source.Starting, source.Active, source.Starting}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script := append(slices.Clip(tt.script), sourcetest.Forever(sourcetest.Fail(errInval)))
			bubble(t, script, func(t *testing.T, r *rig) {
				if len(tt.script) > 0 {
					r.block(0)
					r.w.Request()
				}
				r.noBlock(10 * time.Minute)
				at := r.reads()[len(tt.script):]
				if len(at) > 35 {
					t.Errorf("%d reads in ten minutes", len(at))
				}
				for i := 1; i < len(at); i++ {
					gap, limit := at[i]-at[i-1], 30*time.Second
					if i < 10 {
						limit = min(limit, 100*time.Millisecond<<(i-1))
					}
					if gap < limit*9/10 || gap > limit*11/10 {
						t.Errorf("pause %d is %v, want %v within a tenth", i, gap, limit)
					}
				}
				r.warnings(1, "source cannot be read")
				r.states(tt.states...)
				if s := r.w.Snapshot(); s.Reason != errInval.Error() || s.LastError != errInval.Error() || s.ReadErrors != uint64(len(at)) {
					t.Errorf("snapshot %+v", s)
				}
				r.src.Play()
				r.block(33 * time.Second)
				r.states(append(tt.states, source.Active)...)
				if s := r.w.Snapshot(); s.Reason != "" {
					t.Errorf("reason %q is left", s.Reason)
				}
			})
		})
	}
}

// TestChangingErrors keeps quiet about a device that fails in a different way each time.
func TestChangingErrors(t *testing.T) {
	script := []sourcetest.Step{sourcetest.Forever(sourcetest.Fail(errIO), sourcetest.Fail(errInval))}
	bubble(t, script, func(t *testing.T, r *rig) {
		r.noBlock(time.Hour)
		if lines := r.log.Lines(slog.LevelWarn, "source cannot be read"); len(lines) < 1 || len(lines) > 60 {
			t.Errorf("%d warnings in an hour", len(lines))
		}
	})
}

// TestNothingYet is a device that has nothing to give for some seconds.
func TestNothingYet(t *testing.T) {
	for _, d := range []time.Duration{200 * time.Millisecond, 8 * time.Second, time.Minute} {
		bubble(t, []sourcetest.Step{sourcetest.Outage(d, errAgain)}, func(t *testing.T, r *rig) {
			r.block(d + 33*time.Second)
			r.states(source.Starting, source.Active)
			if n := len(r.log.Lines(slog.LevelWarn, "")); n > 1 {
				t.Errorf("%d warnings", n)
			}
		})
	}
}

// TestWatchFails has a look at an idle source fail: that is counted, and no reason to read it.
func TestWatchFails(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.block(0)
		for range 5 {
			r.src.Play(sourcetest.Outage(time.Second, errAgain))
			r.noBlock(time.Minute)
		}
		if n := len(r.reads()); n != 1 {
			t.Errorf("%d reads", n)
		}
		if e := r.rec.Events(); e.ReadErrors[source.ReadOther] != 5 {
			t.Errorf("errors %v", e.ReadErrors)
		}
		r.states(source.Starting, source.Active)
		r.warnings(0, "")
	})
}

// TestUnavailable looks again every few seconds, and says once that a device went.
func TestUnavailable(t *testing.T) {
	bubble(t, []sourcetest.Step{sourcetest.Outage(10*time.Minute, errGone)}, func(t *testing.T, r *rig) {
		r.noBlock(10*time.Minute - time.Millisecond)
		r.warnings(1, "no driver behind /dev/hwrng")
		if s := r.w.Snapshot(); s.State != "starting" || s.Reason != errGone.Reason {
			t.Errorf("snapshot %+v", s)
		}
		r.block(5500 * time.Millisecond)
		r.states(source.Starting, source.Active)

		// It goes while nobody reads.
		r.src.Play(sourcetest.Outage(time.Minute, errGone))
		r.noBlock(source.WatchInterval)
		r.states(source.Starting, source.Active, source.Starting)
		r.noBlock(time.Minute - source.WatchInterval - time.Millisecond)
		r.warnings(2, "no driver behind /dev/hwrng")
		r.block(source.WatchInterval + 6*time.Second) // the outage began with the first watch
		r.states(source.Starting, source.Active, source.Starting, source.Active)

		at := r.reads()
		for i := 1; i < len(at); i++ {
			if gap := at[i] - at[i-1]; gap > 5500*time.Millisecond && at[i] < 10*time.Minute {
				t.Errorf("looked again after %v", gap)
			}
		}
		if s := r.w.Snapshot(); s.ReadErrors != 0 {
			t.Errorf("%d read errors of a device that was not there", s.ReadErrors)
		}
	})
}

// TestBackAndFailing: a device that comes back may fail its first read like any other, whatever
// time it was away.
func TestBackAndFailing(t *testing.T) {
	script := []sourcetest.Step{sourcetest.Outage(time.Hour, errGone), sourcetest.Fail(errIO)}
	bubble(t, script, func(t *testing.T, r *rig) {
		r.noBlock(time.Hour - time.Millisecond)
		r.block(6 * time.Second)
		r.warnings(1, "not available")
	})
}

// TestDenied is disabled, and looked at again: the configuration allows a device, but the kernel
// puts another one there.
func TestDenied(t *testing.T) {
	denied := &source.UnavailableError{Reason: "generator tpm-rng-0 is denied", Denied: true}
	bubble(t, []sourcetest.Step{sourcetest.Outage(time.Minute, denied)}, func(t *testing.T, r *rig) {
		r.noBlock(59 * time.Second)
		r.states(source.Starting, source.Disabled)
		r.warnings(1, "denied")
		r.block(7 * time.Second)
		r.states(source.Starting, source.Disabled, source.Starting, source.Active)
	})
}

// TestChanged drops what came from the generator before and tests the new one from the start.
func TestChanged(t *testing.T) {
	script := []sourcetest.Step{
		sourcetest.Give(fips.BlockBytes),
		sourcetest.Give(1000), sourcetest.Change("generator", other()), // in the middle of a block
		sourcetest.Give(fips.BlockBytes),
	}
	bubble(t, script, func(t *testing.T, r *rig) {
		if b := r.block(0); b.Driver != sourcetest.Info().Driver || b.MinEntropy != 4 {
			t.Errorf("block of %s at %v", b.Driver, b.MinEntropy)
		}
		r.w.Request()
		b := r.block(0)
		r.holds(b, fips.BlockBytes+1000)
		if b.Driver != "ath9k" || b.MinEntropy != 2.5 {
			t.Errorf("block of %s at %v", b.Driver, b.MinEntropy)
		}
		r.states(source.Starting, source.Active, source.Starting, source.Active)
		e, s := r.rec.Events(), r.w.Snapshot()
		if len(e.Startups) != 2 || e.Discarded[source.DiscardStartup] != 1000 || e.AllDiscarded() != 1000 {
			t.Errorf("%d start-up tests, discarded %v", len(e.Startups), e.Discarded)
		}
		if e.Infos[len(e.Infos)-1] != other() || s.Driver != "ath9k" || s.MinEntropy != 2.5 || s.ClaimOrigin != "driver table" {
			t.Errorf("described as %+v, snapshot %+v", e.Infos, s)
		}
		r.accounted(2)
		r.warnings(1, "generator changed from virtio_rng.0 to ath9k")

		// Once more, while nobody reads. The block of the start-up test comes unasked.
		r.noBlock(time.Minute)
		r.src.Play(sourcetest.Change("claim", sourcetest.Info()))
		r.block(source.WatchInterval)
		r.warnings(2, "changed from")
	})
}

// TestSilence is noticed after the stall limit, said once, and over when data comes back (FC-043).
func TestSilence(t *testing.T) {
	script := []sourcetest.Step{sourcetest.Give(fips.BlockBytes + 500), sourcetest.Silence()}
	bubble(t, script, func(t *testing.T, r *rig) {
		r.block(0)
		r.w.Request()
		r.noBlock(15*time.Second - time.Millisecond)
		r.warnings(0, "")
		r.pass(time.Millisecond)
		r.warnings(1, "source is silent")
		r.states(source.Starting, source.Active, source.Starting)
		if s := r.w.Snapshot(); s.Reason != "no data for 15s" || s.ReadErrors != 1 || s.LastError != "no data for 15s" {
			t.Errorf("snapshot %+v", s)
		}
		r.noBlock(time.Hour)
		r.warnings(1, "source is silent")
		e := r.rec.Events()
		if e.ReadErrors[source.ReadTimeout] != 241 || e.Discarded[source.DiscardStartup] != 500 {
			t.Errorf("errors %v, discarded %v", e.ReadErrors, e.Discarded)
		}

		r.src.Play()
		r.holds(r.block(0), fips.BlockBytes+500)
		r.states(source.Starting, source.Active, source.Starting, source.Active)
		r.accounted(2)
	})
}

// TestSlowIsNotDead: sources that give little or seldom become active and stay so, without a
// warning.
func TestSlowIsNotDead(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script []sourcetest.Step
		ready  time.Duration // until the first block
		blocks int           // at least so many in two hours
	}{
		{
			"20 bytes a second (FC-010)",
			[]sourcetest.Step{sourcetest.Forever(sourcetest.Pause(time.Second), sourcetest.Give(20))},
			125 * time.Second, 36,
		},
		{
			"one byte at a time",
			[]sourcetest.Step{sourcetest.Forever(sourcetest.Pause(500*time.Millisecond), sourcetest.Give(1))},
			1250 * time.Second, 5,
		},
		{
			"1 KiB bursts every ten seconds",
			[]sourcetest.Step{sourcetest.Forever(sourcetest.Give(1024), sourcetest.Pause(10*time.Second))},
			20 * time.Second, 70,
		},
		{
			"slower and slower",
			[]sourcetest.Step{
				sourcetest.Give(500), sourcetest.Pause(5 * time.Second), sourcetest.Give(1000), sourcetest.Pause(14 * time.Second),
				sourcetest.Give(1000), // the first block
				sourcetest.Forever(sourcetest.Pause(50*time.Second), sourcetest.Give(1000)),
			},
			19 * time.Second, 35,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.script, func(t *testing.T, r *rig) {
				r.pass(tt.ready / 2)
				if s := r.w.Snapshot(); s.State != "starting" || s.Reason != "" || s.BlockFilled < 0.15 || s.BlockFilled > 0.85 {
					t.Errorf("half-way: %+v", s)
				}
				r.block(tt.ready/2 + time.Second)
				if got := r.rec.Events().Startups; len(got) != 1 || got[0] != tt.ready {
					t.Errorf("start-up test took %v, want %v", got, tt.ready)
				}
				count := r.consume(time.Minute)
				r.w.Request()
				r.pass(2 * time.Hour)
				if n := count(); n < tt.blocks {
					t.Errorf("%d blocks in two hours, want %d or more", n, tt.blocks)
				}
				r.states(source.Starting, source.Active)
				r.warnings(0, "")
			})
		})
	}
}

// TestRareBursts learns: after one false alarm the limit knows how long the pauses are.
func TestRareBursts(t *testing.T) {
	script := []sourcetest.Step{sourcetest.Forever(sourcetest.Give(1024), sourcetest.Pause(40*time.Second))}
	bubble(t, script, func(t *testing.T, r *rig) {
		count := r.consume(time.Minute)
		r.pass(2 * time.Hour)
		r.warnings(1, "source is silent")
		r.states(source.Starting, source.Active)
		if n := count(); n < 40 {
			t.Errorf("%d blocks in two hours", n)
		}
	})
}

// TestAlarm takes a source out of use after a health alarm and back after a full start-up test.
func TestAlarm(t *testing.T) {
	script := []sourcetest.Step{sourcetest.Give(fips.BlockBytes + 300), sourcetest.Data(make([]byte, 100))}
	bubble(t, script, func(t *testing.T, r *rig) {
		r.block(0)
		r.w.Request()
		r.pass(0)
		r.states(source.Starting, source.Active, source.Quarantined)
		r.warnings(1, "quarantined")
		s := r.w.Snapshot()
		if !strings.HasPrefix(s.Reason, "rct health test: value 0x00 repeated 16 times (permanent)") {
			t.Errorf("reason %q", s.Reason)
		}
		r.holds(r.block(1100*time.Millisecond), fips.BlockBytes+300)
		r.states(source.Starting, source.Active, source.Quarantined, source.Starting, source.Active)
		e := r.rec.Events()
		if e.Discarded[source.DiscardHealth] != 400 || e.AllDiscarded() != 400 || len(e.Alarms) != 1 || len(e.Startups) != 2 {
			t.Errorf("recorded %+v", e)
		}
		r.accounted(2)
	})
}

// TestStuckForEver re-tests a dead source less and less often.
func TestStuckForEver(t *testing.T) {
	stuck := sourcetest.Forever(sourcetest.Data(make([]byte, 2500)))
	bubble(t, []sourcetest.Step{sourcetest.Give(fips.BlockBytes), stuck}, func(t *testing.T, r *rig) {
		r.block(0)
		r.w.Request()
		r.noBlock(2 * time.Hour)
		at := r.reads()[1:]
		for i := 1; i < len(at); i++ {
			gap, limit := at[i]-at[i-1], 5*time.Minute
			if i < 10 {
				limit = min(limit, time.Second<<(i-1))
			}
			if gap < limit*9/10 || gap > limit*11/10 {
				t.Errorf("re-test %d after %v, want %v within a tenth", i, gap, limit)
			}
		}
		if n := len(r.log.Lines(slog.LevelWarn, "")); n > 33 {
			t.Errorf("%d warnings in two hours", n)
		}
		if s := r.w.Snapshot(); s.State != "quarantined" {
			t.Errorf("snapshot %+v", s)
		}
		r.src.Play()
		r.block(330 * time.Second)
		r.states(r.rec.Events().States...)
		if s := r.w.Snapshot(); s.State != "active" || s.Reason != "" {
			t.Errorf("snapshot %+v", s)
		}
		// What was is not forgiven at once, or a source that comes and goes would earn credit each second.
		r.src.Play(sourcetest.Data(make([]byte, 100)))
		r.w.Request()
		r.noBlock(4 * time.Minute)
		r.block(90 * time.Second)
		// After ten minutes it is: the next alarm costs a second again.
		r.noBlock(10 * time.Minute)
		r.src.Play(sourcetest.Data(make([]byte, 100)))
		r.w.Request()
		r.block(1100 * time.Millisecond)
	})
}

// TestFailedBlock: one failed block is chance. It is dropped and the next one comes unasked.
func TestFailedBlock(t *testing.T) {
	script := []sourcetest.Step{sourcetest.Give(fips.BlockBytes), sourcetest.Data(fipstest.G4(9725)[:])}
	bubble(t, script, func(t *testing.T, r *rig) {
		r.block(0)
		r.w.Request()
		r.holds(r.block(0), fips.BlockBytes)
		r.states(source.Starting, source.Active)
		e := r.rec.Events()
		if e.Blocks[fips.Monobit] != 1 || e.Discarded[source.DiscardFIPS] != fips.BlockBytes || e.AllDiscarded() != fips.BlockBytes {
			t.Errorf("recorded %+v", e)
		}
		r.warnings(0, "")
		r.noBlock(time.Minute)
	})
}

// TestFailedStartup: the start-up test needs a block that passes.
func TestFailedStartup(t *testing.T) {
	bubble(t, []sourcetest.Step{sourcetest.Data(fipstest.G4(9725)[:])}, func(t *testing.T, r *rig) {
		r.pass(0)
		r.states(source.Starting, source.Quarantined)
		r.block(1100 * time.Millisecond)
		r.states(source.Starting, source.Quarantined, source.Starting, source.Active)
		r.warnings(1, "FIPS 140-2 block test: monobit failed")
	})
}

// bad returns n blocks that fail, each with other data: the same again would be a repeat.
func bad(n int) (steps []sourcetest.Step) {
	for i := range n {
		block := *fipstest.G1Block(100 + i)
		fipstest.SetOnes(&block, 9725, 3, 37)
		steps = append(steps, sourcetest.Data(block[:]))
	}
	return steps
}

// TestFailsOften takes credit from a source that fails many blocks, and takes it out of use if it
// fails too many.
func TestFailsOften(t *testing.T) {
	for _, tt := range []struct {
		name   string
		good   int // blocks between two failed ones
		rounds int
		want   source.State
	}{
		{"three in a row", 0, 3, source.Active},
		{"four in a row", 0, 4, source.Suspect},
		{"seven in a row", 0, 7, source.Suspect},
		{"every block", 0, 8, source.Quarantined},
		{"every other block", 1, 8, source.Quarantined},
		{"one in eight", 7, 8, source.Quarantined},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script := []sourcetest.Step{sourcetest.Give(fips.BlockBytes)}
			for _, block := range bad(tt.rounds) {
				script = append(script, block, sourcetest.Give(tt.good*fips.BlockBytes))
			}
			bubble(t, script, func(t *testing.T, r *rig) {
				earned := r.earn(time.Second / 2)
				r.pass(time.Duration(1+tt.rounds*(1+tt.good)) * time.Second)
				seen := r.rec.Events().States
				switch tt.want {
				case source.Active:
					r.states(source.Starting, source.Active)
					r.warnings(0, "")
				case source.Suspect:
					if !slices.Equal(seen[:3], []source.State{source.Starting, source.Active, source.Suspect}) {
						t.Errorf("states %v", seen)
					}
					r.warnings(1, "source is suspect")
				case source.Quarantined:
					if !slices.Equal(seen[:4], []source.State{source.Starting, source.Active, source.Suspect, source.Quarantined}) {
						t.Errorf("states %v", seen)
					}
					if n := len(r.log.Lines(slog.LevelWarn, "too many blocks fail")); n != 1 {
						t.Errorf("%d lines of the quarantine", n)
					}
				}
				credited, mixed := earned()
				if tt.want == source.Active && mixed > 0 || credited == 0 {
					t.Errorf("%d blocks for credit, %d for mixing", credited, mixed)
				}
				r.accounted(credited + mixed)
			})
		})
	}
}

// shunning is a source that has another generator to offer.
type shunning struct {
	*sourcetest.Source
	shuns int
}

func (s *shunning) Shun() {
	s.shuns++
	s.Play(sourcetest.Change("generator", other()))
}

// TestShun: where there is another generator, a quarantine does not cost a minute.
func TestShun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := sourcetest.Forever(sourcetest.Data(make([]byte, 2500)))
		src := &shunning{Source: sourcetest.New(sourcetest.Info(), nil, stuck)}
		r := startRigOn(t, src, src.Source)
		if b := r.block(0); b.Driver != other().Driver {
			t.Errorf("a block of %q", b.Driver)
		}
		r.states(source.Starting, source.Quarantined, source.Starting, source.Active)
		if src.shuns != 1 {
			t.Errorf("shunned %d times", src.shuns)
		}
	})
}

// TestSuspectRecovers: a suspect source is read on unasked, what it gives meanwhile earns nothing, and
// it is back as soon as the failures are made good.
func TestSuspectRecovers(t *testing.T) {
	script := append([]sourcetest.Step{sourcetest.Give(fips.BlockBytes)}, bad(4)...)
	bubble(t, script, func(t *testing.T, r *rig) {
		r.block(0)
		r.w.Request()
		b := r.block(0)
		r.states(source.Starting, source.Active, source.Suspect)
		if b.MinEntropy != 0 {
			t.Errorf("a block of a suspect source claims %v bits a byte", b.MinEntropy)
		}
		if r.w.InUse() {
			t.Error("a suspect source counts as in use")
		}
		// Four failures are 1280, a quarter of the alarm is 560, and the block above took off one. The
		// stream has a chance failure on the way.
		r.noBlock(718 * 50 * time.Millisecond)
		r.states(source.Starting, source.Active, source.Suspect)
		r.noBlock(321 * 50 * time.Millisecond)
		r.states(source.Starting, source.Active, source.Suspect, source.Active)
		r.w.Request()
		if b := r.block(0); b.MinEntropy == 0 {
			t.Error("a block of a recovered source claims nothing")
		}
		r.warnings(1, "source is suspect")
	})
}

// TestReadmitted: a source that was quarantined for its failed blocks has to show more than one good
// block. How many depends on how bad it was.
func TestReadmitted(t *testing.T) {
	script := append([]sourcetest.Step{sourcetest.Give(fips.BlockBytes)}, bad(8)...)
	t.Run("good again", func(t *testing.T) {
		bubble(t, script, func(t *testing.T, r *rig) {
			r.block(0)
			r.w.Request()
			r.block(1100 * time.Millisecond)
			r.states(source.Starting, source.Active, source.Suspect, source.Quarantined, source.Starting, source.Active)
			e := r.rec.Events()
			if got := e.Discarded[source.DiscardQuarantine]; got != 19*fips.BlockBytes {
				t.Errorf("%d bytes of re-admission, want 19 blocks", got)
			}
			r.accounted(2)
		})
	})
	t.Run("one failure is no refusal", func(t *testing.T) {
		bubble(t, append(slices.Clip(script), sourcetest.Give(15*fips.BlockBytes), bad(9)[8]), func(t *testing.T, r *rig) {
			r.block(0)
			r.w.Request()
			r.block(1100 * time.Millisecond)
			r.states(source.Starting, source.Active, source.Suspect, source.Quarantined, source.Starting, source.Active)
		})
	})
	t.Run("still bad", func(t *testing.T) {
		bubble(t, append(append(slices.Clip(script), sourcetest.Give(fips.BlockBytes)), bad(13)[8:]...), func(t *testing.T, r *rig) {
			r.block(0)
			r.w.Request()
			r.pass(1100 * time.Millisecond)
			r.states(source.Starting, source.Active, source.Suspect, source.Quarantined, source.Starting, source.Quarantined)
			r.block(2200 * time.Millisecond)
		})
	})
}

// TestQuarantineWatches: another generator is not to blame for what the one before did.
func TestQuarantineWatches(t *testing.T) {
	script := []sourcetest.Step{sourcetest.Give(fips.BlockBytes), sourcetest.Forever(sourcetest.Data(make([]byte, 2500)))}
	bubble(t, script, func(t *testing.T, r *rig) {
		r.block(0)
		r.w.Request()
		r.noBlock(time.Hour)
		r.states(r.rec.Events().States...)
		if s := r.w.Snapshot(); s.State != "quarantined" {
			t.Fatalf("snapshot %+v", s)
		}
		r.src.Play(sourcetest.Change("generator", other()))
		r.block(source.WatchInterval + time.Second)
		if s := r.w.Snapshot(); s.State != "active" || s.Driver != other().Driver {
			t.Errorf("snapshot %+v", s)
		}
	})
}

// TestResume tests a source anew after a suspend, and drops what its device held.
func TestResume(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.block(0)
		r.pass(time.Second)
		r.w.PretendResume(time.Hour)
		r.w.Request()
		r.holds(r.block(time.Second), fips.BlockBytes+128)
		r.states(source.Starting, source.Active, source.Starting, source.Active)
		e := r.rec.Events()
		if len(e.Startups) != 2 || e.Discarded[source.DiscardStartup] != 128 {
			t.Errorf("recorded %+v", e)
		}
		if lines := r.log.Lines(slog.LevelInfo, "resumed from suspend"); len(lines) != 1 || !strings.Contains(lines[0], "away=1h0m0s") {
			t.Errorf("logged %q", lines)
		}
		r.w.Request()
		r.holds(r.block(time.Second), 2*fips.BlockBytes+128)
		r.accounted(3)
	})
}

// TestResumeInSmallReads drops 128 bytes however they come.
func TestResumeInSmallReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startRig(t, sourcetest.New(sourcetest.Info(), nil).Chunked(50))
		r.block(0)
		r.w.PretendResume(time.Hour)
		r.w.Request()
		r.holds(r.block(time.Second), fips.BlockBytes+128)
		r.accounted(2)
	})
}

// TestCloned: what was read before the machine was copied is worth nothing, neither the part of a block
// in hand nor a block that waits to be taken.
func TestCloned(t *testing.T) {
	script := []sourcetest.Step{sourcetest.Give(fips.BlockBytes + 1000), sourcetest.Pause(time.Second)}
	bubble(t, script, func(t *testing.T, r *rig) {
		r.block(0)
		r.w.Request()
		r.pass(0)
		source.Cloned()
		b := r.block(2 * time.Second)
		r.holds(b, 2*fips.BlockBytes+128) // neither what the read under way brought nor what the device held
		if b.Stale() {
			t.Error("the block of the new life is stale")
		}
		source.Cloned()
		if !b.Stale() {
			t.Error("the block of the old life is not stale")
		}
		r.warnings(1, "testing the source anew")
		r.accounted(2)
	})
}

// TestUselessClaim is a claim on which no test can be built. Configuration refuses it; a worker
// that gets one all the same says so and does not spin.
func TestUselessClaim(t *testing.T) {
	for _, claim := range []float64{0, -1, 8.5} {
		info := sourcetest.Info()
		info.MinEntropy = claim
		synctest.Test(t, func(t *testing.T) {
			r := startRig(t, sourcetest.New(info, nil))
			r.noBlock(10 * time.Minute)
			if n := len(r.reads()); n > 40 {
				t.Errorf("%d reads in ten minutes", n)
			}
			r.warnings(1, "min-entropy")
			r.accounted(0)
		})
	}
}

// TestStop returns at once from every state, closes the source and leaves nothing behind.
func TestStop(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script []sourcetest.Step
		during func(*rig)
	}{
		{"idle", nil, func(r *rig) { r.block(0) }},
		{"nobody takes the first block", nil, func(*rig) {}},
		{"nobody takes a block that was asked for", nil, func(r *rig) { r.block(0); r.w.Request() }},
		{"silent from the start", []sourcetest.Step{sourcetest.Silence()}, func(*rig) {}},
		{"silent in a block", []sourcetest.Step{sourcetest.Give(3000), sourcetest.Silence()}, func(r *rig) { r.block(0); r.w.Request() }},
		{"read errors", []sourcetest.Step{sourcetest.Forever(sourcetest.Fail(errIO))}, func(*rig) {}},
		{"not there", []sourcetest.Step{sourcetest.Outage(time.Hour, errGone)}, func(*rig) {}},
		{"quarantined", []sourcetest.Step{sourcetest.Forever(sourcetest.Data(make([]byte, 100)))}, func(*rig) {}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.script, func(t *testing.T, r *rig) {
				tt.during(r)
				r.pass(5 * time.Second)
				before := len(r.log.Lines(slog.LevelInfo, ""))
				r.stop()
				synctest.Wait() // no time passes
				select {
				case <-r.ended:
				default:
					t.Fatal("still running")
				}
				calls := r.src.Calls()
				if last := calls[len(calls)-1]; last.Op != sourcetest.Close || len(r.src.Calls(sourcetest.Close)) != 1 {
					t.Errorf("the last call is %s, want one close", last.Op)
				}
				if lines := r.log.Lines(slog.LevelInfo, ""); len(lines) != before {
					t.Errorf("a stop is no news: %q", lines[before:])
				}
				// Nothing is in hand any more, so what was not delivered is discarded.
				e := r.rec.Events()
				delivered := len(e.Successes)
				if strings.HasPrefix(tt.name, "nobody") {
					delivered--
				}
				if sum := delivered*fips.BlockBytes + e.AllDiscarded(); sum != e.BytesRead {
					t.Errorf("%d bytes read, %d blocks delivered, discarded %v", e.BytesRead, delivered, e.Discarded)
				}
			})
		})
	}
}

// TestUndeliveredBlockIsCleared: a reload ends workers, but not the process with its memory.
func TestUndeliveredBlockIsCleared(t *testing.T) {
	bubble(t, nil, func(t *testing.T, r *rig) {
		r.pass(time.Second)
		r.stop()
		synctest.Wait()
		if e := r.rec.Events(); e.Discarded[source.DiscardStale] != fips.BlockBytes {
			t.Errorf("discarded %v", e.Discarded)
		}
	})
}

// TestErrorsAsPeopleReadThem holds the texts that end up in logs and in the status.
func TestErrorsAsPeopleReadThem(t *testing.T) {
	changed := &source.ChangedError{What: "claim", From: "4 bits", To: "2 bits"}
	if got := changed.Error(); got != "claim changed from 4 bits to 2 bits" {
		t.Error(got)
	}
	absent := &source.UnavailableError{Reason: "no /dev/hwrng", Err: os.ErrNotExist}
	if absent.Error() != "no /dev/hwrng" || !errors.Is(absent, os.ErrNotExist) {
		t.Error(absent)
	}
}

// TestLabels: these names are label values of metrics, so each has to be there once.
func TestLabels(t *testing.T) {
	labels := map[string][]fmt.Stringer{}
	for _, v := range source.States {
		labels["state"] = append(labels["state"], v)
	}
	for _, v := range source.ReadReasons {
		labels["read reason"] = append(labels["read reason"], v)
	}
	for _, v := range source.DiscardReasons {
		labels["discard reason"] = append(labels["discard reason"], v)
	}
	for _, v := range source.HealthTests {
		labels["health test"] = append(labels["health test"], v)
	}
	for label, values := range labels {
		seen := map[string]bool{"": true}
		for i, v := range values {
			if seen[v.String()] {
				t.Errorf("%s %d is called %q", label, i, v)
			}
			seen[v.String()] = true
		}
	}
}
