package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/hwrng"
)

// reportTime is when the reports of the tests are made.
var reportTime = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// exampleMachine is a virtual machine with a recent kernel, seeded, whose kernel reads the generator
// by itself.
func exampleMachine() machine {
	return machine{
		Kernel: "6.12.48+deb13-amd64", CRNGReady: true, PoolBits: 256, EntropyBits: 256, KernelThread: true,
		CPUGenerators: []string{"rdrand", "rdseed"},
		HWRandom:      hwrng.Class{Current: "virtio_rng.0", Available: []string{"virtio_rng.0", "tpm-rng-0"}, Quality: 1024, QualityShown: true},
	}
}

// boardMachine is a board whose kernel leaves the generator alone.
func boardMachine() machine {
	return machine{
		Kernel: "6.1.21-v8+", CRNGReady: true, PoolBits: 256, EntropyBits: 256, CPUGenerators: []string{},
		HWRandom: hwrng.Class{Current: "iproc-rng200", Available: []string{"iproc-rng200"}},
	}
}

// exampleStatus is that of a healthy daemon.
func exampleStatus() *pool.Status {
	return &pool.Status{
		Version: "0.1.0", PID: 4242, Started: reportTime.Add(-time.Hour), Refill: time.Minute,
		Credits: pool.Credits{
			CanCredit: true, CRNGReady: true, Bits: map[string]uint64{"hwrng": 31232}, Bytes: map[string]uint64{"hwrng": 3904},
			FirstCredit: 289 * time.Millisecond, LastCredit: reportTime.Add(-20 * time.Second), PoolBits: 256, EntropyBits: 256,
		},
		Sources: []source.Snapshot{{
			Name: "hwrng", Kind: source.KindHWRNG, Device: "/dev/hwrng", Driver: "virtio_rng.0",
			Note: "as good as what the host feeds it; hosts limit its rate", State: "active", Since: reportTime.Add(-time.Hour),
			MinEntropy: 4, ClaimOrigin: "driver table", BytesRead: 152628,
		}},
	}
}

// changed returns the healthy status after change.
func changed(change func(*pool.Status)) *pool.Status {
	s := exampleStatus()
	change(s)
	return s
}

// uncredited takes all credit off a status.
func uncredited(s *pool.Status) {
	s.Credits.Bits, s.Credits.Bytes = map[string]uint64{}, map[string]uint64{}
	s.Credits.FirstCredit, s.Credits.LastCredit = 0, time.Time{}
}

// waiting makes the only source of a status unusable.
func waiting(state source.State, reason string, filled float64) func(*pool.Status) {
	return func(s *pool.Status) {
		uncredited(s)
		src := &s.Sources[0]
		src.State, src.Reason, src.BlockFilled, src.BytesRead = state.String(), reason, filled, uint64(2500*filled)
	}
}

