//go:build !minimal

package main

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/hwrngd/hwrngd/source/jitter"
)

// maxReplay bounds the memory of a replay.
const maxReplay = maxCapture + 1

// replayReport is what hwrngd assess --replay --output=json prints, the verdict beside these.
type replayReport struct {
	Schema int    `json:"schema_version"`
	File   string `json:"file"`
	Times  int    `json:"times"`
	jitter.Verdict
}

// replayTimes puts the times of a capture through the rules and tests of the jitter source: the code is
// the same, only the clock is a file.
func replayTimes(ctx context.Context, inv *Invocation, opt *assessOptions) (int, error) {
	if header := readSidecar(opt.file); header != nil {
		if header.Format != formatU64 {
			return 0, exitErrorf(exitUsage, "capture times with --format=u64", "%s holds samples, not times, says %s.json", opt.file, opt.file)
		}
		if header.Rows > 1 && (opt.samples == 0 || opt.samples > header.Columns+1) {
			return 0, exitErrorf(exitUsage, fmt.Sprintf("replay the first one: --samples=%d", header.Columns+1), "%s.json says that the file has %d rows, each with times of its own", opt.file, header.Rows)
		}
	}
	limit := maxReplay
	if opt.samples > 0 {
		limit = min(limit, opt.samples)
	}
	data, more, err := readInput(ctx, inv, opt.file, 8*limit)
	switch {
	case err != nil:
		return 0, err
	case more && opt.samples == 0:
		return 0, exitErrorf(exitUsage, fmt.Sprintf("replay a part: --samples=%d", maxReplay), "%s has more than %d times", inputName(opt.file), maxReplay)
	case len(data)%8 != 0:
		return 0, exitErrorf(exitUsage, "a capture in format u64 is times of 8 bytes each, little-endian", "%s: %d bytes are no whole number of times", inputName(opt.file), len(data))
	}
	times := make([]int64, len(data)/8)
	for i := range times {
		times[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	verdict, err := judge(ctx, times)
	if err != nil {
		return 0, err
	}
	code := exitOK
	switch {
	case !verdict.Accepted && verdict.Tested == 0: // not even begun
		return 0, exitErrorf(exitTooLittleData, "", "%s: %s", inputName(opt.file), verdict.Reason)
	case !verdict.Accepted:
		code = exitFailedTests
	}
	if inv.JSON {
		return code, inv.WriteJSON(replayReport{1, opt.file, len(times), verdict})
	}
	r := inv.NewReport()
	showReplay(r, opt.file, len(times), verdict)
	return code, inv.WriteReport(r)
}

// judge replays in the background: a replay cannot be stopped, but need not be waited for.
func judge(ctx context.Context, times []int64) (jitter.Verdict, error) {
	done := make(chan jitter.Verdict, 1)
	go func() { done <- jitter.Replay(times, jitter.ReplayOptions{}) }()
	select {
	case verdict := <-done:
		return verdict, nil
	case <-ctx.Done():
		return jitter.Verdict{}, ctx.Err()
	}
}

// showReplay prints the report for people.
func showReplay(r *Report, file string, times int, v jitter.Verdict) {
	if v.Accepted {
		r.Row(good("accepted"), plain(fmt.Sprintf("the source would have delivered %d blocks of %d bytes", v.Blocks, jitter.BlockSize)))
	} else {
		r.Row(bad("refused"), plain(v.Reason))
	}
	r.Row(plain("file"), plain(fmt.Sprintf("%s, %d times", file, times)))
	r.Row(plain("tested"), plain(fmt.Sprintf("%d of %d samples: start-up test, repetition count, adaptive proportion, lag, estimates", v.Tested, times-1)))
	r.Row(plain("clock tick"), plain(fmt.Sprintf("%.3g ns", v.Tick)))
	if v.Samples > 0 {
		r.Row(plain("a sample"), plain(fmt.Sprintf("%.4g ns in the median, jitter %.3g ticks, %.3g %% equal to the one before", v.Median, v.Sigma, v.Repeats)))
	}
	if v.Estimate > 0 {
		r.Row(plain("estimate"), plain(fmt.Sprintf("%.3f bits a sample (%s, the latest of %d samples)", v.Estimate, v.Method, v.Samples)))
	}
	r.Row(plain("claim"), plain(fmt.Sprintf("%.3g bits a sample at the end", v.Claim)))
	if v.Drifts > 0 {
		r.Row(plain("drift"), warn(fmt.Sprintf("%d alarms: estimates fell while it ran", v.Drifts)))
	}
	if v.Alarm != nil {
		r.Row(plain("alarm"), bad(v.Alarm.Error()))
	}
}
