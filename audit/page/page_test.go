package page

import (
	"bytes"
	"context"
	"errors"
	"html"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// written is the page of a report, checked.
func written(t testing.TB, r *audit.Report, opt Options) string {
	t.Helper()
	var page bytes.Buffer
	if err := Write(&page, r, opt); err != nil {
		t.Fatal(err)
	}
	checkPage(t, page.String())
	return page.String()
}

func TestGolden(t *testing.T) {
	r := device(t, fipstest.G2())
	r.Run.Head = r.Run.Head[:1024]
	const file = "testdata/device.golden.html"
	page := written(t, r, Options{})
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if page != string(want) {
		t.Errorf("the page differs from %s; if that is right, run the test with -update and look at the page in a browser", file)
	}
}

// Whatever the data, the page is well-formed, and shows what there is and nothing else.
func TestPages(t *testing.T) {
	type parts struct{ tests, plots, raster, runs, failing, timing, units bool }
	all := parts{tests: true, plots: true, raster: true, runs: true, failing: true}
	for name, test := range map[string]struct {
		report *audit.Report
		has    parts
	}{
		"nothing":         {&audit.Report{}, parts{}},
		"empty":           {audited(t, nil, audit.Rules{}), parts{}},
		"three bytes":     {audited(t, fipstest.G1(1)[:3], audit.Rules{}), parts{}},
		"no whole block":  {audited(t, fipstest.G1(1)[:2503], audit.Rules{}), parts{raster: true}},
		"one block":       {audited(t, fipstest.G1(1), audit.Rules{}), parts{tests: true, plots: true, raster: true, runs: true}},
		"good":            {audited(t, fipstest.G1(20), audit.Rules{}), parts{tests: true, plots: true, raster: true, runs: true}},
		"FIPS 140-1":      {audited(t, fipstest.G2(), audit.Rules{Profile: audit.ProfileFIPS1401}), all},
		"too few":         {audited(t, fipstest.G1(20), audit.Rules{Wanted: 100}), parts{tests: true, plots: true, raster: true, runs: true}},
		"all ff":          {audited(t, fipstest.G10(20), audit.Rules{}), all},
		"all zero":        {audited(t, fipstest.G11(0, 20), audit.Rules{}), all},
		"zero at the end": {audited(t, fipstest.G11(10, 20), audit.Rules{}), all},
		"period 16":       {audited(t, fipstest.G12(16, 20), audit.Rules{}), all},
		"biased":          {audited(t, fipstest.G15(0.45, 20), audit.Rules{}), all},
		"zero byte":       {audited(t, fipstest.G17(20), audit.Rules{}), all},
		"words twice":     {audited(t, fipstest.G18(20), audit.Rules{}), all},
		"text":            {audited(t, fipstest.G21("base64", 20), audit.Rules{}), all},
		"counter":         {audited(t, fipstest.G26(20), audit.Rules{}), all},
		"device": {device(t, fipstest.G1(20)), parts{
			tests: true, plots: true, raster: true, runs: true, timing: true,
		}},
		"stuck device": {device(t, fipstest.G10(1)), parts{
			tests: true, plots: true, raster: true, runs: true, failing: true, timing: true,
		}},
		"lot": {lot(t, 6), parts{tests: true, plots: true, runs: true, units: true}},
	} {
		t.Run(name, func(t *testing.T) {
			page := written(t, test.report, Options{})
			for part, want := range map[string]bool{
				`id="tests"`: test.has.tests, `id="statistics"`: test.has.tests,
				`id="bytes-title"`: test.has.plots, `id="positions-title"`: test.has.plots, `id="lags-title"`: test.has.plots,
				`class="raster"`: test.has.raster, `id="runs"`: test.has.runs, `id="failing"`: test.has.failing,
				`id="throughput-title"`: test.has.timing, `id="latency-title"`: test.has.timing,
				`id="units"`: test.has.units, `href="#units"`: test.has.units,
				`id="estimates"`: false, `AIS 31`: false,
			} {
				if got := strings.Contains(page, part); got != want {
					t.Errorf("%s is in the page: %t, want %t", part, got, want)
				}
			}
			var again bytes.Buffer
			if err := Write(&again, test.report, Options{}); err != nil || again.String() != page {
				t.Errorf("the same report gives another page (error: %v)", err)
			}
		})
	}
}

// The verdict and the warning come before all else, and hints that repeat the reason are left out.
func TestVerdictFirst(t *testing.T) {
	r := audited(t, fipstest.G12(16, 60), audit.Rules{})
	r.Input.Warning = "this is the kernel's own generator"
	r.Hints = append([]audit.Hint{{Text: r.Reason}}, audit.Hint{Text: "another hint"})
	page := written(t, r, Options{})
	at := -1
	for _, part := range []string{
		"<h1>", `<section class="verdict fail"`, html.EscapeString(sentence(r.Reason)), `<section class="warning"`,
		"This is the kernel&#39;s own generator.", "<li>Another hint.</li>", "What was tested", r.Run.SHA256, `id="tests"`, `id="statistics"`,
	} {
		next := strings.Index(page, part)
		if next <= at {
			t.Errorf("%q is at %d, should be after %d", part, next, at)
		}
		at = next
	}
	if n := strings.Count(page, html.EscapeString(sentence(r.Reason))); n != 1 {
		t.Errorf("the reason comes %d times", n)
	}
}

// A file that is no report is not overwritten; this tells that it is one.
func TestMark(t *testing.T) {
	r := audited(t, nil, audit.Rules{})
	r.Label = strings.Repeat("long", 10000)
	if page := written(t, r, Options{}); !strings.Contains(page[:1000], "hwrngd audit") {
		t.Error("the mark of a report is not near its start")
	}
}

func TestFailingBlocks(t *testing.T) {
	r := audited(t, fipstest.G10(maxFailing+7), audit.Rules{})
	page := written(t, r, Options{})
	_, table, _ := strings.Cut(page, `id="failing"`)
	if n := strings.Count(table, "<tr><td"); n != maxFailing {
		t.Errorf("%d blocks are listed, want %d", n, maxFailing)
	}
	if !strings.Contains(table, "and 7 more.") {
		t.Error("the page does not say how many more there are")
	}
	if !strings.Contains(table, `<td class="n">49</td><td class="n">122,504</td><td>monobit, poker, runs, long run, continuous run</td><td class="n">20,000</td>`) {
		t.Error("the last block listed is not as it should be")
	}
}

// Everything in a report may come from a hostile file, device or command line.
func TestEscaping(t *testing.T) {
	const hostile = `"'></title></svg></style></code><script src=//x.example>alert(1)</script><img src=x onerror=alert(1)>{{.}}`
	r := lot(t, 4)
	d := device(t, fipstest.G2())
	r.Run.Trace, r.Timing, r.Machine, r.Input = d.Run.Trace, d.Timing, d.Machine, d.Input
	r.Hints = []audit.Hint{{}}
	r.AIS31 = stuckAIS31(t)
	estimates, err := sp80090b.Assess(context.Background(), fipstest.G1(1)[:1000], 8, sp80090b.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r.Assessment = audit.NewAssessment(estimates)
	n := fill(reflect.ValueOf(r).Elem(), hostile)
	if n < 100 {
		t.Fatalf("only %d texts were replaced", n)
	}
	page := written(t, r, Options{})
	if !strings.Contains(page, "&lt;script") {
		t.Error("the hostile text is not in the page")
	}
}

// fill puts text into each string that v holds and returns how many there are.
func fill(v reflect.Value, text string) (n int) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(text)
			return 1
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return fill(v.Elem(), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				n += fill(v.Field(i), text)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			n += fill(v.Index(i), text)
		}
	}
	return n
}

// full is a writer that takes so many bytes.
type full struct{ room int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	r := audited(t, fipstest.G1(1), audit.Rules{})
	size := len(written(t, r, Options{}))
	for _, room := range []int{0, 10_000, size - 1} {
		if err := Write(&full{room}, r, Options{}); !errors.Is(err, errFull) {
			t.Errorf("with room for %d of %d bytes the error is %v", room, size, err)
		}
	}
	if err := Write(&full{size}, r, Options{}); err != nil {
		t.Error(err)
	}
}

func FuzzWrite(f *testing.F) {
	f.Add(fipstest.G2(), "label")
	f.Add([]byte{1, 2, 3}, "<b>\x00\xff")
	f.Add(fipstest.G10(2), "\u2028</title>")
	f.Fuzz(func(t *testing.T, stream []byte, label string) {
		r := device(t, stream)
		r.Label, r.Input.Name, r.Reason = label, label, label
		written(t, r, Options{})
	})
}
