package prom

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/source"
)

// series returns the samples of one metric, as lines without its name.
func series(t *testing.T, r *Recorder, id metrics.ID) []string {
	t.Helper()
	_, _, body := scrape(r, "text/plain")
	var found []string
	for line := range strings.Lines(body) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), metrics.Catalogue[id].Name)
		if ok && (rest[0] == '{' || rest[0] == ' ') {
			found = append(found, rest)
		}
	}
	return found
}

func expectSeries(t *testing.T, r *Recorder, id metrics.ID, want ...string) {
	t.Helper()
	if got := series(t, r, id); !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", metrics.Catalogue[id].Name, got, want)
	}
}

func TestInfoReplacesItsLabels(t *testing.T) {
	r := New(Options{})
	expectSeries(t, r, metrics.HWRNGCurrent)
	r.HWRNG(metrics.HWRNG{Current: "a", Available: []string{"a", "b"}, QualityKnown: true, QualityRatio: 0.5})
	expectSeries(t, r, metrics.HWRNGQuality, " 0.5")
	r.HWRNG(metrics.HWRNG{Current: "b", Available: []string{"b", "c", "b"}})
	expectSeries(t, r, metrics.HWRNGCurrent, `{rng="b"} 1`)
	expectSeries(t, r, metrics.HWRNGAvailable, `{rng="b"} 1`, `{rng="c"} 1`)
	expectSeries(t, r, metrics.HWRNGQuality)
	r.HWRNG(metrics.HWRNG{})
	expectSeries(t, r, metrics.HWRNGCurrent)
	expectSeries(t, r, metrics.HWRNGAvailable)

	for now, want := range map[*source.Rotation]string{{Running: true}: " 1", {Reason: "by hand"}: " 0"} {
		r.HWRNGRotation(now)
		expectSeries(t, r, metrics.HWRNGRotating, want)
	}
	r.HWRNGRotation(nil)
	expectSeries(t, r, metrics.HWRNGRotating)

	s, other := r.Source("hwrng"), r.Source("tty")
	other.Info(source.Info{Kind: source.KindFile})
	s.Info(source.Info{Kind: source.KindTPM, Driver: "tpm-rng-0", Device: "/dev/hwrng", MinEntropy: 8})
	s.Info(source.Info{Kind: source.KindHWRNG, Driver: "ba\xff", Device: "/dev/hwrng", MinEntropy: 4})
	expectSeries(t, r, metrics.SourceInfo,
		`{device="",driver="",kind="file",source="tty"} 1`,
		`{device="/dev/hwrng",driver="ba`+"\uFFFD"+`",kind="hwrng",source="hwrng"} 1`)
	expectSeries(t, r, metrics.SourceClaimedMinEntropy, `{source="hwrng"} 4`, `{source="tty"} 0`)
}

func TestAbsentUntilKnown(t *testing.T) {
	r := New(Options{})
	r.Source("hwrng")
	for id, d := range metrics.Catalogue {
		if d.Type == metrics.Histogram {
			continue // its series have suffixes
		}
		want := d.Absent != "" || d.Type == metrics.Info
		if absent := len(series(t, r, metrics.ID(id))) == 0; absent != want {
			t.Errorf("%s: absent at start: %v, want %v", d.Name, absent, want)
		}
	}
	r.FirstCredit(time.Second, 2*time.Second)
	expectSeries(t, r, metrics.FirstCredit, " 1")
	expectSeries(t, r, metrics.FirstCreditBoot, " 2")
	r.KernelPool(0, 4096)
	expectSeries(t, r, metrics.KernelEntropyAvailable, " 0")
	r.KernelPool(0, 0)
	expectSeries(t, r, metrics.KernelEntropyAvailable)
	expectSeries(t, r, metrics.KernelEntropyPoolSize)
}

