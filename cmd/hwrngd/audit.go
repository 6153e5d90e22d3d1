//go:build !minimal

package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/fips"
)

const (
	// deviceBlocks is how much of a device is audited, which never ends, unless told otherwise.
	deviceBlocks = 1000
	// mergeWord is the argument that turns audit into another command.
	mergeWord = "merge"
	// bootBytes come before the first block: the word that the first one of it is compared with
	// (FIPS 140-2, Change Notice 1, section 4.9.2).
	bootBytes = 4
	// maxLabel is more than anybody wants to read.
	maxLabel = 200
)

// auditFlags are the options of audit alone.
func auditFlags(set *pflag.FlagSet) {
	intFlag(set, "blocks", 0, 1, math.MaxInt32, fmt.Sprintf("`N`: end after N blocks of %d bytes (default: all of a file or pipe, %d of a device)", fips.BlockBytes, deviceBlocks))
	sizeFlag(set, "bytes", bootBytes+fips.BlockBytes, fmt.Sprintf("`SIZE`: end after so many bytes, such as 10M, rounded down to whole blocks and the %d bytes before them", bootBytes))
	durationFlag(set, "duration", 0, 10*time.Millisecond, 10000*time.Hour, "`TIME`: end after this time")
	set.Bool("until-confident", false, "end when a sequential test of the failing blocks has decided: after some 2600 of a good source, 9 of a dead one")
	set.String("profile", audit.Profiles[0], "`"+strings.Join(audit.Profiles, "|")+"`: which block tests count (default "+audit.Profiles[0]+")")
	set.Bool("strict", false, "fail if any block fails, as rngtest does; an ideal source fails one in 1258")
	chanceFlag(set, "alpha", 0.01, "`P`: the chance that an ideal source fails the audit (default 1e-6)")
	bitsFlag(set, "claim", 8, "`BITS`: min-entropy of a byte, for the health tests of SP 800-90B (default 8)")
	set.Bool("assess", false, "add SP 800-90B estimates of the first million bytes, beside what an ideal source gets")
	set.String("label", "", "`TEXT`: put this into the report, such as a serial number")
	set.String("tee", "", "`FILE`: keep the data that were audited; must not exist yet")
	set.String("html", "", "`FILE`: write the report as a web page in one file, with plots")
	set.String("junit", "", "`FILE`: write the report as JUnit XML, for a CI system")
	set.Bool("rngtest", false, "do what rngtest does, with its options, output and exit codes ('hwrngd audit --rngtest --help')")
}

// auditOptions are the options of audit.
type auditOptions struct {
	blocks     int64 // 0: no limit
	bytes      int64 // likewise
	duration   time.Duration
	confident  bool
	rules      audit.Rules // but for the number of blocks wanted
	assess     bool
	label      string
	tee        string
	html       string
	junit      string
	mergeFiles []string // the reports to merge, nil for an audit
}

// cmdAudit judges a stream of bytes, or merges such judgements.
func cmdAudit(ctx context.Context, inv *Invocation) int {
	opt, err := inv.auditOptions()
	if err != nil {
		return inv.Fail(err)
	}
	if opt.mergeFiles != nil {
		return inv.mergeAudits(opt)
	}
	cfg, err := inv.auditConfig()
	if err != nil {
		return inv.Fail(err)
	}
	in, err := inv.findInput(cfg)
	if err != nil {
		return inv.Fail(err)
	}
	return inv.audit(ctx, cfg, opt, in)
}

// auditOptions checks the command line of audit.
func (inv *Invocation) auditOptions() (*auditOptions, error) {
	o := &auditOptions{}
	// The flags exist, so that these have no errors.
	blocks, _ := inv.Flags.GetInt("blocks")
	o.blocks = int64(blocks)
	o.bytes, _ = inv.Flags.GetInt64("bytes")
	o.duration, _ = inv.Flags.GetDuration("duration")
	o.confident, _ = inv.Flags.GetBool("until-confident")
	o.rules.Profile, _ = inv.Flags.GetString("profile")
	o.rules.Strict, _ = inv.Flags.GetBool("strict")
	o.rules.Alpha, _ = inv.Flags.GetFloat64("alpha")
	o.rules.Claim, _ = inv.Flags.GetFloat64("claim")
	o.assess, _ = inv.Flags.GetBool("assess")
	o.label, _ = inv.Flags.GetString("label")
	o.tee, _ = inv.Flags.GetString("tee")
	o.html, _ = inv.Flags.GetString("html")
	o.junit, _ = inv.Flags.GetString("junit")
	if len(o.label) > maxLabel {
		return nil, exitErrorf(exitUsage, "", "--label: %d bytes are more than %d", len(o.label), maxLabel)
	}
	rngtest, _ := inv.Flags.GetBool("rngtest")
	if rngtest {
		return nil, exitErrorf(exitUsage, "'hwrngd audit --rngtest --help' lists the options that go with it", "--rngtest: write it without a value")
	}
	if p := o.rules.Profile; !slices.Contains(audit.Profiles, p) {
		return nil, exitErrorf(exitUsage, "profiles: "+strings.Join(audit.Profiles, ", "), "--profile: unknown profile %q%s", p, didYouMean(p, audit.Profiles))
	}
	if len(inv.Args) > 0 && inv.Args[0] == mergeWord {
		return o, inv.mergeOptions(o)
	}
	if len(inv.Args) > 1 {
		return nil, exitErrorf(exitUsage, "audit them one by one; 'hwrngd audit merge' makes one report of several", "unexpected argument %q", inv.Args[1])
	}
	return o, nil
}

// auditConfig is the configuration. Only what a source is could come from the daemon's file, so that nothing
// else depends on that.
func (inv *Invocation) auditConfig() (*Config, error) {
	if len(inv.Args) == 0 || !slices.Contains(sourceNames(), inv.Args[0]) {
		if _, given := inv.Input.Flags["config"]; !given {
			inv.Input.Flags["config"] = []string{os.DevNull}
		}
	}
	return inv.LoadConfig()
}

// limitOf returns how many blocks are wanted, 0 for all, and why reading ends after them.
func (o *auditOptions) limitOf(in *auditInput) (blocks int64, stopped string) {
	blocks, stopped = o.blocks, stoppedBlocks
	if o.bytes > 0 {
		if fit := (o.bytes - bootBytes) / fips.BlockBytes; blocks == 0 || fit < blocks {
			blocks, stopped = fit, stoppedBytes
		}
	}
	if blocks == 0 && o.duration == 0 && !o.confident && !in.ends() {
		blocks = deviceBlocks
	}
	return blocks, stopped
}
