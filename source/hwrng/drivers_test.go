package hwrng

import (
	"math"
	"path"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

func TestDriversTable(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Drivers {
		if _, err := path.Match(d.Pattern, "x"); err != nil {
			t.Errorf("pattern %q: %v", d.Pattern, err)
		}
		if seen[d.Pattern] {
			t.Errorf("pattern %q is there twice", d.Pattern)
		}
		seen[d.Pattern] = true
		if !(d.MinEntropy > 0 && d.MinEntropy <= UnknownMinEntropy) {
			t.Errorf("%s claims %v: a driver can lower the default, not raise it", d.Pattern, d.MinEntropy)
		}
		if want := strings.HasPrefix(d.Pattern, "tpm"); want != (d.Kind == source.KindTPM) {
			t.Errorf("%s is of kind %q", d.Pattern, d.Kind)
		}
		if d.Kind != source.KindTPM && d.Kind != source.KindHWRNG {
			t.Errorf("%s is of kind %q", d.Pattern, d.Kind)
		}
		// Claim takes an entry without a note for an unknown driver.
		if d.Note == "" || strings.ContainsAny(d.Note, "\n\t") || strings.HasSuffix(d.Note, ".") {
			t.Errorf("%s has the note %q", d.Pattern, d.Note)
		}
	}
	// First match wins, so an entry may not hide one further down.
	for i, d := range Drivers {
		for _, earlier := range Drivers[:i] {
			if ok, _ := path.Match(earlier.Pattern, strings.Trim(d.Pattern, "*")); ok {
				t.Errorf("%s hides %s", earlier.Pattern, d.Pattern)
			}
		}
	}
}

// Names as the drivers register them: drivers/char/hw_random, drivers/crypto, drivers/char/tpm
// and drivers/net/wireless/ath of Linux 6.12.
func TestLookup(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		claim         float64
		kind          source.Kind
	}{
		{"tpm-rng-0", "tpm-rng*", 4, source.KindTPM},
		{"tpm-rng", "tpm-rng*", 4, source.KindTPM}, // before 4.14 or so
		{"imx-rngc", "imx-rngc", 8 * 19.0 / 1024, source.KindHWRNG},
		{"ath9k_0", "ath9k*", 2.5, source.KindHWRNG},
		{"virtio_rng.0", "virtio_rng*", 4, source.KindHWRNG},
		{"virtio_rng.12", "virtio_rng*", 4, source.KindHWRNG},
		{"iproc-rng200", "iproc-rng200*", 4, source.KindHWRNG},
		{"rng-caam", "*caam*", 4, source.KindHWRNG},
		{"jh7110-trng", "jh7110*", 4, source.KindHWRNG},
		{"qcom_hwrng", "*qcom*", 4, source.KindHWRNG},
		{"optee-rng", "optee-rng*", 4, source.KindHWRNG},
		{"rockchip-rng", "rockchip*", 4, source.KindHWRNG},
		{"ccp-1-rng", "ccp-*-rng", 4, source.KindHWRNG},
		{"geode", "geode*", 4, source.KindHWRNG},
		{"smccc_trng", "*smccc_trng*", 4, source.KindHWRNG},
		{"atmel-sha204a", "atmel-sha204a*", 8 * 1.0 / 1024, source.KindHWRNG},

		{"a.rng", "a.rng", 4, source.KindHWRNG}, // unknown
		{"TPM-RNG-0", "TPM-RNG-0", 4, source.KindHWRNG},
		{"not-tpm-rng-0", "not-tpm-rng-0", 4, source.KindHWRNG},
		{"", "", 4, source.KindHWRNG},
		{"[", "[", 4, source.KindHWRNG}, // a name is no pattern
	} {
		d, listed := Lookup(c.name)
		if d.Pattern != c.pattern || math.Abs(d.MinEntropy-c.claim) > 1e-12 || d.Kind != c.kind {
			t.Errorf("%q: got %+v, want pattern %q, claim %v, kind %s", c.name, d, c.pattern, c.claim, c.kind)
		}
		if listed != (d.Note != "") {
			t.Errorf("%q: listed %t with the note %q", c.name, listed, d.Note)
		}
	}
}

