//go:build !minimal

package web

import (
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

// The page loads nothing, so it works on any browser in any network.
//
//go:embed landing.html
var landingText string

var landingPage = template.Must(template.New("landing").Parse(landingText))

// landing is what the page shows: the daemon's status, with times as seen from now.
type landing struct {
	*pool.Status
	Ready      bool
	Reason     string // why it is not
	Line       string
	LastCredit string // how long ago, "" if never
	Uptime     string
	Sources    []landingSource
}

type landingSource struct {
	source.Snapshot
	Class     string // how the state looks
	For       string // how long it lasts
	Generator string
	Credited  uint64 // bits
}

func newLanding(s *pool.Status, now time.Time) *landing {
	page := &landing{Status: s, Line: s.Line(), Uptime: roughly(now.Sub(s.Started))}
	page.Ready, page.Reason = s.Ready()
	if at := s.Credits.LastCredit; !at.IsZero() {
		page.LastCredit = roughly(now.Sub(at))
	}
	for _, src := range s.Sources {
		page.Sources = append(page.Sources, landingSource{
			Snapshot:  src,
			Class:     stateClass(src),
			For:       roughly(now.Sub(src.Since)),
			Generator: strings.TrimSpace(src.Driver + " " + src.Device),
			Credited:  s.Credits.Bits[src.Name],
		})
	}
	return page
}

// stateClass is how a state looks. A source that nobody needs has nothing that anybody should mind.
func stateClass(s source.Snapshot) string {
	switch {
	case s.State == source.Active.String():
		return "good"
	case s.State == source.Failed.String(), s.State == source.Quarantined.String():
		return "bad"
	case s.Reason == source.AtRest:
		return "rest"
	}
	return "warn"
}

// roughly is a length of time in its largest unit that gives two digits, for people. On a narrow screen
// number and unit stay on one line.
func roughly(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d\u00a0s", max(0, d/time.Second))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d\u00a0min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d\u00a0h", d/time.Hour)
	}
	return fmt.Sprintf("%d\u00a0days", d/(24*time.Hour))
}

func serveLanding(w http.ResponseWriter, s *pool.Status) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_ = landingPage.Execute(w, newLanding(s, time.Now())) // a client that went away misses nothing
}
