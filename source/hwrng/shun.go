package hwrng

import "time"

const (
	// shunFirst and shunMost are how long a generator that failed its tests is not the best one and has no
	// turn: it doubles with each failure. A switch back costs a start-up test.
	shunFirst = 5 * time.Minute
	shunMost  = time.Hour
)

// shunning is why a generator is avoided.
type shunning struct {
	until time.Time
	times int
}

// shun avoids a generator for a while, if there is a choice.
func (s *selector) shun(name string) {
	if s.want != Best && s.want != Rotate || name == "" {
		return
	}
	if s.shunned == nil {
		s.shunned = map[string]shunning{}
	}
	times := s.shunned[name].times
	s.shunned[name] = shunning{until: time.Now().Add(min(shunFirst<<min(times, 10), shunMost)), times: times + 1}
}

// avoided lists the generators that are shunned now.
func (s *selector) avoided() (names []string) {
	for name, shunned := range s.shunned {
		if time.Now().Before(shunned.until) {
			names = append(names, name)
		}
	}
	return names
}
