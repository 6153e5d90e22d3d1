package hwrng

import "time"

// rate estimates how many bytes a second the device gives, from the reads so far. Old reads fade
// out: after each one the weight of what came before is halved.
type rate struct {
	bytes   float64
	seconds float64
}

func (r *rate) add(n int, took time.Duration) {
	r.bytes = r.bytes/2 + float64(n)
	r.seconds = r.seconds/2 + took.Seconds()
}

// in returns how many bytes the device gives in d: at least 16, at most maxRead, and maxRead
// while nothing is known.
func (r *rate) in(d time.Duration) int {
	if r.seconds == 0 || r.bytes == 0 {
		return maxRead
	}
	return int(min(max(r.bytes/r.seconds*d.Seconds(), 16), maxRead))
}
