package openwrt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

const (
	tree  = "../.." // the root of the source tree, as seen from here
	files = tree + "/packaging/openwrt/files/"
)

func TestMain(m *testing.M) { os.Exit(kit.Run(m, kit.Provide, buildStandin)) }

// standin returns the path of what stands in for a router's own programs.
func standin() string { return filepath.Join(kit.Dir(), "standin") }

func buildStandin(string) error { return kit.Build(standin(), "./standin") }

// golden compares text with testdata/golden/NAME.
func golden(t *testing.T, name, text string) {
	t.Helper()
	kit.Golden(t, filepath.Join("testdata", "golden", name), text)
}
