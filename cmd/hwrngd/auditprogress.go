//go:build !minimal

package main

import (
	"fmt"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// silentFor is how long an input may give nothing before a line says so.
const silentFor = 5 * time.Second

// sizeText is a number of bytes with three digits that mean something, in units of 1000.
func sizeText(n float64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	i := 0
	for ; n >= 999.5 && i < len(units)-1; i++ {
		n /= 1000
	}
	return fmt.Sprintf("%.3g %s", n, units[i])
}

// speedText is a rate in bytes a second.
func speedText(rate float64) string { return sizeText(rate) + "/s" }

// spanText is a time to wait, as one would say it.
func spanText(d time.Duration) string {
	d = d.Round(time.Second)
	hours, minutes, seconds := d/time.Hour, d%time.Hour/time.Minute, d%time.Minute/time.Second
	switch {
	case hours > 0 && minutes > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes)
	case hours > 0:
		return fmt.Sprintf("%d h", hours)
	case minutes > 0 && seconds > 0:
		return fmt.Sprintf("%d min %d s", minutes, seconds)
	case minutes > 0:
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d s", seconds)
}

// tookText is a time that something took, with three digits that mean something.
func tookText(seconds float64) string {
	switch {
	case seconds >= 60:
		return spanText(time.Duration(seconds * float64(time.Second)))
	case seconds >= 1:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.3g ms", 1e3*seconds)
	}
	return fmt.Sprintf("%.3g µs", 1e6*seconds)
}

// blocksText counts blocks and says how much that is.
func blocksText(blocks int64) string {
	unit := "blocks"
	if blocks == 1 {
		unit = "block"
	}
	return fmt.Sprintf("%d %s (%s)", blocks, unit, sizeText(float64(blocks*fips.BlockBytes)))
}

// auditPace tells how fast an input comes and how long it will take.
type auditPace struct {
	begin time.Time
	goal  int64 // bytes, 0 if nobody knows
	until time.Duration
}

// aim sets the goal, unless there is a nearer one.
func (p *auditPace) aim(bytes int64) {
	if p.goal == 0 || bytes < p.goal {
		p.goal = bytes
	}
}

// left returns how long the rest takes at the present rate, false if nobody knows.
func (p *auditPace) left(bytes int64) (time.Duration, bool) {
	elapsed := time.Since(p.begin)
	left, known := p.until-elapsed, p.until > 0
	if p.goal > 0 && bytes > 0 {
		rest := time.Duration(float64(elapsed) * float64(p.goal-bytes) / float64(bytes))
		if !known || rest < left {
			left, known = rest, true
		}
	}
	return max(left, 0), known
}

// rate returns bytes a second so far.
func (p *auditPace) rate(bytes int64) float64 {
	return float64(bytes) / max(time.Since(p.begin).Seconds(), 1e-9)
}

// progressText is the progress line of an audit.
func (p *auditPace) progressText(bytes, blocks, failed int64) string {
	text := fmt.Sprintf("%s, %d blocks, %d failed", sizeText(float64(bytes)), blocks, failed)
	if bytes > 0 {
		text += ", " + speedText(p.rate(bytes))
	}
	if left, known := p.left(bytes); known {
		text += ", " + spanText(left) + " left"
	}
	return text
}

// notice returns what reading calls each second. It says once how long a device will take, and before
// that if it is silent.
func (p *auditPace) notice(what, name string, bytes func() int64, say func(string)) func() bool {
	silent := false
	return func() bool {
		n := bytes()
		switch elapsed := time.Since(p.begin); {
		case n > 0:
			left, _ := p.left(n)
			say(fmt.Sprintf("reading %s from %s: about %s at %s\n", what, escapeControls(name), spanText(elapsed+left), speedText(p.rate(n))))
			return false
		case elapsed >= silentFor && !silent:
			silent = true
			say(fmt.Sprintf("%s has given nothing for %s; Ctrl-C ends the audit\n", escapeControls(name), spanText(elapsed)))
		}
		return true
	}
}
