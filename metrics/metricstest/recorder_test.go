package metricstest

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
)

func TestRecorder(t *testing.T) {
	var r Recorder
	s := r.Source("hwrng")
	s.State(source.Active)
	s.Read(64, 3*time.Millisecond)
	s.Block(0)
	s.Block(fips.Monobit | fips.Runs)
	r.Credited("hwrng", 512, 64, time.Unix(1, 5e8))
	r.LogMessage(slog.LevelWarn)

	want := []string{
		"Source hwrng",
		"hwrng State active",
		"hwrng Read 64 3ms",
		"hwrng Block pass",
		"hwrng Block monobit+runs",
		"hwrng Credited 512 64 1970-01-01T00:00:01.5Z",
		"LogMessage WARN",
	}
	if got := r.Calls(); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if n := r.Count("hwrng Block"); n != 2 {
		t.Errorf("%d blocks counted, want 2", n)
	}
}
