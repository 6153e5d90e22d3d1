package systemd

import (
	"os"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// tree is the root of the source tree, as seen from here.
const tree = "../.."

// fetchEnv makes the test binary fetch a page and print it: nsenter starts it in a machine's network.
const fetchEnv = "HWRNGD_SYSTEMD_FETCH"

func TestMain(m *testing.M) {
	if url := os.Getenv(fetchEnv); url != "" {
		os.Exit(fetch(url))
	}
	os.Exit(kit.Run(m, kit.Provide))
}
