package audit

import "fmt"

// Names of hints. They stay.
const (
	HintStuck       = "stuck"           // one byte value, all the time or from somewhere to the end
	HintText        = "text"            // the top bit is always 0
	HintCounter     = "counter"         // words that count
	HintWordTwice   = "word-twice"      // words are delivered more than once
	HintRepeats     = "repeats"         // data that came before
	HintStuckBits   = "stuck-bits"      // bits at some place of each word or row never change
	HintGap         = "gap"             // one byte value for a while
	HintCookedTTY   = "cooked-tty"      // a terminal changes or keeps control bytes
	HintTextPrefix  = "text-prefix"     // text first, data after it
	HintFiltered    = "filtered"        // too few failing blocks
	HintBias        = "bias"            // more or less ones than zeros
	HintSticky      = "sticky"          // bits tend to equal the one before
	HintAlternating = "alternating"     // bits tend to differ from the one before
	HintCorrelation = "correlation"     // bits depend on one further back
	HintDuplicates  = "duplicate-units" // units of a lot with the same data
)

// A search looks for one cause in what was counted and returns nil if it does not find it.
type search func(*Run) *Hint

// searches are tried group by group up to the first that finds something: whatever says that this is no
// random data explains all that follows it, and would be found in terms of the latter too.
var searches = [...][]search{
	{stuckAt},
	{text},
	{counter, periodic},
	{wordTwice},
	{stuckPlaces},
	{gaps, repeats, cookedTTY},
	{bias, correlation},
}

// hints looks for causes of what was found, the most telling first. Without evidence there is no cause,
// except that text at the start is worth a word in any case.
func hints(r *Report, e evidence) []Hint {
	run := &r.Run
	var list []Hint
	if e.verdict != Pass {
		for _, group := range searches {
			if list = find(run, group); list != nil {
				break
			}
		}
		if t := r.Tests[0]; t.Verdict != Pass && t.PFewer < t.PMore {
			list = append(list, *hint(HintFiltered, "%d of %s failed and about %s should have: failing blocks may have been taken out", t.Failures, plural(run.Blocks, "block"), approx(t.Expected)))
		}
	}
	return append(list, find(run, []search{textPrefix})...)
}

// find collects what the searches of a group find.
func find(run *Run, group []search) []Hint {
	var list []Hint
	for _, search := range group {
		if h := search(run); h != nil {
			list = append(list, *h)
		}
	}
	return list
}

// hint makes a hint from a name and a format.
func hint(name, format string, args ...any) *Hint { return &Hint{name, fmt.Sprintf(format, args...)} }
