package audit

import (
	"math"
	"slices"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// blockPass is one of the two passes of a Meter over the stream: the one that sees whole blocks only.
// It goes first, since it may be told to stop.
type blockPass struct {
	onBlock func(index int64, failed fips.Failure) (stop bool)
	stopped bool

	tester             fips.Tester
	blocks             int64
	fips1402, fips1401 Failures
	ones               int64
	nibbles            [16]int64
	runs               [2][6]int64
	longestRun         int

	lanes   laneCounter
	rows    rowBits
	equal   equalScan
	windows windowScan
	sampler sampler

	failed   []FailedBlock
	timeline timeline
}

// blockOffset returns where in the stream the block with the given index begins.
func blockOffset(index int64) int64 { return primeBytes + index*fips.BlockBytes }

// add takes the next piece of the stream and returns how many bytes of it: less than all if it is
// told to stop.
func (p *blockPass) add(next piece) (taken int) {
	data := next.data
	if next.prime > 0 {
		p.tester.Prime([primeBytes]byte(data))
		data = data[next.prime:]
	}
	offset := blockOffset(p.blocks)
	var sum fips.Counts // of a piece, so that no int overflows
	n := 0
	for n < len(data) && !p.stopped {
		p.addBlock((*[fips.BlockBytes]byte)(data[n:]), &sum, next.arrived)
		n += fips.BlockBytes
	}
	data = data[:n]

	p.ones += int64(sum.Ones)
	for i, n := range sum.Nibbles {
		p.nibbles[i] += int64(n)
	}
	for value := range sum.Runs {
		for i, n := range sum.Runs[value] {
			p.runs[value][i] += int64(n)
		}
	}
	p.lanes.add(data, offset)
	p.rows.add(data, offset)
	p.equal.add(data, offset)
	p.windows.add(data)
	return next.prime + n
}

// addBlock takes one block.
func (p *blockPass) addBlock(block *[fips.BlockBytes]byte, sum *fips.Counts, arrived time.Duration) {
	counts := p.tester.Measure(block)
	sum.Add(&counts)
	if counts.LongRuns > 0 {
		p.longestRun = max(p.longestRun, fips.LongestRun(block))
	}
	failed := fips.FIPS1402.Judge(&counts)
	p.fips1402.record(failed)
	p.fips1401.record(fips.Judge1401(block, &counts))

	index := p.blocks
	p.blocks++
	if failed != 0 && len(p.failed) < MaxFailed {
		p.failed = append(p.failed, FailedBlock{
			Index: index, Offset: blockOffset(index),
			Tests: failed, Failed: failed.String(), Ones: counts.Ones,
		})
	}
	p.timeline.add(failed != 0, counts.Ones, arrived)
	if isSampled(index) && !sampledByStream(index) {
		p.sampler.add(block, index)
	}
	if p.onBlock != nil {
		p.stopped = p.onBlock(index, failed)
	}
}

// addTo adds what was counted to a run.
func (p *blockPass) addTo(run *Run) {
	run.Blocks = p.blocks
	run.OddStreams = p.blocks % 2
	run.FIPS1402, run.FIPS1401 = p.fips1402, p.fips1401
	run.Ones, run.Nibbles, run.Runs, run.LongestRun = p.ones, p.nibbles, p.runs, p.longestRun
	p.lanes.addTo(&run.LaneOnes)
	if p.blocks > 0 {
		p.rows.addTo(&run.Counters)
	}
	equal := p.equal.runs(blockOffset(p.blocks))
	run.LongestEqual = int(min(equal.longest, math.MaxInt32))
	run.Plateaus = equal.plateaus
	run.MostInWindow, run.Windows = p.windows.most, p.windows.windows
	p.sampler.addTo(&run.Sampled)
	run.Failed = slices.Clone(p.failed)
	p.timeline.addTo(&run.Trace)
}
