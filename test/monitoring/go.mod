// Tests of what watches hwrngd: alert rules, dashboards, and both with a real Prometheus. A module of
// its own, so that the product does not depend on what only they need.
module github.com/hwrngd/hwrngd/test/monitoring

go 1.26.0

require (
	github.com/grafana/grafana-foundation-sdk/go v0.0.22
	go.yaml.in/yaml/v3 v3.0.6
)
