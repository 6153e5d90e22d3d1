package source

import (
	"fmt"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// aptWindow is W for samples of more than two values (SP 800-90B, 4.4.2).
const aptWindow = 512

// AlarmError reports that a health test stopped a source's data.
type AlarmError struct {
	Test    HealthTest
	Verdict sp80090b.Verdict
	Sample  byte // the value that tripped the test
	Cutoff  int
	Period  int // of repeated data, in bytes; 0 for other alarms
}

func (e *AlarmError) Error() string {
	what := "repeated"
	switch {
	case e.Period > 0:
		return fmt.Sprintf("repeat detector: %d bytes in a row are those of %d bytes earlier", e.Cutoff, e.Period)
	case e.Test == APT:
		what = fmt.Sprintf("seen in a window of %d", aptWindow)
	case e.Test == Vendor:
		return fmt.Sprintf("%s health test: samples were predicted %d times (%s)", e.Test, e.Cutoff, e.Verdict)
	}
	return fmt.Sprintf("%s health test: value %#02x %s %d times (%s)", e.Test, e.Sample, what, e.Cutoff, e.Verdict)
}

// BlockError reports that a block failed FIPS 140-2 tests.
type BlockError struct {
	Failure fips.Failure
	Ones    int // of the 20000 bits: tells a user bias from stuck hardware at a glance
}

func (e *BlockError) Error() string {
	return fmt.Sprintf("FIPS 140-2 block test: %s failed (%d of %d bits are ones)", e.Failure, e.Ones, fips.BlockBits)
}

// gate runs the tests of one generator on its bytes: each byte is a sample for RCT and APT, each
// 2500 of them a block for FIPS 140-2. A new generator gets a new gate, whose first passed block
// is the start-up test: SP 800-90B (January 2018), section 4.3, asks for 1024 samples or more.
type gate struct {
	info    Info
	alpha   sp80090b.Alpha // of intermittent alarms
	rct     *sp80090b.RCT  // nil for conditioned data
	apt     *sp80090b.APT
	repeats *repeats
	running *estimate
	fips    fips.Tester
	rec     Recorder

	block *Block
	n     int // bytes of block filled
}

// newGate returns the tests for a source that gives so many bytes a second, 0 if not known. The
// memory of earlier data and the running estimate outlive the gate.
func newGate(info Info, rate float64, seen *repeats, running *estimate, rec Recorder) (*gate, error) {
	info.Noise = info.noise()
	g := &gate{info: info, repeats: seen, running: running, rec: rec}
	g.block = g.newBlock()
	if err := g.tune(rate); err != nil {
		return nil, err
	}
	if !info.Conditioned {
		seen.claim(info.MinEntropy)
	}
	return g, nil
}

// tune sets up RCT and APT for that rate, unless they are strict enough. They forget the samples so far,
// so this is for the border of a block.
func (g *gate) tune(rate float64) error {
	intermittent, permanent := alphas(rate)
	if g.info.Conditioned || intermittent <= g.alpha {
		return nil
	}
	rct, err := sp80090b.NewRCT(g.info.MinEntropy, intermittent, permanent)
	if err != nil {
		return err
	}
	apt, err := sp80090b.NewAPT(g.info.MinEntropy, aptWindow, intermittent, permanent)
	if err != nil {
		return err
	}
	g.alpha, g.rct, g.apt = intermittent, rct, apt
	cutoff, _ := rct.Cutoffs()
	g.rec.HealthCutoff(RCT, cutoff, intermittent)
	cutoff, _ = apt.Cutoffs()
	g.rec.HealthCutoff(APT, cutoff, intermittent)
	return nil
}

func (g *gate) newBlock() *Block {
	return &Block{Source: g.info.Name, Driver: g.info.Driver, Noise: g.info.Noise, MinEntropy: g.info.MinEntropy, rec: g.rec, life: life.Load()}
}

// room returns the part of the block that is still to be filled. Bytes written there count once
// they went through accept.
func (g *gate) room() []byte { return g.block.Data[g.n:] }

// accept tests n bytes that were just written to room. It returns the block once it is full and
// has passed, nil while it is not full, an *AlarmError or a *BlockError when data failed: the
// block is then dropped.
func (g *gate) accept(n int) (*Block, error) {
	fresh := g.block.Data[g.n : g.n+n]
	g.n += n
	if alarm := g.screen(fresh); alarm != nil {
		g.rec.HealthFailure(alarm.Test, alarm.Verdict)
		g.estimate()
		g.drop(DiscardHealth)
		return nil, alarm
	}
	if g.n < len(g.block.Data) {
		return nil, nil
	}
	g.estimate()
	failure := g.fips.Block(&g.block.Data)
	g.rec.Block(failure)
	if failure != 0 {
		err := &BlockError{Failure: failure, Ones: fips.Measure(&g.block.Data, 0).Ones}
		g.drop(DiscardFIPS)
		return nil, err
	}
	passed := g.block
	g.block = g.newBlock()
	g.n = 0
	return passed, nil
}

// screen puts samples through the health tests. All of them are tested even after an alarm, since
// a permanent one may follow.
func (g *gate) screen(samples []byte) (alarm *AlarmError) {
	if g.rct == nil {
		return nil // conditioned data: the source has tested its samples
	}
	g.rec.HealthSamples(len(samples))
	for _, sample := range samples {
		for _, t := range [...]struct {
			test    HealthTest
			verdict sp80090b.Verdict
		}{{RCT, g.rct.Add(sample)}, {APT, g.apt.Add(sample)}} {
			if t.verdict != sp80090b.OK && (alarm == nil || t.verdict > alarm.Verdict) {
				alarm = &AlarmError{Test: t.test, Verdict: t.verdict, Sample: sample, Cutoff: g.cutoff(t.test, t.verdict)}
			}
		}
	}
	if again := g.repeats.screen(samples); alarm == nil {
		alarm = again
	}
	return alarm
}

// estimate counts the samples of the block. Conditioned data would look perfect whatever is behind it.
func (g *gate) estimate() {
	if !g.info.Conditioned {
		g.running.add(g.block.Data[:g.n], g.rec)
	}
}

// drop forgets the bytes of an unfinished or failed block.
func (g *gate) drop(why DiscardReason) {
	g.rec.Discarded(g.n, why)
	g.block.Clear()
	g.n = 0
}

func (g *gate) cutoff(test HealthTest, verdict sp80090b.Verdict) int {
	intermittent, permanent := g.rct.Cutoffs()
	if test == APT {
		intermittent, permanent = g.apt.Cutoffs()
	}
	if verdict == sp80090b.Permanent {
		return permanent
	}
	return intermittent
}
