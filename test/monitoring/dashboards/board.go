package dashboards

//lint:file-ignore SA1019 the schema before v2 is the one that every Grafana reads

import "github.com/grafana/grafana-foundation-sdk/go/dashboard"

// stateCodes turns the state set of a source into one number, for a time line. The numbers are those of
// stateWords.
const stateCodes = `sum by (source) (
  0 * hwrngd_source_state{instance="$instance", state="disabled"}
  or 1 * hwrngd_source_state{instance="$instance", state="starting"}
  or 2 * hwrngd_source_state{instance="$instance", state="active"}
  or 3 * hwrngd_source_state{instance="$instance", state="suspect"}
  or 4 * hwrngd_source_state{instance="$instance", state="quarantined"}
  or 5 * hwrngd_source_state{instance="$instance", state="failed"}
)`

var stateWords = words(map[string][2]string{
	"0": {"disabled", "text"}, "1": {"starting", wait}, "2": {"active", good},
	"3": {"suspect", "orange"}, "4": {"quarantined", bad}, "5": {"failed", "dark-red"},
})

// Board builds the dashboard of one machine.
func Board() (dashboard.Dashboard, error) {
	p := newPage("hwrngd-board", "hwrngd: one board", "Sources, tests and kernel of one machine that runs hwrngd.",
		choice("instance", "Board", "hwrngd_ready", "instance"))
	boardNow(p)
	boardSources(p)
	boardTests(p)
	boardKernel(p)
	boardDaemon(p)
	return p.Build()
}

func boardNow(p *page) {
	p.row("Now")
	add(p, number(3, "Ready", count, "The kernel is seeded and a source is in use.",
		of("", `hwrngd_ready{instance="$instance"}`)).Mappings(yesNo))
	add(p, number(3, "Kernel seeded", count, "If not, programs wait in getrandom().",
		of("", `hwrngd_crng_ready{instance="$instance"}`)).Mappings(yesNo))
	add(p, number(3, "Sources in use", count, "Only these earn credit.",
		of("", `sum(hwrngd_source_state{instance="$instance", state="active"})`)).Thresholds(steps(bad, from(1, good))))
	add(p, number(3, "Last resort", count, "Only sources of last resort, such as jitter, feed the kernel.",
		of("", `hwrngd_source_fallback_active{instance="$instance"}`)).
		Mappings(words(map[string][2]string{"0": {"no", good}, "1": {"yes", "orange"}})))
	add(p, number(3, "Since the last credit", seconds, "A credit is due once in each refill interval.",
		of("", `time() - hwrngd_last_credit_timestamp_seconds{instance="$instance"}`)).
		Thresholds(steps(good, from(300, bad))))
	add(p, number(3, "First credit after boot", seconds, "Later than a minute delays services that need keys.",
		of("", `hwrngd_first_credit_boot_seconds{instance="$instance"}`)))
	add(p, number(3, "Alerts", count, "Alerts of hwrngd that fire for this board.",
		of("", `count(ALERTS{alertname=~"Hwrngd.+", alertstate="firing", instance="$instance"}) or vector(0)`)).
		Thresholds(steps(good, from(1, bad))))
	add(p, number(3, "Version", count, "",
		of("{{version}}", `hwrngd_build_info{instance="$instance"}`)).TextMode("name"))
}

func boardSources(p *page) {
	p.row("Sources")
	add(p, states(12, "State", "Only active sources earn credit.", of("{{source}}", stateCodes), stateWords))
	add(p, list(12, "What they are", "", of("", `hwrngd_source_info{instance="$instance"}`), "",
		[2]string{"source", "Source"}, [2]string{"kind", "Kind"}, [2]string{"driver", "Driver"}, [2]string{"device", "Device"}))
	add(p, graph(8, "Read", bytesPerSec, "What the daemon wanted, not what the device can give.",
		of("{{source}}", `hwrngd:source_read_bytes:rate5m{instance="$instance"}`)))
	add(p, graph(8, "Speed while reading", bytesPerSec, "What the device gives while it is read.",
		of("{{source}}",
			`increase(hwrngd_source_read_bytes_total{instance="$instance"}[1h])`,
			`  / (increase(hwrngd_source_read_seconds_sum{instance="$instance"}[1h]) > 0)`)))
	add(p, graph(8, "Duration of a read", seconds, "",
		of("{{source}} median", `histogram_quantile(0.5, sum by (le, source) (rate(hwrngd_source_read_seconds_bucket{instance="$instance"}[1h])))`),
		of("{{source}} 99 %", `histogram_quantile(0.99, sum by (le, source) (rate(hwrngd_source_read_seconds_bucket{instance="$instance"}[1h])))`)))
	add(p, graph(8, "Read errors in 15 minutes", count, "",
		of("{{source}} {{reason}}", `increase(hwrngd_source_read_errors_total{instance="$instance"}[15m])`)))
	add(p, graph(8, "Not used, in 15 minutes", dataBytes, "Bytes that were read and never reached the kernel.",
		of("{{source}} {{reason}}", `increase(hwrngd_source_discarded_bytes_total{instance="$instance"}[15m])`)))
	add(p, graph(8, "Came into use, in an hour", count, "More than four times in an hour is a loose plug or a bad part.",
		of("{{source}}", `increase(hwrngd_source_transitions_total{instance="$instance", to="active"}[1h])`)))
}

