package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/hwrngd/hwrngd/metrics/metricstest"
	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// TestTextfileFollowsTheConfiguration: it comes and goes by reloads, and the stop writes it again.
func TestTextfileFollowsTheConfiguration(t *testing.T) {
	r := newRig(t, pooltest.Modern())
	path := filepath.Join(r.dir, "h.prom")
	there := func() bool {
		text, err := os.ReadFile(path)
		return err == nil && string(text) == "hwrngd_ready 0\n"
	}
	with, err := r.config("metrics-textfile=" + path)
	if err != nil {
		t.Fatal(err)
	}
	r.d.publish(with)
	kit.Eventually(t, "the file", there)
	without, err := r.config()
	if err != nil {
		t.Fatal(err)
	}
	r.d.publish(without)
	kit.Eventually(t, "the file goes", func() bool { return !there() })

	if err := os.Mkdir(path, 0o755); err != nil { // a folder is in the way
		t.Fatal(err)
	}
	r.d.publish(with)
	kit.Eventually(t, "the failure is counted", func() bool { return r.rec.Count("ExportFailed textfile") > 0 })
	r.logged(1, slog.LevelWarn, "metrics file not written")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := r.d.supervise(ctx); code != exitOK || !there() {
		t.Errorf("code %d, file there: %t", code, there())
	}
}

// TestSeededAtFirstSight: what waits for the kernel's generator goes on when it is ready, once.
func TestSeededAtFirstSight(t *testing.T) {
	o := observe(&metricstest.Recorder{})
	seeded := func() bool {
		select {
		case <-o.seeded:
			return true
		default:
			return false
		}
	}
	o.CRNGReady(false)
	if seeded() {
		t.Error("an unready kernel counts as seeded")
	}
	for _, ready := range []bool{true, false, true} {
		o.CRNGReady(ready)
		if !seeded() {
			t.Error("it does not count as seeded")
		}
	}
}
