package linux

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hwRandom makes a sysfs with the given files in the hw_random class.
func hwRandom(t testing.TB, files map[string]string) (sys Sysfs, dir string) {
	t.Helper()
	below := map[string]string{}
	for name, content := range files {
		below[filepath.Join(hwRandomClass, name)] = content
	}
	root := tree(t, below)
	return Sysfs(root), filepath.Join(root, hwRandomClass)
}

// FC-076: the text forms that kernels use.
func TestRNGAvailable(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"names with a space before the newline", "a.rng tpm-rng-0 virtio_rng.0 \n", []string{"a.rng", "tpm-rng-0", "virtio_rng.0"}},
		{"one", "virtio_rng.0 \n", []string{"virtio_rng.0"}},
		{"none listed since 6.11", "virtio_rng.0 none\n", []string{"virtio_rng.0"}},
		{"none in the middle", "a none b\n", []string{"a", "b"}},
		{"none alone", "none\n", nil},
		{"none with a space", "none \n", nil},
		{"no device", "\n", nil},
		{"empty file", "", nil},
		{"no newline", "a b", []string{"a", "b"}},
		{"odd blanks", "\ta  b \n", []string{"a", "b"}},
		{"names like none", "none.0 nonesuch None\n", []string{"none.0", "nonesuch", "None"}},
		{"device tree names", "3f104000.rng 1-0064 \n", []string{"3f104000.rng", "1-0064"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, _ := hwRandom(t, map[string]string{"rng_available": c.content})
			got, err := sys.RNGAvailable()
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestRNGCurrent(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"name", "virtio_rng.0\n", "virtio_rng.0"},
		{"none", "none\n", ""},
		{"blank", "\n", ""},
		{"empty file", "", ""},
		{"like none", "none.0\n", "none.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, _ := hwRandom(t, map[string]string{"rng_current": c.content})
			if got, err := sys.RNGCurrent(); err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// FC-057: only 1 to 1023 state anything.
func TestRNGQuality(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          int
		shown, stated bool
	}{
		{"none stated, before 6.2", "0\n", 0, true, false},
		{"lowest", "1\n", 1, true, true},
		{"ath9k", "320\n", 320, true, true},
		{"half", "512\n", 512, true, true},
		{"highest", "1023\n", 1023, true, true},
		{"none stated, since 6.2", "1024\n", 1024, true, false},
		{"beyond", "5000\n", 0, false, false},
		{"negative", "-1\n", 0, false, false},
		{"text", "good\n", 0, false, false},
		{"number and text", "512 good\n", 0, false, false},
		{"hexadecimal", "0x200\n", 0, false, false},
		{"too long for an int", "99999999999999999999\n", 0, false, false},
		{"blank", "\n", 0, false, false},
		{"empty", "", 0, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, _ := hwRandom(t, map[string]string{"rng_quality": c.content})
			if got, shown, stated := sys.RNGQuality(); got != c.want || shown != c.shown || stated != c.stated {
				t.Errorf("got %d, %v, %v, want %d, %v, %v", got, shown, stated, c.want, c.shown, c.stated)
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		if got, shown, stated := Sysfs(t.TempDir()).RNGQuality(); got != 0 || shown || stated {
			t.Errorf("got %d, %v, %v", got, shown, stated)
		}
	})
}

func TestRNGSelected(t *testing.T) {
	for _, c := range []struct {
		content string
		want    bool
		wantErr bool
	}{
		{"0\n", false, false}, {"1\n", true, false}, {"yes\n", false, true}, {"", false, true},
	} {
		sys, _ := hwRandom(t, map[string]string{"rng_selected": c.content})
		if got, err := sys.RNGSelected(); got != c.want || (err != nil) != c.wantErr {
			t.Errorf("%q: %v, %v", c.content, got, err)
		}
	}
	if got, err := Sysfs(t.TempDir()).RNGSelected(); got || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v, %v", got, err)
	}
}

func TestHWRandomDevice(t *testing.T) {
	for _, c := range []struct {
		content      string
		major, minor uint32
		ok           bool
	}{
		{"10:183\n", 10, 183, true},
		{"4294967295:0\n", 1<<32 - 1, 0, true},
		{"4294967296:0\n", 0, 0, false},
		{"10\n", 0, 0, false},
		{"10:\n", 0, 0, false},
		{":183\n", 0, 0, false},
		{"10:183:1\n", 0, 0, false},
		{"10 : 183\n", 0, 0, false},
		{"-10:183\n", 0, 0, false},
		{"hwrng\n", 0, 0, false},
		{"", 0, 0, false},
	} {
		sys, _ := hwRandom(t, map[string]string{"dev": c.content})
		major, minor, ok := sys.HWRandomDevice()
		if ok != c.ok || ok && (major != c.major || minor != c.minor) {
			t.Errorf("%q: %d:%d, %v", c.content, major, minor, ok)
		}
	}
	if _, _, ok := Sysfs(t.TempDir()).HWRandomDevice(); ok {
		t.Error("found a number in an empty tree")
	}
}

func TestMissingClass(t *testing.T) {
	sys := Sysfs(t.TempDir())
	_, currentErr := sys.RNGCurrent()
	_, availableErr := sys.RNGAvailable()
	for name, err := range map[string]error{
		"rng_current": currentErr, "rng_available": availableErr, "write": sys.SelectRNG("a"), "access": sys.CanSelectRNG(),
	} {
		if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), string(sys)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(string(sys), hwRandomClass)); err == nil {
		t.Error("the write made a file")
	}
}

// No root means no sysfs, and never the tree below the working directory.
func TestNoRoot(t *testing.T) {
	sys, _ := hwRandom(t, map[string]string{"rng_current": "a\n", "rng_quality": "5\n", "dev": "10:183\n"})
	t.Chdir(string(sys))
	if name, err := Sysfs("").RNGCurrent(); name != "" || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("current: %q, %v", name, err)
	}
	if _, shown, _ := Sysfs("").RNGQuality(); shown {
		t.Error("shows a quality")
	}
	if _, _, ok := Sysfs("").HWRandomDevice(); ok {
		t.Error("gives a device number")
	}
	if err := Sysfs("").SelectRNG("b"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("select: %v", err)
	}
	if err := Sysfs("").CanSelectRNG(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("can select: %v", err)
	}
	if name, _ := sys.RNGCurrent(); name != "a" {
		t.Errorf("current is now %q", name)
	}
}

