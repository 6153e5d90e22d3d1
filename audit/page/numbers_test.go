package page

import (
	"math"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "−1,000", -999: "−999",
		math.MaxInt64: "9,223,372,036,854,775,807",
		math.MinInt64: "−9,223,372,036,854,775,808",
	} {
		if got := count(n); got != want {
			t.Errorf("count(%d) is %q, want %q", n, got, want)
		}
	}
}

func TestFigure(t *testing.T) {
	for _, test := range []struct {
		x      float64
		digits int
		want   string
	}{
		{0, 3, "0"},
		{0.5, 6, "0.5"},
		{0.4999491, 6, "0.499949"},
		{-0.457, 3, "−0.457"},
		{247.83, 4, "247.8"},
		{4472.136, 3, "4,472"},
		{46865.63, 6, "46,866"},
		{12, 1, "12"},
		{1.4552e-4, 3, "0.000146"},
		{4.366e-5, 3, "4.37e-5"},
		{-3e-9, 2, "−3e-9"},
		{2e15, 3, "2e15"},
		{math.Inf(1), 3, "+∞"},
		{math.Inf(-1), 3, "−∞"},
		{math.NaN(), 3, "–"},
	} {
		if got := figure(test.x, test.digits); got != test.want {
			t.Errorf("figure(%g, %d) is %q, want %q", test.x, test.digits, got, test.want)
		}
	}
}

func TestSigned(t *testing.T) {
	for x, want := range map[float64]string{1.234: "+1.23", -1.234: "−1.23", 0: "0"} {
		if got := signed(x, 3); got != want {
			t.Errorf("signed(%g) is %q, want %q", x, got, want)
		}
	}
}

func TestChance(t *testing.T) {
	for _, test := range []struct {
		p    float64
		want string
	}{
		{1, "over 99 %"},
		{0.991, "over 99 %"},
		{0.989, "99 %"},
		{0.549, "55 %"},
		{0.0467, "4.7 %"},
		{0.01, "1 %"},
		{0.00996, "1 %"},
		{0.0099, "1 in 100"},
		{0.00132, "1 in 760"},
		{1 / 12345., "1 in 12,000"},
		{1e-6, "1 in 1,000,000"},
		{0.96e-6, "1e-6"},
		{3.4e-9, "3e-9"},
		{5e-324, "5e-324"},
		{0, "below 1e-300"},
		{math.NaN(), "–"},
	} {
		want := ""
		for _, r := range test.want {
			if r == ' ' {
				r = '\u00a0'
			}
			want += string(r)
		}
		if got := chance(test.p); got != want {
			t.Errorf("chance(%g) is %q, want %q", test.p, got, want)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{bytesText(0), "0"},
		{bytesText(2504), "2,504"},
		{bytesText(2_500_004), "2,500,004 (2.5\u00a0MB)"},
		{bytesText(268_435_456), "268,435,456 (268\u00a0MB)"},
		{bytesText(3_000_000_000_000), "3,000,000,000,000 (3\u00a0TB)"},
		{rate(9480), "9.48\u00a0kB/s"},
		{rate(20), "20\u00a0B/s"},
		{rate(999_700), "1\u00a0MB/s"},
		{seconds(0), "0\u00a0s"},
		{seconds(0.00312), "3.12\u00a0ms"},
		{seconds(42e-6), "42\u00a0µs"},
		{seconds(59.9), "59.9\u00a0s"},
		{seconds(659.6), "11m0s"},
		{deviations(1.234), "+1.23"},
		{deviations(-0.004), "0.00"},
		{deviations(-12), "−12.00"},
		{deviations(99.994), "+99.99"},
		{deviations(4472.136), "+4,472"},
		{short("0123456789abcdef"), "0123456789abcdef"},
		{short("0123456789abcdef0"), "0123456789abcdef…"},
		{words("monobit+long_run"), "monobit, long run"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
