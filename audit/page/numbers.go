package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Numbers are for people: a true minus sign, no line break between a number and its unit.
const (
	minus = "\u2212"
	nbsp  = "\u00a0"
)

// count writes a whole number with commas between thousands.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = minus, digits[1:]
	}
	var out strings.Builder
	out.WriteString(sign)
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(d)
	}
	return out.String()
}

// figure writes a number with the given significant digits, without an exponent where that is
// readable, and with no decimals from 1000 on.
func figure(x float64, digits int) string {
	switch size := math.Abs(x); {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 0):
		return strings.Replace(strings.TrimSuffix(fmt.Sprint(x), "Inf")+"∞", "-", minus, 1)
	case size >= min(1000, math.Pow(10, float64(digits-1))) && size < 1e15:
		return count(int64(math.Round(x)))
	case size != 0 && size < 1e-4, size >= 1e15:
		return tidy(strconv.FormatFloat(x, 'e', digits-1, 64))
	default:
		return tidy(strconv.FormatFloat(x, 'g', digits, 64))
	}
}

// tidy shortens what strconv writes: 3.0e-09 becomes 3e-9, with a true minus sign in front.
func tidy(text string) string {
	mantissa, exponent, found := strings.Cut(text, "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	mantissa = strings.Replace(mantissa, "-", minus, 1)
	if !found {
		return mantissa
	}
	power, err := strconv.Atoi(exponent)
	if err != nil { // strconv wrote it
		return mantissa + "e" + exponent
	}
	return mantissa + "e" + strconv.Itoa(power)
}

// signed is figure with a sign in front of positive numbers too.
func signed(x float64, digits int) string {
	if x > 0 {
		return "+" + figure(x, digits)
	}
	return figure(x, digits)
}

// deviations writes a number of standard deviations, to a hundredth.
func deviations(z float64) string {
	text := strconv.FormatFloat(math.Abs(z), 'f', 2, 64)
	switch {
	case math.Abs(z) >= 100:
		return signed(z, 3)
	case text == "0.00":
		return text
	case z < 0:
		return minus + text
	}
	return "+" + text
}

// chance writes a probability in the one form of this page: per cent from 1 % on, then 1 in N,
// and below one in a million as a number with an exponent.
func chance(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p > 0.99:
		return "over" + nbsp + "99" + nbsp + "%"
	case p >= 0.00995:
		return figure(100*p, 2) + nbsp + "%"
	case p >= 1e-6:
		n := math.Round(1 / p)
		if n >= 100 {
			scale := math.Pow(10, math.Floor(math.Log10(n))-1)
			n = math.Round(n/scale) * scale
		}
		return "1" + nbsp + "in" + nbsp + count(int64(n))
	case p > 0:
		return figure(p, 1)
	default: // not even a float64 holds it
		return "below" + nbsp + "1e-300"
	}
}

// bytesText writes a number of bytes exactly and, if it is large, in a larger unit of 1000 too.
func bytesText(n int64) string {
	if n < 10_000 {
		return count(n)
	}
	number, prefix := prefixed(float64(n), 3)
	return count(n) + " (" + number + nbsp + prefix + "B)"
}

// prefixed writes a positive figure with an SI prefix: 9.5 k, 12 M, 30 µ.
func prefixed(x float64, digits int) (number, prefix string) {
	steps := []struct {
		size   float64
		prefix string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}}
	for _, step := range steps {
		if x >= step.size*0.9995 {
			return figure(x/step.size, digits), step.prefix
		}
	}
	return figure(x, digits), ""
}

// rate writes bytes a second.
func rate(bytesPerSecond float64) string {
	number, prefix := prefixed(bytesPerSecond, 3)
	return number + nbsp + prefix + "B/s"
}

// seconds writes a length of time.
func seconds(s float64) string {
	if s >= 60 {
		return (time.Duration(math.Round(s)) * time.Second).String()
	}
	number, prefix := prefixed(s, 3)
	return number + nbsp + prefix + "s"
}

// capital begins a text with a capital letter.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// sentence makes a sentence of what a report says in lower case and without a full stop.
func sentence(text string) string {
	text = capital(text)
	if text != "" && !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
