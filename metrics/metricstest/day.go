package metricstest

import (
	"log/slog"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// Day reports a made-up day, in numbers that tell series of one metric apart.
func Day(r metrics.Recorder) {
	at := func(sec int64) time.Time { return time.Unix(1_790_000_000+sec, 250e6) }

	r.BuildInfo(metrics.Build{Version: "1.2.3", Revision: "0123abc", GoVersion: "go1.26.8", GOOS: "linux", GOARCH: "amd64", Tags: "minimal,netgo"})
	r.Reloaded(true, at(0))
	r.Reloaded(false, at(60))
	r.Ready(true)
	r.HWRNG(metrics.HWRNG{Current: "virtio_rng.0", Available: []string{"virtio_rng.0", "tpm-rng-0"}, QualityRatio: 1000. / 1024, QualityKnown: true})
	r.HWRNGRotation(&source.Rotation{Running: true})
	r.WatchdogTimeout(30 * time.Second)
	r.WatchdogPing(at(15))
	r.LogMessage(slog.LevelDebug)
	r.LogMessage(slog.LevelInfo + 1)
	r.LogMessage(slog.LevelWarn)
	r.LogMessage(slog.LevelError + 4)
	r.ExportFailed(metrics.Textfile)

	r.CRNGReady(true)
	r.KernelPool(255, 256)
	r.FirstCredit(120*time.Millisecond, 4500*time.Millisecond)
	r.Credited("hwrng", 512, 64, at(1))
	r.Credited("hwrng", 256, 64, at(61))
	r.Mixed("jitter", 32)
	r.IoctlError(pool.OpReseedCRNG, pool.IoctlEPERM)
	r.Waited(pool.WaitRateLimit, 60*time.Second)
	r.RefillInterval(time.Minute)
	r.Monitor(true)

	s := r.Source("hwrng")
	s.Info(source.Info{Name: "hwrng", Kind: source.KindHWRNG, Device: "/dev/hwrng", Driver: "virtio_rng.0", MinEntropy: 4, FailureRate: 0.125})
	s.State(source.Starting)
	s.State(source.Active)
	s.State(source.Suspect)
	s.HealthCutoff(source.RCT, 9, sp80090b.Alpha(30))
	s.HealthCutoff(source.APT, 101, sp80090b.Alpha(20))
	s.HealthSamples(1024)
	s.HealthFailure(source.APT, sp80090b.Intermittent)
	s.HealthFailure(source.RCT, sp80090b.Permanent)
	s.HealthFailure(source.RCT, sp80090b.OK)
	s.StartupTest(40 * time.Millisecond)
	for _, took := range []time.Duration{time.Millisecond, 2 * time.Millisecond, 500 * time.Millisecond, 11 * time.Second} {
		s.Read(640, took)
	}
	s.ReadError(source.ReadTimeout)
	s.Discarded(128, source.DiscardStartup)
	s.Discarded(2500, source.DiscardFIPS)
	s.Block(0)
	s.Block(0)
	s.Block(fips.Runs | fips.LongRun)
	s.Success(at(59))
	s.MinEntropy([]float64{7.5, 7.25, 7.75})
}