// TestStatusReports: what users and programs see of the commonest situations.
func TestStatusReports(t *testing.T) {
	for _, tt := range []struct {
		name   string
		m      func(*machine)
		daemon *pool.Status
		err    error
	}{
		{name: "healthy", daemon: exampleStatus()},
		{name: "board", m: func(m *machine) { *m = boardMachine() }, daemon: changed(func(s *pool.Status) {
			s.Sources[0].Driver, s.Sources[0].Note = "iproc-rng200", "Raspberry Pi 4 and 5; tests itself and returns nothing on failure"
		})},
		{name: "not-running", m: func(m *machine) { m.HWRandom.Quality, m.HWRandom.QualityStated = 900, true }, err: fs.ErrNotExist},
		{name: "not-answering", err: errors.New("no valid status from /run/hwrngd/status.sock: EOF")},
		{
			name: "no-source", m: func(m *machine) { m.KernelThread, m.HWRandom = false, hwrng.Class{Available: []string{}} },
			daemon: changed(func(s *pool.Status) {
				waiting(source.Starting, "stat /dev/hwrng: no such file or directory", 0)(s)
				s.Sources[0].Driver, s.Sources[0].Note, s.Sources[0].ClaimOrigin = "", "", "default"
			}),
		},
		{name: "cannot-credit", daemon: changed(func(s *pool.Status) {
			uncredited(s)
			s.Credits.CanCredit, s.Credits.LastError = false, "RNDADDENTROPY /dev/random: operation not permitted"
		})},
		{name: "read-errors", daemon: changed(func(s *pool.Status) {
			waiting(source.Starting, "read /dev/hwrng: input/output error", 0)(s)
			s.Sources[0].ReadErrors, s.Sources[0].LastError = 17, "read /dev/hwrng: input/output error"
		})},
		{name: "monitor", daemon: changed(func(s *pool.Status) {
			uncredited(s)
			s.Monitor = true
		})},
		{name: "turns", daemon: changed(func(s *pool.Status) { s.Sources[0].Rotation = &source.Rotation{Running: true} })},
		{name: "turns-stopped", daemon: changed(func(s *pool.Status) {
			s.Sources[0].Rotation = &source.Rotation{
				Stopped: reportTime.Add(-time.Minute), Reason: "somebody else chooses the generator: rng_current is virtio_rng.0 and not tpm-rng-0",
			}
		})},
		{
			name: "jitter", m: func(m *machine) { m.KernelThread, m.HWRandom = false, hwrng.Class{Available: []string{}} },
			daemon: changed(func(s *pool.Status) {
				s.Sources[0].State, s.Sources[0].Reason = "starting", "stat /dev/hwrng: no such file or directory"
				s.Sources[0].Driver, s.Sources[0].Note, s.Sources[0].BytesRead = "", "", 0
				s.Sources = append(s.Sources, source.Snapshot{
					Name: "jitter", Kind: source.KindJitter, Note: "timing jitter of memory accesses", State: "active", Since: reportTime,
					MinEntropy: 8, ClaimOrigin: "1152 samples of 0.5 bits for 64 bytes", BytesRead: 6400,
				})
				s.Credits.Bits, s.Credits.Bytes = map[string]uint64{"jitter": 51200}, map[string]uint64{"jitter": 6400}
			}),
		},
		{
			name: "legacy", m: func(m *machine) {
				*m = boardMachine()
				m.Kernel, m.PoolBits, m.EntropyBits = "4.19.325", 4096, 1834
			},
			daemon: changed(func(s *pool.Status) { s.Credits.PoolBits, s.Credits.EntropyBits = 4096, 1834 }),
		},
		{name: "fips", m: func(m *machine) { m.FIPSMode, m.TrustCPU, m.TrustBootload, m.DefaultQuality = true, "0", "off", "0" }, daemon: exampleStatus()},
		{
			name: "unseeded", m: func(m *machine) { m.CRNGReady, m.EntropyBits, m.KernelThread = false, 128, false },
			daemon: changed(func(s *pool.Status) {
				waiting(source.Starting, "", 0.43)(s)
				s.Credits.CRNGReady, s.Credits.EntropyBits = false, 128
			}),
		},
		{
			name: "not-known", m: func(m *machine) {
				m.CRNGReady, m.CRNGError = false, "getrandom(GRND_NONBLOCK): function not implemented"
				m.PoolBits, m.EntropyBits, m.KernelThread = 0, 0, false
			},
			err: fs.ErrNotExist,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := exampleMachine()
			if tt.m != nil {
				tt.m(&m)
			}
			report := newStatusReport(m, tt.daemon, tt.err, reportTime)
			var out bytes.Buffer
			inv := &Invocation{Stdout: &out, Stderr: &out}
			if err := inv.WriteReport(report.text(inv.NewReport())); err != nil {
				t.Fatal(err)
			}
			golden(t, "status/"+tt.name+".txt", out.String())
			out.Reset()
			if err := inv.WriteJSON(report); err != nil {
				t.Fatal(err)
			}
			golden(t, "status/"+tt.name+".json", out.String())
		})
	}
}

// TestStatusColors: green is what is well, red what is not.
func TestStatusColors(t *testing.T) {
	m := exampleMachine()
	for ready, want := range map[bool]string{true: "\x1b[32mseeded\x1b[0m", false: "\x1b[31mNOT seeded"} {
		m.CRNGReady = ready
		r := newStatusReport(m, exampleStatus(), nil, reportTime).text(&Report{color: true})
		r.align()
		if text := r.text.String(); !strings.Contains(text, want) || !strings.Contains(text, "\x1b[32mactive\x1b[0m") {
			t.Errorf("no %q in %q", want, text)
		}
	}
}

