package rngtest

import (
	"testing"
	"time"
)

func TestSpeed(t *testing.T) {
	for _, test := range []struct {
		name  string
		times []time.Duration
		want  string
	}{
		{"no block", nil, "(min=0.000; avg=0.000; max=0.000)bits/s"},
		{"below 1 Kibit/s", []time.Duration{20 * time.Second}, "(min=1000.000; avg=1000.000; max=1000.000)bits/s"},
		{"1 Kibit/s", []time.Duration{19531250 * time.Microsecond}, "(min=1.000; avg=1.000; max=1.000)Kibits/s"},
		// The unit is that of the lowest speed.
		{"far apart", []time.Duration{20 * time.Second, 20 * time.Microsecond}, "(min=1000.000; avg=1999.998; max=1000000000.000)bits/s"},
		{"mean of times, not of speeds", []time.Duration{time.Second, 3 * time.Second}, "(min=6.510; avg=9.766; max=19.531)Kibits/s"},
		{"Mibit/s", []time.Duration{time.Millisecond}, "(min=19.073; avg=19.073; max=19.073)Mibits/s"},
		{"no time", []time.Duration{0, 0}, "(min=18.190; avg=18.190; max=18.190)Tibits/s"},
		{"no time and a second", []time.Duration{0, time.Second}, "(min=19.531; avg=39.062; max=19531250000.000)Kibits/s"},
		{"the least time first", []time.Duration{1 * time.Second, 2 * time.Second, 4 * time.Second}, "(min=4.883; avg=8.371; max=19.531)Kibits/s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s speed
			for _, took := range test.times {
				s.add(took)
			}
			if got := s.String(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
