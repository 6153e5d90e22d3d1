// Package pooltest has fakes for tests of what feeds the kernel: a random generator of either
// generation, and a recorder.
//
// Everything is safe for concurrent use and made for testing/synctest: waits go by the time
// package, and nothing is read from the machine.
package pooltest

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/pool"
)

// Op names a call on the kernel.
type Op string

// The calls.
const (
	AddEntropy   Op = "RNDADDENTROPY"
	Reseed       Op = "RNDRESEEDCRNG"
	Write        Op = "write"
	WaitWritable Op = "poll"
	Ready        Op = "getrandom"
)

// Call is one call that reached the kernel.
type Call struct {
	Op   Op
	At   time.Time
	Data []byte // of AddEntropy and Write; empty is the probe for the privilege
	Bits int    // credit, of AddEntropy
	Err  error  // the kernel's answer
}

// What tells the two generations of the kernel's generator apart, in bits.
const (
	ModernPoolBits = 256  // Linux 5.18 and stable series that took it over
	LegacyPoolBits = 4096 // before

	legacyReadyBits = 128 // estimate at which a legacy generator takes its first key
	legacyKeyBits   = 256 // what that key costs the estimate, as far as there is so much
	legacyWatermark = 896 // POLLOUT below
)

// Kernel is a fake of the kernel's random generator. It keeps the estimate as the generation does
// that it stands for, and remembers every call but those of Ready and Levels.
type Kernel struct {
	mu        sync.Mutex
	legacy    bool
	eighths   int // estimate in 1/8 bit, the kernel's own unit
	ready     bool
	asks      bool // POLLOUT always
	hidden    bool // procfs shows nothing
	calls     []Call
	scripted  map[Op][]error
	always    map[Op]error
	hung      map[Op]chan struct{} // closed on release
	estimated chan struct{}        // closed and renewed at each change that pollers may care for
}

var _ pool.Kernel = (*Kernel)(nil)

// Modern returns an unseeded generator of Linux 5.18: credit adds up to 256 bits, which make it
// ready and never go away again; it asks for entropy only until then.
func Modern() *Kernel {
	return &Kernel{scripted: map[Op][]error{}, always: map[Op]error{}, hung: map[Op]chan struct{}{}, estimated: make(chan struct{})}
}

// Legacy returns an unseeded generator of Linux before 5.18: a credit counts for three quarters on
// an empty pool and for less the fuller it is, 128 bits make it ready, and it asks for entropy
// whenever the estimate is below 896 bits.
func Legacy() *Kernel {
	k := Modern()
	k.legacy = true
	return k
}

// Seed makes the generator ready, as if somebody else had fed it. It returns its receiver.
func (k *Kernel) Seed() *Kernel {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.credit(2 * ModernPoolBits)
	return k
}

// Drain takes bits off the estimate, as readers of a legacy generator do.
func (k *Kernel) Drain(bits int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.legacy {
		k.eighths = max(0, k.eighths-8*bits)
		k.wakePollers()
	}
}

// AskAlways makes the kernel ask for entropy whatever it has, as some patched ones do.
func (k *Kernel) AskAlways() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asks = true
	k.wakePollers()
}

// HideLevels makes the levels unknown, as without procfs.
func (k *Kernel) HideLevels() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hidden = true
}

// Script sets the answers to the next calls of op, one each; nil is success. A call that has no
// answer left succeeds, or fails if FailAlways says so.
func (k *Kernel) Script(op Op, answers ...error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.scripted[op] = answers
}

// FailAlways makes every call of op fail with err from now on; nil ends that.
func (k *Kernel) FailAlways(op Op, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.always[op] = err
}

// Hang makes calls of op hang until release is called.
func (k *Kernel) Hang(op Op) (release func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	gate := make(chan struct{})
	k.hung[op] = gate
	return sync.OnceFunc(func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.hung, op)
		close(gate)
	})
}