// TestStatusCommand asks a daemon that runs, by way of its socket, and gives the exit code.
func TestStatusCommand(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{
		"proc/sys/kernel/random/poolsize": "256\n", "proc/sys/kernel/random/entropy_avail": "256\n", "sys/": "",
	})
	args := []string{"status", "--config=/dev/null", "--sysfs=" + filepath.Join(dir, "sys"), "--procfs=" + filepath.Join(dir, "proc")}
	for _, tt := range []struct {
		name   string
		daemon *pool.Status
		code   int
		want   string
	}{
		{"ready", exampleStatus(), exitOK, "running as process 4242"},
		{"no source", changed(waiting(source.Quarantined, "rct health test: value 0x00 repeated 11 times", 0)), exitUnavailable, "feeds nothing (source hwrng is quarantined"},
		{"unseeded for the daemon", changed(func(s *pool.Status) { s.Credits.CRNGReady = false }), exitUnavailable, "ready"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append(args, "--runtime-dir="+serve(t, fixed(tt.daemon)))
			got := call(nil, args...)
			if got.code != tt.code || got.stderr != "" || !strings.Contains(got.stdout, tt.want) {
				t.Errorf("got %+v", got)
			}
			if got := call(nil, append(args, "--output=json")...); got.code != tt.code || !strings.Contains(got.stdout, `"pid": 4242`) {
				t.Errorf("as JSON: %+v", got)
			}
		})
	}
	if code, stderr := callFull(t, args...); code != exitIO || !strings.Contains(stderr, "no space left") {
		t.Errorf("to a full disk: %d, %s", code, stderr)
	}
	if got := call(nil, "status", "--config="+filepath.Join(dir, "missing")); got.code != exitUsage {
		t.Errorf("without the configuration: %+v", got)
	}
}

func TestSurveyMachine(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, generators("virtio_rng.0", "virtio_rng.0 tpm-rng-0"))
	plant(t, dir, map[string]string{
		classDir + "rng_quality": "900\n", classDir + "rng_selected": "1\n",
		"proc/sys/kernel/osrelease":            "6.1.0-28-amd64\n",
		"proc/sys/kernel/random/poolsize":      "256\n",
		"proc/sys/kernel/random/entropy_avail": "255\n",
		"proc/sys/crypto/fips_enabled":         "1\n",
		"proc/cmdline":                         "quiet random.trust_cpu=off random.trust-bootloader=on rng_core.default_quality=0\n",
		"proc/cpuinfo":                         "processor\t: 0\nflags\t\t: fpu rdrand rdseed\n",
		"proc/77/comm":                         "hwrng\n",
		"proc/77/cmdline":                      "",
	})
	cfg := mustLoad(t, input(os.DevNull, nil, map[string][]string{"sysfs": {filepath.Join(dir, "sys")}, "procfs": {filepath.Join(dir, "proc")}}))
	got := surveyMachine(cfg)
	got.CRNGReady, got.CRNGError = true, "" // the only facts that no tree can fake
	want := machine{
		Kernel: "6.1.0-28-amd64", CRNGReady: true, PoolBits: 256, EntropyBits: 255, FIPSMode: true, KernelThread: true,
		TrustCPU: "off", TrustBootload: "on", DefaultQuality: "0", CPUGenerators: []string{"rdrand", "rdseed"},
		HWRandom: hwrng.Class{
			Current: "virtio_rng.0", Available: []string{"virtio_rng.0", "tpm-rng-0"}, Selected: true, Quality: 900, QualityShown: true, QualityStated: true,
		},
	}
	if a, b := asJSON(t, got), asJSON(t, want); a != b {
		t.Errorf("got  %s\nwant %s", a, b)
	}

	// A machine that shows nothing makes an empty report, with lists in it.
	cfg.Sysfs, cfg.Procfs = filepath.Join(dir, "none"), filepath.Join(dir, "none")
	got = surveyMachine(cfg)
	if got.CPUGenerators == nil || got.HWRandom.Available == nil || got.PoolBits != 0 || got.KernelThread || got.Kernel != "" {
		t.Errorf("got %+v", got)
	}
}

func TestPoolAndThreadTexts(t *testing.T) {
	for _, tt := range []struct {
		m            machine
		pool, thread string
	}{
		{machine{}, "unknown", "not running"},
		{
			machine{PoolBits: 256, EntropyBits: 256, KernelThread: true},
			"256 of 256 bits (modern, as of Linux 5.18: once seeded it stays full)", "running, credits what the generator's driver states",
		},
		{machine{KernelThread: true, HWRandom: hwrng.Class{QualityShown: true}}, "unknown", "running, credits nothing: rng_quality is 0"},
		{
			machine{KernelThread: true, HWRandom: hwrng.Class{Quality: 1024, QualityShown: true}},
			"unknown", "running, trusts the generator fully: rng_quality is 1024",
		},
		{
			machine{PoolBits: 4096, EntropyBits: 12, KernelThread: true, HWRandom: hwrng.Class{Quality: 900, QualityShown: true, QualityStated: true}},
			"12 of 4096 bits (legacy, before Linux 5.18: it drains and asks for more)", "running, credits 900/1024 bit per bit",
		},
		{machine{HWRandom: hwrng.Class{Quality: 900, QualityShown: true, QualityStated: true}}, "unknown", "not running"},
	} {
		if p, th := tt.m.poolText(), tt.m.threadCredit(); p != tt.pool || th != tt.thread {
			t.Errorf("%+v: %q, %q", tt.m, p, th)
		}
	}
}