func TestSelectRNG(t *testing.T) {
	for _, c := range []struct{ name, was, want string }{
		{"tpm-rng-0", "ccp-1-rng\n", "tpm-rng-0\n"},
		{"b", "a-much-longer-name\n", "b\n"},
		{"", "a\n", "\n"}, // a zero-length write would change nothing
		{"none", "a\n", "none\n"},
	} {
		sys, dir := hwRandom(t, map[string]string{"rng_current": c.was})
		if err := sys.CanSelectRNG(); err != nil {
			t.Error(err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "rng_current")); string(got) != c.was {
			t.Errorf("the question changed the file to %q", got)
		}
		noLeak(t, func() {
			if err := sys.SelectRNG(c.name); err != nil {
				t.Error(err)
			}
		})
		if got, err := os.ReadFile(filepath.Join(dir, "rng_current")); err != nil || string(got) != c.want {
			t.Errorf("select %q: file is %q, %v", c.name, got, err)
		}
	}
}

// The kernel's answers reach the caller: a file that nobody may write, not even root, and one
// whose driver refuses the write.
func TestSelectRNGRefused(t *testing.T) {
	for _, c := range []struct {
		name, target string
		want         error
	}{
		{"not writable", "/proc/sys/kernel/ostype", os.ErrPermission},
		{"refused", "/proc/self/oom_score_adj", unix.EINVAL}, // takes numbers only
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(c.target); err != nil {
				t.Skip(err)
			}
			sys, _ := hwRandom(t, map[string]string{"rng_current": "->" + c.target})
			before, err := sys.RNGCurrent()
			if err != nil {
				t.Fatal(err)
			}
			noLeak(t, func() {
				if err := sys.SelectRNG("tpm-rng-0"); !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
			})
			if err := sys.CanSelectRNG(); c.want == os.ErrPermission && !errors.Is(err, c.want) {
				t.Errorf("can select: %v", err)
			}
			if after, err := sys.RNGCurrent(); after != before || err != nil {
				t.Errorf("now %q, %v", after, err)
			}
		})
	}
}

