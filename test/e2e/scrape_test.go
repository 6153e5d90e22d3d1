package e2e

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// scrape is one answer of /metrics: a value for each series, which is written as in the text
// format, with its labels sorted by name.
type scrape map[string]float64

// page fetches a page from the daemon's first metrics address, which may be about to be bound.
func (d *daemon) page(page string) (code int, body string) {
	d.t.Helper()
	err := errors.New("not asked")
	kit.Eventually(d.t, "an answer of "+page, func() bool {
		if !d.alive() {
			d.t.Fatalf("the daemon ended with code %d", d.code)
		}
		code, body, err = kit.HTTPGet(d.bench.metrics[0], page)
		return err == nil
	})
	return code, body
}

// scrape fetches the metrics.
func (d *daemon) scrape() scrape {
	d.t.Helper()
	code, body := d.page("/metrics")
	s, err := kit.ParseScrape(body)
	if code != http.StatusOK || err != nil {
		d.t.Fatalf("scrape: code %d, %v:\n%s", code, err, body)
	}
	return s
}

// of returns a series of the hwrng source, by its name and the labels beside the source.
func (s scrape) of(name, labels string) float64 { return s.from("hwrng", name, labels) }

// from returns a series of a source, by its name and the labels beside the source.
func (s scrape) from(source, name, labels string) float64 {
	series := fmt.Sprintf(`hwrngd_%s{source="%s"%s}`, name, source, labels)
	if value, ok := s[series]; ok {
		return value
	}
	return s[fmt.Sprintf(`hwrngd_%s{%s,source="%s"}`, name, strings.TrimPrefix(labels, ","), source)]
}

func (s scrape) credited() float64 { return s.of("entropy_credited_bits_total", "") }

func (s scrape) errors(reason string) float64 {
	return s.of("source_read_errors_total", `,reason="`+reason+`"`)
}

func (s scrape) entered(state string) float64 {
	return s.of("source_transitions_total", `,to="`+state+`"`)
}

// allErrors is the sum over every reason.
func (s scrape) allErrors() (sum float64) {
	for _, reason := range []string{"eof", "short", "timeout", "eio", "enodev", "eperm", "other"} {
		sum += s.errors(reason)
	}
	return sum
}

// credits waits until the daemon has credited n times and returns the scrape that shows it.
func (d *daemon) credits(n int) scrape {
	d.t.Helper()
	var s scrape
	kit.Eventually(d.t, fmt.Sprintf("%d seeds given to the kernel", n), func() bool {
		s = d.scrape()
		return s.of("entropy_added_bytes_total", "") >= float64(64*n)
	})
	return s
}

// mustBe fails the case where a series has another value. The series are in the form of scrape.
func (s scrape) mustBe(t testing.TB, want map[string]float64) {
	t.Helper()
	for series, value := range want {
		if got, ok := s[series]; !ok || got != value {
			t.Errorf("%s is %v (there: %t), want %v", series, got, ok, value)
		}
	}
}

// freePort returns a local address that nobody listens on, and the listener that holds it.
func freePort(t testing.TB) (string, net.Listener) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String(), l
}
