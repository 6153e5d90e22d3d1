package monitoring

import "testing"

// A Prometheus that knows native histograms takes those, by protobuf, and one that does not takes the
// classic buckets, by OpenMetrics. Both find the same number of reads.
func TestHistogramsOfBothKinds(t *testing.T) {
	t.Parallel()
	needRoot(t)
	b := newBoard(t, "board")
	b.plug(good(1))
	b.start()
	config := map[string]any{
		"global": map[string]string{"scrape_interval": pause.String(), "scrape_timeout": pause.String()},
		"scrape_configs": []any{map[string]any{
			"job_name": "hwrngd", "static_configs": []scrapeTargets{{Targets: []string{b.address}}},
		}},
	}
	for _, c := range []struct {
		name, has, hasNot string
		args              []string
	}{
		{
			name: "native", args: []string{"--enable-feature=native-histograms"},
			has:    `histogram_count(hwrngd_source_read_seconds) > 3 and histogram_quantile(0.5, hwrngd_source_read_seconds) > 0`,
			hasNot: `hwrngd_source_read_seconds_bucket`,
		},
		{
			name:   "classic",
			has:    `hwrngd_source_read_seconds_bucket{le="+Inf"} > 3 and ignoring (le) histogram_quantile(0.5, hwrngd_source_read_seconds_bucket) > 0`,
			hasNot: `hwrngd_source_read_seconds`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startServer(t, freeAddress(t), config, c.args...)
			eventually(t, "the histogram is there", func() bool { return s.has(c.has) })
			if s.has(c.hasNot) {
				t.Errorf("the other kind is there, too: %s", c.hasNot)
			}
		})
	}
}
