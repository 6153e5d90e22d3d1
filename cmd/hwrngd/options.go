package main

import (
	"slices"
	"strings"
	"time"

	"github.com/hwrngd/hwrngd/source/hwrng"
)

// group says what a family of options is about. Help shows them together, and
// a command takes whole groups.
type group string

const (
	groupSources    group = "Sources"
	groupSingle     group = "Single sources"
	groupFeeding    group = "Feeding the kernel"
	groupMetrics    group = "Metrics"
	groupLog        group = "Logging"
	groupPrivileges group = "Privileges"
	groupMachine    group = "Where things are"
)

// groupOrder is the order in help texts.
var groupOrder = []group{groupSources, groupSingle, groupFeeding, groupMetrics, groupLog, groupPrivileges, groupMachine}

// Option is one row of the option table. The name is the flag, the TOML key
// and, in capitals with HWRNGD_ in front, the environment variable.
type Option struct {
	Name, Short string
	Arg         string // what stands for the value in help; empty for a switch
	Default     string // as it would be written on the command line
	Help        string
	Group       group
	Hidden      bool
	NotInFile   bool // has no TOML key

	// bind connects the option with its field of a configuration.
	bind func(*Config) setting
}

// defaultConfigFile is the only configuration file that may be missing.
const defaultConfigFile = "/etc/hwrngd.toml"

