package page

import (
	"fmt"
	"math"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/fips"
)

// throughput shows how fast the data came, for devices only: of a file it would say something of
// the disk.
func throughput(r *audit.Report) *plot {
	if r.Timing == nil {
		return nil
	}
	type stretch struct{ until, rate float64 }
	var stretches []stretch
	var total, length, fastest float64
	var blocks, all int64
	for _, b := range r.Run.Timeline {
		blocks, length = blocks+b.Blocks, length+b.Seconds
		// What arrived together with the bin before has no rate of its own.
		if length > 0 {
			total, all = total+length, all+blocks
			s := stretch{total, float64(blocks*fips.BlockBytes) / length}
			stretches, fastest = append(stretches, s), max(fastest, s.rate)
			blocks, length = 0, 0
		}
	}
	if len(stretches) == 0 {
		return nil
	}
	p := newPlot("throughput", "Throughput",
		linear("seconds", 0, total, 5, plainTick),
		linear("bytes per second", 0, 1.08*fastest, 5, plainTick))
	mean := float64(all*fips.BlockBytes) / total
	p.mid(mean)
	var line path
	slowest := stretches[0]
	line.move(p.x.at(0), p.y.at(stretches[0].rate))
	for i, s := range stretches {
		if i > 0 {
			line.down(p.y.at(s.rate))
		}
		line.across(p.x.at(s.until))
		if s.rate < slowest.rate {
			slowest = s
		}
	}
	p.add("line", line)
	p.Desc = fmt.Sprintf("On average %s, from %s to %s.", rate(mean), rate(slowest.rate), rate(fastest))
	p.Caption = fmt.Sprintf("The dashed line is the average, %s; a dip is a stall or another reader of the device.", rate(mean))
	return p
}

// latencies shows how long reads took.
func latencies(t *audit.Timing) *plot {
	if t == nil {
		return nil
	}
	first, last, most := -1, -1, int64(0)
	for i, n := range t.Latency {
		if n > 0 {
			last, most = i, max(most, n)
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return nil
	}
	// One empty bin on each side shows that the others are the whole.
	first, last = max(first-1, 0), min(last+1, len(t.Latency)-1)
	var marks []float64
	for i := first; i <= last+1; i += max(1, (last+2-first)/6) {
		marks = append(marks, float64(i))
	}
	p := newPlot("latency", "Duration of reads",
		marked("duration of a read, each bar twice that of the one before", float64(first), float64(last+1), microseconds, marks...),
		logarithmic("reads", most))
	var bars path
	for i := first; i <= last; i++ {
		if n := t.Latency[i]; n > 0 {
			bars.box(p.x.at(float64(i)+0.06), p.y.at(p.y.lo), p.x.at(float64(i)+0.94), p.y.at(math.Log10(float64(n))))
		}
	}
	p.add("bars", bars)
	p.Desc = fmt.Sprintf("%s reads; the slowest took %s.", count(t.Reads), seconds(t.Slowest))
	p.Caption = fmt.Sprintf("The scale of the counts is logarithmic, so that single slow reads are seen; the slowest took %s.", seconds(t.Slowest))
	return p
}

// microseconds writes 2^power microseconds.
func microseconds(power float64) string {
	number, prefix := prefixed(math.Exp2(power)*1e-6, 2)
	return number + nbsp + prefix + "s"
}

// logarithmic makes an axis for counts from 1 to most, in powers of ten, with room for a bar of one.
func logarithmic(label string, most int64) axis {
	top := max(1, math.Log10(float64(most)))
	var marks []float64
	for i := 0.; i <= top; i++ {
		marks = append(marks, i)
	}
	return marked(label, -0.3, top*1.05, func(v float64) string { return countTick(math.Pow(10, v)) }, marks...)
}
