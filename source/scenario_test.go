package source_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

var errDenied = &source.UnavailableError{Reason: "generator tpm-rng-0 is denied", Denied: true}

// scenario turns bytes into a script: two for each step, what and how much.
func scenario(code []byte) (script []sourcetest.Step) {
	infos := []source.Info{sourcetest.Info(), other()}
	for i := 0; i+1 < len(code); i += 2 {
		n := int(code[i+1])
		switch code[i] % 16 {
		case 0:
			script = append(script, sourcetest.Fail(errIO))
		case 1:
			script = append(script, sourcetest.Pause(time.Duration(n)*150*time.Millisecond))
		case 2:
			script = append(script, sourcetest.Change("generator", infos[n%2]))
		case 3:
			script = append(script, sourcetest.Outage(time.Duration(n)*80*time.Millisecond, errGone))
		case 4:
			script = append(script, sourcetest.Data(make([]byte, n%40)))
		case 5:
			script = append(script, bad(1+n%12)...)
		case 6:
			script = append(script, sourcetest.Outage(time.Duration(n)*80*time.Millisecond, errAgain))
		case 7:
			script = append(script, sourcetest.Outage(time.Duration(n)*80*time.Millisecond, errDenied))
		case 8: // the same block again
			block := fipstest.Shake(fmt.Sprintf("scenario %d", i), fips.BlockBytes)
			script = append(script, sourcetest.Data(block), sourcetest.Data(block[n:]))
		case 9:
			script = append(script, sourcetest.Data(fipstest.G15(0.45, 1+n%4)))
		default:
			script = append(script, sourcetest.Give(n*20))
		}
	}
	return script
}

// play runs a worker through a scenario and asserts what holds whatever happens: credit only in
// state active, only for blocks that pass and have not been seen before; states change only as the
// table says; each byte that was read is delivered, discarded or in hand; and good data gets through in
// the end.
func play(t *testing.T, code []byte, chunk int, interval time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		r := startRig(t, sourcetest.New(sourcetest.Info(), nil, scenario(code)...).Chunked(chunk))
		seen := map[[16]byte]bool{}
		delivered := 0
		check := func(b *source.Block) {
			delivered++
			state := r.w.Snapshot().State
			if b.MinEntropy > 0 && state != "active" {
				// The worker may have gone on since it sent the block.
				states := r.rec.Events().States
				if len(states) < 2 || states[len(states)-2] != source.Active {
					t.Errorf("a block for credit in state %s after %v", state, states)
				}
			}
			if failed := fips.Check(&b.Data, ^binary.BigEndian.Uint32(b.Data[:])); failed != 0 {
				t.Errorf("a block that fails %s was handed out", failed)
			}
			again := 0
			for i := 0; i+16 <= len(b.Data); i += 16 {
				if piece := [16]byte(b.Data[i:]); seen[piece] {
					again++
				} else {
					seen[piece] = true
				}
			}
			// A repeat shows after 71 bytes, so that these may end a block.
			if again > 71/16 {
				t.Errorf("%d pieces of 16 bytes of block %d came before", again, delivered)
			}
			b.Clear()
		}
		live := func(d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); {
				select {
				case b := <-r.out:
					check(b)
				case <-time.After(interval):
					r.w.Request()
				}
			}
			synctest.Wait()
			select {
			case b := <-r.out: // that waited
				check(b)
				synctest.Wait()
			default:
			}
			r.accounted(delivered)
		}
		for range 20 {
			live(30 * time.Second)
		}
		r.src.Play()
		live(25 * time.Minute) // the longest penalty and the longest re-admission are over by then
		if s := r.w.Snapshot(); s.State != "active" {
			t.Errorf("good data, and yet %+v", s)
		}
		e := r.rec.Events()
		for i := 1; i < len(e.States); i++ {
			if !leads(e.States[i-1], e.States[i]) {
				t.Errorf("from %s to %s: not in the table", e.States[i-1], e.States[i])
			}
		}
		failed := 0
		for verdict, n := range e.Blocks {
			if verdict != 0 {
				failed += n
			}
		}
		if got := e.Discarded[source.DiscardFIPS]; got != failed*fips.BlockBytes {
			t.Errorf("%d failed blocks, but %d bytes discarded for that", failed, got)
		}
	})
}

// leads tells whether any event leads from one state to the other.
func leads(from, to source.State) bool {
	for _, next := range source.Transitions[from] {
		if next == to {
			return true
		}
	}
	return false
}

// TestAnyScenario plays random mixtures of all that may happen.
func TestAnyScenario(t *testing.T) {
	for seed := range uint64(24) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			code := make([]byte, 2*(1+rnd.IntN(120)))
			for i := range code {
				code[i] = byte(rnd.Uint32())
			}
			play(t, code, 1+rnd.IntN(3000), time.Duration(1+rnd.IntN(10))*time.Second)
		})
	}
}

// FuzzScenario looks for a mixture that breaks an invariant.
func FuzzScenario(f *testing.F) {
	f.Add([]byte{10, 125, 4, 39, 5, 11, 8, 3, 2, 1}, uint16(2500), byte(1))
	f.Add(bytes.Repeat([]byte{5, 7, 12, 200}, 20), uint16(1000), byte(5))
	f.Fuzz(func(t *testing.T, code []byte, chunk uint16, seconds byte) {
		play(t, code[:min(len(code), 200)], 1+int(chunk)%3000, time.Duration(1+seconds%20)*time.Second)
	})
}

// TestLatch: a source that says so is never used again, and is left alone.
func TestLatch(t *testing.T) {
	failed := &source.FailedError{Reason: "lag test: permanent alarm"}
	bubble(t, []sourcetest.Step{sourcetest.Give(fips.BlockBytes), sourcetest.Fail(failed)}, func(t *testing.T, r *rig) {
		r.block(0)
		r.w.Request()
		r.noBlock(24 * time.Hour)
		r.states(source.Starting, source.Active, source.Failed)
		if n := len(r.src.Calls(sourcetest.Read, sourcetest.Watch)); n > 4 {
			t.Errorf("%d calls on a source that failed for good", n)
		}
	})
}