// options is the option table of the daemon.
var options = append([]Option{
	{
		Name: "sources", Arg: "LIST", Default: "auto", Group: groupSources,
		Help: "sources to use, the preferred one first; auto stands for hwrng, for " + configurable + ", " +
			"and for jitter as the fallback",
		bind: func(c *Config) setting { return &listSetting{&c.Sources, checkSources} },
	},
	{
		Name: "hwrng-select", Arg: "keep|best|rotate|NAME", Default: "keep", Group: groupSources,
		Help: "which generator the kernel reads when it has several: keep the present one, take the " +
			"best one (highest claim, a TPM last; one that fails its tests makes room for the next for a " +
			"while), rotate (each in turn), or the one of this name ('hwrngd list' shows the names)",
		bind: func(c *Config) setting { return &textSetting{&c.HWRNGSelect, checkSelect} },
	},
	{
		Name: "hwrng-turn", Arg: "TIME", Default: formatDuration(hwrng.DefaultTurn), Group: groupSources,
		Help: "with --hwrng-select=rotate, how long each generator's turn lasts after its start-up test, 1m to 24h",
		bind: func(c *Config) setting { return &durationSetting{&c.HWRNGTurn, time.Minute, 24 * time.Hour} },
	},
	{
		Name: "hwrng-deny", Arg: "NAME", Group: groupSources,
		Help: "never use the hardware generator of this name; may be repeated",
		bind: func(c *Config) setting { return &listSetting{&c.HWRNGDeny, checkDeny} },
	},
	{
		Name: "entropy", Arg: "SOURCE=BITS", Group: groupSources,
		Help: "bits of entropy to credit for each byte of this source, above 0 and at most 8, for example " +
			"hwrng=4.0; may be repeated (default: what is known of the driver or the source)",
		bind: func(c *Config) setting { return &tableSetting{&c.Entropy, "BITS", "bits a byte", 8, "hwrng=4.0"} },
	},
	{
		Name: "failure-rate", Arg: "SOURCE=SHARE", Group: groupSources,
		Help: "share of blocks, above 0 and at most 0.5, that this source is documented to fail in the FIPS " +
			"140-2 tests although it works, for example hwrng=0.125; the credit is lowered to match; may be " +
			"repeated (default: what is known of the driver, else chance, 0.0008)",
		bind: func(c *Config) setting {
			return &tableSetting{&c.FailureRate, "SHARE", "of the blocks", 0.5, "hwrng=0.125"}
		},
	},
	{
		Name: "refill-interval", Arg: "TIME", Default: "60s", Group: groupFeeding,
		Help: "how often to hand fresh data to a kernel that is already seeded, 1s to 1h",
		bind: func(c *Config) setting { return &durationSetting{&c.RefillInterval, time.Second, time.Hour} },
	},
	{
		Name: "monitor", Default: "false", Group: groupFeeding,
		Help: "test and report only, never credit the kernel",
		bind: func(c *Config) setting { return &boolSetting{&c.Monitor} },
	},
	{
		Name: "once", Default: "false", Group: groupFeeding,
		Help: "stop as soon as the kernel's generator is seeded, for an early boot stage",
		bind: func(c *Config) setting { return &boolSetting{&c.Once} },
	},
	{
		Name: "require-source", Default: "false", Group: groupFeeding,
		Help: "stop with exit code 69 when no source is usable, instead of waiting for one",
		bind: func(c *Config) setting { return &boolSetting{&c.RequireSource} },
	},
	{
		Name: "mix-uncredited", Default: "false", Group: groupFeeding,
		Help: "without the privilege to credit, still mix tested data into the kernel's pool by plain " +
			"writes, uncredited",
		bind: func(c *Config) setting { return &boolSetting{&c.MixUncredited} },
	},
	{
		Name: "metrics-listen", Arg: "ADDRESS", Default: "127.0.0.1:9779", Group: groupMetrics,
		Help: "where Prometheus can fetch the metrics: HOST:PORT, unix:PATH, systemd (the sockets of a socket " +
			"unit) or off" + hostHelp + "; may be repeated",
		bind: func(c *Config) setting { return &listenSetting{&c.MetricsListen} },
	},
	{
		Name: "metrics-textfile", Arg: "FILE", Default: "off", Group: groupMetrics,
		Help: "also write the metrics to this file every 15 s, for the textfile collector of node_exporter, " +
			"which reads names that end in .prom; or off",
		bind: func(c *Config) setting { return &fileSetting{&c.MetricsTextfile, checkTextfile} },
	},
	{
		Name: "web-config", Arg: "FILE", Default: "off", Group: groupMetrics, Hidden: minimal,
		Help: "file that sets up TLS, client certificates and passwords for --metrics-listen, in the format " +
			"of Prometheus' exporter-toolkit; or off",
		bind: func(c *Config) setting { return &fileSetting{&c.WebConfig, checkWebPath} },
	},
	{
		Name: "log-level", Arg: "LEVEL", Default: "info", Group: groupLog,
		Help: "least important messages to log: debug, info, warn or error",
		bind: func(c *Config) setting { return &levelSetting{&c.LogLevel} },
	},
	{
		Name: "log-format", Arg: "FORMAT", Default: "auto", Group: groupLog,
		Help: "console (lines to read), json (lines for programs), journal (systemd), procd (OpenWrt: no times, " +
			"only warnings and errors on standard error), or auto: journal when started by systemd, procd when " +
			"started by procd, else console",
		bind: func(c *Config) setting {
			return &textSetting{&c.LogFormat, oneOf("auto", "console", "json", "journal", "procd")}
		},
	},
	{
		Name: "sandbox", Default: "true", Group: groupPrivileges,
		Help: "give up all privileges but those to credit and to serve metrics, and where the kernel has " +
			"Landlock also to execute programs, to connect anywhere, and to write elsewhere than below /dev, " +
			"/proc, /run, /sys, /tmp, /var and what is configured",
		bind: func(c *Config) setting { return &boolSetting{&c.Sandbox} },
	},
	{
		Name: "config", Short: "c", Arg: "FILE", Default: defaultConfigFile, Group: groupMachine, NotInFile: true,
		Help: "configuration file; only the default one may be missing",
		bind: func(c *Config) setting { return &textSetting{&c.ConfigFile, checkText} },
	},
	{
		Name: "sysfs", Arg: "DIR", Default: "/sys", Group: groupMachine,
		Help: "where sysfs is mounted",
		bind: func(c *Config) setting { return &textSetting{&c.Sysfs, checkText} },
	},
	{
		Name: "procfs", Arg: "DIR", Default: "/proc", Group: groupMachine,
		Help: "where procfs is mounted",
		bind: func(c *Config) setting { return &textSetting{&c.Procfs, checkText} },
	},
	{
		Name: "random-device", Arg: "FILE", Default: "/dev/random", Group: groupMachine,
		Help: "the kernel's random device, which is fed",
		bind: func(c *Config) setting { return &textSetting{&c.RandomDevice, checkText} },
	},
	{
		Name: "hwrng-device", Arg: "FILE", Default: "/dev/hwrng", Group: groupMachine,
		Help: "the device that hardware generators are read from",
		bind: func(c *Config) setting { return &textSetting{&c.HWRNGDevice, checkText} },
	},
	{
		Name: "runtime-dir", Arg: "DIR", Default: "/run/hwrngd", Group: groupMachine,
		Help: "where the running daemon keeps its lock and its status socket",
		bind: func(c *Config) setting { return &textSetting{&c.RuntimeDir, checkText} },
	},
	{
		Name: "allow-file-source", Default: "false", Group: groupMachine, Hidden: true,
		Help: "accept a regular file as a device, for tests",
		bind: func(c *Config) setting { return &boolSetting{&c.AllowFileSource} },
	},
}, singleOptions...)

// optionByName returns the option of that name, or nil.
func optionByName(name string) *Option {
	i := slices.IndexFunc(options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return &options[i]
}

// optionNames lists the options that a user may be meant to know.
func optionNames(keep func(*Option) bool) []string {
	var names []string
	for i := range options {
		if o := &options[i]; !o.Hidden && keep(o) {
			names = append(names, o.Name)
		}
	}
	return names
}

// envName is the environment variable of the option.
func (o *Option) envName() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(o.Name, "-", "_"))
}

func (o *Option) takenBy(c *Command) bool { return slices.Contains(c.Groups, o.Group) }

func (o *Option) kind() kind   { return o.bind(new(Config)).kind() }
func (o *Option) isList() bool { return o.kind() == kindList || o.kind() == kindTable }

// split turns the text of a flag or an environment variable into the words
// that a setting takes: one, or for a list those between the commas.
func (o *Option) split(text string) []string {
	if !o.isList() {
		return []string{text}
	}
	return splitList(text)
}

// splitList separates at commas and trims blanks; nothing gives an empty list.
func splitList(text string) []string {
	if strings.TrimSpace(text) == "" {
		return []string{}
	}
	words := strings.Split(text, ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	return words
}
