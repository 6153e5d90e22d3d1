package jitter

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
)

// BenchmarkWalk makes raw samples at each setting that a large or a small machine would try. Figures
// go by the CPU time of the thread, for machines are shared.
func BenchmarkWalk(b *testing.B) {
	for _, p := range []Profile{
		{16 << 20, 16},
		{32 << 20, 16},
		{16 << 20, 64},
		{16 << 20, 256},
		{16 << 20, 1024},
		{1 << 20, 1024},
		{256 << 10, 1024},
		{1 << 20, 256},
	} {
		b.Run(p.String(), func(b *testing.B) {
			w := newWalk(newSystemClock())
			if err := w.open(p); err != nil {
				b.Fatal(err)
			}
			defer w.close()
			deltas := make([]int64, w.chunk())
			onThread(func() {
				begin := linux.ThreadTime()
				samples := 0
				for b.Loop() {
					w.run(deltas, w.clock.Now())
					samples += len(deltas)
				}
				seconds := (linux.ThreadTime() - begin).Seconds()
				b.ReportMetric(float64(samples)/seconds/1e6, "Msamples/cpu-s")
			})
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkBlocks makes whole blocks, tests and conditioning included.
func BenchmarkBlocks(b *testing.B) {
	for _, p := range []Profile{{16 << 20, 16}, {1 << 20, 1024}} {
		for _, claim := range rungs {
			b.Run(fmt.Sprintf("%s/H=%.3g", p, claim), func(b *testing.B) {
				e := New(Options{Claim: claim}).testEngine()
				e.status.Setting = p
				if err := e.run(newScale(probeClock(e.clock).tick), Measurement{Estimate: 2}); err != nil {
					b.Fatal(err)
				}
				if err := e.open(p); err != nil {
					b.Fatal(err)
				}
				defer e.rest()
				onThread(func() {
					var block [BlockSize]byte
					begin := linux.ThreadTime()
					n := 0
					for b.Loop() {
						if err := e.block(&block); err != nil {
							b.Fatal(err)
						}
						e.stream.drifted, e.stream.window = false, nil
						n += BlockSize
					}
					b.ReportMetric(float64(n)/(linux.ThreadTime()-begin).Seconds()/1000, "kB/cpu-s")
				})
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkRead is the whole source as the daemon uses it while the kernel wants more and more: thread,
// tests, estimates, conditioning, by the CPU time of the process.
func BenchmarkRead(b *testing.B) {
	s := New(Options{Sysfs: "/sys", Procfs: "/proc"})
	defer s.Close()
	buf := make([]byte, 2500)
	if _, err := s.Read(b.Context(), buf); err != nil {
		b.Skip(err)
	}
	begin := processTime()
	n := 0
	for b.Loop() {
		got, err := s.Read(b.Context(), buf)
		if err != nil {
			b.Fatal(err)
		}
		n += got
	}
	b.ReportMetric(float64(n)/(processTime()-begin).Seconds()/1000, "kB/cpu-s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStartup takes a source from New to its first 2500 bytes.
func BenchmarkStartup(b *testing.B) {
	begin := processTime()
	n := 0
	for b.Loop() {
		s := New(Options{Sysfs: "/sys", Procfs: "/proc"})
		if _, err := s.Read(b.Context(), make([]byte, 2500)); err != nil {
			b.Skip(err)
		}
		s.Close()
		n++
	}
	b.ReportMetric((processTime()-begin).Seconds()/float64(n)*1000, "cpu-ms/op")
}

// processTime returns the CPU time that this process has used.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// onThread runs f on a thread of its own and waits for it.
func onThread(f func()) {
	done := make(chan struct{})
	linux.OnOwnThread(0, func() { defer close(done); f() })
	<-done
}

// testEngine takes the engine out of a source.
func (s *Source) testEngine() *engine { return <-s.engine }
