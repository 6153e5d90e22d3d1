package jitter

// Status is what the source knows of itself, for metrics and status reports. It is a value.
type Status struct {
	Setting Profile     `json:"setting"` // of the noise loop, zero before the first start-up test
	Latest  Measurement `json:"latest"`  // with the estimate
	Tick    float64     `json:"tick_ns"` // effective tick of the clock, 0 before the first start-up test

	Claim           float64 `json:"claim"` // bits of min-entropy a sample
	Rung            int     `json:"rung"`  // steps down from the highest claim
	SamplesPerBlock int     `json:"samples_per_block"`

	Samples  uint64 `json:"samples_total"`  // raw, since the start
	Blocks   uint64 `json:"blocks_total"`   // of BlockSize bytes
	Alarms   uint64 `json:"alarms_total"`   // of health tests
	Drifts   uint64 `json:"drifts_total"`   // drift alarms
	Restarts uint64 `json:"restarts_total"` // of the start-up test

	Refused string `json:"refused,omitempty"` // why there is no output, "" if there can be
	Failed  bool   `json:"failed"`            // for good
}

// Status returns the present state. It never waits for the noise loop.
func (s *Source) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// publish makes the engine's state the one that Status returns.
func (s *Source) publish(e *engine) {
	st := e.status
	st.Claim, st.Rung = e.ladder.claim(), e.ladder.at
	st.SamplesPerBlock = samplesPerBlock(st.Claim)
	switch {
	case e.failures.latched != nil:
		st.Refused, st.Failed = e.failures.latched.Reason, true
	case e.held != nil:
		st.Refused = e.held.err.Reason
	}
	s.mu.Lock()
	s.status = st
	s.mu.Unlock()
}
