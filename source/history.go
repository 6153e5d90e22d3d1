package source

import "time"

// history is what the tests know of one generator.
type history struct {
	seen     repeats
	running  estimate
	rate     Rate
	failures cusum
	readmit  *readmission // after a quarantine for failed blocks, else nil
	penalty  backoff      // between start-up tests after failed ones
	suspect  bool         // at the end of its last turn
}

func newHistory() history {
	return history{penalty: backoff{first: time.Second, cap: 5 * time.Minute}}
}

// turnTo goes on with another generator: with a clean slate, or if the source goes from one to the other
// in turn, with what the tests knew of it when it had its last turn. Else each visit would begin with good
// faith, and one that fails too often, or repeats what it gave at its last turn, would never be found out.
func (w *Worker) turnTo(c *ChangedError) {
	now := newHistory()
	if c.InTurn {
		if w.others == nil {
			w.others = map[string]history{}
		}
		w.suspect = w.board.state() == Suspect
		w.others[c.From] = w.history
		if before, ok := w.others[c.To]; ok {
			now = before
			delete(w.others, c.To)
		}
	}
	shown := w.running.known
	w.history = now
	if shown || w.running.known {
		w.running.show(w.rec)
	}
}
