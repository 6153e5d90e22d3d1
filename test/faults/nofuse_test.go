//go:build 386 || arm || mips || mipsle

package faults

import "testing"

// newFUSE skips the case: go-fuse cannot be built for this machine.
func newFUSE(t testing.TB, _ *tape, _ string) channel {
	t.Helper()
	t.Skip("SKIPPED, NOT TESTED: go-fuse is not for this architecture")
	return nil
}
