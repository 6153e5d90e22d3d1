package monitoring

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// pager takes notifications in the place of an Alertmanager.
type pager struct {
	*httptest.Server
	mu   sync.Mutex
	ends map[[2]string]time.Time // of alerts, by name and board
}

func newPager(t testing.TB) *pager {
	p := &pager{ends: map[[2]string]time.Time{}}
	p.Server = httptest.NewServer(http.HandlerFunc(p.notified))
	t.Cleanup(p.Close)
	return p
}

func (p *pager) notified(w http.ResponseWriter, r *http.Request) {
	var alerts []struct {
		Labels map[string]string `json:"labels"`
		EndsAt time.Time         `json:"endsAt"`
	}
	if err := json.NewDecoder(r.Body).Decode(&alerts); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range alerts {
		p.ends[[2]string{a.Labels["alertname"], a.Labels["instance"]}] = a.EndsAt
	}
}

// told tells whether somebody was told that an alert fires, and resolved, that it is over.
func (p *pager) told(alert string, b *board) (firing, resolved bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	end, firing := p.ends[[2]string{alert, b.name}]
	return firing, firing && !end.After(time.Now())
}
