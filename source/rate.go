package source

import "time"

// Rate estimates how many bytes a second a device gives, from the reads so far. Old reads fade out:
// after each one the weight of what came before is halved. The zero value knows nothing.
type Rate struct {
	bytes   float64
	seconds float64
}

// Add takes in a read of n bytes.
func (r *Rate) Add(n int, took time.Duration) {
	r.bytes = r.bytes/2 + float64(n)
	r.seconds = r.seconds/2 + took.Seconds()
}

// PerSecond returns the rate in bytes a second, 0 if not known.
func (r *Rate) PerSecond() float64 {
	if r.seconds == 0 {
		return 0
	}
	return r.bytes / r.seconds
}
