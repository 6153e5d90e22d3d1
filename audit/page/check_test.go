package page

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxSVG bounds one drawing, in bytes.
const maxSVG = 30_000

var (
	drawings   = regexp.MustCompile(`(?s)<svg .*?</svg>`)
	tags       = regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:[^">]|"[^"]*")*?)(/?)>`)
	ids        = regexp.MustCompile(` id="([^"]*)"`)
	references = regexp.MustCompile(` (?:aria-labelledby="([^"]*)"|href="#([^"]*)")`)
	// Whatever loads or runs something, as an element, an attribute or in the style.
	elements   = regexp.MustCompile(`(?i)<(?:script|link|iframe|object|embed|base|form|image|use|audio|video)\b`)
	attributes = regexp.MustCompile(`(?i)\s(?:on[a-z]+|src|srcset|href|xlink:href|action|formaction|poster|background|style)\s*=`)
	harmless   = regexp.MustCompile(`^\s(?:src="data:image/png;base64,"|href="#[a-z]+")`)
	imports    = regexp.MustCompile(`(?i)@import|url\(|expression\(`)
	// What html/template and fmt write in place of something they refuse or miss, and numbers that
	// are none.
	mishaps = regexp.MustCompile(`ZgotmplZ|&lt;no value&gt;|&lt;nil&gt;|%!|\bNaN\b|\bInf\b|∞`)
)

// unclosed are the elements without an end tag.
var unclosed = []string{"meta", "img", "br"}

// checkPage reports what is wrong with a page whatever the report.
func checkPage(t testing.TB, page string) {
	t.Helper()
	if !strings.HasPrefix(page, "<!DOCTYPE html>\n<html lang=\"en\">") || !strings.HasSuffix(page, "</html>\n") {
		t.Error("the page is not a whole HTML document")
	}
	for _, svg := range drawings.FindAllString(page, -1) {
		if len(svg) >= maxSVG {
			t.Errorf("a drawing of %d bytes: %.80s", len(svg), svg)
		}
		if err := wellFormed(svg); err != nil {
			t.Errorf("a drawing is no XML: %v: %.80s", err, svg)
		}
		if !strings.Contains(svg, `aria-hidden="true"`) &&
			!(strings.Contains(svg, `role="img"`) && strings.Contains(svg, "<title id=") && strings.Contains(svg, "<desc id=")) {
			t.Errorf("a drawing that says nothing to those who cannot see it: %.80s", svg)
		}
	}
	page = withoutData(t, page)
	checkTags(t, page)
	var known []string
	for _, id := range ids.FindAllStringSubmatch(page, -1) {
		if slices.Contains(known, id[1]) {
			t.Errorf("the id %s comes twice", id[1])
		}
		known = append(known, id[1])
	}
	for _, reference := range references.FindAllStringSubmatch(page, -1) {
		for id := range strings.FieldsSeq(reference[1] + reference[2]) {
			if !slices.Contains(known, id) {
				t.Errorf("nothing has the id %s that something refers to", id)
			}
		}
	}
	checkSelfContained(t, page)
	if found := mishaps.FindString(page); found != "" {
		t.Errorf("the page has %q", found)
	}
}

// checkSelfContained reports whatever would load or run something when the page is opened.
func checkSelfContained(t testing.TB, page string) {
	t.Helper()
	if found := elements.FindString(page); found != "" {
		t.Errorf("the page has an element %q", found)
	}
	for _, tag := range tags.FindAllString(page, -1) {
		for _, at := range attributes.FindAllStringIndex(tag, -1) {
			// A quoted value may look like an attribute: count the quotes before it.
			if strings.Count(tag[:at[0]], `"`)%2 == 0 && !harmless.MatchString(tag[at[0]:]) {
				t.Errorf("the page has an attribute %.60q", tag[at[0]:])
			}
		}
	}
	_, style, _ := strings.Cut(page, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	if found := imports.FindString(style); found != "" || style == "" {
		t.Errorf("the style has %q in %d bytes", found, len(style))
	}
}

func wellFormed(text string) error {
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// withoutData takes the picture of the data out of a page, as a sequence of characters that can do no
// harm.
func withoutData(t testing.TB, page string) string {
	t.Helper()
	before, data, found := strings.Cut(page, "src=\"data:image/png;base64,")
	if !found {
		return page
	}
	end := strings.IndexByte(data, '"')
	picture := strings.ReplaceAll(data[:end], "&#43;", "+")
	if _, err := base64.StdEncoding.DecodeString(picture); err != nil {
		t.Errorf("the picture has something else in it: %v", err)
	}
	return before + "src=\"data:image/png;base64," + data[end:]
}

// checkTags reports elements that are not closed in the order in which they were opened.
func checkTags(t testing.TB, page string) {
	t.Helper()
	var open []string
	for _, tag := range tags.FindAllStringSubmatch(page, -1) {
		closes, name, alone := tag[1] != "", tag[2], tag[4] != ""
		switch {
		case alone, slices.Contains(unclosed, name):
		case !closes:
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("</%s> closes %v", name, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("not closed: %v", open)
	}
}
