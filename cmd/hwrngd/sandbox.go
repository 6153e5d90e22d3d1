package main

import (
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hwrngd/hwrngd/internal/landlock"
	"github.com/hwrngd/hwrngd/internal/linux"
)

// The sandbox is what the daemon takes from itself, for wherever no service manager does. It is entered
// before any device is opened, since a thread that hangs could not follow.

// keptCapabilities are what some configuration needs: a reload must find them.
var keptCapabilities = []linux.Capability{
	linux.CapSysAdmin, linux.CapDACOverride, linux.CapNetBindService,
	linux.CapSetUID, linux.CapSetGID, linux.CapKill,
}

// writable are the directories that hold no programs and no configuration.
var writable = []string{"/dev", "/proc", "/run", "/sys", "/tmp", "/var"}

// executes tells whether the configuration has a program run as a source.
func executes(cfg *Config) bool {
	return slices.ContainsFunc(wantedSources(cfg), func(name string) bool { return kindOf(name).executes })
}

// enterSandbox gives up what cfg has no use for. What cannot be given up is a matter for a debug
// message: the daemon does the same either way.
func enterSandbox(cfg *Config, log *slog.Logger) {
	if err := linux.DropPrivileges(keptCapabilities...); err != nil {
		log.Debug("cannot give up privileges", "reason", err.Error())
	}
	if executes(cfg) { // the program would be in the same sandbox, and nobody knows what it needs
		return
	}
	abi, err := landlock.Enter(slices.Concat(writable, configuredDirs(cfg))...)
	if err != nil {
		log.Debug("cannot enter a Landlock sandbox", "reason", err.Error())
		return
	}
	log.Debug("gave up what is not needed", "landlock_abi", abi)
}

// configuredDirs are the directories in which the configuration lets the daemon write.
func configuredDirs(cfg *Config) []string {
	dirs := []string{cfg.Sysfs, cfg.RuntimeDir, filepath.Dir(cfg.RandomDevice)}
	return slices.Concat(dirs, textfileDirs(cfg), socketDirs(cfg))
}

func textfileDirs(cfg *Config) []string {
	if cfg.MetricsTextfile == "" {
		return nil
	}
	return []string{filepath.Dir(cfg.MetricsTextfile)}
}

func socketDirs(cfg *Config) (dirs []string) {
	for _, a := range cfg.MetricsListen {
		if a.Network == "unix" {
			dirs = append(dirs, filepath.Dir(a.Address))
		}
	}
	return dirs
}

// beyondSandbox lists the options of next that a daemon which entered its sandbox with cfg can follow
// only after a restart.
func beyondSandbox(cfg, next *Config) (options []string) {
	if executes(cfg) {
		return nil
	}
	if executes(next) {
		options = append(options, "sources")
	}
	allowed := slices.Concat(writable, configuredDirs(cfg))
	for _, o := range []struct {
		name string
		dirs []string
	}{{"metrics-textfile", textfileDirs(next)}, {"metrics-listen", socketDirs(next)}} {
		for _, dir := range o.dirs {
			if !slices.ContainsFunc(allowed, func(a string) bool { return within(dir, a) }) {
				options = append(options, o.name)
			}
		}
	}
	return options
}

// within tells whether dir is parent or below it.
func within(dir, parent string) bool {
	return dir == parent || strings.HasPrefix(dir, strings.TrimSuffix(parent, "/")+"/")
}
