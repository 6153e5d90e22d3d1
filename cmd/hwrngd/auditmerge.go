//go:build !minimal

package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/hwrngd/hwrngd/audit"
)

// maxReport is far more than a report has, and no more is read of a file that is none.
const maxReport = 64 << 20

// mergeOptions checks the command line of audit merge.
func (inv *Invocation) mergeOptions(o *auditOptions) error {
	o.mergeFiles = inv.Args[1:]
	if len(o.mergeFiles) == 0 {
		return exitErrorf(exitUsage, "hwrngd audit merge A.json B.json ...; of a file called merge, write ./merge", "no reports to merge")
	}
	for _, name := range []string{"blocks", "bytes", "duration", "until-confident", "assess", "strict", "tee"} {
		if inv.Flags.Changed(name) {
			return exitErrorf(exitUsage, "it is for an audit of data", "--%s: not possible with merge", name)
		}
	}
	if !inv.Flags.Changed("profile") {
		o.rules.Profile = "" // that of the reports
	}
	return nil
}

// mergeAudits makes one report of several.
func (inv *Invocation) mergeAudits(opt *auditOptions) int {
	out, err := newAuditOutput(opt)
	if err != nil {
		return inv.Fail(err)
	}
	defer out.abandon()
	reports, err := readReports(opt.mergeFiles)
	if err != nil {
		return inv.Fail(err)
	}
	if opt.rules.Profile == "" {
		opt.rules.Profile = reports[0].Profile
	}
	lot, err := audit.Merge(reports, opt.rules)
	if err != nil {
		return inv.Fail(exitErrorf(exitUsage, "", "%w", err))
	}
	lot.Label = opt.label
	if failed := out.deliver(inv, lot); len(failed) > 0 {
		return inv.Fail(failed)
	}
	return verdictExit(lot.Verdict)
}

// readReports reads reports that 'hwrngd audit --output=json' wrote. One without a label gets the name of
// its file, since that is how people know the unit.
func readReports(files []string) ([]*audit.Report, error) {
	var reports []*audit.Report
	seen := map[[sha256.Size]byte]string{}
	for _, name := range files {
		data, err := readReport(name)
		if err != nil {
			return nil, exitErrorf(exitNoInput, "", "cannot merge: %w", err)
		}
		sum := sha256.Sum256(data)
		if other, twice := seen[sum]; twice {
			return nil, exitErrorf(exitUsage, "a unit must not count twice", "cannot merge %s: it is the same report as %s", name, other)
		}
		seen[sum] = name
		report, err := audit.ParseReport(data)
		if err != nil {
			return nil, exitErrorf(exitUsage, "reports are what 'hwrngd audit --output=json' prints", "cannot merge %s: %w", name, err)
		}
		if report.Label == "" {
			report.Label = name
		}
		reports = append(reports, report)
	}
	return reports, nil
}

func readReport(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxReport))
}

// shownUnits is how many units of a lot the text names; documents have all.
const shownUnits = 8

// showUnits prints the units of a lot, the worst first.
func showUnits(r *Report, units []audit.Unit) {
	order := []audit.Verdict{audit.Fail, audit.Insufficient, audit.Suspicious, audit.Pass}
	sorted := slices.Clone(units)
	slices.SortStableFunc(sorted, func(a, b audit.Unit) int {
		return cmp.Compare(slices.Index(order, a.Verdict), slices.Index(order, b.Verdict))
	})
	var counts []string
	for _, v := range order {
		n := 0
		for _, u := range units {
			if u.Verdict == v {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	r.Section("Units: " + strings.Join(counts, ", "))
	r.Row(dim("  UNIT"), dim("VERDICT"), dim("BLOCKS"), dim("FAILED"), dim("PROBABILITY"))
	for i, u := range sorted {
		if i == shownUnits {
			r.Row(plain(fmt.Sprintf("  and %d more", len(sorted)-shownUnits)))
			break
		}
		r.Row(plain("  "+u.Name), verdictCells[u.Verdict](string(u.Verdict)), plain(fmt.Sprint(u.Blocks)), plain(fmt.Sprint(u.Failures)), plain(chanceText(u.PMore)))
	}
}
