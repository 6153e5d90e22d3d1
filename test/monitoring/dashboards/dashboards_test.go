package dashboards

//lint:file-ignore SA1019 the schema before v2 is the one that every Grafana reads

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

var update = flag.Bool("update", false, "write the files instead of comparing with them")

// files are the dashboards, by the file that holds each.
var files = map[string]func() (dashboard.Dashboard, error){"board.json": Board, "fleet.json": Fleet}

const folder = "../../../packaging/grafana"

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestFilesAreUpToDate(t *testing.T) {
	for name, build := range files {
		d, err := build()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		if err := enc.Encode(d); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(read(t, name), b.Bytes()) {
			t.Errorf("%s is not what the package builds; with -update it becomes so", name)
		}
	}
}

// register tells the SDK which kinds of panels and queries it is to understand.
func register() {
	runtime := cog.NewRuntime()
	runtime.RegisterPanelcfgVariant(stat.VariantConfig())
	runtime.RegisterPanelcfgVariant(statetimeline.VariantConfig())
	runtime.RegisterPanelcfgVariant(table.VariantConfig())
	runtime.RegisterPanelcfgVariant(timeseries.VariantConfig())
	runtime.RegisterDataqueryVariant(prometheus.VariantConfig())
}

// parse reads a file strictly. The SDK's error is never nil, but holds nothing if all is well.
func parse(text []byte) (d dashboard.Dashboard, err error) {
	err = d.UnmarshalJSONStrict(text)
	if errs, ok := errors.AsType[cog.BuildErrors](err); ok && len(errs) == 0 {
		err = nil
	}
	return d, err
}

// Every field of the files is one that Grafana knows, and none that it wants is missing.
func TestFilesParseStrictly(t *testing.T) {
	register()
	for name := range files {
		text := read(t, name)
		d, err := parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := d.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// That strict is strict has to be seen.
		for _, spoil := range [][2]string{
			{`"schemaVersion":`, `"schemaVersions":`}, {`"expr":`, `"expression":`}, {`"graphMode":`, `"graphModes":`}, {`"gridPos":`, `"gridPosition":`},
		} {
			broken := strings.Replace(string(text), spoil[0], spoil[1], 1)
			if broken == string(text) {
				t.Errorf("%s has no %s", name, spoil[0])
			}
			if _, err := parse([]byte(broken)); err == nil {
				t.Errorf("%s is accepted with %s", name, spoil[1])
			}
		}
	}
}

// No panel lies on another one or beyond the right edge, and each has a number of its own.
func TestLayout(t *testing.T) {
	for name, build := range files {
		d, err := build()
		if err != nil {
			t.Fatal(err)
		}
		taken, ids := map[[2]uint32]string{}, map[uint32]bool{}
		for _, p := range d.Panels {
			if p.Panel == nil {
				ids[p.RowPanel.Id] = true
				continue
			}
			at, title := p.Panel.GridPos, *p.Panel.Title
			if at.X+at.W > 24 {
				t.Errorf("%s: %s is beyond the edge", name, title)
			}
			if ids[*p.Panel.Id] {
				t.Errorf("%s: %s has the number of another panel", name, title)
			}
			ids[*p.Panel.Id] = true
			for x := at.X; x < at.X+at.W; x++ {
				for y := at.Y; y < at.Y+at.H; y++ {
					if other := taken[[2]uint32{x, y}]; other != "" {
						t.Fatalf("%s: %s lies on %s", name, title, other)
					}
					taken[[2]uint32{x, y}] = title
				}
			}
		}
		if len(ids) < 20 {
			t.Errorf("%s: %d panels", name, len(ids))
		}
	}
}
