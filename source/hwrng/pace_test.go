package hwrng

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Reads of a slow device are short, so that its data is tested and its silence noticed soon.
func TestSourceAdaptsToRate(t *testing.T) {
	for _, c := range []struct {
		name string
		rate int // bytes a second
		want int // asked for by the read after the flush
	}{
		{"20 bytes a second", 20, 16},
		{"256 bytes a second", 256, 128},
		{"virtio with a limit", 9500, 2500},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, virtio())
				s, p := r.playing()
				defer p.release(s)
				feed := func(n int) {
					p.steps <- step{data: letters(n), took: time.Duration(n) * time.Second / time.Duration(c.rate)}
				}
				feed(flushBytes)
				for range 3 {
					feed(c.want)
					read(t, s, maxRead, string(letters(c.want)))
				}
				for i, got := range p.rooms() {
					if i == 0 && got != flushBytes || i > 0 && got != c.want {
						t.Errorf("asked for %d, want %d and then %d", p.rooms(), flushBytes, c.want)
						break
					}
				}
			})
		})
	}
}

// FC-022: once it has given a block, a TPM is left alone most of the time.
func TestSourcePacesTPM(t *testing.T) {
	tpm := map[string]string{"rng_current": "tpm-rng-0\n", "rng_available": "tpm-rng-0 \n", "rng_quality": "1024\n"}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, tpm)
		s, p := r.playing(give(letters(8 * maxRead)))
		defer p.release(s)
		buf := make([]byte, maxRead)
		fill := func(want int) (took time.Duration) {
			begin := time.Now()
			for got := 0; got < want; {
				n, err := s.Read(t.Context(), buf[:min(maxRead, want-got)])
				if err != nil {
					t.Fatal(err)
				}
				got += n
			}
			return time.Since(begin)
		}
		if took := fill(maxRead); took > time.Second {
			t.Errorf("the start-up block took %s", took)
		}
		for range 3 {
			took := fill(maxRead)
			if least := (maxRead - tpmRate) * time.Second / tpmRate; took < least || took > least+2*time.Second {
				t.Errorf("a block took %s, want %s at %d bytes a second", took, least, tpmRate)
			}
		}

		// Another generator knows no pace.
		r.set("rng_current", "a.rng\n")
		wantChanged(t, s.Watch(), "generator", "tpm-rng-0", "a.rng")
		if took := fill(2 * maxRead); took != 0 {
			t.Errorf("two blocks took %s", took)
		}
	})
	t.Run("an end of the context costs no data", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, tpm)
			s, p := r.playing(give(stale()), give(letters(maxRead)))
			defer p.release(s)
			read(t, s, maxRead, string(letters(maxRead)))
			p.steps <- give([]byte("abc"))
			p.steps <- give([]byte("def"))
			var got []byte
			for len(got) < 6 {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
				buf := make([]byte, 64)
				n, err := s.Read(ctx, buf)
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				got = append(got, buf[:n]...)
				cancel()
			}
			if string(got) != "abcdef" {
				t.Errorf("got %q", got)
			}
		})
	})
}
