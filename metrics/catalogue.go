package metrics

import (
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

// ID is the place of a metric in the [Catalogue].
type ID int

// The metrics, in the order of the catalogue.
const (
	BuildInfo ID = iota
	ConfigReloadOK
	ConfigReloadTimestamp
	Ready
	CRNGReady
	FirstCredit
	FirstCreditBoot
	LastCreditTimestamp
	CreditedBits
	AddedBytes
	IoctlErrors
	KernelEntropyAvailable
	KernelEntropyPoolSize
	PoolWait
	RefillInterval
	Monitor
	FallbackActive
	SourceInfo
	SourceState
	SourceTransitions
	SourceReadBytes
	SourceReadErrors
	SourceReadSeconds
	SourceLastSuccessTimestamp
	SourceDiscardedBytes
	SourceClaimedMinEntropy
	SourceMinEntropy
	FIPSBlocks
	FIPSTestFailures
	FIPSFalseAlarm
	SourceExpectedFailure
	HealthFailures
	HealthSamples
	HealthCutoff
	HealthFalseAlarm
	StartupTest
	HWRNGCurrent
	HWRNGAvailable
	HWRNGQuality
	HWRNGRotating
	WatchdogPings
	WatchdogLastPingTimestamp
	WatchdogTimeout
	LogMessages
	ExportErrors
)

// Catalogue describes every metric of hwrngd.
var Catalogue = [...]Desc{
	BuildInfo: {
		Name: "hwrngd_build_info", Type: Info,
		Labels: []Label{open("version"), open("revision"), open("goversion"), open("goos"), open("goarch"), open("tags")},
		Help:   "Identity of the running build.",
	},
	ConfigReloadOK: {
		Name: "hwrngd_config_last_reload_successful", Type: Gauge,
		Help: "1 if the last attempt to load the configuration succeeded.",
	},
	ConfigReloadTimestamp: {
		Name: "hwrngd_config_last_reload_success_timestamp_seconds", Type: Gauge, Unit: "seconds",
		Help: "Unix time at which a configuration was last loaded.",
	},
	Ready: {
		Name: "hwrngd_ready", Type: Gauge,
		Help: "1 if /-/ready answers 200: the kernel CRNG is ready and a source has passed its start-up test.",
	},

	CRNGReady: {
		Name: "hwrngd_crng_ready", Type: Gauge,
		Help: "1 if the kernel CRNG is seeded, so that getrandom() does not block.",
	},
	FirstCredit: {
		Name: "hwrngd_first_credit_seconds", Type: Gauge, Unit: "seconds", Absent: "until the first credit",
		Help: "Time from the start of the daemon to the first credit that the kernel accepted.",
	},
	FirstCreditBoot: {
		Name: "hwrngd_first_credit_boot_seconds", Type: Gauge, Unit: "seconds", Absent: "until the first credit",
		Help: "Time from boot to the first credit that the kernel accepted.",
	},
	LastCreditTimestamp: {
		Name: "hwrngd_last_credit_timestamp_seconds", Type: Gauge, Unit: "seconds",
		Help: "Unix time of the last credit that the kernel accepted, 0 before the first.",
	},
	CreditedBits: {
		Name: "hwrngd_entropy_credited_bits_total", Type: Counter, Unit: "bits", Labels: []Label{open("source")},
		Help: "Entropy credited to the kernel.",
	},
	AddedBytes: {
		Name: "hwrngd_entropy_added_bytes_total", Type: Counter, Unit: "bytes", Labels: []Label{open("source")},
		Help: "Bytes handed to the kernel, credited or not.",
	},
	IoctlErrors: {
		Name: "hwrngd_pool_ioctl_errors_total", Type: Counter,
		Labels: []Label{closed("op", pool.IoctlOps[:]...), closed("reason", pool.IoctlReasons[:]...)},
		Help:   "Calls on the kernel's random device that failed.",
	},
	KernelEntropyAvailable: {
		Name: "hwrngd_kernel_entropy_available_bits", Type: Gauge, Unit: "bits",
		Absent: "where procfs does not show it", NotInTextfile: true,
		Help: "The kernel's entropy_avail. Do not alert on it: a healthy kernel since 5.18 always says 256.",
	},
	KernelEntropyPoolSize: {
		Name: "hwrngd_kernel_entropy_pool_size_bits", Type: Gauge, Unit: "bits",
		Absent: "where procfs does not show it", NotInTextfile: true,
		Help: "The kernel's poolsize: 256 since 5.18, 4096 before.",
	},
	PoolWait: {
		Name: "hwrngd_pool_wait_seconds_total", Type: Counter, Unit: "seconds",
		Labels: []Label{closed("reason", pool.WaitReasons[:]...)},
		Help:   "Time spent not feeding the kernel.",
	},
	FallbackActive: {
		Name: "hwrngd_source_fallback_active", Type: Gauge,
		Help: "1 while sources of last resort are asked because no other one is in use.",
	},
	RefillInterval: {
		Name: "hwrngd_refill_interval_seconds", Type: Gauge, Unit: "seconds",
		Help: "Interval in force between two credits to a kernel that asks for nothing.",
	},

	Monitor: {
		Name: "hwrngd_monitor", Type: Gauge,
		Help: "1 with --monitor: sources are tested, and the kernel is credited nothing.",
	},

	SourceInfo: {
		Name: "hwrngd_source_info", Type: Info, Absent: "until the source is described",
		Labels: []Label{open("source"), closed("kind", source.Kinds[:]...), open("driver"), open("device")},
		Help:   "What is behind a source now.",
	},
	SourceState: {
		Name: "hwrngd_source_state", Type: StateSet,
		Labels: []Label{open("source"), closed("state", source.States[:]...)},
		Help:   "1 for the state in which a source is, 0 for the others. Only an active source earns credit.",
	},
	SourceTransitions: {
		Name: "hwrngd_source_transitions_total", Type: Counter,
		Labels: []Label{open("source"), closed("to", source.States[:]...)},
		Help:   "Changes of state, by the state entered.",
	},
	SourceReadBytes: {
		Name: "hwrngd_source_read_bytes_total", Type: Counter, Unit: "bytes", Labels: []Label{open("source")},
		Help: "Raw bytes read from a source.",
	},
	SourceReadErrors: {
		Name: "hwrngd_source_read_errors_total", Type: Counter,
		Labels: []Label{open("source"), closed("reason", source.ReadReasons[:]...)},
		Help:   "Reads from a source that failed.",
	},
	SourceReadSeconds: {
		Name: "hwrngd_source_read_seconds", Type: Histogram, Unit: "seconds", Labels: []Label{open("source")},
		Buckets: []float64{0.001, 0.004, 0.016, 0.06, 0.25, 1, 3, 10},
		Help:    "Duration of one read that returned data.",
	},
	SourceLastSuccessTimestamp: {
		Name: "hwrngd_source_last_success_timestamp_seconds", Type: Gauge, Unit: "seconds",
		Labels: []Label{open("source")},
		Help:   "Unix time at which a block of a source last passed its tests, 0 before the first.",
	},
	SourceDiscardedBytes: {
		Name: "hwrngd_source_discarded_bytes_total", Type: Counter, Unit: "bytes",
		Labels: []Label{open("source"), closed("reason", source.DiscardReasons[:]...)},
		Help:   "Bytes read from a source and never used.",
	},
	SourceClaimedMinEntropy: {
		Name: "hwrngd_source_claimed_min_entropy_bits", Type: Gauge, Unit: "bits",
		Labels: []Label{open("source")},
		Help:   "Claimed min-entropy of one raw byte, 0 before the source is described. Tests may veto it, never raise it.",
	},

	SourceMinEntropy: {
		Name: "hwrngd_source_min_entropy_bits", Type: Gauge, Unit: "bits",
		Labels: []Label{open("source"), closed("estimator", source.Estimators[:]...)},
		Absent: "until the first window is full, and for a source that conditions its data",
		Help:   "Estimated min-entropy of one raw byte, over the last window of 100000 bytes. A report only: no claim follows from it.",
	},

	FIPSBlocks: {
		Name: "hwrngd_fips_blocks_total", Type: Counter,
		Labels: []Label{open("source"), closedNames("result", []string{BlockPass, BlockFail})},
		Help:   "Blocks of 20000 bits put through the FIPS 140-2 tests.",
	},
	FIPSTestFailures: {
		Name: "hwrngd_fips_test_failures_total", Type: Counter,
		Labels: []Label{open("source"), closedNames("test", fipsTestNames())},
		Help:   "FIPS 140-2 tests failed. One block may fail several.",
	},
	FIPSFalseAlarm: {
		Name: "hwrngd_fips_false_alarm_ratio", Type: Gauge, Unit: "ratio",
		Labels: []Label{closedNames("test", append(fipsTestNames(), anyTest))},
		Help:   "Probability that a block of an ideal source fails, a constant for alert rules.",
	},
	SourceExpectedFailure: {
		Name: "hwrngd_source_expected_fips_failure_ratio", Type: Gauge, Unit: "ratio", Labels: []Label{open("source")},
		Help: "Share of blocks that the source fails although it works as designed: chance, or what is known or configured of the part. 0 before the source is described.",
	},

	HealthFailures: {
		Name: "hwrngd_health_failures_total", Type: Counter,
		Labels: []Label{open("source"), closed("test", source.HealthTests[:]...), closed("severity", Severities[:]...)},
		Help:   "Alarms of the SP 800-90B 4.4 health tests on raw samples.",
	},
	HealthSamples: {
		Name: "hwrngd_health_samples_total", Type: Counter, Labels: []Label{open("source")},
		Help: "Raw samples put through the health tests.",
	},
	HealthCutoff: {
		Name: "hwrngd_health_cutoff", Type: Gauge,
		Labels: []Label{open("source"), closed("test", source.HealthTests[:]...)},
		Help:   "Count at which a health test raises an alarm, 0 before the test is set up.",
	},
	HealthFalseAlarm: {
		Name: "hwrngd_health_false_alarm_ratio", Type: Gauge, Unit: "ratio",
		Labels: []Label{open("source"), closed("test", source.HealthTests[:]...)},
		Help:   "Probability of a false alarm for which a cutoff was chosen: alpha, 0 before the test is set up.",
	},
	StartupTest: {
		Name: "hwrngd_startup_test_seconds", Type: Gauge, Unit: "seconds", Labels: []Label{open("source")},
		Help: "Duration of the last start-up test that passed, 0 before the first.",
	},

	HWRNGCurrent: {
		Name: "hwrngd_hwrng_current_info", Type: Info, Absent: "where the kernel names none",
		Labels: []Label{open("rng")},
		Help:   "The hw_random generator that the kernel uses now (rng_current).",
	},
	HWRNGAvailable: {
		Name: "hwrngd_hwrng_available_info", Type: Info, Absent: "where the kernel lists none",
		Labels: []Label{open("rng")},
		Help:   "A hw_random generator that the kernel has (rng_available).",
	},
	HWRNGQuality: {
		Name: "hwrngd_hwrng_quality_ratio", Type: Gauge, Unit: "ratio", Absent: "where the kernel does not show it",
		Help: "The quality that the kernel assumes of its current generator (rng_quality / 1024).",
	},
	HWRNGRotating: {
		Name: "hwrngd_hwrng_rotating", Type: Gauge, Absent: "unless hwrng-select is rotate",
		Help: "1 while each generator has its turn, 0 once that was stopped, as by somebody who wrote to rng_current.",
	},

	WatchdogPings: {
		Name: "hwrngd_watchdog_pings_total", Type: Counter,
		Help: "Watchdog pings sent to the service manager.",
	},
	WatchdogLastPingTimestamp: {
		Name: "hwrngd_watchdog_last_ping_timestamp_seconds", Type: Gauge, Unit: "seconds",
		Absent: "until the first ping",
		Help:   "Unix time of the last watchdog ping.",
	},
	WatchdogTimeout: {
		Name: "hwrngd_watchdog_timeout_seconds", Type: Gauge, Unit: "seconds",
		Help: "Time after which the service manager restarts a daemon that does not ping, 0 without a watchdog.",
	},
	LogMessages: {
		Name: "hwrngd_log_messages_total", Type: Counter,
		Labels: []Label{closedNames("level", LogLevels[:])},
		Help:   "Log messages written.",
	},
	ExportErrors: {
		Name: "hwrngd_metrics_export_errors_total", Type: Counter,
		Labels: []Label{closed("output", Outputs[:]...)},
		Help:   "Attempts to offer the metrics that failed and are made again: to listen, to write the textfile, to use the web configuration.",
	},
}
