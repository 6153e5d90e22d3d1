package rngtest

import (
	"math"
	"strings"
)

// parseNumber reads a number as scanf(3) does for %i (ISO C, 7.21.6.2): blanks, a sign, then digits
// of base 16 after 0x, base 8 after 0, else base 10; what follows is ignored. As in glibc, "0x"
// without a digit is 0. Numbers too large for 64 bits, which C leaves undefined, are the largest
// that there are.
func parseNumber(text string) (n int64, ok bool) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	base := int64(10)
	switch {
	case strings.HasPrefix(text, "0x"), strings.HasPrefix(text, "0X"):
		base, text, ok = 16, text[2:], true // the 0 is a number already
	case strings.HasPrefix(text, "0"):
		base = 8
	}
	for i := range len(text) {
		digit := digitOf(text[i])
		if digit >= base {
			break
		}
		ok = true
		if n > (math.MaxInt64-digit)/base {
			n = math.MaxInt64
		} else {
			n = n*base + digit
		}
	}
	if negative {
		n = -n
	}
	return n, ok
}

// digitOf returns the value of a digit, one that no base has for anything else.
func digitOf(c byte) int64 {
	switch {
	case '0' <= c && c <= '9':
		return int64(c - '0')
	case 'a' <= c && c <= 'f':
		return int64(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int64(c-'A') + 10
	}
	return math.MaxInt64
}
