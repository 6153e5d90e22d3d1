//go:build !minimal

package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hwrngd/hwrngd/audit"
)

// figureText writes a figure with the digits that mean something: all of a count, four or five of a
// fraction.
func figureText(x float64) string {
	size := math.Abs(x)
	if size >= 10000 && size < 1e15 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return shortExponent(strconv.FormatFloat(x, 'g', 5, 64))
}

// shortExponent turns the exponents that Go writes, such as e-09, into e-9.
func shortExponent(text string) string {
	mantissa, exponent, found := strings.Cut(text, "e")
	if !found {
		return text
	}
	sign := ""
	if strings.HasPrefix(exponent, "-") {
		sign = "-"
	}
	return mantissa + "e" + sign + strings.TrimLeft(exponent, "+-0")
}

// chanceText writes a probability: in per cent as far as one can picture that, then as one in so many,
// and below a millionth as a number.
func chanceText(p float64) string {
	switch {
	case p >= 0.995:
		return "100 %"
	case p >= 0.0095:
		return fmt.Sprintf("%.2g %%", 100*p)
	case p >= 1e-6:
		n := 1 / p
		digits := math.Pow(10, math.Floor(math.Log10(n))-2) // three of them
		return fmt.Sprintf("1 in %.0f", math.Round(n/digits)*digits)
	case p > 0:
		return shortExponent(strconv.FormatFloat(p, 'e', 0, 64))
	}
	return "below 1e-300" // no float64 holds it
}

// tailText is the less likely one of the two probabilities of a test: that of so many failures or that
// of so few.
func tailText(t *audit.Test) string {
	if t.PFewer < t.PMore {
		return chanceText(t.PFewer) + " for so few"
	}
	return chanceText(t.PMore) + " for so many"
}
