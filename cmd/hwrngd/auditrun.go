//go:build !minimal

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source/hwrng"
)

// audit reads the input, judges it, and delivers the report.
func (inv *Invocation) audit(ctx context.Context, cfg *Config, opt *auditOptions, in *auditInput) int {
	out, err := newAuditOutput(opt)
	if err != nil {
		return inv.Fail(err)
	}
	defer out.abandon()
	ctx, stop := hangUp(ctx)
	defer stop()
	a := &auditing{inv: inv, cfg: cfg, opt: opt, in: in, out: out}
	report, err := a.report(ctx)
	if report == nil {
		return inv.Fail(err)
	}
	// What could be read is judged in any case.
	failed := out.deliver(inv, report)
	if err != nil {
		failed = append(failed, err)
	}
	if len(failed) > 0 {
		return inv.Fail(failed)
	}
	return verdictExit(report.Verdict)
}

// hangUp makes a hang-up of the terminal and Ctrl-\ end an audit like Ctrl-C does: a terminal line must
// be given back in every case.
func hangUp(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, signals...)
}

// verdictExit is the exit code for a verdict. Data that do not decide are no pass.
func verdictExit(v audit.Verdict) int {
	switch v {
	case audit.Pass:
		return exitOK
	case audit.Fail:
		return exitFailedTests
	}
	return exitTooLittleData
}

// auditing is one audit.
type auditing struct {
	inv *Invocation
	cfg *Config
	opt *auditOptions
	in  *auditInput
	out *auditOutput

	meter      *audit.Meter
	sequential audit.Sequential
	timing     audit.Timing
	wanted     int64  // blocks, 0 for all
	limited    string // why reading ends after them
	stopped    string // why reading ended
}

// report reads and judges. With an error of reading there still is a report; without one, nothing was
// read.
func (a *auditing) report(ctx context.Context) (*audit.Report, error) {
	hardware := a.in.isHWRNG(a.cfg)
	var before hwrng.Class
	if hardware {
		before = generator(a.cfg)
	}
	readErr := a.read(ctx)
	if a.stopped == "" {
		return nil, readErr
	}
	rules := a.opt.rules
	rules.Wanted = a.wanted
	report := audit.Judge(a.meter.Finish(), rules)
	report.Label = a.opt.label
	report.Input = audit.Input{Name: a.in.name, Kind: a.in.kind, Wanted: a.wanted, Stopped: a.stopped, Warning: a.in.kernelWarning()}
	if hardware {
		describe(&report.Input, before, generator(a.cfg))
	}
	if readErr != nil {
		report.Input.Error = readErr.Error()
		readErr = exitErrorf(exitIO, "", "after %d bytes, which the report is of: %w", report.Run.Bytes, readErr)
	}
	report.Machine = auditMachine(a.cfg)
	if a.in.live() {
		report.Timing = &a.timing
	}
	a.deepen(ctx, report)
	a.mindConfidence(report)
	return report, readErr
}

// mindConfidence makes no pass of data that ended before the sequential test came to its decision.
func (a *auditing) mindConfidence(report *audit.Report) {
	switch left := a.sequential.ExpectedBlocks(); {
	case !a.opt.confident || left == 0 || report.Verdict != audit.Pass:
	case a.stopped == stoppedEnd, a.stopped == stoppedInterrupted, a.stopped == stoppedError:
		report.Verdict = audit.Insufficient
		report.Reason = fmt.Sprintf("the data ended before the verdict was sure: a good source would have taken about %d blocks more", left)
	}
}

// read reads the input. It sets stopped unless there was nothing to read from.
func (a *auditing) read(ctx context.Context) error {
	a.wanted, a.limited = a.opt.limitOf(a.in)
	erase := a.inv.watch(func() string { return "waiting for " + a.in.name })
	err := a.in.open(ctx)
	erase()
	options := audit.MeterOptions{Keep: a.keep()}
	if a.opt.confident {
		options.OnBlock = func(_ int64, failed fips.Failure) bool { return a.sequential.Add(failed != 0) }
	}
	a.meter = audit.NewMeter(options)
	if errors.Is(err, context.Canceled) {
		a.stopped = stoppedInterrupted
		return nil
	}
	if err != nil {
		return err
	}
	defer a.in.close()
	if w := a.in.kernelWarning(); w != "" {
		a.inv.Warn(w)
	}
	if a.opt.duration > 0 {
		limited, cancel := context.WithTimeout(ctx, a.opt.duration)
		defer cancel()
		ctx = limited
	}
	r, p, what := a.plan()
	show := func() { erase = a.inv.watch(func() string { return p.progressText(a.meter.Progress()) }) }
	if what != "" && a.in.kind != kindFile {
		bytes := func() int64 { n, _, _ := a.meter.Progress(); return n }
		r.notice = p.notice(what, a.in.name, bytes, func(text string) {
			erase() // the line of the progress
			a.inv.tell(text)
			show()
		})
	}
	show()
	a.stopped, err = r.run(ctx)
	erase()
	a.timing = r.timing
	return err
}

// plan says how to read, how long that will take, and what is to be read, "" if that is as much as comes.
func (a *auditing) plan() (r *reading, p *auditPace, what string) {
	r = &reading{in: a.in, meter: a.meter, limited: a.limited}
	p = &auditPace{begin: time.Now(), goal: a.in.size, until: a.opt.duration}
	if a.wanted > 0 {
		r.limit = bootBytes + a.wanted*fips.BlockBytes
		p.aim(r.limit)
		what = blocksText(a.wanted)
	}
	if expected := a.sequential.ExpectedBlocks(); a.opt.confident && (a.wanted == 0 || expected < a.wanted) {
		p.aim(bootBytes + expected*fips.BlockBytes)
		what = "until the verdict is sure, of a good source about " + blocksText(expected) + ","
	}
	if a.out.tee != nil {
		r.tee = a.out
	}
	return r, p, what
}
