package rules

import (
	"bufio"
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/hwrngd/hwrngd"

// layers orders the packages: each may import those on its right and nothing on its left or beside
// it, except within one entry's own tree.
var layers = []string{"cmd/hwrngd", "metrics", "pool", "audit", "source/hwrng", "source/tty", "source/tpm", "source/command", "source/afalg", "source/stream", "source", "source/repeat", "fips", "sp80090b", "internal/landlock", "internal/linux", "internal/loglimit"}

// sole maps import paths to the only package trees that may use them.
var sole = map[string][]string{
	"golang.org/x/sys/unix":               {"internal/linux"},
	"gonum.org/v1/gonum":                  {"audit"},
	"go.uber.org/zap":                     {"cmd/hwrngd"},
	"github.com/prometheus/client_golang": {"metrics/prom"},
	"github.com/prometheus/common":        {"metrics/prom"},
	// It brings crypto/tls and thereby crypto/rand: its caller waits until the generator is seeded.
	"github.com/prometheus/exporter-toolkit": {"metrics/web"},
	"github.com/coreos/go-systemd":           {"cmd/hwrngd"},
	"github.com/spf13/pflag":                 {"cmd/hwrngd"},
	"github.com/BurntSushi/toml":             {"cmd/hwrngd"},
	"net/http":                               {"metrics/web", "metrics/prom", "cmd/hwrngd"},
	"os/exec":                                {"source/command"}, // runs the user's program as a source; nothing else runs any
	"crypto/rand":                            {},                 // would wait for the generator that is to be seeded
	"crypto/tls":                             {},                 // likewise
	"unsafe":                                 {"internal/linux"},
	"C":                                      {},
}

// products lists each of our packages but tests, tools and fakes, with its imports.
func products(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string][]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		name := strings.TrimPrefix(words[0], module+"/")
		if strings.HasPrefix(name, "test/") || strings.HasSuffix(name, "test") || name == "internal/rules" {
			continue
		}
		packages[name] = words[1:]
	}
	if len(packages) < len(layers) {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	return packages
}

// within tells whether name is tree or below it.
func within(name, tree string) bool { return name == tree || strings.HasPrefix(name, tree+"/") }

// layerOf returns the index of the most specific layer that name belongs to, -1 if none.
func layerOf(name string) int {
	best := -1
	for i, layer := range layers {
		if within(name, layer) && (best < 0 || len(layer) > len(layers[best])) {
			best = i
		}
	}
	return best
}

func TestImportsRunOneWay(t *testing.T) {
	for name, imports := range products(t) {
		from := layerOf(name)
		if from < 0 {
			t.Errorf("package %s is in no layer: put it into the list", name)
			continue
		}
		for _, path := range imports {
			ours, ok := strings.CutPrefix(path, module+"/")
			if !ok {
				continue
			}
			if to := layerOf(ours); to < from {
				t.Errorf("%s imports %s, against the direction %s", name, ours, strings.Join(layers, " -> "))
			}
		}
	}
}

func TestSoleImporters(t *testing.T) {
	for name, imports := range products(t) {
		for _, path := range imports {
			for guarded, allowed := range sole {
				if !within(path, guarded) {
					continue
				}
				if !allowedIn(name, allowed) {
					t.Errorf("%s imports %s; only %v may", name, path, allowed)
				}
			}
		}
	}
}

func allowedIn(name string, trees []string) bool {
	for _, tree := range trees {
		if within(name, tree) {
			return true
		}
	}
	return false
}

// The tests and the pure packages need nothing but the standard library.
func TestPurePackages(t *testing.T) {
	packages := products(t)
	for _, name := range []string{"fips", "sp80090b"} {
		for _, path := range packages[name] {
			if strings.Contains(path, ".") {
				t.Errorf("%s imports %s; it may use the standard library only", name, path)
			}
		}
	}
}
