package source

import (
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// Snapshot is a source's state at one moment, for status reports. It is a value: nothing in it
// changes afterwards.
type Snapshot struct {
	Name        string    `json:"name"`
	Kind        Kind      `json:"kind"`
	Device      string    `json:"device,omitempty"`
	Driver      string    `json:"driver,omitempty"`
	Note        string    `json:"note,omitempty"`
	State       string    `json:"state"`
	Reason      string    `json:"reason,omitempty"` // why it is not active
	Since       time.Time `json:"since"`            // of State
	MinEntropy  float64   `json:"claimed_min_entropy_bits_per_byte"`
	ClaimOrigin string    `json:"claim_origin"`
	BytesRead   uint64    `json:"bytes_read"`
	ReadErrors  uint64    `json:"read_errors"`
	LastError   string    `json:"last_read_error,omitempty"`
	BlockFilled float64   `json:"block_filled"` // share of the block in hand, 0 to 1
	Rotation    *Rotation `json:"rotation,omitempty"`
}

// Rotation is how it goes with a source that gives each of several generators its turn.
type Rotation struct {
	Running bool      `json:"running"`
	Stopped time.Time `json:"stopped,omitzero"` // when it ended
	Reason  string    `json:"reason,omitempty"` // why
}

// board holds the snapshot of a running worker.
type board struct {
	mu  sync.Mutex
	s   State
	now Snapshot
}

func (b *board) init(i Info) {
	b.s = Starting
	b.now = Snapshot{State: Starting.String(), Since: time.Now()}
	b.info(i)
}

func (b *board) info(i Info) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now.Name, b.now.Kind, b.now.Device, b.now.Driver = i.Name, i.Kind, i.Device, i.Driver
	b.now.Note, b.now.MinEntropy, b.now.ClaimOrigin = i.Note, i.MinEntropy, i.ClaimOrigin
}

func (b *board) state() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.s
}

// atRest tells whether a lazy worker has not been asked for anything yet.
func (b *board) atRest() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.s == Starting && b.now.Reason == AtRest
}

// enter sets state and reason and tells which of the two is new.
func (b *board) enter(s State, reason string) (stateChanged, reasonChanged bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	stateChanged, reasonChanged = s != b.s, reason != b.now.Reason
	if stateChanged {
		b.s, b.now.State, b.now.Since = s, s.String(), time.Now()
	}
	b.now.Reason = reason
	b.now.BlockFilled = 0
	return stateChanged, reasonChanged
}

func (b *board) read(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now.BytesRead += uint64(n)
}

func (b *board) readError(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now.ReadErrors++
	b.now.LastError = err.Error()
}

func (b *board) progress(filled int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now.BlockFilled = float64(filled) / fips.BlockBytes
}

func (b *board) snapshot() Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}
