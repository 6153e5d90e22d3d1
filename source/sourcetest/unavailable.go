package sourcetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/source"
)

// Unavailable returns the [*source.UnavailableError] that err is or wraps, nil if there is none.
func Unavailable(err error) *source.UnavailableError {
	u, _ := errors.AsType[*source.UnavailableError](err)
	return u
}

// WantUnavailable checks that err is a [*source.UnavailableError] whose reason and hint hold these texts; an
// empty hint stands for none.
func WantUnavailable(t testing.TB, err error, reason, hint string, denied bool) {
	t.Helper()
	u := Unavailable(err)
	if u == nil {
		t.Fatalf("got %v, want an UnavailableError", err)
	}
	if !strings.Contains(u.Reason, reason) || !strings.Contains(u.Hint, hint) || hint == "" && u.Hint != "" || u.Denied != denied {
		t.Errorf("reason %q, hint %q, denied %v; want %q, %q, %v", u.Reason, u.Hint, u.Denied, reason, hint, denied)
	}
}
