package kit

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// HTTPGet fetches a page such as /metrics from an address as --metrics-listen takes it: HOST:PORT or unix:PATH.
func HTTPGet(address, page string) (code int, body string, err error) {
	network, target := "tcp", address
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, target = "unix", path
	}
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, target)
		},
	}}
	answer, err := client.Get("http://hwrngd" + page)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

// ParseScrape reads a page of metrics in Prometheus' text format: values by series, which are named as in the
// page.
func ParseScrape(text string) (map[string]float64, error) {
	s := map[string]float64{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if at < 0 || err != nil {
			return nil, fmt.Errorf("no sample: %q", line)
		}
		s[line[:at]] = value
	}
	return s, nil
}
