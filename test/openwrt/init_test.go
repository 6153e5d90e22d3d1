package openwrt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// started runs "start" and returns the one message that procd got.
func (r *router) started() message {
	r.t.Helper()
	r.forget()
	if out := r.service("start"); out != "" {
		r.t.Errorf("start said: %s", out)
	}
	all := r.messages()
	if len(all) != 1 || all[0].method != "set" {
		r.t.Fatalf("procd got %v", all)
	}
	return all[0]
}

// describe writes what a start came to: the message for procd, the configuration, the log.
func (r *router) describe(m message) string {
	r.t.Helper()
	version := strings.TrimSpace(r.run("/usr/sbin/hwrngd", "--version"))
	text := "-- procd: service set --\n" + strings.ReplaceAll(m.json(), version, "VERSION")
	if conf := r.read("/var/etc/hwrngd/hwrngd.toml"); conf != "" {
		text += "-- /var/etc/hwrngd/hwrngd.toml --\n" + conf
	}
	if log := r.log(); log != "" {
		text += "-- log --\n" + log
	}
	return text
}

func TestStart(t *testing.T) {
	all := "\nconfig hwrngd 'main'\n\toption enabled '1'\n"
	for _, o := range uciOptions {
		if o.name != "web_config" {
			all += o.statement(o.good)
		}
	}
	for _, test := range []struct {
		name, config string
		ujail        bool
	}{
		{"packaged", kit.ReadFile(t, files+"hwrngd.config"), true},
		{"packaged-no-ujail", kit.ReadFile(t, files+"hwrngd.config"), false},
		{"all-options", all, true},
		{"no-file", "", true},
		{"empty-section", "\nconfig hwrngd 'main'\n", true},
		{"unnamed-section", "\nconfig hwrngd\n\toption monitor '1'\n", true},
		{"disabled", "\nconfig hwrngd 'main'\n\toption enabled '0'\n\toption monitor '1'\n", true},
		{"bad-switch", "\nconfig hwrngd 'main'\n\toption enabled 'perhaps'\n", false},
		{"many-bad", "\nconfig hwrngd 'main'\n\toption refill_interval '5'\n\toption log_level 'debug'\n\toption monitor 'maybe'\n\toption hwrng_device '/dev/urandom'\n\tlist hwrng_deny 'x'\n\toption hwrng_select 'x'\n", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRouter(t)
			if test.config != "" {
				r.config("hwrngd", test.config)
			}
			if test.ujail {
				r.ujail()
			}
			m := r.started()
			golden(t, test.name+".txt", r.describe(m))
			if i := m.instance(); i != nil {
				r.effective() // which fails the case if the daemon does not take the file
				if _, ok := i["user"]; ok {
					t.Error("another user than root can neither read /dev/hwrng nor credit")
				}
				if _, jailed := i["jail"]; jailed != test.ujail || !jailed && i["capabilities"] != nil {
					t.Errorf("jail: %v, capabilities: %v", jailed, i["capabilities"])
				}
				if fmt.Sprint(i["respawn"]) != "[3600 10 0]" {
					t.Errorf("respawn is %v, and a third number other than 0 gives up", i["respawn"])
				}
			}
		})
	}
}

// uciOption is an option with a value of it that is good, what the daemon makes of that, and values that
// are refused.
type uciOption struct {
	name      string
	list      bool
	good      string
	effective string
	bad       []string
}

var uciOptions = []uciOption{
	{"sources", true, "jitter hwrng", "[jitter hwrng]", []string{"urandom", "hwrng hwrng", "auto jitter"}},
	{"hwrng_select", false, "best", "best", []string{"none", "a b"}},
	{"hwrng_turn", false, "5m", "300s", []string{"5", "1s", "2d"}},
	{"hwrng_deny", true, "tpm-rng-0", "[tpm-rng-0]", []string{"x x"}},
	{"tty_device", false, "/dev/ttyACM0", "/dev/ttyACM0", []string{"ttyACM0"}},
	{"tty_speed", false, "115200", "115200", []string{"fast", "-1"}},
	{"tty_modem", false, "lower", "lower", []string{"up"}},
	{"tty_init", false, "cmdO", "cmdO", []string{`\q`}},
	{"hwrng_device", false, "/dev/trng", "/dev/trng", []string{"/dev/urandom", "/dev/random", "/dev/../dev/urandom", "/"}},
	{"entropy", true, "hwrng=2.5 jitter=4", "map[hwrng:2.5 jitter:4]", []string{"hwrng=9", "4", "hwrng", "lava=1"}},
	{"failure_rate", true, "hwrng=0.125", "map[hwrng:0.125]", []string{"hwrng=2", "x"}},
	{"refill_interval", false, "30s", "30s", []string{"30", "0s", "1d", "often"}},
	{"monitor", false, "on", "true", []string{"2", "maybe"}},
	{"mix_uncredited", false, "yes", "true", []string{"-1", "\\"}},
	{"metrics_listen", true, "127.0.0.1:9000 [::1]:9000", "[127.0.0.1:9000 [::1]:9000]", []string{"9779", "off 127.0.0.1:9000", "localhost"}},
	{"metrics_textfile", false, "/var/prometheus/hwrngd.prom", "/var/prometheus/hwrngd.prom", []string{"hwrngd.prom", "/var/prometheus/hwrngd.txt"}},
	{"web_config", false, "/etc/hwrngd/web.yml", "/etc/hwrngd/web.yml", []string{"web.yml", "/etc/hwrngd/none.yml"}},
	{"log_level", false, "warn", "warn", []string{"loud", `"`, "x\ny", "in'fo"}},
}

