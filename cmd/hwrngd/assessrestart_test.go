//go:build !minimal

package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestAssessRestarts(t *testing.T) {
	same := bytes.Repeat(sampleData(100, 8), 50) // each restart gives the same
	for _, tt := range []struct {
		name string
		data []byte
		args []string
		code int
		want string
	}{
		{"good", sampleData(10000, 8), []string{"--restart=100", "--claim=3"}, exitOK, "passed  3.000000 bits of min-entropy a sample\n"},
		{"same", same, []string{"--restart=50", "--claim=3"}, exitFailedTests, "  of a column  comes 50 times"},
	} {
		path := samplesIn(t, tt.data)
		if got := call(nil, append([]string{"assess", path}, tt.args...)...); got.code != tt.code || !strings.Contains(got.stdout, tt.want) || !strings.Contains(got.stdout, "this is a rehearsal") {
			t.Errorf("%s: %+v", tt.name, got)
		}
		got := call(nil, append([]string{"assess", path, "--output=json"}, tt.args...)...)
		var a struct {
			Passed bool               `json:"passed"`
			Row    map[string]float64 `json:"row_estimates"`
			H      float64            `json:"h_initial"`
		}
		if err := json.Unmarshal([]byte(got.stdout), &a); err != nil || got.code != tt.code || a.Passed != (tt.code == exitOK) || len(a.Row) == 0 || a.H != 3 {
			t.Errorf("%s: code %d, %v, %s", tt.name, got.code, err, got.stdout)
		}
	}
}
