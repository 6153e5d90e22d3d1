package rngtest

import (
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		args string // separated by blanks
		want Options
		err  string
	}{
		{args: ""},
		{args: "-c 5", want: Options{BlockCount: 5}},
		{args: "-c5", want: Options{BlockCount: 5}},
		{args: "-c 0x10", want: Options{BlockCount: 16}},
		{args: "-b 2 -t 3 -p", want: Options{BlockStats: 2, TimedStats: 3 * time.Second, Pipe: true}},
		{args: "-pc5", want: Options{BlockCount: 5, Pipe: true}},
		{args: "-pc 5", want: Options{BlockCount: 5, Pipe: true}},
		{args: "-cp", err: `option --blockcount (-c) needs a number from 0 up, not "p"`},
		{args: "--blockcount=5 --blockstats 6 --timedstats=7 --pipe", want: Options{BlockCount: 5, BlockStats: 6, TimedStats: 7 * time.Second, Pipe: true}},
		{args: "--blockc=5 --t 1 --pi", want: Options{BlockCount: 5, TimedStats: time.Second, Pipe: true}},
		{args: "--block=5", err: "option --block is ambiguous: --blockcount or --blockstats"},
		{args: "-c 1 -c 2", want: Options{BlockCount: 2}},
		{args: "-c 99999999999999999999", want: Options{BlockCount: maxBlocks}},
		{args: "-t 99999999999999999999", want: Options{TimedStats: time.Duration(maxSeconds) * time.Second}},
		{args: "-c", err: "option --blockcount (-c) needs a number"},
		{args: "--blockstats", err: "option --blockstats (-b) needs a number"},
		{args: "-c -1", err: `option --blockcount (-c) needs a number from 0 up, not "-1"`},
		{args: "-t x", err: `option --timedstats (-t) needs a number from 0 up, not "x"`},
		{args: "--blockstats=", err: `option --blockstats (-b) needs a number from 0 up, not ""`},
		{args: "--pipe=1", err: "option --pipe takes no value"},
		{args: "-h", err: "unknown option -h"},
		{args: "-px", err: "unknown option -x"},
		{args: "-B 3", err: "unknown option -B"},
		{args: "-T 3", err: "unknown option -T"},
		{args: "--size=3", err: "unknown option --size"},
		{args: "-?", want: Options{Show: Help}},
		{args: "--help -x", want: Options{Show: Help}},
		{args: "-x --help", err: "unknown option -x"},
		{args: "--usage", want: Options{Show: Usage}},
		{args: "-pV?", want: Options{Pipe: true, Show: Help}},
		{args: "--v", want: Options{Show: Version}},
		{args: "file", want: Options{File: "file"}},
		{args: "file -p", want: Options{File: "file", Pipe: true}},
		{args: "-", want: Options{File: "-"}},
		{args: "-- -p", want: Options{File: "-p"}},
		{args: "a b", err: "too many arguments: there is one input, not 2"},
		{args: "a -- b", err: "too many arguments: there is one input, not 2"},
	} {
		t.Run(test.args, func(t *testing.T) {
			got, err := Parse(strings.Fields(test.args))
			if test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("got %+v, %v\nwant %+v", got, err, test.want)
			}
		})
	}
}

// TestLargestNumbers: the largest block count must not overflow where it becomes bytes and bits.
func TestLargestNumbers(t *testing.T) {
	o, err := Parse([]string{"-c", "99999999999999999999", "-t", "99999999999999999999"})
	if err != nil {
		t.Fatal(err)
	}
	bytes := o.BlockCount * fips.BlockBytes
	if bytes/fips.BlockBytes != o.BlockCount {
		t.Errorf("%d blocks overflow in bytes", o.BlockCount)
	}
	if bits := 8 * (2*wordBytes + bytes); bits/8 != 2*wordBytes+bytes {
		t.Errorf("%d blocks overflow in bits", o.BlockCount)
	}
	if o.TimedStats.Seconds() < 9e9 {
		t.Errorf("%v is not for ever", o.TimedStats)
	}
}

func FuzzParse(f *testing.F) {
	for _, args := range []string{"-c\x005", "--blockc=0x10\x00-p", "-pc\x00-1", "--\x00x\x00y", "-\xff", "--=\x00-"} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, line string) {
		o, err := Parse(strings.Split(line, "\x00"))
		if err != nil {
			return
		}
		if o.BlockCount < 0 || o.BlockStats < 0 || o.TimedStats < 0 {
			t.Errorf("%q: negative numbers in %+v", line, o)
		}
	})
}
