package page

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Text has the contrast of 4.5 to 1 that WCAG 2.2, success criterion 1.4.3 (level AA), asks for, and
// marks the 3 to 1 of 1.4.11, on every background, in both themes.
func TestContrast(t *testing.T) {
	style, err := files.ReadFile("style.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	light, rest, found := strings.Cut(string(style), "@media screen and (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("there is no dark theme")
	}
	dark, _, _ := strings.Cut(rest, "* {")
	for theme, text := range map[string]string{"light": light, "dark": dark} {
		colours := map[string][3]float64{}
		for _, m := range regexp.MustCompile(`--(\w+): #([0-9a-f]{3}|[0-9a-f]{6});`).FindAllStringSubmatch(text, -1) {
			colours[m[1]] = parseColour(t, m[2])
		}
		for _, back := range []string{"paper", "card"} {
			for name, least := range map[string]float64{
				"ink": 4.5, "soft": 4.5, "link": 4.5, "pass": 4.5, "suspicious": 4.5, "fail": 4.5, "insufficient": 4.5, "mark": 3,
			} {
				a, ok := colours[name]
				b, okBack := colours[back]
				if !ok || !okBack {
					t.Fatalf("%s: no colour %s or %s", theme, name, back)
				}
				if c := contrast(a, b); c < least {
					t.Errorf("%s: %s on %s has a contrast of %.2f, want %g", theme, name, back, c, least)
				}
			}
		}
	}
}

func parseColour(t *testing.T, hex string) (rgb [3]float64) {
	t.Helper()
	if len(hex) == 3 {
		hex = strings.Join([]string{hex[:1], hex[:1], hex[1:2], hex[1:2], hex[2:], hex[2:]}, "")
	}
	for i := range rgb {
		v, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		rgb[i] = float64(v) / 255
	}
	return rgb
}

// contrast is the contrast ratio of WCAG 2.2.
func contrast(a, b [3]float64) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// luminance is the relative luminance of WCAG 2.2, for sRGB.
func luminance(rgb [3]float64) float64 {
	for i, c := range rgb {
		if c <= 0.04045 {
			rgb[i] = c / 12.92
		} else {
			rgb[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
}
