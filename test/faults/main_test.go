package faults

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

var (
	tableFile = flag.String("table", "", "also write the table of verdicts to this file")
	soakTime  = flag.Duration("soak", 0, "run the soak for this long; without it, it is skipped")
	soakSeed  = flag.Uint64("soak-seed", 1, "seed of the soak's random faults")
)

// parallelCases is how many cases run at the same time. They wait more than they compute.
const parallelCases = 8

func TestMain(m *testing.M) {
	kit.Parallel(parallelCases)
	code := kit.Run(m, kit.Provide)
	if err := verdicts.print(*tableFile); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}
