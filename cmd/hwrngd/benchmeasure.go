package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/hwrng"
	"github.com/hwrngd/hwrngd/source/jitter"
)

const (
	// firstByte is how long a source may take to give anything.
	firstByte = 10 * time.Second
	// jitterRead is little, for what a Read has made when time is up is lost.
	jitterRead = 1024
	// urandomPath and urandomRead are what programs use.
	urandomPath = "/dev/urandom"
	urandomRead = 64 << 10
)

// measure reads one source for a while.
func measure(ctx context.Context, cfg *Config, name string, duration time.Duration) benchResult {
	result := benchResult{Source: name}
	var err error
	switch name {
	case jitter.Name:
		err = measureJitter(ctx, cfg, duration, &result)
	case urandomName:
		err = measureURandom(ctx, duration, &result)
	default:
		src := openSource(cfg, name)
		defer src.Close()
		err = result.read(ctx, duration, src, 4096)
		result.describe(src.Info())
		if name == hwrng.Name && errors.Is(err, fs.ErrPermission) {
			result.Hint = "only root may read the device: use sudo"
		}
	}
	if err == nil {
		result.Usable = true
		return result
	}
	failed := benchResult{Source: name, Reason: err.Error(), Hint: result.Hint, Generator: result.Generator}
	if unavailable, ok := errors.AsType[*source.UnavailableError](err); ok && failed.Hint == "" {
		failed.Hint = unavailable.Hint
	}
	return failed
}

// contextReader is what is measured: a source or a device.
type contextReader interface {
	Read(ctx context.Context, dst []byte) (int, error)
}

// read reads for the given time, from the first byte on: no source is opened before that, and some
// test themselves.
func (b *benchResult) read(ctx context.Context, duration time.Duration, src contextReader, size int) error {
	buf := make([]byte, size)
	if _, err := readOnce(ctx, src, buf); err != nil {
		return err
	}
	begin, used := time.Now(), linux.ProcessTime()
	timed, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	for timed.Err() == nil {
		n, err := src.Read(timed, buf)
		b.Bytes += int64(n)
		if err != nil && timed.Err() == nil {
			return fmt.Errorf("after %d bytes: %w", b.Bytes, err)
		}
	}
	if b.Bytes == 0 { // so slow that it has no rate yet
		n, err := readOnce(ctx, src, buf)
		if err != nil {
			return err
		}
		b.Bytes = int64(n)
	}
	b.Seconds = time.Since(begin).Seconds()
	b.account(linux.ProcessTime() - used)
	return nil
}

// readOnce waits for some bytes, but not for ever.
func readOnce(ctx context.Context, src contextReader, buf []byte) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, firstByte)
	defer cancel()
	n, err := readSettled(ctx, src, buf)
	if errors.Is(err, context.DeadlineExceeded) {
		return 0, &source.UnavailableError{Reason: fmt.Sprintf("no data within %s", firstByte), Hint: "the source is slow, idle or hung"}
	}
	return n, err
}

// account notes the CPU time that the bytes took.
func (b *benchResult) account(used time.Duration) {
	b.CPUSeconds = used.Seconds()
	b.Rate = float64(b.Bytes) / b.Seconds
	if b.Bytes > 0 {
		b.CPUPerMB = b.CPUSeconds / (float64(b.Bytes) / 1e6)
	}
}

func (b *benchResult) describe(info source.Info) {
	b.MinEntropy, b.ClaimOrigin, b.Generator, b.Note = info.MinEntropy, info.ClaimOrigin, info.Driver, info.Note
}

// measureJitter measures the source as the daemon runs it, with its tests and estimates.
func measureJitter(ctx context.Context, cfg *Config, duration time.Duration, b *benchResult) error {
	src := openJitter(cfg)
	defer src.Close()
	// The source comes to rest, estimates included, before anything else is measured.
	defer rest(ctx, src)
	begin := time.Now()
	if _, err := readOnce(ctx, src, make([]byte, jitter.BlockSize)); err != nil {
		return err
	}
	j := &benchJitter{Startup: time.Since(begin).Seconds()}
	before, used := src.Status(), linux.ProcessTime()
	if err := b.read(ctx, duration, src, jitterRead); err != nil {
		return err
	}
	rest(ctx, src)
	spent, after := linux.ProcessTime()-used, src.Status()
	// What the source made, not what the last Read was in time to take; the time is that of all.
	bytes := float64(after.Blocks-before.Blocks) * jitter.BlockSize
	j.SamplesPerCPUSecond = float64(after.Samples-before.Samples) / spent.Seconds()
	j.BytesPerCPUSecond = bytes / spent.Seconds()
	j.Estimate, j.Method, j.Claim, j.Setting = after.Latest.Estimate, after.Latest.Method, after.Claim, after.Setting
	b.Jitter = j
	b.describe(src.Info())
	return nil
}

// rest waits until the source does nothing any more: a Read that follows Close gets its turn then.
func rest(ctx context.Context, src *jitter.Source) {
	_ = src.Close() // has no errors
	_, _ = src.Read(ctx, make([]byte, 1))
}

// measureURandom measures the kernel's generator as programs read it.
func measureURandom(ctx context.Context, duration time.Duration, b *benchResult) error {
	file, err := os.Open(urandomPath)
	if err != nil {
		return err
	}
	defer file.Close()
	b.Note = "the kernel's generator, for comparison: never a source"
	return b.read(ctx, duration, plainReader{file}, urandomRead)
}

// plainReader reads a file that never waits.
type plainReader struct{ file *os.File }

func (p plainReader) Read(_ context.Context, dst []byte) (int, error) { return p.file.Read(dst) }
