package metrics

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/metrics.md instead of comparing with it")

const docsPath = "../docs/metrics.md"

// sections divides the catalogue for the reader. Each lasts until the next begins.
var sections = map[ID]string{
	BuildInfo:     "Daemon",
	CRNGReady:     "Kernel",
	SourceInfo:    "Sources",
	FIPSBlocks:    "Tests",
	HWRNGCurrent:  "Kernel's hw_random class",
	WatchdogPings: "Watchdog, log and metrics",
}

func TestDocs(t *testing.T) {
	intro, err := os.ReadFile("testdata/metrics_intro.md")
	if err != nil {
		t.Fatal(err)
	}
	want := string(intro) + tables()
	if *update {
		if err := os.WriteFile(docsPath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docsPath)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s differs from the catalogue; run go test ./metrics -update", docsPath)
	}
	for _, statement := range []string{"Do not alert on entropy_avail", "256 is normal", "Why bits and not bytes?"} {
		if !strings.Contains(want, statement) {
			t.Errorf("the page does not say %q", statement)
		}
	}
}

// tables renders the catalogue as Markdown.
func tables() string {
	var b strings.Builder
	for i, d := range Catalogue {
		if title := sections[ID(i)]; title != "" {
			if i > 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "## %s\n\n| name | type | unit | labels | meaning |\n|---|---|---|---|---|\n", title)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.Name, typeText(d.Type), orDash(d.Unit), labelText(d.Labels), helpText(d))
	}
	return b.String()
}

func typeText(t Type) string {
	switch t {
	case Info:
		return "gauge, always 1"
	case StateSet:
		return "gauge, one of the set is 1"
	}
	return t.String()
}

func labelText(labels []Label) string {
	var texts []string
	for _, l := range labels {
		text := "`" + l.Name + "`"
		if l.Values != nil {
			text += " (" + strings.Join(l.Values, ", ") + ")"
		}
		texts = append(texts, text)
	}
	return orDash(strings.Join(texts, ", "))
}

func helpText(d Desc) string {
	text := d.Help
	if d.Absent != "" {
		text += " Absent " + d.Absent + "."
	}
	if d.NotInTextfile {
		text += " Not in textfile output."
	}
	if d.Buckets != nil {
		text += " Classic buckets: " + strings.Trim(strings.ReplaceAll(fmt.Sprint(d.Buckets), " ", ", "), "[]") + "."
	}
	return text
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
