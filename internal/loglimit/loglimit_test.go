package loglimit

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// limited returns a logger whose messages go through New's handler, without times.
func limited(w io.Writer) *slog.Logger {
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	return slog.New(New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: noTime})))
}

func TestLogLimit(t *testing.T) {
	for _, c := range []struct {
		name string
		log  func(*slog.Logger)
		want []string
	}{
		{"different messages pass", func(l *slog.Logger) {
			l.Info("a")
			l.Info("b")
		}, []string{"level=INFO msg=a", "level=INFO msg=b"}},
		{"the last one held back is written with the count of the others", func(l *slog.Logger) {
			for i := range 5 {
				l.Warn("a", "i", i)
			}
		}, []string{"level=WARN msg=a i=0", "level=WARN msg=a i=4 suppressed=3"}},
		{"one held back is written as it was", func(l *slog.Logger) {
			l.Warn("a", "i", 0)
			l.Warn("a", "i", 1)
		}, []string{"level=WARN msg=a i=0", "level=WARN msg=a i=1"}},
		{"sources are told apart", func(l *slog.Logger) {
			l.With("source", "x").Info("a")
			l.With("source", "y").Info("a")
		}, []string{"level=INFO msg=a source=x", "level=INFO msg=a source=y"}},
		{"addresses are told apart", func(l *slog.Logger) {
			l.Info("a", "address", "x")
			l.Info("a", "address", "y")
		}, []string{"level=INFO msg=a address=x", "level=INFO msg=a address=y"}},
		{"debug is not limited", func(l *slog.Logger) {
			l.Debug("a")
			l.Debug("a")
		}, []string{"level=DEBUG msg=a", "level=DEBUG msg=a"}},
		{"a minute later the kind passes again", func(l *slog.Logger) {
			l.Info("a", "i", 0)
			time.Sleep(Every + time.Second)
			l.Info("a", "i", 1)
		}, []string{"level=INFO msg=a i=0", "level=INFO msg=a i=1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				c.log(limited(&out))
				time.Sleep(3 * Every)
				synctest.Wait()
				if got := strings.TrimSpace(out.String()); got != strings.Join(c.want, "\n") {
					t.Errorf("log is\n%s\nwant\n%s", got, strings.Join(c.want, "\n"))
				}
			})
		})
	}
}

// However often something happens, a kind makes one line a minute.
func TestLogLimitHoldsForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := limited(&out)
		for range 24 * 60 * 60 {
			log.Warn("flapping")
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if n := strings.Count(out.String(), "\n"); n < 24*60 || n > 24*60+1 {
			t.Errorf("%d lines in a day, want one a minute", n)
		}
	})
}

// At the end what is held back is written, the oldest first, and only once.
func TestFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := limited(&out)
		for i := range 3 {
			for _, name := range []string{"b", "a"} {
				log.Warn(name, "i", i)
				time.Sleep(time.Second)
			}
		}
		log.Info("c")
		flush := log.Handler().(*Handler).Flush
		flush()
		flush()
		time.Sleep(3 * Every)
		want := "level=WARN msg=b i=0\nlevel=WARN msg=a i=0\nlevel=INFO msg=c\nlevel=WARN msg=b i=2 suppressed=1\nlevel=WARN msg=a i=2 suppressed=1\n"
		if got := out.String(); got != want {
			t.Errorf("log is\n%s\nwant\n%s", got, want)
		}
	})
}
