package audit

import "time"

// timeline parts a stream into bins of as many blocks each. When there are too many, it joins
// neighbours.
type timeline struct {
	bins  []timeBin
	width int64 // blocks in a bin
	last  time.Duration
}

type timeBin struct {
	blocks, failed, ones int64
	took                 time.Duration
}

// add takes the next block. It arrived at the given time after the start.
func (t *timeline) add(failed bool, ones int, arrived time.Duration) {
	n := len(t.bins)
	if n == 0 || t.bins[n-1].blocks == t.width {
		if n == MaxBins {
			t.join()
		}
		t.width = max(t.width, 1)
		t.bins = append(t.bins, timeBin{})
	}
	bin := &t.bins[len(t.bins)-1]
	bin.blocks++
	if failed {
		bin.failed++
	}
	bin.ones += int64(ones)
	bin.took += arrived - t.last
	t.last = arrived
}

// join makes bins of twice the width.
func (t *timeline) join() {
	for i := range t.bins[:MaxBins/2] {
		a, b := t.bins[2*i], t.bins[2*i+1]
		t.bins[i] = timeBin{a.blocks + b.blocks, a.failed + b.failed, a.ones + b.ones, a.took + b.took}
	}
	t.bins = t.bins[:MaxBins/2]
	t.width *= 2
}

// addTo sets the timeline of a trace.
func (t *timeline) addTo(trace *Trace) {
	for _, b := range t.bins {
		trace.Timeline = append(trace.Timeline, Bin{Blocks: b.blocks, Failed: b.failed, Ones: b.ones, Seconds: b.took.Seconds()})
	}
	trace.BinBlocks = int(t.width)
}
