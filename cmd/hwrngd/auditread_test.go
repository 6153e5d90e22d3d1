//go:build !minimal

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// TestAuditReadError: what could be read is reported, and the exit code is that of the error.
func TestAuditReadError(t *testing.T) {
	gone := iotest.ErrReader(&os.PathError{Op: "read", Path: "/dev/x", Err: errors.New("input/output error")})
	for _, tt := range []struct {
		blocks  int
		verdict audit.Verdict
	}{{0, audit.Insufficient}, {20, audit.Pass}} {
		data := fipstest.G1(tt.blocks)
		got := auditOf(io.MultiReader(bytes.NewReader(data), gone), "--output=json")
		r := parseAudit(t, got.stdout)
		if got.code != exitIO || r.Verdict != tt.verdict || r.Run.Blocks != int64(tt.blocks) || r.Input.Stopped != stoppedError || r.Input.Error != "read /dev/x: input/output error" {
			t.Errorf("code %d, %+v", got.code, r.Input)
		}
		if want := ": read /dev/x: input/output error\n"; !strings.HasPrefix(got.stderr, "hwrngd: after ") || !strings.HasSuffix(got.stderr, want) {
			t.Errorf("stderr %q", got.stderr)
		}
	}
}

// TestAuditOutputErrors: an output that fails is an error, whatever the verdict.
func TestAuditOutputErrors(t *testing.T) {
	file := dataFile(t, fipstest.G1(20))
	code, stderr := callFull(t, "audit", file)
	if code != exitIO || stderr != "hwrngd: cannot write to standard output: no space left on device\n" {
		t.Errorf("code %d, %s", code, stderr)
	}
	html := filepath.Join(t.TempDir(), "x.html")
	if code, _ := callFull(t, "audit", file, "--html="+html); code != exitIO {
		t.Errorf("code %d", code)
	}
	if text, err := os.ReadFile(html); err != nil || !strings.Contains(string(text), "None of 20 blocks") && !strings.Contains(string(text), "none of 20 blocks") {
		t.Errorf("no page: %v", err)
	}
}

