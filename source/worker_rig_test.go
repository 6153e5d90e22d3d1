package source_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// rig is a worker on a fake source inside a synctest bubble. Everything ends with the test's
// context.
type rig struct {
	t     *testing.T
	ctx   context.Context
	stop  context.CancelFunc
	src   *sourcetest.Source
	rec   *sourcetest.Recorder
	log   *sourcetest.Log
	out   chan *source.Block
	w     *source.Worker
	begun time.Time
	ended chan struct{}
}

// bubble runs a worker of a source with that script in a synctest bubble.
func bubble(t *testing.T, script []sourcetest.Step, test func(*testing.T, *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t, startRig(t, sourcetest.New(sourcetest.Info(), nil, script...)))
	})
}

func startRig(t *testing.T, src *sourcetest.Source) *rig { return startRigOn(t, src, src) }

// startRigOn runs a worker on a source that wraps a scripted one.
func startRigOn(t *testing.T, src source.Source, scripted *sourcetest.Source) *rig {
	r := &rig{
		t: t, src: scripted, rec: &sourcetest.Recorder{},
		out: make(chan *source.Block), begun: time.Now(), ended: make(chan struct{}),
	}
	r.ctx, r.stop = context.WithCancel(t.Context())
	var logger *slog.Logger
	r.log, logger = sourcetest.NewLog()
	r.w = source.NewWorker(src, r.out, r.rec, logger)
	go func() {
		defer close(r.ended)
		r.w.Run(r.ctx)
	}()
	return r
}

func (r *rig) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// block waits for a block, and ends the test if none comes in that time.
func (r *rig) block(within time.Duration) *source.Block {
	r.t.Helper()
	synctest.Wait()
	timeout := time.After(within + 1)
	select {
	case b := <-r.out:
		synctest.Wait() // for the worker to note that it is gone
		return b
	case <-timeout:
		r.t.Fatalf("no block within %v; %+v", within, r.w.Snapshot())
		return nil
	}
}

// noBlock lets time go by in which no block may come.
func (r *rig) noBlock(d time.Duration) {
	r.t.Helper()
	select {
	case <-r.out:
		r.t.Fatalf("an unexpected block after %v", time.Since(r.begun))
	case <-time.After(d):
		synctest.Wait()
	}
}

// consume takes blocks all the time and asks for one at each interval, as a feeder does. It
// returns a function that tells how many came.
func (r *rig) consume(interval time.Duration) (count func() int) {
	earned := r.earn(interval)
	return func() int {
		credited, mixed := earned()
		return credited + mixed
	}
}

// earn is consume, and tells apart blocks that claim entropy and those that do not.
func (r *rig) earn(interval time.Duration) (count func() (credited, mixed int)) {
	n := make(chan [2]int, 1)
	n <- [2]int{}
	go func() {
		for {
			select {
			case b := <-r.out:
				c := <-n
				if b.MinEntropy > 0 {
					c[0]++
				} else {
					c[1]++
				}
				n <- c
				b.Clear()
			case <-time.After(interval):
				r.w.Request()
			case <-r.ctx.Done():
				return
			}
		}
	}()
	return func() (int, int) {
		c := <-n
		n <- c
		return c[0], c[1]
	}
}

// states fails the test unless the worker went through these states.
func (r *rig) states(want ...source.State) {
	r.t.Helper()
	if got := r.rec.Events().States; !slices.Equal(got, want) {
		r.t.Errorf("states %v, want %v", got, want)
	}
	if s := r.w.Snapshot(); s.State != want[len(want)-1].String() {
		r.t.Errorf("state is %s, want %s", s.State, want[len(want)-1])
	}
}

// warnings fails the test unless that many lines of level warn and above were logged, each with
// text.
func (r *rig) warnings(want int, text string) {
	r.t.Helper()
	all, lines := r.log.Lines(slog.LevelWarn, ""), r.log.Lines(slog.LevelWarn, text)
	if len(lines) != want || len(all) != want {
		r.t.Errorf("%d warnings, %d of them with %q, want %d: %q", len(all), len(lines), text, want, all)
	}
}

// accounted fails the test unless every byte read is delivered, discarded or in hand.
func (r *rig) accounted(delivered int) {
	r.t.Helper()
	e, s := r.rec.Events(), r.w.Snapshot()
	inHand := int(s.BlockFilled*fips.BlockBytes + 0.5)
	if sum := delivered*fips.BlockBytes + e.AllDiscarded() + inHand; sum != e.BytesRead || s.BytesRead != uint64(sum) {
		r.t.Errorf("%d bytes read, the snapshot says %d; %d blocks delivered, %v discarded, %d in hand",
			e.BytesRead, s.BytesRead, delivered, e.Discarded, inHand)
	}
}

// reads tells when the source was read, since the start.
func (r *rig) reads() (at []time.Duration) {
	for _, c := range r.src.Calls(sourcetest.Read) {
		at = append(at, c.At.Sub(r.begun))
	}
	return at
}

// stream returns bytes of the source's stream.
func stream(from, n int) []byte {
	data := make([]byte, from+n)
	if _, err := io.ReadFull(sourcetest.Good(sourcetest.Info().Name), data); err != nil {
		panic(err)
	}
	return data[from:]
}

// holds fails the test unless the block has these bytes of the stream.
func (r *rig) holds(b *source.Block, from int) {
	r.t.Helper()
	if !bytes.Equal(b.Data[:], stream(from, fips.BlockBytes)) {
		r.t.Errorf("the block is not what the source gave from byte %d on", from)
	}
}
