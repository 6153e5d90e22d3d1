package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// checkedFlag is a flag whose errors say what would be right, where those of the flag library name
// functions of Go. Its text is one that the library's getter for the kind understands.
type checkedFlag struct {
	text  string
	kind  string // as the getters call it: "int", "int64", "float64", "duration"
	check func(text string) (string, error)
}

// Set keeps a text that passes the check.
func (f *checkedFlag) Set(text string) error {
	checked, err := f.check(text)
	if err == nil {
		f.text = checked
	}
	return err
}

func (f *checkedFlag) String() string { return f.text }
func (f *checkedFlag) Type() string   { return f.kind }

// intFlag adds a flag for a whole number, to be read with GetInt. 0 stands for "not given".
func intFlag(set *pflag.FlagSet, name string, initial, low, high int, help string) {
	set.Var(&checkedFlag{text: strconv.Itoa(initial), kind: "int", check: func(text string) (string, error) {
		if n, err := strconv.Atoi(text); err != nil || n < low || n > high {
			return "", fmt.Errorf("must be a whole number from %d to %d", low, high)
		}
		return text, nil
	}}, name, help)
}

// bitsFlag adds a flag for an amount of entropy above 0, to be read with GetFloat64. 0 stands for
// "not given".
func bitsFlag(set *pflag.FlagSet, name string, high float64, help string) {
	set.Var(&checkedFlag{text: "0", kind: "float64", check: func(text string) (string, error) {
		if h, err := strconv.ParseFloat(text, 64); err != nil || !(h > 0 && h <= high) {
			return "", fmt.Errorf("must be a number above 0 and at most %g", high)
		}
		return text, nil
	}}, name, help)
}

// chanceFlag adds a flag for a small probability, to be read with GetFloat64. 0 stands for "not given".
func chanceFlag(set *pflag.FlagSet, name string, below float64, help string) {
	set.Var(&checkedFlag{text: "0", kind: "float64", check: func(text string) (string, error) {
		if p, err := strconv.ParseFloat(text, 64); err != nil || !(p > 0 && p < below) {
			return "", fmt.Errorf("must be a number above 0 and below %g, such as 1e-6", below)
		}
		return text, nil
	}}, name, help)
}

// durationFlag adds a flag for a time, to be read with GetDuration.
func durationFlag(set *pflag.FlagSet, name string, initial, low, high time.Duration, help string) {
	set.Var(&checkedFlag{text: initial.String(), kind: "duration", check: func(text string) (string, error) {
		if d, err := time.ParseDuration(text); err != nil || d < low || d > high {
			return "", fmt.Errorf("must be a time with its unit from %s to %s", low, high)
		}
		return text, nil
	}}, name, help)
}

// powerFlag adds a flag for a size that is a power of two, such as 16M, to be read with GetInt in
// bytes. 0 stands for "not given".
func powerFlag(set *pflag.FlagSet, name string, low, high int, help string) {
	set.Var(&checkedFlag{text: "0", kind: "int", check: func(text string) (string, error) {
		n := parseSize(text)
		if n < int64(low) || n > int64(high) || n&(n-1) != 0 {
			return "", fmt.Errorf("must be a power of two from %d to %d bytes, such as 256K or 16M", low, high)
		}
		return strconv.FormatInt(n, 10), nil
	}}, name, help)
}

// sizeFlag adds a flag for a size, such as 100M, to be read with GetInt64 in bytes. 0 stands for "not
// given".
func sizeFlag(set *pflag.FlagSet, name string, low int64, help string) {
	set.Var(&checkedFlag{text: "0", kind: "int64", check: func(text string) (string, error) {
		n := parseSize(text)
		if n < low {
			return "", fmt.Errorf("must be a number of bytes, %d at least, such as 2500000 or 16M", low)
		}
		return strconv.FormatInt(n, 10), nil
	}}, name, help)
}

// parseSize reads a number of bytes with an optional K, M or G, of 1024 each. It returns 0 if the text
// is none.
func parseSize(text string) int64 {
	shift := 0
	for i, unit := range []string{"K", "M", "G"} {
		if digits, ok := strings.CutSuffix(strings.ToUpper(text), unit); ok {
			text, shift = digits, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0
	}
	return n << shift
}
