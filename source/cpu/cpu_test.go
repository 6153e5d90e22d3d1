package cpu

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// script is an instruction on paper. It plays one answer a call and the last one for ever.
type script struct {
	stream  io.Reader
	answers []bool
	calls   int
}

func (s *script) draw(dst []byte) bool {
	s.calls++
	ok := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	if ok {
		if _, err := io.ReadFull(s.stream, dst); err != nil {
			panic(err)
		}
	}
	return ok
}

func newScript(answers ...bool) *script {
	return &script{stream: fipstest.NewShake("cpu"), answers: answers}
}

func (s *script) unit(i Instruction) unit { return unit{i, 8, s.draw, ""} }

// fails is n failures and one success.
func fails(n int) []bool { return append(make([]bool, n), true) }

// stream is what a script gives.
func stream(n int) []byte {
	data := make([]byte, n)
	if _, err := io.ReadFull(fipstest.NewShake("cpu"), data); err != nil {
		panic(err)
	}
	return data
}

// TestRead follows single reads of an instruction that has 10 tries.
func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []bool
		room    int
		want    int
		calls   int
		fails   bool
	}{
		{"whole numbers", []bool{true}, 24, 24, 3, false},
		{"part of a number", []bool{true}, 13, 13, 2, false},
		{"less than a number", []bool{true}, 1, 1, 1, false},
		{"no room", []bool{true}, 0, 0, 0, false},
		{"the last try", fails(9), 8, 8, 10, false},
		{"one try too many", fails(10), 8, 0, 10, true},
		{"fails on the way", append([]bool{true}, fails(10)...), 24, 8, 11, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sc := newScript(tt.answers...)
			s := newSource(Options{}, []unit{sc.unit(rdrand)})
			buf := make([]byte, tt.room)
			n, err := s.Read(t.Context(), buf)
			if n != tt.want || (err != nil) != tt.fails || sc.calls != tt.calls {
				t.Errorf("%d bytes, %v, %d calls", n, err, sc.calls)
			}
			if !bytes.Equal(buf[:n], stream(n)) {
				t.Errorf("%x is not what the instruction gave", buf[:n])
			}
			if sourcetest.Unavailable(err) != nil {
				t.Errorf("a failure that may pass is reported as %v", err)
			}
			if s.number != [maxSize]byte{} {
				t.Error("a copy is left behind")
			}
		})
	}
}

// TestPersistentFailure: failures in a row are said to be an outage, and one number ends that.
func TestPersistentFailure(t *testing.T) {
	sc := newScript(append(append(fails(3), make([]bool, 60)...), true)...)
	s := newSource(Options{Instruction: "rdrand"}, []unit{sc.unit(rdrand)})
	read := func() error {
		_, err := s.Read(t.Context(), make([]byte, 8))
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 6; i++ {
		err := read()
		out := sourcetest.Unavailable(err)
		if err == nil || (out != nil) != (i >= persistent) {
			t.Fatalf("failure %d: %v", i, err)
		}
		if out != nil && (!strings.Contains(out.Reason, "rdrand") || out.Hint == "") {
			t.Errorf("reason %q, hint %q", out.Reason, out.Hint)
		}
		if watch := s.Watch(); (sourcetest.Unavailable(watch) != nil) != (out != nil) {
			t.Errorf("after failure %d, Watch = %v", i, watch)
		}
	}
	if err := errors.Join(read(), s.Watch()); err != nil {
		t.Errorf("after it works again: %v", err)
	}
}

// TestNeverWorks: with Auto, and only then, an instruction that gives nothing from the start makes room
// for the next one. One that has worked once keeps its place.
func TestNeverWorks(t *testing.T) {
	for _, tt := range []struct {
		name        string
		instruction string
		first       []bool
		want        string // the driver in the end
	}{
		{"auto", Auto, []bool{false}, "rndr"},
		{"auto, after a success", Auto, []bool{true, false}, "rndrrs"},
		{"by name", "rndrrs", []bool{false}, "rndrrs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			second := newScript(true)
			s := newSource(Options{Instruction: tt.instruction}, []unit{newScript(tt.first...).unit(rndrrs), second.unit(rndr)})
			var changes []string
			for range 3 * persistent {
				_, err := s.Read(t.Context(), make([]byte, 8))
				if change, ok := errors.AsType[*source.ChangedError](err); ok {
					changes = append(changes, change.Error())
				}
			}
			var want []string
			if tt.want == "rndr" {
				want = []string{"generator changed from rndrrs to rndr"}
			}
			info := s.Info()
			if info.Driver != tt.want || !slices.Equal(changes, want) || (second.calls > 0) != (tt.want == "rndr") {
				t.Errorf("driver %s, changes %q, %d calls of the second", info.Driver, changes, second.calls)
			}
			if known, _ := lookup(info.Driver); info.MinEntropy != known.MinEntropy {
				t.Errorf("claim %g of %s", info.MinEntropy, info.Driver)
			}
		})
	}
}

