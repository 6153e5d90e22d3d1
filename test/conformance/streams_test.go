package conformance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// same runs both programs on a file with the same options and compares.
func same(t *testing.T, in input, args ...string) {
	t.Helper()
	other := oracle(t)
	open := in.file(t)
	compare(t, in.name, execute(t, open(), other, args...), execute(t, open(), rngtest(), args...))
}

// TestVectors and TestFieldCases run every stream, with statistics only and copying.
func TestVectors(t *testing.T) { streams(t, vectors()) }

func TestFieldCases(t *testing.T) { streams(t, fieldCases()) }

func streams(t *testing.T, list []input) {
	for _, in := range list {
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			same(t, in)
			if in.name != "v5diff" { // to save time
				same(t, in, "-p")
			}
		})
	}
}

// TestTails: what becomes of an input that ends in the bootstrap word or within a block.
func TestTails(t *testing.T) {
	for _, near := range []int{0, fips.BlockBytes, 2 * fips.BlockBytes} {
		for length := near; length <= near+12; length++ {
			t.Run(fmt.Sprint(length), func(t *testing.T) {
				t.Parallel()
				in := input{"tails", func() []byte { return fipstest.G1(3)[:length] }}
				same(t, in)
				same(t, in, "-p")
				same(t, in, "-c", "1")
			})
		}
	}
}

// TestOptions runs every combination that matters on streams with good, bad and unfinished blocks.
func TestOptions(t *testing.T) {
	inputs := []input{
		{"options, G2 and a tail", func() []byte { return append(fipstest.G2(), make([]byte, 700)...) }},
		{"options, G11", func() []byte { return fipstest.G11(3, 7) }},
		{"options, 12 good blocks", func() []byte { return fipstest.G1(12) }},
		{"options, none", func() []byte { return nil }},
	}
	for _, options := range []string{
		"-c 0", "-c 1", "-c 2", "-c 3", "-c 4", "-c 5", "-c 6", "-c 100", "-c 1000000",
		"-b 0", "-b 1", "-b 2", "-b 3", "-b 4", "-b 5", "-b 100",
		"-b 1 -c 1", "-b 1 -c 3", "-b 2 -c 3", "-b 2 -c 4", "-b 3 -c 2", "-c 4 -b 4",
		"-t 0", "-t 1000", "-b 2 -t 1000", "-c 3 -t 1000",
		"-p", "-p -c 1", "-p -c 2", "-p -c 3", "-p -c 100", "-p -b 1", "-p -b 2", "-p -b 1 -c 3", "-p -t 1000",
		"-pc2", "-pb2 -c4", "-c2", "-c +2", "-p -p", "-c 5 -c 2",
		"--blockcount=2", "--blockcount 2", "--blockc=2", "--blockstats=2", "--blocks 2",
		"--timedstats=1000", "--pipe", "--pi --t=1000", "--",
	} {
		for _, in := range inputs {
			t.Run(options+"/"+in.name, func(t *testing.T) {
				t.Parallel()
				same(t, in, strings.Fields(options)...)
			})
		}
	}
}

// TestSplits: the same input from a pipe, in pieces of many sizes.
func TestSplits(t *testing.T) {
	other := oracle(t)
	stream := append(fipstest.G16(), 1, 2, 3)
	for _, largest := range []int{1, 7, 4096, 100000} {
		for _, options := range []string{"", "-p", "-c 20", "-b 30"} {
			t.Run(fmt.Sprintf("%d/%s", largest, options), func(t *testing.T) {
				t.Parallel()
				run := func(program string) result {
					part := stream
					if largest == 1 {
						part = stream[:20003]
					}
					return execute(t, piped(t, part, largest), program, strings.Fields(options)...)
				}
				compare(t, "G16, from a pipe", run(other), run(rngtest()))
			})
		}
	}
}

