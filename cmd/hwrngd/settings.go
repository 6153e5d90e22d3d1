package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kind is the shape of a value, as far as TOML types are concerned.
type kind int

const (
	kindText kind = iota
	kindBool
	kindDuration
	kindList
	kindTable
)

// setting reads and writes one field of a Config as text. Every level (default,
// file, environment, flag) is brought into words first, so that a value is
// checked in a single place wherever it comes from.
type setting interface {
	kind() kind
	// set replaces the value. Lists and tables get any number of words, the
	// others exactly one.
	set(words []string) error
	// words returns the value such that set(words()) gives it again.
	words() []string
}

// textSetting is a text that passes a check.
type textSetting struct {
	field *string
	check func(string) error
}

func (s *textSetting) kind() kind      { return kindText }
func (s *textSetting) words() []string { return []string{*s.field} }
func (s *textSetting) set(words []string) error {
	if err := s.check(words[0]); err != nil {
		return err
	}
	*s.field = words[0]
	return nil
}

// fileSetting is a name, mostly the absolute path of a file, that passes a check; "off" is the empty one.
type fileSetting struct {
	field *string
	check func(string) error
}

func (s *fileSetting) kind() kind      { return kindText }
func (s *fileSetting) words() []string { return []string{cmp.Or(*s.field, "off")} }
func (s *fileSetting) set(words []string) error {
	path := words[0]
	if path == "off" {
		*s.field = ""
		return nil
	}
	if err := s.check(path); err != nil {
		return err
	}
	*s.field = path
	return nil
}

// boolSetting is a switch. 1 and 0 are what UCI and shell scripts write.
type boolSetting struct{ field *bool }

func (s *boolSetting) kind() kind      { return kindBool }
func (s *boolSetting) words() []string { return []string{strconv.FormatBool(*s.field)} }
func (s *boolSetting) set(words []string) error {
	switch words[0] {
	case "true", "1":
		*s.field = true
	case "false", "0":
		*s.field = false
	default:
		return fmt.Errorf("want true or false, not %q", words[0])
	}
	return nil
}

// durationSetting is a length of time within limits.
type durationSetting struct {
	field    *time.Duration
	min, max time.Duration
}

func (s *durationSetting) kind() kind      { return kindDuration }
func (s *durationSetting) words() []string { return []string{formatDuration(*s.field)} }
func (s *durationSetting) set(words []string) error {
	d, err := time.ParseDuration(words[0])
	if _, number := strconv.ParseFloat(words[0], 64); number == nil && err != nil {
		return fmt.Errorf("%q has no unit, write %q for seconds", words[0], words[0]+"s")
	}
	if err != nil {
		return fmt.Errorf(`%q is not a length of time, want for example "30s" or "5m"`, words[0])
	}
	if d < s.min || d > s.max {
		return fmt.Errorf("%q is out of range, want %s to %s", words[0], formatDuration(s.min), formatDuration(s.max))
	}
	*s.field = d
	return nil
}

// formatDuration is Duration.String without the trailing 0m0s, and in seconds
// where that is how people would write it.
func formatDuration(d time.Duration) string {
	switch {
	case d != 0 && d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	case d%time.Second == 0:
		return strconv.Itoa(int(d/time.Second)) + "s"
	}
	return d.String()
}

// levelSetting is a log level by name.
type levelSetting struct{ field *slog.Level }

var logLevels = []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}

func (s *levelSetting) kind() kind      { return kindText }
func (s *levelSetting) words() []string { return []string{strings.ToLower(s.field.String())} }
func (s *levelSetting) set(words []string) error {
	names := make([]string, len(logLevels))
	for i, level := range logLevels {
		names[i] = strings.ToLower(level.String())
	}
	if err := oneOf(names...)(words[0]); err != nil {
		return err
	}
	*s.field = logLevels[slices.Index(names, words[0])]
	return nil
}

// listSetting is a list that passes a check as a whole.
type listSetting struct {
	field *[]string
	check func([]string) error
}

func (s *listSetting) kind() kind      { return kindList }
func (s *listSetting) words() []string { return slices.Clone(*s.field) }
func (s *listSetting) set(words []string) error {
	if err := s.check(words); err != nil {
		return err
	}
	*s.field = slices.Clone(words)
	return nil
}

// listenSetting is the list of listening addresses; "off" is the empty one.
type listenSetting struct{ field *[]ListenAddress }

func (s *listenSetting) kind() kind { return kindList }
func (s *listenSetting) words() []string {
	if len(*s.field) == 0 {
		return []string{"off"}
	}
	words := make([]string, len(*s.field))
	for i, address := range *s.field {
		words[i] = address.String()
	}
	return words
}

func (s *listenSetting) set(words []string) error {
	addresses, err := parseListen(words)
	if err != nil {
		return err
	}
	*s.field = addresses
	return nil
}

// tableSetting is a table of numbers by source.
type tableSetting struct {
	field   *map[string]float64
	arg     string  // what the numbers are: BITS
	unit    string  // the same in a sentence
	most    float64 // they are above 0 and at most this
	example string
}

func (s *tableSetting) kind() kind { return kindTable }
func (s *tableSetting) words() []string {
	words := []string{}
	for _, source := range slices.Sorted(maps.Keys(*s.field)) {
		words = append(words, source+"="+strconv.FormatFloat((*s.field)[source], 'g', -1, 64))
	}
	return words
}

func (s *tableSetting) set(words []string) error {
	table := map[string]float64{}
	for _, word := range words {
		source, text, found := strings.Cut(word, "=")
		if !found {
			return fmt.Errorf("%q is not SOURCE=%s, want for example %s", word, s.arg, s.example)
		}
		source, text = strings.TrimSpace(source), strings.TrimSpace(text)
		if source == "auto" {
			return fmt.Errorf(`"auto" is not a source by itself, name the source`)
		}
		if err := checkSource(source); err != nil {
			return err
		}
		if _, twice := table[source]; twice {
			return fmt.Errorf("source %q is given twice", source)
		}
		number, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(number) {
			return fmt.Errorf("%q of source %q is not a number", text, source)
		}
		if number <= 0 || number > s.most {
			return fmt.Errorf("%s %s for source %q is out of range, want above 0 and at most %g", text, s.unit, source, s.most)
		}
		table[source] = number
	}
	*s.field = table
	return nil
}
