package vm

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

func TestMain(m *testing.M) {
	code := kit.Run(m)
	if err := results.publish(os.Getenv("HWRNGD_VM_RESULTS")); err != nil {
		fmt.Fprintln(os.Stderr, "vm: results:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// all tells whether to run what is too slow for each change.
func all() bool { return os.Getenv("HWRNGD_VM") == "all" }

// cacheDir is where kernels are kept between runs.
func cacheDir(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "hwrngd", "vm")
}