// Estimates come and go with the generator that they are of.
func TestEstimatesComeAndGo(t *testing.T) {
	r := New(Options{})
	s := r.Source("hwrng")
	r.Source("tty").MinEntropy([]float64{1, 2, 3})
	s.MinEntropy([]float64{7.5, 7.25, 8})
	expectSeries(t, r, metrics.SourceMinEntropy,
		`{estimator="collision",source="hwrng"} 7.25`, `{estimator="collision",source="tty"} 2`,
		`{estimator="markov",source="hwrng"} 8`, `{estimator="markov",source="tty"} 3`,
		`{estimator="mcv",source="hwrng"} 7.5`, `{estimator="mcv",source="tty"} 1`)
	s.MinEntropy(nil)
	expectSeries(t, r, metrics.SourceMinEntropy, `{estimator="collision",source="tty"} 2`, `{estimator="markov",source="tty"} 3`, `{estimator="mcv",source="tty"} 1`)
}

// Chance fails blocks of every source, also of one that is documented to fail fewer.
func TestExpectedFailures(t *testing.T) {
	r := New(Options{})
	s := r.Source("hwrng")
	chance := fmt.Sprintf(`{source="hwrng"} %v`, fips.ChanceAny)
	for _, test := range []struct {
		rate float64
		want string
	}{{0, chance}, {fips.ChanceAny / 2, chance}, {0.125, `{source="hwrng"} 0.125`}} {
		s.Info(source.Info{Name: "hwrng", FailureRate: test.rate})
		expectSeries(t, r, metrics.SourceExpectedFailure, test.want)
	}
}

func TestSourceIsRegisteredOnce(t *testing.T) {
	r := New(Options{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r.Source("hwrng").Read(64, time.Millisecond)
			series(t, r, metrics.SourceReadBytes)
		})
	}
	wg.Wait()
	expectSeries(t, r, metrics.SourceReadBytes, `{source="hwrng"} 256`)
}

func TestStateTransitions(t *testing.T) {
	r := New(Options{})
	s := r.Source("hwrng")
	s.State(source.Disabled) // where it was
	for _, state := range []source.State{source.Starting, source.Active, source.Active, source.Quarantined, source.Active} {
		s.State(state)
	}
	expectSeries(t, r, metrics.SourceTransitions,
		`{source="hwrng",to="active"} 2`,
		`{source="hwrng",to="disabled"} 0`,
		`{source="hwrng",to="failed"} 0`,
		`{source="hwrng",to="quarantined"} 1`,
		`{source="hwrng",to="starting"} 1`,
		`{source="hwrng",to="suspect"} 0`)
}

// A scrape in the middle of a change must not see two states, or none.
func TestExactlyOneState(t *testing.T) {
	r := New(Options{})
	s := r.Source("hwrng")
	var wg sync.WaitGroup
	defer wg.Wait()
	stop := make(chan struct{})
	defer close(stop)
	for _, state := range []source.State{source.Active, source.Suspect} {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.State(state)
				}
			}
		})
	}
	for range 50 {
		ones := 0
		for _, line := range series(t, r, metrics.SourceState) {
			if strings.HasSuffix(line, " 1") {
				ones++
			}
		}
		if ones != 1 {
			t.Fatalf("%d states are 1", ones)
		}
	}
}

// The text format shows only the classic half of a histogram.
func TestNativeHistogram(t *testing.T) {
	r := New(Options{})
	s := r.Source("hwrng")
	for i := range 4000 {
		s.Read(64, time.Microsecond+time.Duration(i*i)*time.Microsecond)
	}
	families, err := r.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != metrics.Catalogue[metrics.SourceReadSeconds].Name {
			continue
		}
		h, native := family.GetMetric()[0].GetHistogram(), 0
		for _, span := range h.GetPositiveSpan() {
			native += int(span.GetLength())
		}
		if native == 0 || native > nativeMaxBuckets {
			t.Errorf("%d native buckets, want 1 to %d", native, nativeMaxBuckets)
		}
		if n := len(h.GetBucket()); n != len(metrics.Catalogue[metrics.SourceReadSeconds].Buckets) {
			t.Errorf("%d classic buckets", n)
		}
		return
	}
	t.Error("no histogram")
}
