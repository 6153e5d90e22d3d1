package web

import (
	"encoding/json"

	"github.com/hwrngd/hwrngd/metrics/web/respond"
)

const plainText = "text/plain; charset=utf-8"

// healthyPage tells whether the daemon's main loop is alive.
func healthyPage(healthy bool) respond.Page {
	if !healthy {
		return respond.Page{Unavailable: true, Type: plainText, Body: []byte("main loop stalled\n")}
	}
	return respond.Page{Type: plainText, Body: []byte("ok\n")}
}

// readyPage tells in one line of JSON whether the daemon is ready and, if not, why.
func readyPage(ready bool, reason string) respond.Page {
	answer := struct {
		Ready  bool   `json:"ready"`
		Reason string `json:"reason,omitempty"`
	}{ready, reason}
	body, _ := json.Marshal(answer) // a flag and a text always can be
	return respond.Page{Unavailable: !ready, Type: "application/json", Body: append(body, '\n')}
}