// FC-057: a quality can only lower a claim, and only one that states something.
func TestClaim(t *testing.T) {
	const missing = "no such file"
	for _, c := range []struct {
		name       string
		configured float64
		quality    string
		want       float64
		origin     string
	}{
		{"a.rng", 0, missing, 4, "default"},
		{"a.rng", 0, "0\n", 4, "default"},
		{"a.rng", 0, "1\n", 8.0 / 1024, "default, capped by rng_quality 1"},
		{"a.rng", 0, "511\n", 8 * 511.0 / 1024, "default, capped by rng_quality 511"},
		{"a.rng", 0, "512\n", 4, "default"}, // caps at 4, which it is
		{"a.rng", 0, "1023\n", 4, "default"},
		{"a.rng", 0, "1024\n", 4, "default"},
		{"a.rng", 0, "5000\n", 4, "default"},
		{"a.rng", 0, "-1\n", 4, "default"},
		{"a.rng", 0, "good\n", 4, "default"},
		{"a.rng", 0, "\n", 4, "default"},

		{"a.rng", 7.5, missing, 7.5, "configured"},
		{"a.rng", 7.5, "1024\n", 7.5, "configured"},
		{"a.rng", 7.5, "512\n", 4, "configured, capped by rng_quality 512"},
		{"a.rng", 0.5, "512\n", 0.5, "configured"},
		{"a.rng", 0.5, "0\n", 0.5, "configured"},

		{"imx-rngc", 0, missing, 8 * 19.0 / 1024, "driver table"},
		{"imx-rngc", 0, "1024\n", 8 * 19.0 / 1024, "driver table"},
		{"imx-rngc", 0, "900\n", 8 * 19.0 / 1024, "driver table"},
		{"imx-rngc", 0, "10\n", 8 * 10.0 / 1024, "driver table, capped by rng_quality 10"},
		{"imx-rngc", 2, "1024\n", 2, "configured"}, // the user knows better
		{"virtio_rng.0", 0, "1000\n", 4, "driver table"},
		{"", 0, "512\n", 4, "default"},
	} {
		r := newRig(t, nil)
		if c.quality != missing {
			r.set("rng_quality", c.quality)
		}
		r.set("rng_current", c.name+"\n")
		info := Options{Sysfs: r.sys, Entropy: c.configured}.describe("", linux.Node{}, c.name)
		got, origin := info.MinEntropy, info.ClaimOrigin
		if got != c.want || origin != c.origin {
			t.Errorf("%q, configured %v, quality %q: got %v (%s), want %v (%s)",
				c.name, c.configured, c.quality, got, origin, c.want, c.origin)
		}
		if got <= 0 || got > 8 {
			t.Errorf("%q: a claim of %v cannot be tested", c.name, got)
		}
	}
}

// boundTo is a sysfs in which every device is bound to one driver.
type boundTo string

func (b boundTo) BoundDriver(string) string { return string(b) }

// Many drivers register under the name of their device, which no table can know.
func TestIdentify(t *testing.T) {
	for _, c := range []struct {
		name   string
		bound  boundTo
		claim  float64
		listed bool
		note   string // how it begins
	}{
		{"3f104000.rng", "bcm2835-rng", 4, true, "driver bcm2835-rng: Raspberry Pi"},
		{"53fd4000.rngb", "imx-rngc", 8 * 19.0 / 1024, true, "driver imx-rngc: "},
		{"1-0064", "atmel-sha204a", 8 * 1.0 / 1024, true, "driver atmel-sha204a: "},
		{"f000.trng", "vendor-trng", 4, false, "driver vendor-trng"},
		{"f000.trng", "", 4, false, ""},
		{"imx-rngc", "bcm2835-rng", 8 * 19.0 / 1024, true, "the driver states"}, // the name says it already
		{"", "imx-rngc", 4, false, ""},
	} {
		d, listed := Identify(c.name, c.bound)
		if math.Abs(d.MinEntropy-c.claim) > 1e-12 || listed != c.listed || !strings.HasPrefix(d.Note, c.note) || c.note == "" && d.Note != "" {
			t.Errorf("%q bound to %q: got %+v, listed %t", c.name, c.bound, d, listed)
		}
	}
}
