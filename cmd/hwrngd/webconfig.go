//go:build !minimal

package main

import (
	"github.com/hwrngd/hwrngd/metrics/web"
)

// checkWebPath accepts the name of a web configuration.
func checkWebPath(path string) error { return checkAbsolute(path) }

// vetWebConfig refuses a web configuration with mistakes, or whose keys cannot be used.
func vetWebConfig(cfg *Config) error {
	if cfg.WebConfig == "" {
		return nil
	}
	if err := web.CheckConfig(cfg.WebConfig); err != nil {
		return exitErrorf(exitUsage, "the format is that of Prometheus' exporter-toolkit; the daemon's user must be "+
			"able to read the file and the keys that it names", "%w", err)
	}
	return nil
}
