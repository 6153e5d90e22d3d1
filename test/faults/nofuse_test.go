//go:build 386 || arm || mips || mipsle

package faults

import (
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// newFUSE skips the case: go-fuse cannot be built for this machine.
func newFUSE(t testing.TB, _ *tape, _ string) channel {
	t.Helper()
	kit.Missing(t, "go-fuse is not for this architecture")
	return nil
}
