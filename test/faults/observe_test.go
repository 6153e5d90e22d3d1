package faults

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// status is what the status socket tells, as far as the cases look at it.
type status struct {
	Feeding struct {
		Bits  map[string]uint64 `json:"credited_bits"`
		Bytes map[string]uint64 `json:"added_bytes"`
	} `json:"feeding"`
	Sources []sourceStatus `json:"sources"`
}

type sourceStatus struct {
	Name   string  `json:"name"`
	Driver string  `json:"driver"`
	State  string  `json:"state"`
	Reason string  `json:"reason"`
	Claim  float64 `json:"claimed_min_entropy_bits_per_byte"`
	Filled float64 `json:"block_filled"`
}

// source returns the part about one source.
func (s *status) source(name string) sourceStatus {
	for _, src := range s.Sources {
		if src.Name == name {
			return src
		}
	}
	return sourceStatus{}
}

// ask waits until the daemon answers, for it may just have been started.
func (d *daemon) ask(what string, once func() error) {
	d.t.Helper()
	for deadline := time.Now().Add(kit.Patience); ; time.Sleep(20 * time.Millisecond) {
		err := once()
		switch {
		case err == nil:
			return
		case !d.running():
			d.t.Fatalf("it ended by itself, with exit code %d", d.code)
		case time.Now().After(deadline):
			d.t.Fatalf("no %s within %s: %v", what, kit.Patience, err)
		}
	}
}

func (d *daemon) status() *status {
	d.t.Helper()
	var s *status
	d.ask("status", func() error {
		conn, err := net.DialTimeout("unix", filepath.Join(d.bench.runtime(), "status.sock"), time.Second)
		if err != nil {
			return err
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
		s = &status{}
		return json.NewDecoder(conn).Decode(s)
	})
	return s
}

// scrape is one answer of /metrics: a value for each series, with its labels as they stand there.
type scrape map[string]float64

func (d *daemon) scrape() scrape {
	d.t.Helper()
	var s scrape
	d.ask("metrics", func() error {
		code, text, err := kit.HTTPGet("unix:"+d.bench.metrics(), "/metrics")
		if err == nil && code != http.StatusOK {
			err = errors.New(http.StatusText(code))
		}
		if err == nil {
			s, err = kit.ParseScrape(text)
		}
		return err
	})
	return s
}

// of returns a series of a source. The labels beside the source come in pairs; they are in the order of
// their names.
func (s scrape) of(source, name string, labels ...string) float64 {
	label := func(name, value string) string { return name + `="` + value + `"` }
	before, after := "", ""
	for i := 0; i < len(labels); i += 2 {
		if labels[i] < "source" {
			before += label(labels[i], labels[i+1]) + ","
		} else {
			after += "," + label(labels[i], labels[i+1])
		}
	}
	return s["hwrngd_"+name+"{"+before+label("source", source)+after+"}"]
}

// readReasons are the values of the label of read errors.
var readReasons = []string{"eof", "short", "timeout", "eio", "enodev", "eperm", "other"}

func (s scrape) readErrors(source string) (sum float64) {
	for _, reason := range readReasons {
		sum += s.of(source, "source_read_errors_total", "reason", reason)
	}
	return sum
}

func TestSeriesOfASource(t *testing.T) {
	s := scrape{`hwrngd_x{source="hwrng",state="active"}`: 1, `hwrngd_y{reason="eio",source="hwrng"}`: 2000}
	if s.of("hwrng", "x", "state", "active") != 1 || s.of("hwrng", "y", "reason", "eio") != 2000 || s.readErrors("hwrng") != 0 {
		t.Errorf("not found in %v", s)
	}
}
