package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source/tty"
	"github.com/hwrngd/hwrngd/test/kit"
)

// writeConfig writes a configuration file and returns its path.
func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hwrngd.toml")
	kit.WriteFile(t, path, text, 0o644)
	return path
}

// input makes a ConfigInput of a file and words for flags.
func input(path string, environ []string, flags map[string][]string) ConfigInput {
	all := map[string][]string{"config": {path}}
	for name, words := range flags {
		all[name] = words
	}
	return ConfigInput{Environ: environ, Flags: all}
}

func mustLoad(t *testing.T, in ConfigInput) *Config {
	t.Helper()
	cfg, err := LoadConfig(in)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestDefaults(t *testing.T) {
	cfg := mustLoad(t, input(os.DevNull, nil, nil))
	want := &Config{
		Sources:        []string{"auto"},
		HWRNGSelect:    "keep",
		HWRNGTurn:      10 * time.Minute,
		HWRNGDeny:      []string{},
		Entropy:        map[string]float64{},
		FailureRate:    map[string]float64{},
		RefillInterval: time.Minute,
		Sandbox:        true,
		MetricsListen:  []ListenAddress{{"tcp", "127.0.0.1:9779"}},
		LogLevel:       slog.LevelInfo,
		LogFormat:      "auto",
		ConfigFile:     os.DevNull,
		ConfigFound:    true,
		Sysfs:          "/sys",
		Procfs:         "/proc",
		RandomDevice:   "/dev/random",
		HWRNGDevice:    "/dev/hwrng",
		TPMDevice:      "/dev/tpmrm0",
		RuntimeDir:     "/run/hwrngd",
		CPUInstruction: "auto",
		AFALGGenerator: "auto",
		TTYModem:       "raise",
		Command:        []string{},
		CommandUser:    "nobody",
		origins:        map[string]string{"config": "--config"},
	}
	if minimal {
		want.TPMDevice, want.CPUInstruction, want.AFALGGenerator, want.Command, want.CommandUser = "", "", "", nil, ""
	}
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("got  %+v\nwant %+v", cfg, want)
	}
}

// levelValues holds three different values for every option.
var levelValues = map[string][3][]string{
	"sources":           {{"hwrng"}, {"auto"}, {"hwrng"}},
	"hwrng-select":      {{"best"}, {"tpm-rng-0"}, {"virtio_rng.0"}},
	"hwrng-turn":        {{"60s"}, {"90s"}, {"24h"}},
	"hwrng-deny":        {{"a", "b"}, {"c"}, {}},
	"entropy":           {{"hwrng=1"}, {"hwrng=2.5"}, {}},
	"failure-rate":      {{"hwrng=0.125"}, {"hwrng=0.5"}, {}},
	"refill-interval":   {{"1s"}, {"90s"}, {"1h"}},
	"monitor":           {{"true"}, {"false"}, {"true"}},
	"once":              {{"true"}, {"false"}, {"true"}},
	"require-source":    {{"true"}, {"false"}, {"true"}},
	"mix-uncredited":    {{"true"}, {"false"}, {"true"}},
	"allow-file-source": {{"true"}, {"false"}, {"true"}},
	"metrics-listen":    {{"[::1]:1", "unix:/run/m.sock"}, {"systemd", ":0"}, {"off"}},
	"metrics-textfile":  {{"/a/h.prom"}, {"/b.prom"}, {"off"}},
	"web-config":        {{"/a.yml"}, {"/b.yml"}, {"off"}},
	"log-level":         {{"debug"}, {"warn"}, {"error"}},
	"log-format":        {{"json"}, {"console"}, {"journal"}},
	"sandbox":           {{"true"}, {"false"}, {"true"}},
	"sysfs":             {{"/a"}, {"/b"}, {"/c"}},
	"procfs":            {{"/a"}, {"/b"}, {"/c"}},
	"random-device":     {{"/a"}, {"/b"}, {"/c"}},
	"hwrng-device":      {{"/a"}, {"/b"}, {"/c"}},
	"tpm-device":        {{"/a"}, {"/b"}, {"/c"}},
	"runtime-dir":       {{"/a"}, {"/b"}, {"/c"}},
	"tty-device":        {{"/dev/ttyACM0"}, {"/dev/serial/by-id/x"}, {"off"}},
	"tty-speed":         {{"9600"}, {"115200"}, {"keep"}},
	"tty-modem":         {{"lower"}, {"keep"}, {"raise"}},
	"tty-init":          {{`cmdO\n`}, {`a "b" \\ \xff`}, {"off"}},
	"command":           {{"/bin/a", "-x", "b c"}, {"/bin/b"}, {}},
	"command-user":      {{"daemon"}, {"1000"}, {"nobody"}},
	"command-group":     {{"plugdev"}, {"46"}, {"off"}},
	"afalg-generator":   {{"qcom-rng"}, {"prng-caam"}, {"auto"}},
	"cpu-instruction":   {{"rdseed"}, {"darn"}, {"auto"}},
}

