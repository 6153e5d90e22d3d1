//go:build !race

package audit

// race is whether the race detector is on, which slows computation tenfold and has nothing to find in it.
const race = false