func boardTests(p *page) {
	p.row("Tests")
	add(p, graph(8, "Failed FIPS 140-2 blocks in an hour", count,
		"A good source fails one block in 1258. The limit is what chance explains.",
		of("{{source}}", `hwrngd:source_fips_failures:increase1h{instance="$instance"}`),
		of("{{source}} limit", `hwrngd:source_fips_failures:chance_limit1h{instance="$instance"}`)))
	add(p, graph(8, "Failed tests in an hour", count, "Monobit and poker speak of bias, runs and long runs of correlation.",
		of("{{source}} {{test}}", `increase(hwrngd_fips_test_failures_total{instance="$instance"}[1h])`)))
	add(p, graph(8, "Blocks tested in an hour", count, "",
		of("{{source}}", `hwrngd:source_fips_blocks:increase1h{instance="$instance"}`)))
	add(p, graph(8, "Alarms of health tests in a day", count, "A good source trips less than once a year.",
		of("{{source}} {{test}} {{severity}}", `increase(hwrngd_health_failures_total{instance="$instance"}[1d])`)))
	add(p, graph(8, "Min-entropy of a byte", bits, "The claim decides on the credit; the estimates can only contradict it.",
		of("{{source}} claimed", `hwrngd_source_claimed_min_entropy_bits{instance="$instance"}`),
		of("{{source}} {{estimator}}", `hwrngd_source_min_entropy_bits{instance="$instance"}`)))
	add(p, graph(8, "Raw samples tested", "samples/s", "",
		of("{{source}}", `rate(hwrngd_health_samples_total{instance="$instance"}[5m])`)))
	add(p, list(8, "Limits of the health tests in force", "Repetitions (rct) or equal values in a window (apt) that raise an alarm.",
		of("", `hwrngd_health_cutoff{instance="$instance"}`), "Limit",
		[2]string{"source", "Source"}, [2]string{"test", "Test"}))
	add(p, list(8, "False alarms for which they were chosen", "Probability for a source that is as good as claimed.",
		of("", `hwrngd_health_false_alarm_ratio{instance="$instance"}`), "Probability",
		[2]string{"source", "Source"}, [2]string{"test", "Test"}))
	add(p, number(8, "Last start-up test", seconds, "",
		of("{{source}}", `hwrngd_startup_test_seconds{instance="$instance"}`)).Height(8))
}

func boardKernel(p *page) {
	p.row("Kernel")
	add(p, graph(8, "Credited", "bits/s", "",
		of("{{source}}", `rate(hwrngd_entropy_credited_bits_total{instance="$instance"}[5m])`)))
	add(p, graph(8, "Handed over", bytesPerSec, "Credited or not.",
		of("{{source}}", `rate(hwrngd_entropy_added_bytes_total{instance="$instance"}[5m])`)))
	add(p, graph(8, "Waiting", share, "Share of the time in which the kernel was not fed. kernel_full is the normal one.",
		of("{{reason}}", `rate(hwrngd_pool_wait_seconds_total{instance="$instance"}[5m])`)))
	add(p, graph(8, "Failed calls in 15 minutes", count, "eperm: the daemon may not credit.",
		of("{{op}} {{reason}}", `increase(hwrngd_pool_ioctl_errors_total{instance="$instance"}[15m])`)))
	add(p, list(8, "Generators of the kernel", "What /dev/hwrng can be.",
		of("", `hwrngd_hwrng_available_info{instance="$instance"}`), "", [2]string{"rng", "Generator"}))
	add(p, number(4, "Generator in use", count, "rng_current",
		of("{{rng}}", `hwrngd_hwrng_current_info{instance="$instance"}`)).TextMode("name").Height(8))
	add(p, number(4, "Quality that the kernel assumes", share, "rng_quality / 1024",
		of("", `hwrngd_hwrng_quality_ratio{instance="$instance"}`)).Height(8))
}

func boardDaemon(p *page) {
	p.row("Daemon")
	add(p, graph(8, "Log messages a minute", count, "",
		of("{{level}}", `60 * rate(hwrngd_log_messages_total{instance="$instance", level!="debug"}[5m])`)))
	add(p, graph(4, "Processor", share, "Of one core. Absent for boards that write a metrics file.",
		of("", `rate(process_cpu_seconds_total{instance="$instance"}[5m])`)))
	add(p, graph(4, "Memory", dataBytes, "Absent for boards that write a metrics file.",
		of("", `process_resident_memory_bytes{instance="$instance"}`)))
	add(p, graph(4, "Watchdog pings in a timeout", count, "Two are normal, less than one ends in a restart.",
		of("", `rate(hwrngd_watchdog_pings_total{instance="$instance"}[5m]) * hwrngd_watchdog_timeout_seconds{instance="$instance"}`)))
	add(p, number(4, "Configuration accepted", count, "At the last reload.",
		of("", `hwrngd_config_last_reload_successful{instance="$instance"}`)).Mappings(yesNo).Height(8))
}
