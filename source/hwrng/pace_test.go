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

// What a slow device had in store makes it look fast. Its reads stay far below the time after which
// it would count as silent, and a fast one is read by whole blocks once it has given one.
func TestSourceStore(t *testing.T) {
	for _, c := range []struct {
		name        string
		store, rate int
		want        time.Duration // the longest read at most
		room        int           // of the last read
	}{
		{"100 bytes a second, 512 in store", 512, 100, 2560 * time.Millisecond, 50},
		{"20 bytes a second, 512 in store", 512, 20, 12800 * time.Millisecond, 16},
		{"fast", 2 * maxRead, 9500, 300 * time.Millisecond, maxRead},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, p := newRig(t, virtio()).playing()
				defer p.release(s)
				s.reader.close()
				d := &stocked{player: p, store: c.store, rate: c.rate}
				s.reader = newReader(func() (device, error) { return d, nil }, nil)
				longest, buf := time.Duration(0), make([]byte, maxRead)
				for got := 0; got < 2*maxRead; {
					begin := time.Now()
					n, err := s.Read(t.Context(), buf)
					if err != nil {
						t.Fatal(err)
					}
					got += n
					longest = max(longest, time.Since(begin))
				}
				if longest > c.want || d.room != c.room {
					t.Errorf("the longest read took %s, want at most %s; the last one asked for %d, want %d", longest, c.want, d.room, c.room)
				}
			})
		})
	}
}

// stocked is a device that fills each read, from its store at once and then so many bytes a second.
type stocked struct {
	*player
	store, rate int
	room        int // of the last read
}

func (d *stocked) Read(buf []byte) (int, error) {
	d.room = len(buf)
	stored := min(d.store, len(buf))
	d.store -= stored
	time.Sleep(time.Duration(len(buf)-stored) * time.Second / time.Duration(d.rate))
	return len(buf), nil
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
			for _, n := range []int{256, 256, 512, 1024, maxRead - 2048} {
				read(t, s, maxRead, string(letters(n)))
			}
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
