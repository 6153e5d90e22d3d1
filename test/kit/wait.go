package kit

import (
	"testing"
	"time"
)

// Patience is how long a case waits for what must come. It is long, since it costs nothing where all is
// well, and a busy machine must not make a case fail.
const Patience = time.Minute

// longestPause is the longest time between two looks. To look can be work: a scrape, a command, a request
// to an emulated machine.
const longestPause = 50 * time.Millisecond

// Eventually waits until cond holds, and fails the case if it does not within [Patience].
func Eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	Within(t, Patience, what, cond)
}

// Within waits until cond holds, and fails the case if it does not within the limit. It is for what takes
// longer than the rest.
func Within(t testing.TB, limit time.Duration, what string, cond func() bool) {
	t.Helper()
	begin := time.Now()
	for pause := time.Millisecond; !cond(); pause = min(2*pause, longestPause) {
		if time.Since(begin) > limit {
			t.Fatalf("not within %s: %s", limit, what)
		}
		time.Sleep(pause)
	}
}