// TestPrecedence goes through every option and every combination of levels
// that set it.
func TestPrecedence(t *testing.T) {
	for i := range options {
		o := &options[i]
		if o.NotInFile {
			continue
		}
		if minimal && (o.Name == "web-config" || slices.ContainsFunc(fullOptions, func(f Option) bool { return f.Name == o.Name })) {
			continue // every value but the default is refused
		}
		values, ok := levelValues[o.Name]
		if !ok {
			t.Errorf("option %s is not in the test", o.Name)
			continue
		}
		for set := range 8 {
			inFile, inEnv, inFlags := set&1 != 0, set&2 != 0, set&4 != 0
			text, origin, want := "# nothing\n", "default", o.bind(defaultConfig()).words()
			path := writeConfig(t, text)
			var environ []string
			flags := map[string][]string{}
			if inFile {
				path = writeConfig(t, "\n\n"+o.Name+" = "+tomlText(o.kind(), slices.Clone(values[0]))+"\n")
				origin, want = path+":3", values[0]
			}
			if inEnv {
				environ = []string{"PATH=/bin", o.envName() + "=" + strings.Join(values[1], ",")}
				origin, want = o.envName(), values[1]
			}
			if inFlags {
				flags[o.Name] = values[2]
				origin, want = "--"+o.Name, values[2]
			}
			cfg := mustLoad(t, input(path, environ, flags))
			if got := o.bind(cfg).words(); !slices.Equal(got, want) {
				t.Errorf("%s file=%t env=%t flag=%t: %q, want %q", o.Name, inFile, inEnv, inFlags, got, want)
			}
			if got := cfg.Origin(o.Name); got != origin {
				t.Errorf("%s file=%t env=%t flag=%t: origin %q, want %q", o.Name, inFile, inEnv, inFlags, got, origin)
			}
		}
	}
}

// TestConfigFileChoice covers the option that cannot be in the file.
func TestConfigFileChoice(t *testing.T) {
	one, two := writeConfig(t, `log-level = "warn"`), writeConfig(t, `log-level = "error"`)
	byEnv := []string{"HWRNGD_CONFIG=" + one}
	cfg := mustLoad(t, ConfigInput{Environ: byEnv})
	if cfg.ConfigFile != one || cfg.Origin("config") != "HWRNGD_CONFIG" || cfg.LogLevel != slog.LevelWarn {
		t.Errorf("environment: %+v", cfg)
	}
	cfg = mustLoad(t, input(two, byEnv, nil))
	if cfg.ConfigFile != two || cfg.Origin("config") != "--config" || cfg.LogLevel != slog.LevelError {
		t.Errorf("flag over environment: %+v", cfg)
	}
}

