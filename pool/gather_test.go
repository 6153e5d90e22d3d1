package pool_test

import (
	"crypto/sha512"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// named is a source that claims so much.
func named(name string, claim float64, noise source.Noise) source.Info {
	info := sourcetest.Info()
	info.Name, info.Driver, info.MinEntropy, info.Noise = name, name, claim, noise
	return info
}

// aseed runs two sources and returns what they were credited for the seed of one interval, when both
// have been in use for long.
func aseed(r *rig, start func()) pool.Credits {
	start()
	r.pass(2*interval + interval/2) // both are through their start-up tests
	before := r.feeder.Credits()
	seeds := len(r.kernel.Seeds())
	r.pass(interval * 12 / 10)
	after := r.feeder.Credits()
	if n := len(r.kernel.Seeds()) - seeds; n < 1 || n > 2 {
		r.t.Fatalf("%d seeds in an interval; at %v", n, r.seedTimes())
	}
	if n := uint64(len(r.kernel.Seeds()) - seeds); n > 1 { // an interval varies by a tenth
		for name := range after.Bits {
			after.Bits[name] = before.Bits[name] + (after.Bits[name]-before.Bits[name])/n
		}
	}
	for name, bits := range before.Bits {
		after.Bits[name] -= bits
	}
	return after
}

// TestMixing: all sources that are in use contribute to each seed, and their claims add up if they
// are independent.
func TestMixing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		infos []source.Info
		want  map[string]uint64
	}{
		{
			"the claims of independent sources add up", // 250 + 125 - 64
			[]source.Info{named("one", 0.1, ""), named("two", 0.05, "")},
			map[string]uint64{"one": 208, "two": 103},
		},
		{
			"the seed holds no more than 512 bits",
			[]source.Info{named("one", 4, ""), named("two", 4, "")},
			map[string]uint64{"one": 256, "two": 256},
		},
		{
			"two paths to one device", // 250 - 64
			[]source.Info{named("one", 0.1, source.NoiseTPM), named("two", 0.05, source.NoiseTPM)},
			map[string]uint64{"one": 186, "two": 0},
		},
		{
			"and a third source",
			[]source.Info{named("one", 0.05, source.NoiseTPM), named("two", 0.1, source.NoiseTPM), named("three", 0.05, source.NoiseTiming)},
			map[string]uint64{"one": 0, "two": 208, "three": 103},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
				got := aseed(r, func() { r.run(tt.infos...) })
				for name, want := range tt.want {
					if got.Bits[name] != want {
						t.Errorf("credited %v, want %v", got.Bits, tt.want)
						break
					}
				}
			})
		})
	}
}

// TestMixedSeed: the seed is the hash of all blocks.
func TestMixedSeed(t *testing.T) {
	bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
		both := []*keeper{keep(r, named("one", 4, "")), keep(r, named("two", 4, ""))}
		r.feeder.SetSupplies(both[0], both[1])
		r.feed()
		r.pass(interval + interval/2)
		seeds := r.kernel.Seeds()
		last := seeds[len(seeds)-1].Data
		one, two := both[0].last, both[1].last
		ab, ba := sha512.Sum512(slices.Concat(one, two)), sha512.Sum512(slices.Concat(two, one))
		if !slices.Equal(last, ab[:]) && !slices.Equal(last, ba[:]) {
			t.Error("the last seed is not made of the last blocks of both sources")
		}
	})
}

// keeper is a worker of which the last block is remembered.
type keeper struct {
	*source.Worker
	last []byte
}

func keep(r *rig, info source.Info) *keeper {
	blocks := make(chan *source.Block)
	k := &keeper{Worker: r.worker(sourcetest.New(info, nil), blocks)}
	go func() {
		for {
			select {
			case b := <-blocks:
				data := slices.Clone(b.Data[:])
				select {
				case r.feeder.Blocks() <- b:
					k.last = data
				case <-r.ctx.Done():
					return
				}
			case <-r.ctx.Done():
				return
			}
		}
	}()
	return k
}

// stuck reads as zeros, which no test passes.
type stuck struct{}

func (stuck) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestAdversaries: whatever another source does, a good one earns what its claim is worth and the
// kernel gets its seeds in time.
func TestAdversaries(t *testing.T) {
	const alone = 186 // 0.1 * 2500 - 64
	give := func(n int) sourcetest.Step { return sourcetest.Give(n) }
	for _, tt := range []struct {
		name   string
		info   source.Info
		stream io.Reader
		script []sourcetest.Step
	}{
		{"stuck", named("bad", 8, ""), stuck{}, nil},
		{"silent", named("bad", 8, ""), nil, []sourcetest.Step{sourcetest.Silence()}},
		{"silent once it is trusted", named("bad", 8, ""), nil, []sourcetest.Step{give(3 * 2500), sourcetest.Silence()}},
		{"stuck once it is trusted", named("bad", 8, ""), nil, []sourcetest.Step{give(3 * 2500), sourcetest.Forever(sourcetest.Data(make([]byte, 2500)))}},
		{"gone once it is trusted", named("bad", 8, ""), nil, []sourcetest.Step{give(3 * 2500), sourcetest.Outage(time.Hour, io.EOF)}},
		{"a trickle", named("bad", 8, ""), nil, []sourcetest.Step{give(2 * 2500), sourcetest.Forever(sourcetest.Pause(time.Second), give(50))}},
		{"worth nothing", named("bad", 0.001, ""), nil, nil},
		{"known to its maker", named("bad", 8, ""), sourcetest.Good("published"), nil},
		{"the same device by another path", named("bad", 0.001, source.NoiseTPM), nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, readyModern, pool.Options{}, func(t *testing.T, r *rig) {
				bad := r.worker(sourcetest.New(tt.info, tt.stream, tt.script...), r.feeder.Blocks())
				good := r.worker(sourcetest.New(named("good", 0.1, source.NoiseTPM), nil), r.feeder.Blocks())
				r.feeder.SetSupplies(bad, good)
				r.feed()
				r.pass(time.Hour)
				earned := map[time.Duration]int{} // by the minute
				for _, c := range r.kernel.Seeds() {
					earned[c.At.Sub(r.begun)/(2*interval)] += c.Bits
				}
				for minute := range time.Hour / (2 * interval) {
					if earned[minute] < alone {
						t.Errorf("%d bits in the interval %d, the good source alone is worth %d", earned[minute], minute, alone)
					}
				}
				r.quiet(slog.LevelError)
			})
		})
	}
}

// TestUnreadyIsNotKeptWaiting: programs wait for a kernel that is not seeded yet, so it gets the first
// block at once.
func TestUnreadyIsNotKeptWaiting(t *testing.T) {
	bubble(t, pooltest.Modern, pool.Options{}, func(t *testing.T, r *rig) {
		slow := r.worker(sourcetest.New(named("slow", 4, ""), nil, sourcetest.Give(2500), sourcetest.Silence()), r.feeder.Blocks())
		quick := r.worker(sourcetest.New(named("quick", 0.1, ""), nil), r.feeder.Blocks())
		r.feeder.SetSupplies(slow, quick)
		r.feed()
		r.pass(100 * time.Millisecond)
		if !r.feeder.Credits().CRNGReady {
			t.Errorf("not ready; seeds at %v", r.seedTimes())
		}
	})
}
