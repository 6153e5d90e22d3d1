//go:build minimal

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A router's jail shows no programs, and no router with so little flash has a TPM, or an engine or
// instruction that its kernel does not use by itself: the sources for these are of the full build.

// absentSources are the names of those.
var absentSources = []string{"command", "afalg", "cpu", "tpm"}

// absentSource tells why a source is not in this build, nil if it is or is none.
func absentSource(name string) error {
	if !slices.Contains(absentSources, name) {
		return nil
	}
	return fmt.Errorf("this is the minimal build of hwrngd, which has no source %s: leave it out, or use the full build", name)
}

// fullSources has no rows here.
var fullSources []sourceKind

// surveyFull has nothing to describe.
func surveyFull(context.Context, *Config, time.Duration) []listSource { return nil }

// fullOptions take their default, which the file of another machine may have, and refuse all else.
var fullOptions = []Option{
	absentOption("command", kindList),
	absentOption("command-user", kindText, "nobody"),
	absentOption("command-group", kindText, "off"),
	absentOption("afalg-generator", kindText, "auto"),
	absentOption("cpu-instruction", kindText, "auto"),
	absentOption("tpm-device", kindText, "/dev/tpmrm0"),
}

func absentOption(name string, shape kind, standard ...string) Option {
	source, _, _ := strings.Cut(name, "-")
	return Option{
		Name: name, Arg: "VALUE", Default: strings.Join(standard, ","), Group: groupSingle, Hidden: true,
		bind: func(*Config) setting { return &absentSetting{source, shape, standard} },
	}
}

// absentSetting has one value only.
type absentSetting struct {
	source   string
	shape    kind
	standard []string
}

func (s *absentSetting) kind() kind      { return s.shape }
func (s *absentSetting) words() []string { return slices.Clone(s.standard) }
func (s *absentSetting) set(words []string) error {
	if slices.Equal(words, s.standard) {
		return nil
	}
	return absentSource(s.source)
}
