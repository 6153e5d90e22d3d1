package page

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/audit/ais31"
	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// audited is the report of a stream, as if from a file.
func audited(t testing.TB, stream []byte, rules audit.Rules) *audit.Report {
	t.Helper()
	m := audit.NewMeter(audit.MeterOptions{})
	if _, err := m.Write(stream); err != nil {
		t.Fatal(err)
	}
	r := audit.Judge(m.Finish(), rules)
	r.Input = audit.Input{Name: "/var/tmp/capture.bin", Kind: "file", Stopped: "end"}
	r.Machine = &audit.Machine{Board: "Example board", Kernel: "6.18.5", CPU: "Example CPU", Version: "1.2.3"}
	return r
}

// device is the report of a device that delivered the stream at 95 kB/s, with one stall.
func device(t testing.TB, stream []byte) *audit.Report {
	t.Helper()
	r := audited(t, stream, audit.Rules{})
	r.Label = "SN 4711"
	r.Input = audit.Input{
		Name: "/dev/hwrng", Kind: "device", Stopped: "blocks", Wanted: r.Run.Blocks,
		Generator: "example-rng.0", Available: []string{"example-rng.0", "tpm-rng-0"}, Quality: "1000",
	}
	r.Timing = &audit.Timing{Started: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), First: 0.0031, Slowest: 0.71}
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range r.Run.Timeline {
		b := &r.Run.Timeline[i]
		b.Seconds = float64(b.Blocks) * 2500 / 95000 * (1 + 0.1*noise.NormFloat64())
		if i == 3 {
			b.Seconds += 0.7
		}
		r.Timing.Seconds += b.Seconds
	}
	for range r.Run.Blocks * 5 {
		micros := 5200 * math.Exp(0.15*noise.NormFloat64())
		r.Timing.Latency[int(math.Log2(micros))]++
		r.Timing.Reads++
	}
	r.Timing.Latency[19]++
	return r
}

// lot is the report of n units, of which the fourth is biased.
func lot(t testing.TB, n int) *audit.Report {
	t.Helper()
	var units []*audit.Report
	for i := range n {
		stream := fipstest.Shake(fmt.Sprint("unit ", i), 4+12*2500)
		if i == 3 {
			stream = fipstest.G15(0.45, 12)
		}
		r := audited(t, stream, audit.Rules{})
		r.Label = fmt.Sprintf("SN %04d", i)
		units = append(units, r)
	}
	r, err := audit.Merge(units, audit.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// stuckAIS31 is the result of AIS 31 for a source that is stuck at ones.
func stuckAIS31(t testing.TB) *ais31.Result {
	t.Helper()
	result, err := ais31.Run(fipstest.G10(ais31.FirstBytes/fips.BlockBytes + 1))
	if err != nil {
		t.Fatal(err)
	}
	return result
}
