package source

import (
	"context"
	"time"
)

// SleepUntil waits for t, or for ctx and returns its error. It is for sources that go easy on a device.
func SleepUntil(ctx context.Context, t time.Time) error {
	d := time.Until(t)
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