// TestTee: the copy is exactly what was audited, for its owner alone.
func TestTee(t *testing.T) {
	data := fipstest.G1(30)
	for _, args := range [][]string{nil, {"--blocks=20"}, {"--bytes=40000"}} {
		for _, from := range []string{"file", "pipe"} {
			path := filepath.Join(t.TempDir(), "copy")
			all := append(args, "--tee="+path, "--output=json")
			var got result
			if from == "file" {
				got = auditOf(nil, append(all, dataFile(t, data))...)
			} else {
				got = auditOf(iotest.OneByteReader(bytes.NewReader(data)), all...)
			}
			r := parseAudit(t, got.stdout)
			kept := readPrivate(t, path)
			if got.code != exitOK || !bytes.Equal(kept, data[:r.Run.Bytes]) {
				t.Errorf("%s %q: code %d, %d bytes kept, %d audited", from, args, got.code, len(kept), r.Run.Bytes)
			}
			if !strings.HasSuffix(got.stderr, "bytes in "+path+": never credit them to a kernel, and never make keys of them\n") {
				t.Errorf("stderr %q", got.stderr)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "copy")
	if got := auditData(fipstest.G10(100), "--tee="+path, "--until-confident"); got.code != exitFailedTests || len(readPrivate(t, path)) != bootBytes+9*2500 {
		t.Errorf("stopped by the test: %+v", got)
	}
	socket := filepath.Join(t.TempDir(), "socket") // which cannot be opened
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if got := auditOf(nil, "--tee="+path+"2", socket); got.code != exitNoInput || !strings.Contains(got.stderr, "cannot audit: open "+socket+": no such device or address") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(path + "2"); err == nil {
		t.Error("a copy of nothing was left")
	}
}

// TestTeeFull: a copy that fails ends the audit with a report of what was read, and with 74.
func TestTeeFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	meter := audit.NewMeter(audit.MeterOptions{})
	out := &auditOutput{tee: full}
	r := &reading{in: &auditInput{kind: kindPipe, reader: bytes.NewReader(fipstest.G1(20))}, meter: meter, tee: out}
	stopped, err := r.run(t.Context())
	if stopped != stoppedError || err == nil || !strings.HasPrefix(err.Error(), "keep a copy: write /dev/full: no space left") || out.kept != 0 {
		t.Errorf("%s, %v, %d bytes", stopped, err, out.kept)
	}
}

// slow is a device of some bytes a second that fills each buffer before a read returns.
type slow struct {
	rate  int
	sizes []int
}

func (s *slow) Read(p []byte) (int, error) {
	s.sizes = append(s.sizes, len(p))
	time.Sleep(time.Duration(len(p)) * time.Second / time.Duration(s.rate))
	return len(p), nil
}

// TestReadSizes: reads fit the speed of the device, so that neither Ctrl-C nor the progress waits long.
func TestReadSizes(t *testing.T) {
	for _, tt := range []struct {
		name          string
		rate          int
		least, most   int // of the later reads
		blocks        int64
		reads         int64 // at most
		slowestMillis float64
	}{
		{"TPM", 100, 64, 128, 1, 60, 6000},
		{"virtio", 9600, 512, 1024, 20, 100, 120},
		{"USB", 100_000, 4096, 8192, 100, 120, 200},
		{"fast", 100_000_000, mostRead / 8, mostRead, 200, 20, 60},
	} {
		synctest.Test(t, func(t *testing.T) {
			device := &slow{rate: tt.rate}
			r := &reading{
				in: &auditInput{kind: kindDevice, reader: device}, meter: audit.NewMeter(audit.MeterOptions{}),
				limit: bootBytes + tt.blocks*2500, limited: stoppedBlocks,
			}
			stopped, err := r.run(t.Context())
			synctest.Wait()
			if stopped != stoppedBlocks || err != nil || r.meter.Finish().Bytes != r.limit {
				t.Errorf("%s: %s, %v", tt.name, stopped, err)
			}
			later := device.sizes[len(device.sizes)-2] // the last one is what was left
			if later < tt.least || later > tt.most || r.timing.Reads > tt.reads || r.timing.Reads != int64(len(device.sizes)) {
				t.Errorf("%s: reads of %v", tt.name, device.sizes)
			}
			if 1000*r.timing.Slowest > tt.slowestMillis || math.Abs(r.timing.First*float64(tt.rate)/firstRead-1) > 1e-3 {
				t.Errorf("%s: slowest read %g s, first %g s", tt.name, r.timing.Slowest, r.timing.First)
			}
			var sum int64
			for _, n := range r.timing.Latency {
				sum += n
			}
			if sum != r.timing.Reads || r.timing.Seconds < float64(r.limit)/float64(tt.rate)*0.999 {
				t.Errorf("%s: %d reads in bins, %g s", tt.name, sum, r.timing.Seconds)
			}
		})
	}
}

// hung is a device that gives some bytes and then nothing, until the test is over.
type hung struct {
	first io.Reader
	over  chan struct{}
}

func (h *hung) Read(p []byte) (int, error) {
	if n, _ := h.first.Read(p); n > 0 {
		return n, nil
	}
	<-h.over
	return 0, io.EOF
}

// TestHungRead: neither Ctrl-C nor the end of the time waits for a read.
func TestHungRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			ctx  func(context.Context) (context.Context, context.CancelFunc)
			want string
		}{
			{func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, time.Hour)
			}, stoppedDuration},
			{func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(time.Hour, cancel)
				return ctx, cancel
			}, stoppedInterrupted},
		} {
			ctx, cancel := tt.ctx(t.Context())
			device := &hung{first: bytes.NewReader(fipstest.G1(2)), over: make(chan struct{})}
			r := &reading{in: &auditInput{kind: kindPipe, reader: device}, meter: audit.NewMeter(audit.MeterOptions{})}
			begin := time.Now()
			stopped, err := r.run(ctx)
			if stopped != tt.want || err != nil || time.Since(begin) != time.Hour || r.meter.Finish().Blocks != 2 {
				t.Errorf("%s after %s, %v", stopped, time.Since(begin), err)
			}
			cancel()
			close(device.over)
		}
	})
}

// TestFileInterrupted: a file that is read at full speed stops too.
func TestFileInterrupted(t *testing.T) {
	r := &reading{in: &auditInput{kind: kindFile, reader: zeros{}}, meter: audit.NewMeter(audit.MeterOptions{})}
	if stopped, err := r.run(canceled(t)); stopped != stoppedInterrupted || err != nil {
		t.Errorf("%s, %v", stopped, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if stopped, err := r.run(ctx); stopped != stoppedDuration || err != nil || r.meter.Finish().Blocks == 0 {
		t.Errorf("%s, %v", stopped, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestLatencyBins: bin i holds reads of 2^i to 2^(i+1) microseconds.
func TestLatencyBins(t *testing.T) {
	for took, bin := range map[time.Duration]int{
		0: 0, 999: 0, time.Microsecond: 0, 2 * time.Microsecond: 1, 3999: 1, 4 * time.Microsecond: 2,
		time.Millisecond: 9, time.Second: 19, 60 * time.Second: 25, time.Hour: 25,
	} {
		r := &reading{}
		r.note(&chunk{n: 1, took: took})
		if r.timing.Latency[bin] != 1 {
			t.Errorf("%s: %v", took, r.timing.Latency)
		}
	}
}
