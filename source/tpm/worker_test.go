package tpm

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// zeros is a TPM whose generator is dead.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// every makes each of many commands come to the same.
func every(s step) []step { return slices.Repeat([]step{s}, 10_000) }

// TestWorker runs the worker on TPMs, and looks at the credit of the seed that a block gives.
func TestWorker(t *testing.T) {
	for _, tt := range []struct {
		name   string
		stream io.Reader // nil for a good one
		script []step
		credit int // bits of one block's seed
		states []source.State
		reason string
	}{
		{"good", nil, nil, 512, []source.State{source.Starting, source.Active}, ""},
		{"dead", zeros{}, nil, 0, []source.State{source.Starting, source.Quarantined}, "value 0x00 repeated"},
		{"self-test failed", nil, every(says(0x101)), 0, []source.State{source.Starting}, "TPM_RC_FAILURE"},
		{"always busy", nil, every(says(0x90A)), 0, []source.State{source.Starting}, "TPM_RC_TESTING"},
		{"lying size", nil, every(step{answer: append(right(make([]byte, 32)), 0)}), 0, []source.State{source.Starting}, "says that it has 44"},
		{"TPM 1.2", nil, every(step{answer: answer(tagVersion1, 0x1E)}), 0, []source.State{source.Starting, source.Disabled}, "is a TPM 1.2"},
		{"the same answer again and again", nil, every(step{answer: right(bytesFrom(0, 32))}), 0, []source.State{source.Starting, source.Quarantined}, "repeat detector"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBoard(t)
				b.took, b.script = time.Millisecond, tt.script
				if tt.stream != nil {
					b.stream = tt.stream
				}
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				_, logger := sourcetest.NewLog()
				out := make(chan *source.Block)
				w := source.NewWorker(newSource(b.opt, b.open, nil), out, &b.rec, logger)
				go w.Run(ctx)
				credit := 0
				limit := 900 * time.Millisecond
				if tt.reason != "" && !slices.Contains(tt.states, source.Quarantined) {
					limit = time.Minute
				}
				select {
				case block := <-out:
					var seed [pool.SeedBytes]byte
					credit = pool.Condition(&seed, pool.Part{Raw: block.Data[:], MinEntropy: block.MinEntropy})
				case <-time.After(limit):
				}
				synctest.Wait()
				snapshot := w.Snapshot()
				if states := b.rec.Events().States; credit != tt.credit || !slices.Equal(states, tt.states) || !strings.Contains(snapshot.Reason, tt.reason) {
					t.Errorf("%d bits of credit, states %v, %+v", credit, states, snapshot)
				}
				stop()
				synctest.Wait()
			})
		})
	}
}