// piped returns a pipe into which the stream is written in pieces of random sizes.
func piped(t *testing.T, stream []byte, largest int) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	rng := rand.New(rand.NewPCG(uint64(largest), 1))
	go func() {
		defer w.Close()
		for len(stream) > 0 {
			n := min(len(stream), 1+rng.IntN(largest))
			if _, err := w.Write(stream[:n]); err != nil {
				return // the program had enough
			}
			stream = stream[n:]
		}
	}()
	return r
}

// TestDevices: character devices, whose reads wait for all that was asked for.
func TestDevices(t *testing.T) {
	other := oracle(t)
	for _, c := range []struct{ device, options string }{
		{"/dev/zero", "-c 3"}, {"/dev/zero", "-p -c 3 -b 2"}, {"/dev/null", ""}, {"/dev/null", "-p"},
	} {
		t.Run(c.device+" "+c.options, func(t *testing.T) {
			run := func(program string) result {
				in, err := os.Open(c.device)
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				got := execute(t, in, program, strings.Fields(c.options)...)
				got.offset = -1 // means nothing
				return got
			}
			compare(t, c.device, run(other), run(rngtest()))
		})
	}
}

// TestNames: the option and the name of the program do the same, and so does a file as operand.
func TestNames(t *testing.T) {
	in := input{"names", func() []byte { return append(fipstest.G2(), 1) }}
	open := in.file(t)
	path := open().Name()
	for _, options := range [][]string{{}, {"-p"}, {"-b", "1", "-c", "3"}} {
		want := execute(t, open(), rngtest(), options...)
		empty, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer empty.Close()
		for name, got := range map[string]result{
			"audit --rngtest":      execute(t, open(), kit.Program(), append([]string{"audit", "--rngtest"}, options...)...),
			"audit ... --rngtest":  execute(t, open(), kit.Program(), append(append([]string{"audit"}, options...), "--rngtest")...),
			"audit --rngtest -":    execute(t, open(), kit.Program(), append(append([]string{"audit", "--rngtest"}, options...), "-")...),
			"audit --rngtest FILE": execute(t, empty, kit.Program(), append([]string{"audit", "--rngtest", path}, options...)...),
			"rngtest FILE":         execute(t, empty, rngtest(), append([]string{path}, options...)...),
		} {
			if strings.HasSuffix(name, "FILE") {
				got.offset = want.offset
			}
			wantLines, _ := comparableLines(want.stderr)
			gotLines, _ := comparableLines(got.stderr)
			got.stderr, want.stderr = strings.Join(gotLines, "\n"), strings.Join(wantLines, "\n")
			if got != want {
				t.Errorf("%s %v: got %+v\nwant %+v", name, options, got, want)
			}
		}
	}
}

// TestUsage compares exit codes and where texts go.
func TestUsage(t *testing.T) {
	other := oracle(t)
	for _, args := range [][]string{
		{"-c"},
		{"-c", "x"},
		{"-c", "-1"},
		{"-c", "-0x1"},
		{"-b", "-2"},
		{"-t", "x"},
		{"--blockcount"},
		{"--blockcount=x"},
		{"-x"},
		{"-px"},
		{"-h"},
		{"-B", "3"},
		{"-T", "3"},
		{"--nonsense"},
		{"--block=2"},
		{"--pipe=3"},
		{"one", "two"},
		{"-?"},
		{"--help"},
		{"--usage"},
		{"-V"},
		{"--version"},
		{"--vers"},
		{"-p", "--help", "-x"},
		{"-x", "--help"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			empty := (&input{make: func() []byte { return nil }}).file(t)
			theirs, ours := execute(t, empty(), other, args...), execute(t, empty(), rngtest(), args...)
			if theirs.exit != ours.exit || (theirs.stdout == "") != (ours.stdout == "") || (theirs.stderr == "") != (ours.stderr == "") {
				t.Errorf("rngtest: %+v\nhwrngd:  %+v", theirs, ours)
			}
		})
	}
}
