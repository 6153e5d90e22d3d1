package faults

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/faults/script"
)

// seedBytes is the size of a seed, and seedBits the most that is credited for one.
const (
	seedBytes = 64
	seedBits  = 512
)

// imbalance returns what is wrong with the counters of a source, "" if they agree:
//
//	bytes read = those of passed blocks + those dropped before + those of the block in hand
//	bytes of failed blocks = those dropped for FIPS 140-2
//	seeds <= passed blocks that were not dropped after all
//	bits credited <= seeds times the most that a seed may earn
//	samples tested = bytes that came as far as the tests (but of jitter)
//
// inHand is how many bytes of a block the daemon says that it has.
func (s scrape) imbalance(source string, perSeed, inHand float64) string {
	read, passed, failed := s.of(source, "source_read_bytes_total"), ofScrape["passed"](s, []string{source}), ofScrape["failed"](s, []string{source})
	dropped := func(reason string) float64 { return s.of(source, "source_discarded_bytes_total", "reason", reason) }
	added, credited := s.of(source, "entropy_added_bytes_total"), s.of(source, "entropy_credited_bits_total")

	const block = script.BlockBytes
	hand := read - block*passed - dropped("startup") - dropped("fips") - dropped("health")
	kept := passed - (dropped("stale")+dropped("quarantine"))/block
	switch {
	case hand != inHand:
		return fmt.Sprintf("%v bytes read, %v blocks passed, dropped: %v at start-up, %v in failed blocks, %v by alarms; that leaves %v in hand, the status says %v",
			read, passed, dropped("startup"), dropped("fips"), dropped("health"), hand, inHand)
	case dropped("fips") != block*failed:
		return fmt.Sprintf("%v blocks failed, %v of their bytes dropped", failed, dropped("fips"))
	case added/seedBytes > kept:
		return fmt.Sprintf("%v seeds of %v blocks that passed and were kept", added/seedBytes, kept)
	case credited > perSeed*added/seedBytes:
		return fmt.Sprintf("%v bits credited for %v seeds, at most %v for each", credited, added/seedBytes, perSeed)
	}
	if source != "jitter" { // which tests its own samples
		if samples := s.of(source, "health_samples_total"); samples > read || samples < block*(passed+failed) {
			return fmt.Sprintf("%v samples of %v bytes, %v blocks", samples, read, passed+failed)
		}
	}
	return ""
}

// balanced waits until the counters of every source agree: a scrape is not taken at one moment.
func (d *daemon) balanced(perSeed float64) (wrong string) {
	for range 20 {
		before, s, after := d.status(), d.scrape(), d.status()
		wrong = ""
		for _, source := range []string{"hwrng", "tty", "command", "afalg", "cpu", "jitter"} {
			most := float64(seedBits)
			if source == "hwrng" {
				most = perSeed
			}
			hand := math.Round(before.source(source).Filled * script.BlockBytes)
			if again := math.Round(after.source(source).Filled * script.BlockBytes); again != hand {
				wrong = fmt.Sprintf("source %s never rests", source)
			} else if w := s.imbalance(source, most, hand); w != "" {
				wrong = w
			}
		}
		if wrong == "" {
			return ""
		}
		time.Sleep(100 * time.Millisecond)
	}
	return wrong
}

// balance checks the counters of a daemon that runs.
func (r *run) balance() {
	r.t.Helper()
	if !r.d.running() {
		r.t.Fatalf("it ended by itself, with exit code %d", r.d.exit())
	}
	perSeed := float64(seedBits)
	if !r.claimChanges() {
		claim := r.d.status().source("hwrng").Claim
		perSeed = min(perSeed, max(0, math.Floor(claim*script.BlockBytes-64)))
	}
	if wrong := r.d.balanced(perSeed); wrong != "" {
		r.t.Errorf("counters do not agree: %s", wrong)
	}
	if r.trace == nil {
		return
	}
	foreign := 0
	for _, o := range r.tape.origins(r.trace.Seeds()) {
		if o == unknown {
			foreign++
		}
	}
	// The scrape comes after the trace.
	if jitter := r.d.scrape().of("jitter", "entropy_added_bytes_total") / seedBytes; float64(foreign) > jitter {
		r.t.Errorf("%d seeds are not of 2500 bytes in a row that the device gave, %v are jitter's", foreign, jitter)
	}
}

// claimChanges tells whether the case changes what is claimed for the device.
func (r *run) claimChanges() bool {
	started := false
	return slices.ContainsFunc(r.c.Steps, func(s script.Step) bool {
		switch s.Action.(type) {
		case script.Start:
			started = true
		case script.SetFile:
			return started
		}
		return false
	})
}

// figures measures what a fault came to, for the table. It takes a trace.
func (r *run) figures() {
	fault := r.tape.faultBegan()
	if fault.at.IsZero() || r.trace == nil {
		return
	}
	f := &faultFigures{}
	r.report.fault = f
	warned := time.Now()
	for _, line := range r.d.lines("WARN", "source=") {
		// The log has milliseconds.
		if line.at.After(fault.at.Add(-time.Millisecond)) {
			warned = line.at
			f.detected = max(warned.Sub(fault.at), time.Millisecond)
			f.bytes = r.tape.givenBy(warned.Add(time.Millisecond)) - fault.bytes
			break
		}
	}
	seeds := r.trace.Seeds()
	for i, o := range r.tape.origins(seeds) {
		if s := seeds[i]; s.At.After(fault.at) && s.At.Before(warned) && s.Bits > 0 {
			f.seeds++
			f.lastCredit = s.At.Sub(fault.at)
		}
		if o == tainted && seeds[i].Bits > 0 {
			f.tainted++
		}
	}
}

// Each rule of the books can be broken.
func TestImbalance(t *testing.T) {
	series := func(name, labels string) string { return "hwrngd_" + name + "{" + labels + "}" }
	const read, samples = "source_read_bytes_total", "health_samples_total"
	good := func() scrape {
		return scrape{
			series(read, `source="hwrng"`):                                            128 + 4*2500 + 10,
			series(samples, `source="hwrng"`):                                         4*2500 + 10,
			series("fips_blocks_total", `result="pass",source="hwrng"`):               3,
			series("fips_blocks_total", `result="fail",source="hwrng"`):               1,
			series("source_discarded_bytes_total", `reason="startup",source="hwrng"`): 128,
			series("source_discarded_bytes_total", `reason="fips",source="hwrng"`):    2500,
			series("source_discarded_bytes_total", `reason="stale",source="hwrng"`):   2500,
			series("entropy_added_bytes_total", `source="hwrng"`):                     128,
			series("entropy_credited_bits_total", `source="hwrng"`):                   1024,
		}
	}
	if wrong := good().imbalance("hwrng", seedBits, 10); wrong != "" {
		t.Errorf("good books: %s", wrong)
	}
	for _, c := range []struct {
		name   string
		series string
		add    float64
	}{
		{"a byte vanished", series("source_discarded_bytes_total", `reason="startup",source="hwrng"`), -1},
		{"bytes from nowhere", series(read, `source="hwrng"`), -1},
		{"a failed block was kept", series("source_discarded_bytes_total", `reason="fips",source="hwrng"`), -2500},
		{"a block was used twice", series("entropy_added_bytes_total", `source="hwrng"`), 64},
		{"too much credit", series("entropy_credited_bits_total", `source="hwrng"`), 1},
		{"bytes that were not tested", series(samples, `source="hwrng"`), -11},
	} {
		s := good()
		s[c.series] += c.add
		if s.imbalance("hwrng", seedBits, 10) == "" {
			t.Errorf("not noticed: %s", c.name)
		}
	}
}
