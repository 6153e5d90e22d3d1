package audit

import "github.com/hwrngd/hwrngd/sp80090b"

// SchemaVersion is that of the JSON form of a Report. It grows when a member changes its
// meaning or goes; new members do not change it.
const SchemaVersion = 1

// Verdict is the outcome of an audit.
type Verdict string

// The four verdicts.
const (
	Pass         Verdict = "pass"         // nothing that an ideal source would not show
	Suspicious   Verdict = "suspicious"   // an ideal source shows this rarely: look again
	Fail         Verdict = "fail"         // an ideal source does not do this
	Insufficient Verdict = "insufficient" // too little data to tell
)

// Report is the judgement of one stream, or of a lot of them.
type Report struct {
	Schema  int     `json:"schema_version"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"` // one sentence, why this verdict
	Hints   []Hint  `json:"hints,omitempty"`

	Label   string   `json:"label,omitempty"` // a serial number, say
	Profile string   `json:"profile"`         // one of Profiles
	Input   Input    `json:"input"`
	Machine *Machine `json:"machine,omitempty"` // where the audit ran
	Timing  *Timing  `json:"timing,omitempty"`  // only of devices

	Budget     Budget      `json:"significance"`
	Tests      []Test      `json:"tests"`      // failing blocks, any first, then test by test
	Statistics []Statistic `json:"statistics"` // pooled over the whole stream
	Detectable *Detectable `json:"detectable,omitempty"`

	Assessment *Assessment `json:"assessment,omitempty"` // with --assess
	AIS31      any         `json:"ais31,omitempty"`      // with profile ais31: *ais31.Result
	Units      []Unit      `json:"units,omitempty"`      // of a lot

	Run Run `json:"counters"`
}

// Input says what was read.
type Input struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // file, device, tty, pipe, lot
	// Wanted is the number of blocks asked for, 0 for all there are.
	Wanted int64 `json:"wanted_blocks,omitempty"`
	// Stopped says why reading ended: end, blocks, bytes, duration, confident, interrupted, error.
	Stopped string `json:"stopped"`
	Error   string `json:"error,omitempty"` // of reading
	// Warning is about what was read, not about its quality: the kernel's own generator, say.
	Warning string `json:"warning,omitempty"`
	// Generator and the two that follow describe the device /dev/hwrng and no other.
	Generator string   `json:"rng_current,omitempty"`
	Available []string `json:"rng_available,omitempty"`
	Quality   string   `json:"rng_quality,omitempty"`
}

// Machine says where the audit ran.
type Machine struct {
	Board   string `json:"board,omitempty"`
	Kernel  string `json:"kernel,omitempty"`
	CPU     string `json:"cpu_model,omitempty"`
	Version string `json:"hwrngd_version"`
}

// Budget is how the figures of a report share one probability of error.
type Budget struct {
	Alpha       float64 `json:"alpha"`       // chance that an ideal source fails
	Suspicious  float64 `json:"suspicious"`  // likewise for suspicious or worse
	Comparisons int     `json:"comparisons"` // probabilities: two of each test, Of of each statistic
	Smallest    float64 `json:"smallest_p"`  // of all of them
	By          string  `json:"smallest_by"` // name of that figure
	// Adjusted is Smallest times Comparisons, at most 1: what is compared with Alpha.
	Adjusted float64 `json:"adjusted_p"`
}

// Test is one block test.
type Test struct {
	Name     string  `json:"name"`  // any, or that of fips.Failure.Name
	Title    string  `json:"title"` // for people
	Failures int64   `json:"failures"`
	Expected float64 `json:"expected"` // of an ideal source
	// PMore is the probability that an ideal source fails as often or more often, PFewer that it
	// fails as rarely or more rarely: data from which failing blocks were taken out.
	PMore   float64 `json:"p_more"`
	PFewer  float64 `json:"p_fewer"`
	Verdict Verdict `json:"verdict"`
}

// Statistic is a figure over the whole stream, or the most extreme one of a family.
type Statistic struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Where names the member of the family, for example "lag 17" or "bit 5 of 32", bit 0 being the
	// first in the stream; of a health test of SP 800-90B it has the cutoff.
	Where    string  `json:"where,omitempty"`
	Value    float64 `json:"value"`
	Kind     string  `json:"kind"`     // z, chi2 or count: what Value is
	Observed float64 `json:"observed"` // the figure itself: a fraction, a count
	Expected float64 `json:"expected"` // of an ideal source
	Of       int     `json:"of"`       // size of the family
	// P is the probability that an ideal source shows this figure as extreme, the others of its
	// family left aside.
	P       float64 `json:"p"`
	Verdict Verdict `json:"verdict"`
}

// Detectable is what would have been seen with a probability of 99.9 %, had it been there.
type Detectable struct {
	Bias        float64 `json:"bias"`        // |P(1) - 1/2|
	Correlation float64 `json:"correlation"` // |P(bit equals the one before) - 1/2|
}

// Hint names the likely cause of something seen.
type Hint struct {
	Name string `json:"name"` // stable, for programs: HintRepeats, HintStuck, ...
	Text string `json:"text"` // for people
}

// Assessment has the SP 800-90B estimates beside those of an ideal source.
type Assessment struct {
	*sp80090b.Assessment
	LimitedBy Limit       `json:"limited_by"`
	Ideal     []Reference `json:"ideal"`
}

// Limit names the estimate that decides what was assessed.
type Limit struct {
	Estimator string `json:"estimator,omitempty"` // "" if the width of a sample limits
	On        string `json:"on,omitempty"`        // literal or bitstring
}

// Reference is the range of an estimate for an ideal source with as many samples: of 100 sets of them,
// 98 are within.
type Reference struct {
	On     string  `json:"on"`     // literal, bitstring, or "" for the result of both
	Name   string  `json:"name"`   // of the estimator, or Assessed
	Lowest float64 `json:"lowest"` // of all sets that were simulated
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// Unit is one report of a lot.
type Unit struct {
	Name     string  `json:"name"` // its label, else its file
	Verdict  Verdict `json:"verdict"`
	Reason   string  `json:"reason,omitempty"`
	Blocks   int64   `json:"blocks"`
	Failures int64   `json:"failures"`
	SHA256   string  `json:"sha256"`
	PMore    float64 `json:"p_more"`
}