func TestReadIsBounded(t *testing.T) {
	sys, _ := hwRandom(t, map[string]string{
		"rng_available": strings.Repeat("rng ", 1<<18),
		"rng_current":   strings.Repeat("x", 1<<20),
		"rng_quality":   "5" + strings.Repeat(" ", 1<<20),
		"rng_selected":  "->/dev/zero",
	})
	if names, err := sys.RNGAvailable(); err != nil || len(names) > maxAttribute/4 {
		t.Errorf("%d names, %v", len(names), err)
	}
	if name, err := sys.RNGCurrent(); err != nil || len(name) != maxAttribute {
		t.Errorf("a name of %d bytes, %v", len(name), err)
	}
	if n, _, stated := sys.RNGQuality(); n != 5 || !stated {
		t.Errorf("quality %d, %v", n, stated)
	}
	if _, err := sys.RNGSelected(); err == nil {
		t.Error("zeros are a number")
	}
}

// Some drivers answer a second read for ever, and a FIFO with a silent writer shows whether there
// is one: it would wait or fail.
func TestReadsOnce(t *testing.T) {
	sys, dir := hwRandom(t, map[string]string{"rng_selected": "1\n"})
	path := filepath.Join(dir, "rng_current")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	// Nobody writes: the open must not wait for a peer.
	within(t, 5*time.Second, "read of a FIFO without a writer", func() { sys.RNGCurrent() })

	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("a.rng\n"); err != nil {
		t.Fatal(err)
	}
	within(t, 5*time.Second, "read of a FIFO", func() {
		if name, err := sys.RNGCurrent(); name != "a.rng" || err != nil {
			t.Errorf("got %q, %v", name, err)
		}
		if _, err := sys.RNGCurrent(); !errors.Is(err, unix.EAGAIN) {
			t.Errorf("an empty FIFO: %v", err)
		}
	})
}

func TestReadErrors(t *testing.T) {
	sys, dir := hwRandom(t, map[string]string{"rng_quality": "->/proc/self/mem"}) // EIO
	if err := os.Mkdir(filepath.Join(dir, "rng_current"), 0o755); err != nil {
		t.Fatal(err)
	}
	noLeak(t, func() {
		if _, err := sys.RNGCurrent(); !errors.Is(err, unix.EISDIR) {
			t.Errorf("directory: %v", err)
		}
		if _, err := readAttribute(string(sys), hwRandomClass, "rng_quality"); !errors.Is(err, unix.EIO) {
			t.Errorf("I/O error: %v", err)
		}
		if _, shown, stated := sys.RNGQuality(); shown || stated {
			t.Error("an unreadable quality is shown")
		}
	})
}

