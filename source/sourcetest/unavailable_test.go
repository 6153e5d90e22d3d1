package sourcetest_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// complaint is a test that only tells whether it failed.
type complaint struct {
	testing.TB
	failed bool
}

func (c *complaint) Helper()               {}
func (c *complaint) Errorf(string, ...any) { c.failed = true }
func (c *complaint) Fatalf(string, ...any) { c.failed = true; panic(c) }

func TestWantUnavailable(t *testing.T) {
	hinted := &source.UnavailableError{Reason: "no such file", Hint: "plug it in", Denied: true}
	plain := &source.UnavailableError{Reason: "no such file"}
	for _, c := range []struct {
		name         string
		err          error
		reason, hint string
		denied       bool
		failed       bool
	}{
		{"as wanted", hinted, "such", "plug", true, false},
		{"wrapped", fmt.Errorf("read: %w", hinted), "such", "plug", true, false},
		{"none wanted", plain, "such", "", false, false},
		{"other reason", hinted, "gone", "plug", true, true},
		{"other hint", hinted, "such", "unplug", true, true},
		{"no hint", plain, "such", "plug", false, true},
		{"unwanted hint", hinted, "such", "", true, true},
		{"not denied", plain, "such", "", true, true},
		{"other error", errors.New("no such file"), "such", "", false, true},
		{"no error", nil, "", "", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := &complaint{}
			func() {
				defer func() { _ = recover() }()
				sourcetest.WantUnavailable(got, c.err, c.reason, c.hint, c.denied)
			}()
			if got.failed != c.failed {
				t.Errorf("failed: %v, want %v", got.failed, c.failed)
			}
		})
	}
}
