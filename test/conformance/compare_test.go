package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
)

// result is what a program leaves behind.
type result struct {
	exit           int // code, or minus the signal that killed it
	stdout, stderr string
	offset         int64 // of the input, -1 if it has none
}

// execute runs a program on an input that nobody else reads.
func execute(t testing.TB, in *os.File, program string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &stdout, &stderr
	exit := status(t, cmd.Run())
	offset, err := in.Seek(0, io.SeekCurrent)
	if err != nil {
		offset = -1
	}
	return result{exit, stdout.String(), stderr.String(), offset}
}

// status returns the exit code, or minus the signal, of a program that has ended.
func status(t testing.TB, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatal(err)
	}
	if w := exit.Sys().(syscall.WaitStatus); w.Signaled() {
		return -int(w.Signal())
	}
	return exit.ExitCode()
}

const (
	exhausted = "rngtest: entropy source exhausted!"
	drained   = "rngtest: entropy source drained"
)

// times are the parts of lines that hold a time.
var times = regexp.MustCompile(`(min|avg|max)=([0-9.]+|inf)|\)[KMGTPE]?i?bits/s$|[0-9]+ microseconds$`)

// comparableLines returns the lines of a program's messages without banner and times, and how many of
// them were known to differ.
func comparableLines(stderr string) (lines []string, mapped int) {
	const start = "rngtest: starting FIPS tests...\n"
	if i := strings.Index(stderr, start); i >= 0 {
		stderr = stderr[i:]
	}
	for line := range strings.Lines(stderr) {
		line = strings.TrimSuffix(line, "\n")
		if line == exhausted {
			line = drained
			mapped++
		}
		lines = append(lines, times.ReplaceAllStringFunc(line, func(part string) string {
			name, _, ok := strings.Cut(part, "=")
			if ok {
				return name + "=TIME"
			}
			return "TIME"
		}))
	}
	return lines, mapped
}

// compare fails the case where two results differ, and books the comparison under the input.
func compare(t testing.TB, input string, theirs, ours result) {
	t.Helper()
	their, mapped := comparableLines(theirs.stderr)
	our, _ := comparableLines(ours.stderr)
	differ := 0
	for i := range max(len(their), len(our)) {
		a, b := "(none)", "(none)"
		if i < len(their) {
			a = their[i]
		}
		if i < len(our) {
			b = our[i]
		}
		if a != b {
			differ++
			t.Errorf("line %d\nrngtest: %s\nhwrngd:  %s", i+1, a, b)
		}
	}
	if theirs.exit != ours.exit {
		differ++
		t.Errorf("exit: rngtest %d, hwrngd %d", theirs.exit, ours.exit)
	}
	if theirs.stdout != ours.stdout {
		differ++
		t.Errorf("output: rngtest %d bytes, hwrngd %d bytes, or others", len(theirs.stdout), len(ours.stdout))
	}
	if theirs.offset != ours.offset {
		differ++
		t.Errorf("the input is left at %d by rngtest, at %d by hwrngd", theirs.offset, ours.offset)
	}
	book(input, len(their), mapped, differ)
}

// booking is a row of the table.
type booking struct {
	input                        string
	runs, lines, mapped, differs int
}

var (
	bookings   []*booking
	bookingsMu sync.Mutex
)

func book(input string, lines, mapped, differs int) {
	bookingsMu.Lock()
	defer bookingsMu.Unlock()
	var row *booking
	for _, b := range bookings {
		if b.input == input {
			row = b
		}
	}
	if row == nil {
		row = &booking{input: input}
		bookings = append(bookings, row)
	}
	row.runs++
	row.lines += lines
	row.mapped += mapped
	row.differs += differs
}

// table shows what was compared.
func table() string {
	if len(bookings) == 0 {
		return ""
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	sum := booking{input: "all"}
	fmt.Fprintln(w, "input\truns\tlines compared\tdifferences\tknown: exhausted = drained\t")
	slices.SortFunc(bookings, func(a, b *booking) int { return strings.Compare(a.input, b.input) })
	for _, row := range bookings {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", row.input, row.runs, row.lines, row.differs, row.mapped)
		sum.runs += row.runs
		sum.lines += row.lines
		sum.differs += row.differs
		sum.mapped += row.mapped
	}
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", sum.input, sum.runs, sum.lines, sum.differs, sum.mapped)
	w.Flush()
	return b.String()
}
