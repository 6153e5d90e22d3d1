package source

// cusum judges a source by how often its blocks fail FIPS 140-2, so that neither one bad block nor
// ten in ten thousand stop a good source, and one that is broken or drifts is found. It is a CUSUM
// in integers: a failure adds failureWeight, a pass takes one off, never below zero, and
// failureAlarm is too much.
//
// The weight is the ratio of log(p1/p0) to log((1-p0)/(1-p1)) for p0 = 7.95e-4, which is chance,
// and p1 = 0.008, ten times that. The threshold is that of ten failures in a row. An ideal source
// then raises an alarm once in 4e11 blocks; one that fails at p1 does after 1830 blocks, one that
// fails always after ten.
type cusum struct{ score int }

const (
	failureWeight = 320
	failureAlarm  = failureWeight*9 + 1
)

// add takes in one block, and tells whether the source fails too often.
func (c *cusum) add(failed bool) bool {
	if failed {
		c.score += failureWeight
	} else {
		c.score = max(0, c.score-1)
	}
	return c.score >= failureAlarm
}