// Calls returns the calls so far of the named kinds, of every kind if none is named.
func (k *Kernel) Calls(ops ...Op) []Call {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(k.calls), func(c Call) bool {
		return len(ops) > 0 && !slices.Contains(ops, c.Op)
	})
}

// Seeds returns the calls of AddEntropy that carried data, whatever the answer.
func (k *Kernel) Seeds() []Call {
	return slices.DeleteFunc(k.Calls(AddEntropy), func(c Call) bool { return len(c.Data) == 0 })
}

// CreditedBits returns the sum of what successful calls of AddEntropy claimed.
func (k *Kernel) CreditedBits() (sum int) {
	for _, c := range k.Seeds() {
		if c.Err == nil {
			sum += c.Bits
		}
	}
	return sum
}

// AddEntropy implements [pool.Kernel].
func (k *Kernel) AddEntropy(data []byte, creditBits int) error {
	err := k.enter(Call{Op: AddEntropy, Data: data, Bits: creditBits})
	if err == nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.credit(creditBits)
	}
	return err
}

// Write implements [pool.Kernel].
func (k *Kernel) Write(data []byte) (int, error) {
	if err := k.enter(Call{Op: Write, Data: data}); err != nil {
		return 0, err
	}
	return len(data), nil
}

// Reseed implements [pool.Kernel].
func (k *Kernel) Reseed() error { return k.enter(Call{Op: Reseed}) }

// Ready implements [pool.Kernel].
func (k *Kernel) Ready() (bool, error) {
	if err := k.answer(Ready); err != nil {
		return false, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ready, nil
}

// Levels implements [pool.Kernel].
func (k *Kernel) Levels() (available, size int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.hidden {
		return 0, 0
	}
	return k.eighths / 8, k.size()
}

// WaitWritable implements [pool.Kernel].
func (k *Kernel) WaitWritable(ctx context.Context, limit time.Duration) (bool, error) {
	if err := k.enter(Call{Op: WaitWritable}); err != nil {
		return false, err
	}
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for {
		k.mu.Lock()
		wish, change := k.wish(), k.estimated
		k.mu.Unlock()
		if wish {
			return true, nil
		}
		select {
		case <-change:
		case <-timeout.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// enter answers a call from the script and remembers both.
func (k *Kernel) enter(c Call) error {
	c.At, c.Data = time.Now(), slices.Clone(c.Data)
	c.Err = k.answer(c.Op)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.calls = append(k.calls, c)
	return c.Err
}

// answer waits while op hangs and returns the next error for it, in the form of real ones.
func (k *Kernel) answer(op Op) error {
	k.mu.Lock()
	gate := k.hung[op]
	k.mu.Unlock()
	if gate != nil {
		<-gate
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.always[op]
	if left := k.scripted[op]; len(left) > 0 {
		err, k.scripted[op] = left[0], left[1:]
	}
	if err != nil {
		err = &os.PathError{Op: string(op), Path: "/dev/random", Err: err}
	}
	return err
}

func (k *Kernel) size() int {
	if k.legacy {
		return LegacyPoolBits
	}
	return ModernPoolBits
}

// wish tells whether poll would report POLLOUT.
func (k *Kernel) wish() bool {
	if k.legacy {
		return k.asks || k.eighths < 8*legacyWatermark
	}
	return k.asks || !k.ready
}

// credit raises the estimate as the generation does.
func (k *Kernel) credit(bits int) {
	full := 8 * k.size()
	if !k.legacy {
		k.eighths = min(full, k.eighths+8*bits)
		k.ready = k.ready || k.eighths == full
		k.wakePollers()
		return
	}
	for left := 8 * min(bits, LegacyPoolBits); left > 0; left -= full / 2 {
		k.eighths += (full - k.eighths) * min(left, full/2) / full * 3 / 4
	}
	if !k.ready && k.eighths >= 8*legacyReadyBits {
		k.ready = true
		k.eighths = max(0, k.eighths-8*legacyKeyBits)
	}
	k.wakePollers()
}

func (k *Kernel) wakePollers() {
	close(k.estimated)
	k.estimated = make(chan struct{})
}
