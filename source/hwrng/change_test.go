package hwrng

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/source/sourcetest"
)

func TestSourceFollowsGenerator(t *testing.T) {
	t.Run("between two reads", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, virtio())
			s, p := r.playing(give(stale()), give([]byte("a")), give(stale()), give([]byte("b")))
			defer p.release(s)
			read(t, s, 64, "a")
			r.set("rng_current", "ath9k_0\n")
			r.set("rng_quality", "320\n")
			_, reads, _ := p.counts()
			wantChanged(t, failing(t, s), "generator", "virtio_rng.0", "ath9k_0")
			if _, now, _ := p.counts(); now != reads {
				t.Error("read the device before it said so")
			}
			if i := s.Info(); i.Driver != "ath9k_0" || i.MinEntropy != 2.5 {
				t.Errorf("info is %+v", i)
			}
			read(t, s, 64, "b")
			r.wantDropped(2 * flushBytes)
		})
	})
	t.Run("during a read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, virtio())
			s, p := r.playing(give(stale()), give([]byte("a")),
				step{data: []byte("whose?"), do: func() { r.set("rng_current", "a.rng\n") }},
				give(stale()), give([]byte("b")))
			defer p.release(s)
			read(t, s, 64, "a")
			wantChanged(t, failing(t, s), "generator", "virtio_rng.0", "a.rng")
			r.wantDropped(flushBytes + len("whose?"))
			read(t, s, 64, "b")
			r.wantDropped(2*flushBytes + len("whose?"))
		})
	})
	t.Run("seen by Watch", func(t *testing.T) {
		r := newRig(t, virtio())
		r.mkfifo()
		s := r.source()
		if err := s.Watch(); err != nil {
			t.Fatal(err)
		}
		r.set("rng_current", "a.rng\n")
		wantChanged(t, s.Watch(), "generator", "virtio_rng.0", "a.rng")
		if err := s.Watch(); err != nil {
			t.Errorf("said twice: %v", err)
		}
		notOpen(t, r.dev)
	})
	t.Run("away and back", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, virtio())
			s, p := r.playing(give(stale()), give([]byte("a")), give(stale()), give([]byte("b")))
			defer p.release(s)
			read(t, s, 64, "a")
			r.set("rng_current", "none\n")
			r.set("rng_available", "none\n")
			sourcetest.WantUnavailable(t, failing(t, s), "rng_current is none, rng_available is empty", "load the driver", false)
			// Even the same name stands for a driver that began anew.
			r.set("rng_current", "virtio_rng.0\n")
			read(t, s, 64, "b")
			r.wantDropped(2 * flushBytes)
		})
	})
	t.Run("other name of the node", func(t *testing.T) {
		r := newRig(t, virtio())
		r.mkfifo()
		s := r.source()
		if err := s.Watch(); err != nil {
			t.Fatal(err)
		}
		old := filepath.Join(filepath.Dir(r.dev), "hw_random")
		if err := os.Rename(r.dev, old); err != nil {
			t.Fatal(err)
		}
		wantChanged(t, s.Watch(), "generator", r.dev, old)
		if got := s.Info().Device; got != old {
			t.Errorf("device is %s", got)
		}
	})
}

