package faults

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// report is what came out of a case file.
type report struct {
	name    string // of the file, without .txt
	title   string
	verdict string
	wall    time.Duration
	cpu     time.Duration
	stopped time.Duration // from SIGTERM to the end, 0 if it ended otherwise
	fault   *faultFigures // nil: no fault was marked
}

// faultFigures is what a fault came to.
type faultFigures struct {
	detected   time.Duration // to the first warning, 0: none
	bytes      int           // that the device gave until then
	seeds      int           // credited until then
	lastCredit time.Duration // to the last of these
	tainted    int           // credited at any time, and of bad data
}

func (r *report) share() float64 {
	if r.wall == 0 {
		return 0
	}
	return r.cpu.Seconds() / r.wall.Seconds()
}

// id is the field case that a file shows: FC-046 of FC-046-later; "" of those that measure only.
func id(name string) string { return fieldCase.FindString(name) }

var fieldCase = regexp.MustCompile(`^FC-\d{3}`)

// verdictTable collects the reports of a run.
type verdictTable struct {
	mu  sync.Mutex
	all []*report
}

var verdicts verdictTable

// add begins a report; the test sets its verdict when it ends.
func (v *verdictTable) add(t *testing.T, name, title string) *report {
	r := &report{name: name, title: title}
	v.mu.Lock()
	v.all = append(v.all, r)
	v.mu.Unlock()
	t.Cleanup(func() {
		switch {
		case t.Skipped():
			r.verdict = "SKIPPED"
		case t.Failed():
			r.verdict = "FAIL"
		default:
			r.verdict = "pass"
		}
	})
	return r
}

// print writes the table for people, and to a file if one is given.
func (v *verdictTable) print(file string) error {
	if len(v.all) == 0 {
		return nil
	}
	text, err := v.text()
	if err != nil {
		return err
	}
	fmt.Print(text)
	if file == "" {
		return nil
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// text is the table: each case file with what it measured, then the field cases that are shown
// elsewhere.
func (v *verdictTable) text() (string, error) {
	rows, err := readIndex()
	if err != nil {
		return "", err
	}
	slices.SortFunc(v.all, func(a, b *report) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	b.WriteString("| case | what happens | verdict | took | CPU time | of a core | SIGTERM to end |\n|---|---|---|---:|---:|---:|---:|\n")
	for _, r := range v.all {
		share := "" // a short run is mostly the start
		if r.wall >= shortRun {
			share = fmt.Sprintf("%.2f %%", 100*r.share())
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.1f s | %s | %s | %s |\n", r.name, r.title, r.verdict, r.wall.Seconds(), milliseconds(r.cpu), share, milliseconds(r.stopped))
	}
	b.WriteString("\n| elsewhere | what | shown by |\n|---|---|---|\n")
	for _, row := range rows {
		if row.how != hereColumn {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", row.id, row.what, row.how)
		}
	}
	b.WriteString("\n| fault | first warning | bytes read until then | seeds credited until then | the last after | seeds of bad data |\n|---|---:|---:|---:|---:|---:|\n")
	for _, r := range v.all {
		if f := r.fault; f != nil {
			fmt.Fprintf(&b, "| %s: %s | %s | %d | %d | %s | %d |\n", r.name, r.title, milliseconds(f.detected), f.bytes, f.seeds, milliseconds(f.lastCredit), f.tainted)
		}
	}
	return b.String(), nil
}

func milliseconds(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// indexFile lists every field case, with the place where it is shown.
const indexFile = "cases/README.md"

// hereColumn in the index stands for files of cases/.
const hereColumn = "here"

// indexRow is a row of the index.
type indexRow struct{ id, kind, what, how string }

// readIndex reads the table of the index: | FC-001 | K1 | what | how |.
func readIndex() ([]indexRow, error) {
	f, err := os.Open(indexFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseIndex(f)
}

func parseIndex(r io.Reader) (rows []indexRow, err error) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		cells := strings.Split(strings.Trim(lines.Text(), "|"), "|")
		if len(cells) != 4 || !fieldCase.MatchString(strings.TrimSpace(cells[0])) {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, indexRow{cells[0], cells[1], cells[2], cells[3]})
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no table", indexFile)
	}
	return rows, nil
}

// elsewhere matches the tests that the index names: test/e2e TestFC090ReseedRefused.
var elsewhere = regexp.MustCompile(`([a-z0-9/]+)((?: Test\w+)+)`)

// The index is right: each file has its row, each row its file, and each test that it names exists.
func TestIndex(t *testing.T) {
	rows, err := readIndex()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("cases/*.txt")
	shown := map[string]bool{}
	for _, file := range files {
		shown[id(filepath.Base(file))] = true
	}
	listed := map[string]bool{}
	for i, row := range rows {
		listed[row.id] = true
		if i > 0 && rows[i-1].id >= row.id {
			t.Errorf("%s after %s", row.id, rows[i-1].id)
		}
		if here := row.how == hereColumn; here != shown[row.id] {
			t.Errorf("%s: the index says %q, there is a file: %t", row.id, row.how, shown[row.id])
		}
		if row.how == hereColumn || strings.HasPrefix(row.how, "not shown: ") {
			continue
		}
		named := elsewhere.FindAllStringSubmatch(row.how, -1)
		if len(named) == 0 {
			t.Errorf("%s: %q names no test", row.id, row.how)
		}
		for _, m := range named {
			for _, test := range strings.Fields(m[2]) {
				if !testExists(t, m[1], test) {
					t.Errorf("%s: no %s in %s", row.id, test, m[1])
				}
			}
		}
	}
	for id := range shown {
		if id != "" && !listed[id] {
			t.Errorf("%s has a file and no row in %s", id, indexFile)
		}
	}
}

// testExists tells whether a package of the module has that test.
func testExists(t *testing.T, pkg, name string) bool {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join("..", "..", pkg, "*_test.go"))
	for _, file := range files {
		text := kit.ReadFile(t, file)
		if strings.Contains(text, "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
