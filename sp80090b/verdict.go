package sp80090b

import "fmt"

// Verdict is what a health test says of a sample. A larger one is worse.
type Verdict uint8

const (
	// OK means no alarm.
	OK Verdict = iota
	// Intermittent means that the intermittent cutoff is reached: an unlikely
	// event even for a source that delivers no more than it claims, but one that
	// will come up in time.
	Intermittent
	// Permanent means that the permanent cutoff is reached: the source is broken.
	Permanent
)

// String returns "ok", "intermittent" or "permanent".
func (v Verdict) String() string {
	switch v {
	case OK:
		return "ok"
	case Intermittent:
		return "intermittent"
	case Permanent:
		return "permanent"
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

// cutoffs are the counts from which on a test raises its two alarms.
type cutoffs struct{ intermittent, permanent int }

func (c *cutoffs) judge(count int) Verdict {
	switch {
	case count < c.intermittent:
		return OK
	case count < c.permanent:
		return Intermittent
	}
	return Permanent
}
