package linux

import (
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// threadNice returns the nice level of another thread.
func threadNice(t *testing.T, tid int) int {
	t.Helper()
	prio, err := unix.Getpriority(unix.PRIO_PROCESS, tid)
	if err != nil {
		t.Fatal(err)
	}
	return 20 - prio
}

func TestOnOwnThread(t *testing.T) {
	before := threadNice(t, os.Getpid())
	want := max(before, 10)
	type thread struct{ tid, nice int }
	seen := make(chan thread)
	for range 20 {
		OnOwnThread(10, func() { seen <- thread{unix.Gettid(), ThreadNice()} })
		got := <-seen
		if got.nice != want {
			t.Errorf("nice level %d, want %d", got.nice, want)
		}
		if got.tid == os.Getpid() {
			t.Error("ran on the main thread")
		}
		// The kernel forgets the thread once it has ended.
		within(t, 10*time.Second, "end of the thread", func() {
			for unix.Tgkill(os.Getpid(), got.tid, 0) == nil {
				time.Sleep(time.Millisecond)
			}
		})
	}
	if after := threadNice(t, os.Getpid()); after != before {
		t.Errorf("the main thread is at nice level %d, it was at %d", after, before)
	}
	// Whatever threads there are now, none has inherited the level.
	done := make(chan int)
	for range 50 {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			time.Sleep(time.Millisecond)
			done <- ThreadNice()
		}()
	}
	for range 50 {
		if got := <-done; got != before {
			t.Fatalf("a thread is at nice level %d, want %d", got, before)
		}
	}
}

// TestOnOwnThreadKeepsNicer: a process that is nicer stays so.
func TestOnOwnThreadKeepsNicer(t *testing.T) {
	seen := make(chan int)
	OnOwnThread(19, func() {
		beNice(5)
		seen <- ThreadNice()
	})
	if got := <-seen; got != 19 {
		t.Errorf("nice level %d", got)
	}
}

func TestThreadTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := ThreadTime()
	for i, begin := 0, time.Now(); time.Since(begin) < 5*time.Millisecond; i++ {
	}
	worked := ThreadTime()
	time.Sleep(50 * time.Millisecond)
	slept := ThreadTime()
	if worked <= before || slept-worked > 40*time.Millisecond {
		t.Errorf("worked for %s, slept for %s", worked-before, slept-worked)
	}
}
