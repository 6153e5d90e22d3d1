package linux

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestProcessTime compares with getrusage, which may lag by a tick of 10 ms for each thread.
func TestProcessTime(t *testing.T) {
	before := ProcessTime()
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Skip(err)
	}
	defer zero.Close()
	buf := make([]byte, 1<<16)
	for begin := time.Now(); time.Since(begin) < 5*time.Millisecond; {
		if _, err := zero.Read(buf); err != nil {
			t.Fatal(err)
		}
	}
	after := ProcessTime()
	if after <= before {
		t.Errorf("no time used: %s, then %s", before, after)
	}
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		t.Fatal(err)
	}
	used := time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	if d := used - after; d < -200*time.Millisecond || d > time.Second {
		t.Errorf("%s, getrusage says %s", after, used)
	}
}
