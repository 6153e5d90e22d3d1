package source

import "sync/atomic"

// life counts how often this machine has turned out to be a copy: a clone, or a snapshot that was
// started again. Data read in an earlier life is known to the other copies too.
var life atomic.Uint64

// Cloned tells all workers that this machine is a copy of another one, or of its former self. What
// they have in hand is dropped, blocks that they handed out are stale, and their sources are tested
// anew.
func Cloned() { life.Add(1) }

// clonedError reports that the machine is a copy.
type clonedError struct{}

func (*clonedError) Error() string { return "the machine was copied or went back to a snapshot" }