// statement writes the option into a section.
func (o uciOption) statement(value string) string {
	if !o.list {
		return fmt.Sprintf("\toption %s \"%s\"\n", o.name, strings.ReplaceAll(value, `"`, `"'"'"`))
	}
	text := ""
	for word := range strings.FieldsSeq(value) {
		text += fmt.Sprintf("\tlist %s '%s'\n", o.name, word)
	}
	return text
}

// key is the option's name in the daemon's file.
func (o uciOption) key() string { return strings.ReplaceAll(o.name, "_", "-") }

// Each option reaches the daemon, also as one text where it is a list.
func TestOptions(t *testing.T) {
	for _, o := range uciOptions {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			r := newRouter(t)
			r.needs(o)
			kit.WriteFile(t, r.root+"/etc/hwrngd/web.yml", "", 0o600)
			texts := []string{o.statement(o.good)}
			if o.list {
				one := o
				one.list = false
				texts = append(texts, one.statement(o.good), one.statement(strings.ReplaceAll(o.good, " ", ",")))
			}
			for _, text := range texts {
				r.config("hwrngd", "config hwrngd 'main'\n"+text)
				r.started()
				want := map[string]string{o.key(): o.effective}
				got := map[string]string{}
				for key, value := range r.effective() {
					got[key] = fmt.Sprint(value)
				}
				if !maps.Equal(got, want) || r.log() != "" {
					t.Errorf("%s gives %v, want %v; log:\n%s", text, got, want, r.log())
				}
			}
		})
	}
}

// A wrong value costs only its own option, is named with the reason, and the daemon starts.
func TestBadValues(t *testing.T) {
	for _, o := range uciOptions {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			r := newRouter(t)
			r.needs(o)
			other, line := "mix-uncredited", "\toption mix_uncredited '1'\n"
			if o.key() == other {
				other, line = "monitor", "\toption monitor '1'\n"
			}
			for _, bad := range o.bad {
				r.config("hwrngd", "config hwrngd 'main'\n"+line+o.statement(bad))
				m := r.started()
				if m.instance() == nil {
					t.Errorf("%q stops the daemon", bad)
				}
				if got := slices.Sorted(maps.Keys(r.effective())); !slices.Equal(got, []string{other}) {
					t.Errorf("with %q there are %q", bad, got)
				}
				log := r.log()
				if strings.Count(log, "\n") != 1 || !strings.HasPrefix(log, "<27>hwrngd: option "+o.name+" is ignored, its default applies: ") ||
					strings.HasSuffix(log, ": \n") {
					t.Errorf("with %q the log is %q", bad, log)
				}
			}
		})
	}
}

// What a value holds is never run, and never becomes another option.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	r := newRouter(t)
	for _, value := range []string{
		"$(echo x >/tmp/ran)", "`echo x >/tmp/ran`", "'; echo x >/tmp/ran; '", `"; echo x >/tmp/ran; "`,
		"\"\nmonitor = true\n#", "x\"]\nmonitor = true\n#", `\`, `\"`, `\n`, "*", "/*", "%s%n", "-n", "\x01", "\xff",
	} {
		config := "config hwrngd 'main'\n"
		for _, o := range uciOptions {
			o.list = false // so that the value stays in one piece
			config += o.statement(value)
		}
		r.config("hwrngd", config)
		if m := r.started(); m.instance() == nil {
			t.Errorf("%q stops the daemon", value)
		}
		if got := r.effective(); got["monitor"] != nil || r.read("/tmp/ran") != "" {
			t.Errorf("%q gives %v, or was run", value, got)
		}
	}
}

// needs skips the case of an option that this build does not have.
func (r *router) needs(o uciOption) {
	r.t.Helper()
	if help := r.run("/usr/sbin/hwrngd", "help", "run"); !strings.Contains(help, "--"+o.key()) {
		if o.name != "web_config" {
			r.t.Fatalf("hwrngd has no --%s", o.key())
		}
		r.t.Skip("only hwrngd-full has web_config")
	}
}
