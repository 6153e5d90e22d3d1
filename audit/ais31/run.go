package ais31

// How much data the procedures take, in bytes.
const (
	// BytesA is what one attempt at procedure A takes.
	BytesA = wordsT0*wordBytesT0 + sequences*sequenceBytes

	// MinBytesB and MaxBytesB are what one attempt at procedure B takes at least and at
	// most: 6,968,480 and 8,168,480 bits. An ideal source takes about 873,500 bytes.
	MinBytesB = (bitsT6a + tuplesMin + bitsT8) / 8
	MaxBytesB = (bitsT6a + tuplesMax + bitsT8) / 8

	// MinBytes is the least with which Run may succeed.
	MinBytes = BytesA + MinBytesB
	// FirstBytes always suffice for each procedure once.
	FirstBytes = BytesA + MaxBytesB
	// MaxBytes always suffice, repetitions included. Run uses no more.
	MaxBytes = 2 * FirstBytes
)

// Run applies procedures A and B to the data, in the order and with the repetitions that the
// package describes. It returns a *ShortError if there is too little data for each procedure
// once. Where a repetition is due, and lacks data, the result says so.
func Run(data []byte) (*Result, error) {
	short := &ShortError{Have: int64(len(data)), Need: FirstBytes}
	if len(data) < MinBytes {
		return nil, short
	}
	r := &Result{Document: Document, A: Procedure{Chance: chanceA}, B: Procedure{Chance: chanceB}}
	steps := [...]struct {
		procedure *Procedure
		attempt   func(data []byte) (Attempt, bool)
		enough    int64 // bytes for an attempt
	}{
		{&r.A, attemptA, BytesA},
		{&r.B, attemptB, MaxBytesB},
	}
	for _, step := range steps {
		attempt, ok := step.attempt(data[r.Bytes:])
		if !ok {
			return nil, short
		}
		r.take(step.procedure, attempt)
	}
	for _, step := range steps {
		if step.procedure.Verdict != Insufficient {
			continue
		}
		if r.Needed == 0 { // else what precedes this repetition is missing
			if attempt, ok := step.attempt(data[r.Bytes:]); ok {
				r.take(step.procedure, attempt)
				continue
			}
			r.Needed = r.Bytes
		}
		r.Needed += step.enough
	}
	r.Verdict = both(r.A.Verdict, r.B.Verdict)
	return r, nil
}

// take adds an attempt that used the data from r.Bytes on.
func (r *Result) take(p *Procedure, attempt Attempt) {
	attempt.Offset = r.Bytes
	r.Bytes += attempt.Bytes
	p.Attempts = append(p.Attempts, attempt)
	p.Verdict = verdict(p.Attempts)
}

// verdict is the rule of AIS 20/31 for both procedures: a single failure in the first attempt
// is forgiven if the second attempt has none. Without a second attempt it is open.
func verdict(attempts []Attempt) Verdict {
	last := attempts[len(attempts)-1]
	switch {
	case last.Failures == 0:
		return Pass
	case last.Failures == 1 && len(attempts) == 1:
		return Insufficient
	}
	return Fail
}

// both combines the verdicts of the two procedures.
func both(a, b Verdict) Verdict {
	switch {
	case a == Fail || b == Fail:
		return Fail
	case a == Insufficient || b == Insufficient:
		return Insufficient
	}
	return Pass
}

// attemptOf adds up the tests of one attempt.
func attemptOf(bytes int64, tests []Test) Attempt {
	a := Attempt{Bytes: bytes, Tests: tests}
	for i := range tests {
		a.Verdicts += tests[i].Verdicts
		a.Failures += tests[i].Failures
	}
	return a
}
