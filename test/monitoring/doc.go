// Package monitoring tests what watches hwrngd: the rules in packaging/prometheus, the dashboards in
// packaging/grafana, and both against a real Prometheus that scrapes a real daemon.
//
//	make monitoring
//	PROMETHEUS=/usr/bin/prometheus PROMTOOL=/usr/bin/promtool go test .     # in this directory
//	go test ./dashboards -update                                            # writes the dashboards
//
// $HWRNGD names the daemon; without it, it is built. Without $PROMETHEUS or $PROMTOOL the tests that need
// them are skipped, loudly, and so are those that credit the kernel without root.
package monitoring
