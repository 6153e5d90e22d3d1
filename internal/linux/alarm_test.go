package linux

import (
	"testing"
	"time"
)

func TestAfter(t *testing.T) {
	for _, d := range []time.Duration{-time.Hour, 0, 1, 20 * time.Millisecond} {
		begin := time.Now()
		select {
		case at := <-After(d):
			if took := at.Sub(begin); took < d || took > max(d, 0)+2*time.Second {
				t.Errorf("%s took %s", d, took)
			}
		case <-time.After(max(d, 0) + 10*time.Second):
			t.Fatalf("%s never passed", d)
		}
	}
}

// Nobody need listen, and the descriptor goes away when the time is up.
func TestAfterReleases(t *testing.T) {
	before := openFiles(t)
	for range 20 {
		After(10 * time.Millisecond)
	}
	for deadline := time.Now().Add(10 * time.Second); openFiles(t) > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d descriptors before, %d after", before, openFiles(t))
		}
	}
}

func TestAfterFuncStops(t *testing.T) {
	before := openFiles(t)
	rung := make(chan struct{}, 1)
	for range 20 {
		stop := AfterFunc(50*time.Millisecond, func() { rung <- struct{}{} })
		stop()
		stop() // harmless
	}
	for deadline := time.Now().Add(10 * time.Second); openFiles(t) > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d descriptors before, %d after", before, openFiles(t))
		}
	}
	select {
	case <-rung:
		t.Error("a stopped timer rang")
	case <-time.After(200 * time.Millisecond):
	}
}
