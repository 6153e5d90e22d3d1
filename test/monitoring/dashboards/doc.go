// Package dashboards builds the Grafana dashboards in packaging/grafana: one for a board, one for a fleet.
// Their test writes the files:
//
//	go test ./dashboards -update
package dashboards
