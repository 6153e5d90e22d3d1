//go:build minimal

package main

import "errors"

// checkWebPath refuses every web configuration.
func checkWebPath(string) error {
	return errors.New("this is the minimal build of hwrngd, which has no TLS and no passwords for the metrics: " +
		"keep them on 127.0.0.1 or a unix socket, or use the full build")
}

// vetWebConfig has nothing to look at.
func vetWebConfig(*Config) error { return nil }