func TestDescribeHWRandom(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing", map[string]string{"rng_current": "none\n", "rng_available": "\n"}, "rng_current is none, rng_available is empty"},
		{"nothing, since 6.11", map[string]string{"rng_current": "none\n", "rng_available": "none\n"}, "rng_current is none, rng_available is empty"},
		{"one", map[string]string{"rng_current": "virtio_rng.0\n", "rng_available": "virtio_rng.0 none\n"}, "rng_current is virtio_rng.0, rng_available is virtio_rng.0"},
		{"dropped", map[string]string{"rng_current": "none\n", "rng_available": "a tpm-rng-0 \n"}, "rng_current is none, rng_available is a tpm-rng-0"},
		{"no list", map[string]string{"rng_current": "a\n"}, "open ROOT/class/misc/hw_random/rng_available: no such file or directory"},
		{"no class", nil, "open ROOT/class/misc/hw_random/rng_current: no such file or directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, _ := hwRandom(t, c.files)
			if got := strings.ReplaceAll(sys.DescribeHWRandom(), string(sys), "ROOT"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// The machine's own class, read only.
func TestRealSysfs(t *testing.T) {
	sys := Sysfs("/sys")
	current, err := sys.RNGCurrent()
	if err != nil {
		t.Skip(err)
	}
	available, err := sys.RNGAvailable()
	if err != nil {
		t.Fatal(err)
	}
	if current != "" && !slices.Contains(available, current) {
		// Another job may have unbound it between the two reads; the kernel cannot list less.
		if again, _ := sys.RNGCurrent(); again == current {
			t.Errorf("current %q is not among %q", current, available)
		}
	}
	if major, minor, ok := sys.HWRandomDevice(); !ok || major != 10 || minor != 183 {
		t.Errorf("device number %d:%d, %v", major, minor, ok)
	}
}

// FuzzAttributes feeds any text to everything that parses sysfs and procfs.
func FuzzAttributes(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "none\n", "a.rng tpm-rng-0 virtio_rng.0 \n", "none none", "1024\n", "-1", "10:183\n", ":", "4294967296:1",
		"quiet random.trust_cpu=off =\n", "flags\t\t: fpu rdrand rdseed\n\nflags : rdrand\n", ":", "Features: rng\n", "\x00\xff",
	} {
		f.Add(seed)
	}
	root := f.TempDir()
	for _, dir := range []string{hwRandomClass, randomSysctl, "7"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"rng_current", "rng_available", "rng_quality", "rng_selected", "dev"} {
			os.WriteFile(filepath.Join(root, hwRandomClass, name), []byte(text), 0o600)
		}
		for _, name := range []string{"cmdline", "cpuinfo", "7/comm", "7/cmdline", randomSysctl + "/poolsize"} {
			os.WriteFile(filepath.Join(root, name), []byte(text), 0o600)
		}
		sys, proc := Sysfs(root), Procfs(root)

		names, err := sys.RNGAvailable()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if name == "" || name == noRNG || strings.ContainsAny(name, " \t\n\r") {
				t.Errorf("a generator is called %q", name)
			}
		}
		if name, err := sys.RNGCurrent(); err != nil || name == noRNG || name != strings.TrimSpace(name) {
			t.Errorf("current is %q, %v", name, err)
		}
		if n, _, stated := sys.RNGQuality(); stated && (n < 1 || n > 1023) {
			t.Errorf("a quality of %d is stated", n)
		}
		sys.RNGSelected()
		sys.HWRandomDevice()
		sys.DescribeHWRandom()

		proc.PoolSize()
		if value, ok := proc.CommandLineOption("random.trust_cpu"); !ok && value != "" || strings.ContainsAny(value, " \n") {
			t.Errorf("option is %q, %v", value, ok)
		}
		if have := proc.CPUGenerators(); len(have) > 3 {
			t.Errorf("CPU has %q", have)
		}
		proc.KernelThread(text)
	})
}

func TestBoundDriver(t *testing.T) {
	root := t.TempDir()
	link := func(bus, device, driver string) {
		t.Helper()
		dir := filepath.Join(root, "bus", bus, "devices", device)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../../../../bus/"+bus+"/drivers/"+driver, filepath.Join(dir, "driver")); err != nil {
			t.Fatal(err)
		}
	}
	link("platform", "3f104000.rng", "bcm2835-rng")
	link("i2c", "1-0064", "atmel-sha204a")
	link("platform", "a[b]*", "odd")
	if err := os.MkdirAll(filepath.Join(root, "bus", "platform", "devices", "unbound"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ device, want string }{
		{"3f104000.rng", "bcm2835-rng"},
		{"1-0064", "atmel-sha204a"},
		{"a[b]*", "odd"},
		{"*", ""}, // a name is no pattern
		{"unbound", ""},
		{"missing", ""},
		{"", ""},
		{"../i2c/devices/1-0064", ""},
	} {
		if got := Sysfs(root).BoundDriver(c.device); got != c.want {
			t.Errorf("%q: got %q, want %q", c.device, got, c.want)
		}
	}
}
