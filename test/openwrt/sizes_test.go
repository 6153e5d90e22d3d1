package openwrt

import (
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// docsSlack is how far the figures in docs/openwrt.md may be from what is built, as a ratio.
const docsSlack = 1.15

// The ready-made packages are of the small variant, and cost what the documentation says.
func TestSizes(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", "-tags", "minimal", tree+"/cmd/hwrngd").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if slices.Contains(strings.Fields(string(deps)), "net/http") {
		t.Skip("SKIPPED, NOT TESTED: -tags minimal makes no small program in this tree (it links net/http), so all sizes are those of the full one")
	}
	page := kit.ReadFile(t, tree+"/docs/openwrt.md")
	packages := builtPackages(t, "ipk")
	i := slices.IndexFunc(packages, func(p builtPackage) bool { return p.arch == "mipsel_24kc" })
	if i < 0 {
		kit.Missing(t, "$HWRNGD_OPENWRT_PACKAGES has no package for mipsel_24kc")
	}
	for row, size := range map[string]int{
		"program, mipsle":             len(packages[i].data["usr/sbin/hwrngd"].data),
		"package to download, mipsle": packages[i].size,
	} {
		cell := regexp.MustCompile(`(?m)^\| ` + row + ` \| ([0-9.]+) MB \|`).FindStringSubmatch(page)
		if cell == nil {
			t.Errorf("docs/openwrt.md has no row %q", row)
			continue
		}
		said, err := strconv.ParseFloat(cell[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		if is := float64(size) / 1e6; is > said*docsSlack || is < said/docsSlack {
			t.Errorf("%s: %.2f MB, docs/openwrt.md says %v MB", row, is, said)
		}
	}
}