// A read that its caller gave up on may bring its bytes long after another generator took over.
func TestSourceLateData(t *testing.T) {
	// gaveUp makes a read that is left behind in the device.
	gaveUp := func(t *testing.T, s *Source) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		begin := time.Now()
		if n, err := s.Read(ctx, make([]byte, 2500)); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("read %d bytes, %v", n, err)
		}
		if took := time.Since(begin); took != 15*time.Second {
			t.Errorf("took %s", took)
		}
	}
	for _, c := range []struct {
		name    string
		away    func(*rig, *Source) error // what makes the late bytes another's
		wantErr func(*testing.T, error)
		back    func(*rig)
	}{
		{
			name:    "generator changed",
			away:    func(r *rig, s *Source) error { r.set("rng_current", "a.rng\n"); return s.Watch() },
			wantErr: func(t *testing.T, err error) { wantChanged(t, err, "generator", "virtio_rng.0", "a.rng") },
			back:    func(*rig) {},
		},
		{
			name: "generator left",
			away: func(r *rig, s *Source) error { r.set("rng_current", "none\n"); return s.Watch() },
			wantErr: func(t *testing.T, err error) {
				sourcetest.WantUnavailable(t, err, "no driver behind it", "load the driver", false)
			},
			back: func(r *rig) { r.set("rng_current", "virtio_rng.0\n") },
		},
		{
			name:    "node left",
			away:    func(r *rig, s *Source) error { os.Remove(r.dev); return s.Watch() },
			wantErr: func(t *testing.T, err error) { sourcetest.WantUnavailable(t, err, "no such file", "no driver", false) },
			back:    func(r *rig) { r.mkfifo() },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, virtio())
				s, p := r.playing(give(stale()), give([]byte("a")))
				defer p.release(s)
				read(t, s, 2500, "a")
				gaveUp(t, s)
				p.steps <- give(letters(storeRead)) // of the old generator, into our hands
				synctest.Wait()
				c.wantErr(t, c.away(r, s))
				c.back(r)
				p.steps <- give(stale())
				p.steps <- give([]byte("b"))
				read(t, s, 64, "b")
				r.wantDropped(2*flushBytes + storeRead)
			})
		})
	}
	t.Run("same generator", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, virtio())
			s, p := r.playing(give(stale()))
			defer p.release(s)
			for range 3 {
				gaveUp(t, s)
			}
			if _, reads, _ := p.counts(); reads != 2 {
				t.Errorf("%d reads", reads)
			}
			p.steps <- give([]byte("late"))
			read(t, s, 64, "late")
			r.wantDropped(flushBytes)
		})
	})
	t.Run("error after a change", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, virtio())
			s, p := r.playing(give(stale()))
			defer p.release(s)
			gaveUp(t, s)
			r.set("rng_current", "a.rng\n")
			wantChanged(t, s.Watch(), "generator", "virtio_rng.0", "a.rng")
			p.steps <- fail(syscall.EIO)
			p.steps <- give(stale())
			p.steps <- give([]byte("b"))
			if err := failing(t, s); !errors.Is(err, syscall.EIO) {
				t.Error(err)
			}
			read(t, s, 64, "b") // not dropped: it was asked for after the change
			r.wantDropped(2 * flushBytes)
		})
	})
}

func TestSourceClaimChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, virtio())
		s, p := r.playing(give(stale()), give([]byte("a")), step{data: []byte("?"), do: func() { r.set("rng_quality", "256\n") }}, give([]byte("b")))
		defer p.release(s)
		read(t, s, 64, "a")
		r.set("rng_quality", "128\n")
		wantChanged(t, failing(t, s), "claim", "4 bits per byte (driver table)", "1 bits per byte (driver table, capped by rng_quality 128)")
		if got := s.Info().MinEntropy; got != 1 {
			t.Errorf("claim is %v", got)
		}
		// What came while it changed is tested by neither claim.
		wantChanged(t, failing(t, s), "claim", "1 bits per byte (driver table, capped by rng_quality 128)", "2 bits per byte (driver table, capped by rng_quality 256)")
		read(t, s, 64, "b")
		r.wantDropped(flushBytes + 1)

		// A quality that caps nothing is no change.
		r.set("rng_quality", "1024\n")
		wantChanged(t, s.Watch(), "claim", "2 bits per byte (driver table, capped by rng_quality 256)", "4 bits per byte (driver table)")
		r.set("rng_quality", "900\n")
		if err := s.Watch(); err != nil {
			t.Error(err)
		}
	})
}

func TestSourceTellsClass(t *testing.T) {
	r := newRig(t, virtio())
	r.mkfifo()
	var told []Class
	r.opt.Class = func(c Class) { told = append(told, c) }
	s := r.source()
	for range 3 {
		s.Watch()
	}
	r.set("rng_quality", "900\n")
	for range 3 {
		s.Watch()
	}
	r.set("rng_current", "none\n")
	s.Watch()
	want := []Class{
		{Current: "virtio_rng.0", Available: []string{"virtio_rng.0"}, Quality: 1024, QualityShown: true},
		{Current: "virtio_rng.0", Available: []string{"virtio_rng.0"}, Quality: 900, QualityShown: true, QualityStated: true},
		{Available: []string{"virtio_rng.0"}, Quality: 900, QualityShown: true, QualityStated: true},
	}
	if !slices.EqualFunc(told, want, Class.equal) {
		t.Errorf("got  %+v\nwant %+v", told, want)
	}

	r.opt.Class = nil // nobody listens
	if err := r.source().Watch(); sourcetest.Unavailable(err) == nil {
		t.Error(err)
	}
}
