package main

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/hwrngd/hwrngd/source/hwrng"
)

// Config is a complete, valid configuration. It is never changed after
// LoadConfig has returned it: several goroutines read it without a lock, and a
// reload makes a new one.
type Config struct {
	Sources     []string           // source names, the preferred one first
	HWRNGSelect string             // "keep", "best", "rotate" or a name in rng_available
	HWRNGTurn   time.Duration      // of each generator, with "rotate"
	HWRNGDeny   []string           // names never to use
	Entropy     map[string]float64 // claimed bits a byte; no entry means no claim by the user
	FailureRate map[string]float64 // documented share of failing blocks; no entry means what the source knows

	CPUInstruction string   // cpu.Auto or an instruction's name
	AFALGGenerator string   // afalg.Auto or a driver's name
	TTYDevice      string   // empty means off
	TTYSpeed       int      // bits a second, 0 means to keep it
	TTYModem       string   // one of tty.ModemChoices
	TTYInit        string   // as it is sent, empty means off
	Command        []string // program and arguments, empty means off
	CommandUser    string
	CommandGroup   string // empty means that of the user

	RefillInterval time.Duration
	Monitor        bool
	Once           bool
	RequireSource  bool
	MixUncredited  bool
	Sandbox        bool

	MetricsListen   []ListenAddress // empty means off
	MetricsTextfile string          // empty means off
	WebConfig       string          // empty means off

	LogLevel  slog.Level
	LogFormat string // "auto", "console", "json", "journal" or "procd"

	ConfigFile      string // the file that was looked for
	ConfigFound     bool   // false if it is the default one and does not exist
	Sysfs           string
	Procfs          string
	RandomDevice    string
	HWRNGDevice     string
	TPMDevice       string
	RuntimeDir      string
	AllowFileSource bool

	// Warnings are oddities that do not make the configuration invalid; the
	// daemon logs them and check prints them.
	Warnings []string

	origins map[string]string
}

// ConfigInput is what a process was started with and that stays the same for
// its life. Loading again with the same input re-reads only the file.
type ConfigInput struct {
	Environ []string
	Flags   map[string][]string // option name to words, only those given
}

// originDefault is the origin of a value that nobody has set.
const originDefault = "default"

// Origin says where the value of an option comes from: "default",
// "/etc/hwrngd.toml:12", "HWRNGD_SOURCES" or "--sources".
func (c *Config) Origin(option string) string {
	if origin, ok := c.origins[option]; ok {
		return origin
	}
	return originDefault
}

// Changed lists the options whose value differs in the other configuration.
// Where a value comes from does not count.
func (c *Config) Changed(other *Config) []string {
	var names []string
	for i := range options {
		o := &options[i]
		if !slices.Equal(o.bind(c).words(), o.bind(other).words()) {
			names = append(names, o.Name)
		}
	}
	return names
}

// configHint ends every complaint about a configuration.
const configHint = "'hwrngd help run' explains every option and the values that it takes"

// LoadConfig builds the configuration: the defaults, over them the file, over
// that the environment, over that the flags. Each level replaces whole values,
// lists too. All mistakes of all levels are reported together.
func LoadConfig(input ConfigInput) (*Config, error) {
	cfg := defaultConfig()
	cfg.locateFile(input)
	data, err := cfg.readFile()
	if err != nil {
		return nil, err
	}
	found := cfg.applyTOML(data)
	found = append(found, cfg.applyEnviron(input.Environ)...)
	found = append(found, cfg.applyFlags(input.Flags)...)
	if len(found) == 0 {
		found = cfg.contradictions()
	}
	if len(found) > 0 {
		return nil, &exitError{code: exitUsage, err: found, hint: configHint}
	}
	return cfg, nil
}

// defaultConfig returns the values of the option table.
func defaultConfig() *Config {
	cfg := &Config{origins: map[string]string{}}
	for i := range options {
		o := &options[i]
		if err := o.bind(cfg).set(o.split(o.Default)); err != nil {
			panic(fmt.Sprintf("default of option %s: %v", o.Name, err)) // a mistake in our table, caught by any test
		}
	}
	return cfg
}

// locateFile settles which file to read, before the file can say anything.
// Whether the name is a valid one is left to the level that gave it.
func (c *Config) locateFile(input ConfigInput) {
	o := optionByName("config")
	if words, ok := input.Flags[o.Name]; ok {
		c.ConfigFile, c.origins[o.Name] = words[0], "--"+o.Name
	} else if path, ok := lookupEnv(input.Environ, o.envName()); ok {
		c.ConfigFile, c.origins[o.Name] = path, o.envName()
	}
}

// apply sets one option and remembers where the value came from.
func (c *Config) apply(o *Option, words []string, origin string) error {
	if err := o.bind(c).set(words); err != nil {
		return err
	}
	c.origins[o.Name] = origin
	return nil
}

// contradictions finds options that are each valid but not together.
func (c *Config) contradictions() problems {
	var found problems
	if c.Monitor && c.Once {
		found = append(found, fmt.Errorf("monitor (%s) and once (%s) contradict each other: once credits the kernel, monitor never does",
			c.Origin("monitor"), c.Origin("once")))
	}
	if !hwrng.Policy(c.HWRNGSelect) && slices.Contains(c.HWRNGDeny, c.HWRNGSelect) {
		found = append(found, fmt.Errorf("generator %q is selected (%s) and denied (%s)",
			c.HWRNGSelect, c.Origin("hwrng-select"), c.Origin("hwrng-deny")))
	}
	return append(found, c.unconfigured()...)
}
