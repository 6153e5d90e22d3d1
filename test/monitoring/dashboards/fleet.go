package dashboards

//lint:file-ignore SA1019 the schema before v2 is the one that every Grafana reads

import "github.com/grafana/grafana-foundation-sdk/go/dashboard"

// Fleet builds the dashboard of all machines.
func Fleet() (dashboard.Dashboard, error) {
	p := newPage("hwrngd-fleet", "hwrngd: fleet", "All machines that run hwrngd: how many are well, and which are not.",
		choice("job", "Job", "hwrngd_ready", "job").Multi(true).IncludeAll(true).AllValue(".+"))
	fleetNow(p)
	fleetOverTime(p)
	fleetWorst(p)
	fleetParts(p)
	fleetCost(p)
	return p.Build()
}

func fleetNow(p *page) {
	p.row("Now")
	add(p, number(4, "Boards", count, "That report at all.", of("", `count(hwrngd_ready{job=~"$job"})`)))
	add(p, number(4, "Not ready", count, "Kernel not seeded, or no source in use.",
		of("", `count(hwrngd_ready{job=~"$job"} == 0) or vector(0)`)).Thresholds(steps(good, from(1, bad))))
	add(p, number(4, "Kernel not seeded", count, "Programs wait in getrandom().",
		of("", `count(hwrngd_crng_ready{job=~"$job"} == 0) or vector(0)`)).Thresholds(steps(good, from(1, bad))))
	add(p, number(4, "Without a source", count, "",
		of("", `count(sum without (source, state) (hwrngd_source_state{job=~"$job", state="active"}) == 0) or vector(0)`)).
		Thresholds(steps(good, from(1, bad))))
	add(p, number(4, "On sources of last resort", count, "Their hardware is absent or broken.",
		of("", `sum(hwrngd_source_fallback_active{job=~"$job"})`)).Thresholds(steps(good, from(1, "orange"))))
	add(p, number(4, "Critical alerts", count, "",
		of("", `count(ALERTS{job=~"$job", alertname=~"Hwrngd.+", alertstate="firing", severity="critical"}) or vector(0)`)).
		Thresholds(steps(good, from(1, bad))))
	add(p, list(24, "Alerts", "That fire now.",
		of("", `ALERTS{job=~"$job", alertname=~"Hwrngd.+", alertstate="firing"}`), "",
		[2]string{"severity", "Severity"}, [2]string{"alertname", "Alert"}, [2]string{"instance", "Board"}, [2]string{"source", "Source"}).
		DataLinks(linkToBoard()))
}

func fleetOverTime(p *page) {
	p.row("Over time")
	add(p, graph(8, "Boards", count, "",
		of("report", `count(hwrngd_ready{job=~"$job"})`), of("ready", `sum(hwrngd_ready{job=~"$job"})`)))
	add(p, graph(8, "Sources by state", count, "",
		of("{{state}}", `sum by (state) (hwrngd_source_state{job=~"$job"})`)))
	add(p, graph(8, "Alerts", count, "",
		of("{{severity}}", `count by (severity) (ALERTS{job=~"$job", alertname=~"Hwrngd.+", alertstate="firing"})`)))
	add(p, graph(8, "Since the last credit", seconds, "A credit is due once in each refill interval.",
		of("median", `quantile(0.5, time() - hwrngd_last_credit_timestamp_seconds{job=~"$job"})`),
		of("99 %", `quantile(0.99, time() - hwrngd_last_credit_timestamp_seconds{job=~"$job"})`)))
	add(p, graph(8, "Failed calls on the random device", count, "In 15 minutes, all boards.",
		of("{{op}} {{reason}}", `sum by (op, reason) (increase(hwrngd_pool_ioctl_errors_total{job=~"$job"}[15m]))`)))
	add(p, graph(8, "Warnings and errors logged", count, "In 15 minutes, all boards.",
		of("{{level}}", `sum by (level) (increase(hwrngd_log_messages_total{job=~"$job", level=~"warn|error"}[15m]))`)))
}

func fleetWorst(p *page) {
	p.row("Worst ten")
	board := [][2]string{{"instance", "Board"}, {"source", "Source"}}
	add(p, list(8, "Failed blocks against the limit of chance", "Above 100 % chance does not explain it.",
		of("", `topk(10, hwrngd:source_fips_failures:increase1h{job=~"$job"} / hwrngd:source_fips_failures:chance_limit1h{job=~"$job"})`),
		"Of the limit", board...).Unit(share).DataLinks(linkToBoard()))
	add(p, list(8, "Alarms of health tests in an hour", "",
		of("", `topk(10, sum by (instance, source) (increase(hwrngd_health_failures_total{job=~"$job"}[1h])))`),
		"Alarms", board...).Decimals(0).DataLinks(linkToBoard()))
	add(p, list(8, "Estimate against claim", "Below 80 % the claim is too high.",
		of("", `bottomk(10, min without (estimator) (hwrngd_source_min_entropy_bits{job=~"$job"}) / hwrngd_source_claimed_min_entropy_bits{job=~"$job"})`),
		"Of the claim", board...).Unit(share).DataLinks(linkToBoard()))
	add(p, list(8, "Failed reads in 15 minutes", "",
		of("", `topk(10, sum by (instance, source) (increase(hwrngd_source_read_errors_total{job=~"$job"}[15m])))`),
		"Errors", board...).Decimals(0).DataLinks(linkToBoard()))
	add(p, list(8, "Came into use, in an hour", "",
		of("", `topk(10, increase(hwrngd_source_transitions_total{job=~"$job", to="active"}[1h]))`),
		"Times", board...).Decimals(0).DataLinks(linkToBoard()))
	add(p, list(8, "Slowest first credit", "Time from boot to the first credit.",
		of("", `topk(10, hwrngd_first_credit_boot_seconds{job=~"$job"})`),
		"After boot", board[:1]...).Unit(seconds).DataLinks(linkToBoard()))
}

func fleetParts(p *page) {
	p.row("Parts")
	add(p, list(8, "Sources", "", of("", `count by (kind, driver) (hwrngd_source_info{job=~"$job"})`), "Boards",
		[2]string{"kind", "Kind"}, [2]string{"driver", "Driver"}))
	add(p, list(8, "Failed blocks by driver, in an hour", "A batch of bad parts shows here before it does on a single board. 0.08 % is normal.",
		of("", `sum by (driver) (hwrngd:source_fips_failures:increase1h{job=~"$job"} * on (job, instance, source) group_left (driver) hwrngd_source_info)`,
			`  / sum by (driver) (hwrngd:source_fips_blocks:increase1h{job=~"$job"} * on (job, instance, source) group_left (driver) hwrngd_source_info)`),
		"Failed", [2]string{"driver", "Driver"}).Unit(share).Decimals(3))
	add(p, list(8, "Versions", "", of("", `count by (version, goarch) (hwrngd_build_info{job=~"$job"})`), "Boards",
		[2]string{"version", "Version"}, [2]string{"goarch", "Architecture"}))
}

func fleetCost(p *page) {
	p.row("What the monitoring costs")
	add(p, number(8, "Series", count, "", of("", `sum(scrape_samples_scraped{job="hwrngd"})`)))
	add(p, number(8, "Slowest scrape", seconds, "", of("", `max(scrape_duration_seconds{job="hwrngd"})`)))
	add(p, number(8, "Boards that do not answer", count, "", of("", `count(up{job="hwrngd"} == 0) or vector(0)`)).
		Thresholds(steps(good, from(1, bad))))
}