// TestFlagWords checks how repeated flags and commas come together.
func TestFlagWords(t *testing.T) {
	inv := &Invocation{Command: &commands()[0], Environ: []string{"HWRNGD_CONFIG=" + os.DevNull}}
	err := inv.parse([]string{
		"--hwrng-deny", "a, b", "--hwrng-deny=c", "--log-level=debug", "--log-level=warn", "--monitor", "--monitor=false",
		"--entropy=hwrng=3", "--metrics-listen=127.0.0.1:1,unix:/x",
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg := mustLoad(t, inv.Input)
	if !slices.Equal(cfg.HWRNGDeny, []string{"a", "b", "c"}) || cfg.LogLevel != slog.LevelWarn || cfg.Monitor ||
		cfg.Entropy["hwrng"] != 3 || !slices.Equal(cfg.MetricsListen, []ListenAddress{{"tcp", "127.0.0.1:1"}, {"unix", "/x"}}) {
		t.Errorf("got %+v", cfg)
	}
}

type badValue struct{ option, text, want string }

// TestBadValues has every way to get a value wrong, by flag and by variable.
func TestBadValues(t *testing.T) {
	speeds := `want "keep" or one of ` + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(tty.Speeds())), ", "), "[]")
	long := "unix:/" + strings.Repeat("x", 107)
	tests := []badValue{
		{"sources", " ", `names no source, known are auto, ` + sourceList},
		{"sources", "hwrgn", `unknown source "hwrgn", did you mean "hwrng"?`},
		{"sources", "lava", `unknown source "lava", known are auto, ` + sourceList},
		{"sources", "hwrng,", `unknown source "", known are auto, ` + sourceList},
		{"sources", "hwrng,hwrng", `source "hwrng" is given twice`},
		{"sources", "auto,hwrng", `"auto" stands for a choice of sources, give it alone or name each source`},
		{"tty-device", "ttyACM0", `"ttyACM0" is not an absolute path, want one that starts with /, or "off"`},
		{"tty-speed", "9601", `"9601" is not a speed of a line, ` + speeds},
		{"tty-speed", "0", `"0" is not a speed of a line, ` + speeds},
		{"tty-modem", "rise", `unknown value "rise", did you mean "raise"?`},
		{"tty-init", `\q`, `"\\q" has a \ that begins no byte, want \n, \r, \t, \x and two hexadecimal digits, or \\`},
		{"tty-init", `\`, `"\\" has a \ that begins no byte, want \n, \r, \t, \x and two hexadecimal digits, or \\`},
		{"tty-init", strings.Repeat("x", 257), `has 257 bytes, at most 256 can be sent`},
		{"hwrng-select", "two words", `"two words" cannot be the name of a generator, it holds blanks`},
		{"hwrng-select", "none", `"none" would switch every hardware generator off; to use none of them, change sources`},
		{"hwrng-select", "a\nb", `"a\nb" holds control characters or is not UTF-8`},
		{"hwrng-deny", "a,,b", `must not be empty`},
		{"hwrng-deny", "a,a", `generator "a" is given twice`},
		{"entropy", "4.0", `"4.0" is not SOURCE=BITS, want for example hwrng=4.0`},
		{"entropy", "hwrgn=4", `unknown source "hwrgn", did you mean "hwrng"?`},
		{"entropy", "auto=4", `"auto" is not a source by itself, name the source`},
		{"entropy", "hwrng=four", `"four" of source "hwrng" is not a number`},
		{"entropy", "hwrng=NaN", `"NaN" of source "hwrng" is not a number`},
		{"entropy", "hwrng=0", `0 bits a byte for source "hwrng" is out of range, want above 0 and at most 8`},
		{"entropy", "hwrng=-1", `-1 bits a byte for source "hwrng" is out of range, want above 0 and at most 8`},
		{"entropy", "hwrng=8.01", `8.01 bits a byte for source "hwrng" is out of range, want above 0 and at most 8`},
		{"entropy", "hwrng=Inf", `Inf bits a byte for source "hwrng" is out of range, want above 0 and at most 8`},
		{"entropy", "hwrng=4,hwrng=5", `source "hwrng" is given twice`},
		{"failure-rate", "0.125", `"0.125" is not SOURCE=SHARE, want for example hwrng=0.125`},
		{"failure-rate", "hwrng=0.51", `0.51 of the blocks for source "hwrng" is out of range, want above 0 and at most 0.5`},
		{"refill-interval", "60", `"60" has no unit, write "60s" for seconds`},
		{"refill-interval", "soon", `"soon" is not a length of time, want for example "30s" or "5m"`},
		{"refill-interval", "999ms", `"999ms" is out of range, want 1s to 1h`},
		{"refill-interval", "61m", `"61m" is out of range, want 1s to 1h`},
		{"refill-interval", "-5s", `"-5s" is out of range, want 1s to 1h`},
		{"monitor", "yes", `want true or false, not "yes"`},
		{"metrics-listen", " ", `names no address, want HOST:PORT, unix:PATH, "systemd" or "off"`},
		{"metrics-listen", "off,:9779", `"off" contradicts the other addresses`},
		{"metrics-listen", ":9779,:9779", `address ":9779" is given twice`},
		{"metrics-listen", "9779", `"9779" is not an address, want HOST:PORT such as 127.0.0.1:9779 or [::1]:9779, unix:PATH, "systemd", or "off"`},
		{"metrics-listen", "::1:9779", `"::1:9779" is not an address, want HOST:PORT such as 127.0.0.1:9779 or [::1]:9779, unix:PATH, "systemd", or "off"`},
		{"metrics-listen", "127.0.0.1:http", `"127.0.0.1:http" has no valid port, want a number from 0 to 65535`},
		{"metrics-listen", ":65536", `":65536" has no valid port, want a number from 0 to 65535`},
		{"metrics-listen", "a b:1", `"a b:1" has no valid host, want an IP address, ` + hostNames + `, or nothing for all`},
		{"metrics-listen", "unix:run/m", `"unix:run/m" needs a path that starts with / and has at most 107 bytes`},
		{"metrics-listen", long, `"` + long + `" needs a path that starts with / and has at most 107 bytes`},
		{"metrics-textfile", "h.prom", `"h.prom" is not an absolute path, want one that starts with /, or "off"`},
		{"metrics-textfile", "/run/metrics", `"/run/metrics" is not NAME.prom, and node_exporter reads no other files`},
		{"metrics-textfile", "/run/.prom", `"/run/.prom" is not NAME.prom, and node_exporter reads no other files`},
		{"web-config", "web.yml", webConfigRefused},
		{"log-level", "wran", `unknown value "wran", did you mean "warn"?`},
		{"log-level", "loud", `unknown value "loud", want debug, info, warn or error`},
		{"log-format", "xml", `unknown value "xml", want auto, console, json, journal or procd`},
		{"sysfs", "/a\x00b", `"/a\x00b" holds control characters or is not UTF-8`},
		{"runtime-dir", "/\xff", `"/\xff" holds control characters or is not UTF-8`},
	}
	for _, test := range slices.Concat(tests, badSourceValues) {
		o := optionByName(test.option)
		t.Run(test.option+"="+test.text, func(t *testing.T) {
			_, err := LoadConfig(input(os.DevNull, nil, map[string][]string{o.Name: o.split(test.text)}))
			checkError(t, err, exitUsage, "--"+o.Name+": "+test.want)
			_, err = LoadConfig(input(os.DevNull, []string{o.envName() + "=" + test.text}, nil))
			checkError(t, err, exitUsage, o.envName()+": "+test.want)
		})
	}
}

// checkError compares an error and its exit code.
func checkError(t *testing.T, err error, code int, want string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %q", want)
		return
	}
	if err.Error() != want || exitCode(err) != code {
		t.Errorf("got  %q, code %d\nwant %q, code %d", err, exitCode(err), want, code)
	}
}

// TestEmptyFlag: a flag without text is a value, a variable without text is none.
func TestEmptyFlag(t *testing.T) {
	_, err := LoadConfig(ConfigInput{Flags: map[string][]string{"config": {""}}})
	checkError(t, err, exitUsage, "--config: must not be empty")
	cfg := mustLoad(t, input(os.DevNull, []string{"HWRNGD_LOG_LEVEL=", "HWRNGD_SOURCES="}, nil))
	if cfg.Origin("log-level") != originDefault || cfg.Origin("sources") != originDefault {
		t.Errorf("empty variables were used: %+v", cfg.origins)
	}
}

func TestContradictions(t *testing.T) {
	path := writeConfig(t, "monitor = true\n")
	_, err := LoadConfig(input(path, []string{"HWRNGD_ONCE=1"}, nil))
	checkError(t, err, exitUsage, "monitor ("+path+":1) and once (HWRNGD_ONCE) contradict each other: once credits the kernel, monitor never does")

	mustLoad(t, input(path, []string{"HWRNGD_ONCE=1"}, map[string][]string{"monitor": {"false"}}))

	_, err = LoadConfig(input(os.DevNull, nil, map[string][]string{"hwrng-select": {"a"}, "hwrng-deny": {"b", "a"}}))
	checkError(t, err, exitUsage, `generator "a" is selected (--hwrng-select) and denied (--hwrng-deny)`)
	// A generator that is called like a policy is no contradiction.
	mustLoad(t, input(os.DevNull, nil, map[string][]string{"hwrng-select": {"rotate"}, "hwrng-deny": {"rotate"}}))
	mustLoad(t, input(os.DevNull, nil, map[string][]string{"hwrng-deny": {"keep"}}))
}

// TestAllLevelsReported: mistakes of file, environment and flags come together.
func TestAllLevelsReported(t *testing.T) {
	path := writeConfig(t, "sources = 1\n\nfrob = 2\n")
	_, err := LoadConfig(input(path, []string{"HWRNGD_ONCE=maybe"}, map[string][]string{"log-level": {"x"}}))
	all, ok := errors.AsType[problems](err)
	if !ok || len(all) != 4 {
		t.Fatalf("got %v", err)
	}
	for i, prefix := range []string{path + ":1: ", path + ":3: ", "HWRNGD_ONCE: ", "--log-level: "} {
		if !strings.HasPrefix(all[i].Error(), prefix) {
			t.Errorf("error %d is %q, want prefix %q", i, all[i], prefix)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("not on one line: %q", err)
	}
}

func TestUnreadableFile(t *testing.T) {
	dir := t.TempDir()
	missing, big, fifo := filepath.Join(dir, "missing"), filepath.Join(dir, "big"), filepath.Join(dir, "fifo")
	if err := os.WriteFile(big, make([]byte, maxConfigSize+1), 0o644); err != nil {
		t.Fatal(err)
	}
	makeFIFO(t, fifo)
	for path, why := range map[string]string{
		missing:     "no such file or directory",
		dir:         "it is not a regular file",
		fifo:        "it is not a regular file",
		big:         "it is larger than 1048576 bytes",
		"/dev/zero": "it is not a regular file",
	} {
		_, err := LoadConfig(input(path, nil, nil))
		checkError(t, err, exitUsage, fmt.Sprintf("cannot read configuration file %s: %s", path, why))
	}
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, nil, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(secret); err == nil {
		_ = f.Close()
		t.Skip("this user may read every file, so permission cannot be denied")
	}
	_, err := LoadConfig(input(secret, nil, nil))
	checkError(t, err, exitPermission, "cannot read configuration file "+secret+": permission denied")
}

func TestMissingDefaultFile(t *testing.T) {
	o := optionByName("config")
	defer func(path string) { o.Default = path }(o.Default)
	o.Default = filepath.Join(t.TempDir(), "hwrngd.toml")
	cfg := mustLoad(t, ConfigInput{})
	if cfg.ConfigFound || cfg.ConfigFile != o.Default || cfg.Origin("config") != originDefault {
		t.Errorf("got %+v", cfg)
	}
}

// TestReload does what the daemon does on SIGHUP: the same input again.
func TestReload(t *testing.T) {
	path := writeConfig(t, "sources = [\"hwrng\"]\nlog-level = \"info\"\nrefill-interval = \"30s\"\n")
	in := input(path, []string{"HWRNGD_MIX_UNCREDITED=true"}, map[string][]string{"refill-interval": {"10s"}, "hwrng-deny": {"a"}})
	first := mustLoad(t, in)
	again := mustLoad(t, in)
	if !reflect.DeepEqual(first, again) || first.Changed(again) != nil {
		t.Errorf("unchanged file, but %v changed", first.Changed(again))
	}

	replacement := "log-level = \"debug\" # the order does not count\nrefill-interval = \"20s\"\nentropy.hwrng = 2\nsources = \"hwrng\"\n"
	kit.WriteFile(t, path, replacement, 0o644)
	second := mustLoad(t, in)
	if got, want := first.Changed(second), []string{"entropy", "log-level"}; !slices.Equal(got, want) {
		t.Errorf("changed %v, want %v", got, want)
	}
	if second.RefillInterval != 10*time.Second {
		t.Errorf("the flag was forgotten: %v", second.RefillInterval)
	}
	if first.LogLevel != slog.LevelInfo || len(first.Entropy) != 0 {
		t.Errorf("the old configuration was changed: %+v", first)
	}

	kit.WriteFile(t, path, "log-level = 7", 0o644)
	_, err := LoadConfig(in)
	checkError(t, err, exitUsage, path+":1: log-level: want a text in quotes, not a number")
}

func TestWarnings(t *testing.T) {
	path := writeConfig(t, "")
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	cfg := mustLoad(t, input(path, []string{"HWRNGD_SOURCE=hwrng", "HWRNGD_PORT=tcp://10.0.0.1:1", "HWRNGD_ALLOW_FILE_SOURCE=0"}, nil))
	want := []string{
		"every user can change " + path + ", remove that right with chmod o-w",
		`environment variable "HWRNGD_SOURCE" is not known and has no effect, did you mean "HWRNGD_SOURCES"?`,
	}
	if !slices.Equal(cfg.Warnings, want) {
		t.Errorf("got  %q\nwant %q", cfg.Warnings, want)
	}
}
