package linux

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPoolSize(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   map[string]string
		want    int
		wantErr error // nil: any if want is 0
	}{
		{"modern", map[string]string{"poolsize": "256\n"}, 256, nil},
		{"legacy", map[string]string{"poolsize": "4096\n"}, 4096, nil},
		{"missing", nil, 0, os.ErrNotExist},
		{"text", map[string]string{"poolsize": "big\n"}, 0, nil},
		{"empty", map[string]string{"poolsize": ""}, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			below := map[string]string{}
			for name, content := range c.files {
				below[filepath.Join(randomSysctl, name)] = content
			}
			proc := Procfs(tree(t, below))
			got, err := proc.PoolSize()
			if got != c.want || (err == nil) != (c.want != 0) || c.wantErr != nil && !errors.Is(err, c.wantErr) {
				t.Errorf("got %d, %v", got, err)
			}
			if err != nil && !strings.Contains(err.Error(), string(proc)) {
				t.Errorf("error does not name the file: %v", err)
			}
		})
	}
}

func TestProcfsNumbers(t *testing.T) {
	proc := Procfs(tree(t, map[string]string{
		randomSysctl + "/entropy_avail": "256\n",
		"sys/crypto/fips_enabled":       "1\n",
		"sys/kernel/osrelease":          "6.1.0-28-amd64\n",
	}))
	if n, err := proc.EntropyAvailable(); n != 256 || err != nil {
		t.Errorf("entropy: %d, %v", n, err)
	}
	if !proc.FIPSEnabled() {
		t.Error("FIPS mode not seen")
	}
	if r, err := proc.KernelRelease(); r != "6.1.0-28-amd64" || err != nil {
		t.Errorf("release: %q, %v", r, err)
	}
	for _, content := range []string{"0\n", "", "2\n", "yes\n"} {
		if Procfs(tree(t, map[string]string{"sys/crypto/fips_enabled": content})).FIPSEnabled() {
			t.Errorf("FIPS mode seen in %q", content)
		}
	}
	empty := Procfs(t.TempDir())
	if empty.FIPSEnabled() {
		t.Error("FIPS mode seen in an empty tree")
	}
	if _, err := empty.EntropyAvailable(); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := empty.KernelRelease(); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestCommandLineOption(t *testing.T) {
	const option = "random.trust_cpu"
	for _, c := range []struct {
		name, line, want string
		ok               bool
	}{
		{"among others", "BOOT_IMAGE=/vmlinuz root=/dev/vda quiet random.trust_cpu=off panic=1\n", "off", true},
		{"first", "random.trust_cpu=on quiet\n", "on", true},
		{"dash", "random.trust-cpu=on quiet\n", "on", true},
		{"last one wins", "random.trust_cpu=on random.trust_cpu=off\n", "off", true},
		{"empty value", "random.trust_cpu= quiet\n", "", true},
		{"value with an equals sign", "random.trust_cpu=a=b\n", "a=b", true},
		{"without a value", "random.trust_cpu quiet\n", "", false},
		{"longer name", "random.trust_cpus=off\n", "", false},
		{"end of another", "xrandom.trust_cpu=off\n", "", false},
		{"other case", "Random.trust_cpu=off\n", "", false},
		{"not there", "quiet\n", "", false},
		{"empty", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			proc := Procfs(tree(t, map[string]string{"cmdline": c.line}))
			if got, ok := proc.CommandLineOption(option); got != c.want || ok != c.ok {
				t.Errorf("got %q, %v, want %q, %v", got, ok, c.want, c.ok)
			}
		})
	}
	if _, ok := Procfs(t.TempDir()).CommandLineOption(option); ok {
		t.Error("found in an empty tree")
	}
}

func TestCPUGenerators(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"x86, two CPUs", "processor\t: 0\nflags\t\t: fpu rdrand sse rdseed\nbugs\t\t:\n\nprocessor\t: 1\nflags\t\t: fpu rdrand sse rdseed\n", []string{"rdrand", "rdseed"}},
		{"old x86", "flags\t\t: fpu tsc rdrand\n", []string{"rdrand"}},
		{"arm64", "processor\t: 0\nFeatures\t: fp asimd rng bti\n", []string{"rng"}},
		{"none", "flags\t\t: fpu tsc\n", nil},
		{"part of a word", "flags\t\t: rdrandom xrdseed rngs\n", nil},
		{"in another line", "model name\t: rdrand 3000\nvmx flags\t: rdrand\n", nil},
		{"mips", "cpu model\t\t: MIPS 24Kc V7.4\n", nil},
		{"no colon", "flags rdrand\n", nil},
		{"empty", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			proc := Procfs(tree(t, map[string]string{"cpuinfo": c.text}))
			if got := proc.CPUGenerators(); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := Procfs(t.TempDir()).CPUGenerators(); got != nil {
		t.Errorf("an empty tree has %q", got)
	}
}

func TestKernelThread(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  bool
	}{
		{"runs", map[string]string{"1/comm": "systemd\n", "1/cmdline": "/sbin/init\x00", "46/comm": "hwrng\n", "46/cmdline": ""}, true},
		{"user's process of that name", map[string]string{"900/comm": "hwrng\n", "900/cmdline": "./hwrng\x00"}, false},
		{"both", map[string]string{"46/comm": "hwrng\n", "46/cmdline": "hwrng\x00", "47/comm": "hwrng\n", "47/cmdline": ""}, true},
		{"longer name", map[string]string{"46/comm": "hwrngd\n", "46/cmdline": ""}, false},
		{"not a process", map[string]string{"self/comm": "hwrng\n", "self/cmdline": ""}, false},
		{"ended meanwhile", map[string]string{"46/status": "", "47/comm": "hwrng\n"}, false},
		{"file with a number", map[string]string{"46": "hwrng\n"}, false},
		{"nothing runs", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Procfs(tree(t, c.files)).KernelThread("hwrng"); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
	if Procfs(filepath.Join(t.TempDir(), "missing")).KernelThread("hwrng") {
		t.Error("runs in a missing tree")
	}
}

func TestRealProcfs(t *testing.T) {
	proc := Procfs("/proc")
	if n, err := proc.PoolSize(); errors.Is(err, os.ErrNotExist) {
		t.Skip(err)
	} else if err != nil || n != 256 && n != 4096 {
		t.Errorf("pool size %d, %v", n, err)
	}
	if r, err := proc.KernelRelease(); r == "" || err != nil {
		t.Errorf("release %q, %v", r, err)
	}
	if proc.KernelThread(filepath.Base(os.Args[0])) {
		t.Error("this test is a kernel thread")
	}
}

func TestClocks(t *testing.T) {
	before := Boottime()
	time.Sleep(2 * time.Millisecond)
	if passed := Boottime() - before; passed < 2*time.Millisecond || passed > time.Minute {
		t.Errorf("%s passed in 2 ms", passed)
	}
	// The two clocks are read one after the other, so the difference may shake a little.
	a, b := SuspendedTime(), SuspendedTime()
	if a < -time.Second || b-a > time.Second || a-b > time.Second {
		t.Errorf("suspended for %s, then %s", a, b)
	}
}
