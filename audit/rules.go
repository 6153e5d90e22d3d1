package audit

import (
	"fmt"
	"slices"
	"strings"
)

// Profiles are the sets of limits by which blocks are judged: those of FIPS 140-2 (Change Notice 1),
// those of FIPS 140-1, and AIS 31, whose tests T1 to T4 have the limits of FIPS 140-1.
var Profiles = []string{ProfileFIPS1402, ProfileFIPS1401, ProfileAIS31}

// The profiles by name.
const (
	ProfileFIPS1402 = "fips140-2"
	ProfileFIPS1401 = "fips140-1"
	ProfileAIS31    = "ais31"
)

// What Rules stand for unless told otherwise.
const (
	DefaultAlpha = 1e-6
	DefaultClaim = 8

	// suspiciousFactor is how much likelier than a fail a suspicious verdict, or a worse one, is.
	suspiciousFactor = 100
)

// Rules say how a stream is judged. The zero value has the defaults.
type Rules struct {
	Profile string  // one of Profiles, "" for FIPS 140-2
	Alpha   float64 // probability that an ideal source fails, below 1/100; 0 for DefaultAlpha
	Claim   float64 // claimed min-entropy in bits a byte, at most 8; 0 for DefaultClaim
	Strict  bool    // any failed block is a fail, as with rngtest
	Wanted  int64   // blocks asked for: fewer are insufficient; 0 for all there are
}

// Validate says what is wrong with rules that are not those of any audit.
func (r Rules) Validate() error {
	switch {
	case r.Profile != "" && !slices.Contains(Profiles, r.Profile):
		return fmt.Errorf("unknown profile %q, there are %s", r.Profile, strings.Join(Profiles, ", "))
	case !(r.Alpha >= 0 && r.Alpha < 1./suspiciousFactor): // also of NaN
		return fmt.Errorf("significance level %g is not between 0 and %g", r.Alpha, 1./suspiciousFactor)
	case !(r.Claim >= 0 && r.Claim <= 8):
		return fmt.Errorf("min-entropy of %g bits a byte is not between 0 and 8", r.Claim)
	case r.Wanted < 0:
		return fmt.Errorf("%d blocks cannot be asked for", r.Wanted)
	}
	return nil
}

// withDefaults fills in what is 0.
func (r Rules) withDefaults() Rules {
	if r.Profile == "" {
		r.Profile = ProfileFIPS1402
	}
	if r.Alpha == 0 {
		r.Alpha = DefaultAlpha
	}
	if r.Claim == 0 {
		r.Claim = DefaultClaim
	}
	return r
}