// TestContext: a read whose context is done executes nothing.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sc := newScript(true)
	n, err := newSource(Options{}, []unit{sc.unit(rdseed)}).Read(ctx, make([]byte, 8))
	if n != 0 || !errors.Is(err, context.Canceled) || sc.calls != 0 {
		t.Errorf("%d, %v, %d calls", n, err, sc.calls)
	}
}

// TestChoice: which instruction is taken, what is claimed, and what is said where there is none.
func TestChoice(t *testing.T) {
	works := newScript(true).draw
	seed, rand := unit{rdseed, 8, works, ""}, unit{rdrand, 8, works, ""}
	noSeed, noRand := unit{rdseed, 8, nil, "no CPUID bit"}, unit{rdrand, 8, nil, "masked"}
	for _, tt := range []struct {
		name   string
		opt    Options
		units  []unit
		driver string
		claim  float64
		reason []string // nil: available
	}{
		{"auto", Options{Instruction: Auto}, []unit{seed, rand}, "rdseed", 4, nil},
		{"empty means auto", Options{}, []unit{seed, rand}, "rdseed", 4, nil},
		{"auto takes what there is", Options{}, []unit{noSeed, rand}, "rdrand", 1, nil},
		{"by name", Options{Instruction: "rdrand"}, []unit{seed, rand}, "rdrand", 1, nil},
		{"claim", Options{Instruction: "rdrand", Claim: 0.0156}, []unit{seed, rand}, "rdrand", 0.0156, nil},
		{"auto, none", Options{}, []unit{noSeed, noRand}, "", 1, []string{"rdseed: no CPUID bit; rdrand: masked"}},
		{"by name, missing", Options{Instruction: "rdrand"}, []unit{seed, noRand}, "rdrand", 1, []string{"rdrand: masked"}},
		{"other architecture", Options{Instruction: "rndr"}, []unit{seed}, "rndr", 1, []string{"rndr is not on this architecture", "arm64"}},
		{"architecture without any", Options{}, nil, "", 1, []string{"no random-number instruction is known on this architecture"}},
		{"no such name", Options{Instruction: "rdtsc"}, []unit{seed}, "", 1, []string{`"rdtsc"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSource(tt.opt, tt.units)
			info := s.Info()
			origin := "default"
			if tt.opt.Claim > 0 {
				origin = "configured"
			}
			if info.Name != Name || info.Kind != source.KindCPU || info.Driver != tt.driver || info.MinEntropy != tt.claim || info.ClaimOrigin != origin || info.Conditioned {
				t.Errorf("%+v", info)
			}
			if (info.Note == "") != (tt.driver == "") {
				t.Errorf("note %q", info.Note)
			}
			_, err := s.Read(t.Context(), make([]byte, 8))
			out := sourcetest.Unavailable(err)
			if watch := s.Watch(); sourcetest.Unavailable(watch) != out {
				t.Errorf("Read: %v, Watch: %v", err, watch)
			}
			if (out != nil) != (tt.reason != nil) {
				t.Fatalf("error %v", err)
			}
			for _, part := range tt.reason {
				if !strings.Contains(out.Reason, part) || out.Hint == "" {
					t.Errorf("reason %q, hint %q", out.Reason, out.Hint)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestInstructions keeps the table sane: names are unique, claims are in range, each has a limit.
func TestInstructions(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range Instructions {
		if seen[i.Name] || i.Name == Auto || i.MinEntropy <= 0 || i.MinEntropy > seedClaim || i.tries < 1 || i.Note == "" || i.Architecture == "" {
			t.Errorf("%+v", i)
		}
		seen[i.Name] = true
	}
}
