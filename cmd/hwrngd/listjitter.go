package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// jitterProbeTime is how long list lets the jitter source work. It is enough for the whole start-up
// test on a fast machine, and for a look at the clock on any. Tests have more patience.
var jitterProbeTime = 300 * time.Millisecond

// surveyJitter describes the jitter source and, with probe, lets it test itself.
func surveyJitter(ctx context.Context, cfg *Config, probe bool) listSource {
	src := openJitter(cfg)
	defer src.Close()
	var err error
	if probe {
		ctx, cancel := context.WithTimeout(ctx, jitterProbeTime)
		defer cancel()
		_, err = src.Read(ctx, make([]byte, 1))
	}
	info := src.Info() // after the test, which may lower the claim
	if errors.Is(err, context.DeadlineExceeded) {
		row := rowOf(info, nil)
		row.Note += fmt.Sprintf("; its start-up test takes more than %s here, 'hwrngd bench jitter' waits for it", jitterProbeTime)
		return row
	}
	return rowOf(info, err)
}
