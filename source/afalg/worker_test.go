package afalg

import (
	"bytes"
	"context"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// zeros is an engine that is switched off.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestWorker runs the worker on generators, and looks at the credit of the seed that a block gives.
func TestWorker(t *testing.T) {
	for _, tt := range []struct {
		name      string
		rng       linux.CryptoRNG
		generator string
		stream    io.Reader // nil for a good one
		credit    int       // bits of one block's seed
		states    []source.State
	}{
		{"engine", qcom, Auto, nil, 512, []source.State{source.Starting, source.Active}},
		{"jitter", jitter, Auto, nil, 512, []source.State{source.Starting, source.Active}},
		{"the kernel's own output earns nothing", drbg, drbg.Driver, nil, 0, []source.State{source.Starting, source.Active}},
		{"dead engine", qcom, Auto, zeros{}, 0, []source.State{source.Starting, source.Quarantined}},
		{"text", qcom, Auto, &loop{text: []byte("status: ready\n")}, 0, []source.State{source.Starting, source.Quarantined}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newKernel(t, tt.rng)
				if tt.stream != nil {
					k.stream = tt.stream
				}
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				rec := &sourcetest.Recorder{}
				_, logger := sourcetest.NewLog()
				out := make(chan *source.Block)
				go source.NewWorker(newSource(Options{Procfs: k.proc, Generator: tt.generator}, k.open, nil), out, rec, logger).Run(ctx)
				credit := 0
				select {
				case b := <-out:
					var seed [pool.SeedBytes]byte
					credit = pool.Condition(&seed, pool.Part{Raw: b.Data[:], MinEntropy: b.MinEntropy})
				case <-time.After(100 * time.Millisecond):
				}
				synctest.Wait()
				if states := rec.Events().States; credit != tt.credit || !slices.Equal(states, tt.states) {
					t.Errorf("%d bits of credit, states %v, alarms %+v", credit, states, rec.Events().Alarms)
				}
			})
		})
	}
}

// loop repeats a text.
type loop struct{ text []byte }

func (l *loop) Read(p []byte) (int, error) {
	return copy(p, bytes.Repeat(l.text, len(p)/len(l.text)+1)), nil
}
