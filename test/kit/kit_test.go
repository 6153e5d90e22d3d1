package kit

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// record is a test that tells how it ends.
type record struct {
	testing.TB
	said string
}

func (r *record) Helper() {}

func (r *record) Fatalf(format string, args ...any) {
	r.said = "fatal: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *record) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

func (r *record) Skipf(format string, args ...any) {
	r.said = "skip: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *record) Errorf(format string, args ...any) {
	r.said = "error: " + fmt.Sprintf(format, args...)
}

// outcome returns what a test says that does f and ends.
func outcome(f func(testing.TB)) string {
	r, done := &record{}, make(chan struct{})
	go func() {
		defer close(done)
		f(r)
		r.said += "; went on"
	}()
	<-done
	return r.said
}

func TestWaits(t *testing.T) {
	for _, c := range []struct {
		name   string
		after  time.Duration // the condition holds
		limit  time.Duration
		want   string
		atMost time.Duration
	}{
		{"holds", 0, time.Second, "; went on", 0},
		{"soon", 3 * time.Millisecond, time.Second, "; went on", 3 * time.Millisecond},
		{"late", 900 * time.Millisecond, time.Second, "; went on", 900*time.Millisecond + longestPause},
		{"never", time.Hour, time.Second, "fatal: not within 1s: it happens", time.Second + longestPause},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				got := outcome(func(t testing.TB) {
					Within(t, c.limit, "it happens", func() bool { return time.Since(begin) >= c.after })
				})
				if took := time.Since(begin); got != c.want || took > c.atMost {
					t.Errorf("%q after %s, want %q after %s at most", got, took, c.want, c.atMost)
				}
			})
		})
	}
	t.Run("patience", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			got := outcome(func(t testing.TB) { Eventually(t, "it happens", func() bool { return false }) })
			if want := "fatal: not within 1m0s: it happens"; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	})
}

func TestMissing(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"allowed", "", "skip: SKIPPED, NOT TESTED: no 3"},
		{"forbidden", "1", "fatal: HWRNGD_REQUIRE_KIT=1, but no 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("HWRNGD_REQUIRE_KIT", c.value)
			if got := outcome(func(t testing.TB) { Missing(t, "no %d", 3) }); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			got := outcome(func(t testing.TB) { NeedTool(t, "no-such-tool") })
			if !strings.HasPrefix(got, c.want[:4]) || !strings.Contains(got, "no-such-tool") {
				t.Errorf("of a tool that is not there: %q", got)
			}
			if got := outcome(func(t testing.TB) { NeedTool(t, "sh") }); got != "; went on" {
				t.Errorf("of a tool that is there: %q", got)
			}
		})
	}
}

func TestGolden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "golden")
	compare := func(text string) string {
		return outcome(func(t testing.TB) { Golden(t, path, text) })
	}
	if got := compare("a\n"); !strings.HasPrefix(got, "fatal: ") || !strings.Contains(got, "-update") {
		t.Errorf("without a file: %q", got)
	}
	*Update = true
	got := compare("a\nb\nc\n")
	*Update = false
	if got != "; went on" || ReadFile(t, path) != "a\nb\nc\n" {
		t.Errorf("an update: %q", got)
	}
	if got := compare("a\nb\nc\n"); got != "; went on" {
		t.Errorf("the same: %q", got)
	}
	got = compare("a\nx\nc\n")
	for _, part := range []string{"error: ", path, "-update", "\n-b\n+x\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q of a difference: %q", part, got)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a", "b"), filepath.Join(dir, "c", "d")
	WriteFile(t, from, "text", 0o644)
	CopyFile(t, from, to, 0o755)
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o755 || ReadFile(t, to) != "text" {
		t.Errorf("a copy: %v, %v", info, err)
	}
	if got := outcome(func(t testing.TB) { ReadFile(t, dir+"/none") }); !strings.Contains(got, dir+"/none") {
		t.Errorf("of a file that is not there: %q", got)
	}
	if got := outcome(func(t testing.TB) { WriteFile(t, from+"/x", "", 0o644) }); !strings.Contains(got, from) {
		t.Errorf("of a file below a file: %q", got)
	}
}
