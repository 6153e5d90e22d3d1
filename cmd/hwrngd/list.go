package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/hwrngd/hwrngd/source/hwrng"
)

// probeTime is how long list waits for the current generator to answer.
const probeTime = 2 * time.Second

// listFlags are the options of list alone.
func listFlags(set *pflag.FlagSet) {
	set.Bool("no-probe", false, "read nothing at all, only look")
}

// listReport is what hwrngd list --output=json prints.
type listReport struct {
	Schema  int          `json:"schema_version"`
	Sources []listSource `json:"sources"`
}

// listSource is one generator, a device that has none, or a source without a device.
type listSource struct {
	Source      string  `json:"source"`
	Device      string  `json:"device,omitempty"`
	Driver      string  `json:"driver,omitempty"`
	Kind        string  `json:"kind"`
	Current     bool    `json:"current"`
	Usable      bool    `json:"usable"`
	Wanted      bool    `json:"in_sources"` // the daemon would use it
	Reason      string  `json:"reason,omitempty"`
	Hint        string  `json:"hint,omitempty"`
	Note        string  `json:"note,omitempty"`
	MinEntropy  float64 `json:"claimed_min_entropy_bits_per_byte"`
	ClaimOrigin string  `json:"claim_origin"`
}

// cmdList shows every source and why one cannot be used.
func cmdList(ctx context.Context, inv *Invocation) int {
	cfg, err := inv.LoadConfig()
	if err != nil {
		return inv.Fail(err)
	}
	limit := probeTime
	if no, _ := inv.Flags.GetBool("no-probe"); no {
		limit = 0
	}
	report := listReport{Schema: 1, Sources: []listSource{}}
	for _, f := range hwrng.Survey(ctx, hwrngOptions(cfg), limit) {
		report.Sources = append(report.Sources, listSource{
			Source: f.Name, Device: f.Device, Driver: f.Driver, Kind: string(f.Kind), Current: f.Current,
			Usable: f.Usable, Reason: f.Reason, Hint: f.Hint, Note: f.Note, MinEntropy: f.MinEntropy, ClaimOrigin: f.ClaimOrigin,
		})
	}
	report.Sources = append(report.Sources, surveySingle(ctx, cfg, limit)...)
	report.Sources = append(report.Sources, surveyJitter(ctx, cfg, limit > 0))
	wanted := wantedSources(cfg)
	for i := range report.Sources {
		report.Sources[i].Wanted = slices.Contains(wanted, report.Sources[i].Source)
	}
	if inv.JSON {
		return inv.exit(inv.WriteJSON(report))
	}
	r := inv.NewReport()
	r.Row(dim("SOURCE"), dim("GENERATOR"), dim("STATE"), dim("CLAIM"))
	for _, s := range report.Sources {
		state := bad("not usable")
		switch {
		case s.Usable && !s.Wanted:
			state = plain("usable, not in sources")
		case s.Usable:
			state = good("usable")
		case s.Driver != "" && !s.Current:
			state = dim("not current")
		}
		name := s.Driver
		if name == "" {
			name = cmp.Or(s.Device, "-")
		}
		r.Row(plain(s.Source), plain(name), state, plain(fmt.Sprintf("%.3g of 8 bits a byte (%s)", s.MinEntropy, s.ClaimOrigin)))
	}
	for _, s := range report.Sources {
		s.explain(r)
	}
	return inv.exit(inv.WriteReport(r))
}

// explain adds what does not fit into the table.
func (s *listSource) explain(r *Report) {
	if s.Reason == "" && s.Note == "" {
		return
	}
	name := s.Driver
	if name == "" {
		name = s.Source
	}
	r.Section(name)
	for _, text := range []struct{ what, text string }{{"reason", s.Reason}, {"hint", s.Hint}, {"note", s.Note}} {
		if text.text != "" {
			r.Row(plain("  "+text.what), plain(text.text))
		}
	}
}
