package prom

import (
	"maps"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/metrics/metricstest"
)

// lintAllowed holds the findings of the linter that are meant, with the reason.
var lintAllowed = map[string]string{
	// The kernel counts entropy in bits, in its files and in its ioctls, and so does every
	// standard. As bytes the numbers would be compared with the wrong ones.
	`hwrngd_entropy_credited_bits_total: use base unit "bytes" instead of "bits"`:     "credit is counted in bits by the kernel",
	`hwrngd_kernel_entropy_available_bits: use base unit "bytes" instead of "bits"`:   "as entropy_avail and node_exporter count",
	`hwrngd_kernel_entropy_pool_size_bits: use base unit "bytes" instead of "bits"`:   "as poolsize and node_exporter count",
	`hwrngd_source_claimed_min_entropy_bits: use base unit "bytes" instead of "bits"`: "min-entropy is defined in bits",
	`hwrngd_source_min_entropy_bits: use base unit "bytes" instead of "bits"`:         "min-entropy is defined in bits",
}

func TestLint(t *testing.T) {
	r := New(Options{Runtime: true})
	metricstest.Day(r)
	problems, err := testutil.GatherAndLint(r.Gatherer())
	if err != nil {
		t.Fatal(err)
	}
	unseen := maps.Clone(lintAllowed)
	for _, p := range problems {
		finding := p.Metric + ": " + p.Text
		if lintAllowed[finding] == "" {
			t.Errorf("new finding %s", finding)
		}
		delete(unseen, finding)
	}
	for _, finding := range slices.Sorted(maps.Keys(unseen)) {
		t.Errorf("not found any more, remove from the list: %s", finding)
	}
}

// What the linter sees must be everything: an ID without a series would escape it.
func TestEveryMetricIsExposed(t *testing.T) {
	r := New(Options{})
	metricstest.Day(r)
	for _, d := range metrics.Catalogue {
		n, err := testutil.GatherAndCount(r.Gatherer(), d.Name)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			t.Errorf("%s has no series", d.Name)
		}
	}
}
