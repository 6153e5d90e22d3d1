package pool

import (
	"fmt"
	"time"

	"github.com/hwrngd/hwrngd/source"
)

// Status is the daemon's state at one moment. The readiness page, the service manager, the status
// socket and `hwrngd status` all show this one value, so that they can never disagree. Nothing in
// it changes once it is made.
type Status struct {
	Version string            `json:"version"`
	PID     int               `json:"pid"`
	Started time.Time         `json:"started"`
	Monitor bool              `json:"monitor"` // tests and reports, credits nothing
	Refill  time.Duration     `json:"refill_interval_ns"`
	Credits Credits           `json:"feeding"`
	Sources []source.Snapshot `json:"sources"`
}

// Ready tells whether the kernel's generator is seeded and a source is in use, and if not, why.
func (s *Status) Ready() (ready bool, reason string) {
	active := s.Active()
	switch {
	case len(active) == 0:
		return false, s.waiting()
	case !s.Credits.CRNGReady:
		return false, "the kernel's random generator is not seeded yet"
	}
	return true, ""
}

// Active lists the sources that are in use.
func (s *Status) Active() []source.Snapshot {
	var active []source.Snapshot
	for _, src := range s.Sources {
		if src.State == source.Active.String() {
			active = append(active, src)
		}
	}
	return active
}

// Rotation is that of the source which has one, nil if none has.
func (s *Status) Rotation() *source.Rotation {
	for _, src := range s.Sources {
		if src.Rotation != nil {
			return src.Rotation
		}
	}
	return nil
}

// Line says in one line what the daemon does.
func (s *Status) Line() string {
	active := s.Active()
	if len(active) == 0 {
		return s.waiting()
	}
	name := active[0].Name
	if active[0].Driver != "" {
		name += " (" + active[0].Driver + ")"
	}
	switch {
	case s.Monitor:
		return "monitoring " + name + ", crediting nothing"
	case !s.Credits.CanCredit:
		return "testing " + name + " but cannot credit: " + ErrCannotCredit.Error()
	}
	return fmt.Sprintf("feeding from %s, %d bits credited", name, s.Credits.TotalBits())
}

// waiting says why no source is in use, by the first one.
func (s *Status) waiting() string {
	if len(s.Sources) == 0 {
		return "no source is configured"
	}
	src := s.Sources[0]
	if src.Reason != "" {
		return fmt.Sprintf("source %s is %s: %s", src.Name, src.State, src.Reason)
	}
	return fmt.Sprintf("source %s is %s, %.0f %% of a test block read", src.Name, src.State, 100*src.BlockFilled)
}
