package rngtest

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// TestParseNumber has the answers of glibc's sscanf, apart from numbers beyond 64 bits.
func TestParseNumber(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true},
		{"1000", 1000, true},
		{"0x10", 16, true},
		{"0XfF", 255, true},
		{"020", 16, true},
		{"+3", 3, true},
		{"-1", -1, true},
		{"-0", 0, true},
		{"-0x10", -16, true},
		{" \t\n\v\f\r2", 2, true},
		{"2x", 2, true},
		{"2.5", 2, true},
		{"1e3", 1, true},
		{"08", 0, true},
		{"0x", 0, true},
		{"0xg", 0, true},
		{"00x5", 0, true},
		{"0b11", 0, true},
		{"9223372036854775807", math.MaxInt64, true},
		{"9223372036854775808", math.MaxInt64, true},
		{"99999999999999999999999", math.MaxInt64, true},
		{"-99999999999999999999999", -math.MaxInt64, true},
		{"0x7fffffffffffffff", math.MaxInt64, true},
		{"0xffffffffffffffffffff", math.MaxInt64, true},
		{"", 0, false},
		{" ", 0, false},
		{"+", 0, false},
		{"- 1", 0, false},
		{"+-1", 0, false},
		{"x", 0, false},
		{"a", 0, false},
		{"\u00a01", 0, false},
	} {
		if got, ok := parseNumber(test.text); got != test.want || ok != test.ok {
			t.Errorf("%q: %d, %v; want %d, %v", test.text, got, ok, test.want, test.ok)
		}
	}
}

// FuzzParseNumber compares with strconv, which accepts less: no blanks in front, nothing behind.
func FuzzParseNumber(f *testing.F) {
	for _, text := range []string{"0", "-7", "+0x1F", "0777", "09", "0x", " 12 ", "1_0", "0b1", "0o7", "9223372036854775808"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseNumber(text)
		if !ok && got != 0 {
			t.Errorf("%q: no number, yet %d", text, got)
		}
		if strings.ContainsAny(text, "_bBoO") {
			return // Go's own syntax
		}
		want, err := strconv.ParseInt(text, 0, 64)
		if err == nil && want != math.MinInt64 && (!ok || got != want) {
			t.Errorf("%q: %d, %v; want %d", text, got, ok, want)
		}
	})
}
