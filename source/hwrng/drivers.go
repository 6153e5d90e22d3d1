package hwrng

import (
	"path"
	"strings"

	"github.com/hwrngd/hwrngd/source"
)

// Driver is what is known of one hw_random driver.
type Driver struct {
	// Pattern matches the driver's name in rng_current, in the syntax of path.Match.
	Pattern string
	// MinEntropy is the default claim in bits per byte: the quality that the mainline driver
	// states (1/1024 bit per bit, so times 8/1024) where that is lower than UnknownMinEntropy,
	// else UnknownMinEntropy, for no driver proves what it states.
	MinEntropy float64
	Kind       source.Kind
	Note       string // one line for people
	// FailureRate is the share of FIPS 140-2 blocks that the part fails by design, 0 for none.
	FailureRate float64
}

// UnknownMinEntropy is the claim in bits per byte where nothing better is known: half.
const UnknownMinEntropy = 4.0

// bits converts a kernel quality (1/1024 bit of entropy per bit) to bits per byte.
func bits(quality float64) float64 { return 8 * quality / 1024 }

const postProcessed = "output is post-processed by a DRBG: block tests cannot see a dead noise source behind it"

// Drivers lists the drivers by name, first match wins. Qualities and remarks are those of the
// drivers in Linux 6.12, drivers/char/hw_random and the crypto and tpm trees.
var Drivers = []Driver{
	{"tpm-rng*", UnknownMinEntropy, source.KindTPM, "TPM: slow, " + postProcessed, 0},
	{"imx-rngc", bits(19), source.KindHWRNG, "the driver states a quality of 19 of 1024", 0},
	{"atmel-sha204a*", bits(1), source.KindHWRNG, "the driver states a quality of 1 of 1024: of use for mixing only", 0},
	{"ath9k*", bits(320), source.KindHWRNG, "noise of the Wi-Fi receiver; read errors while the radio is idle are normal", 0},
	{"virtio_rng*", UnknownMinEntropy, source.KindHWRNG, "as good as what the host feeds it; hosts limit its rate", 0},
	{"bcm2835-rng*", UnknownMinEntropy, source.KindHWRNG, "Raspberry Pi 0 to 3; some kernels read it at 20 bytes a second", 0},
	{"iproc-rng200*", UnknownMinEntropy, source.KindHWRNG, "Raspberry Pi 4 and 5; tests itself and returns nothing on failure", 0},
	{"*caam*", UnknownMinEntropy, source.KindHWRNG, "i.MX CAAM: " + postProcessed, 0},
	{"jh7110*", UnknownMinEntropy, source.KindHWRNG, postProcessed, 0},
	{"*airoha*", UnknownMinEntropy, source.KindHWRNG, postProcessed, 0},
	{"*qcom*", UnknownMinEntropy, source.KindHWRNG, postProcessed, 0},
	{"omap*", UnknownMinEntropy, source.KindHWRNG, "TI OMAP, AM335x (BeagleBone)", 0},
	{"optee-rng*", UnknownMinEntropy, source.KindHWRNG, "trusted firmware (AM62L and others); quality is what the trusted application states", 0},
	{"rockchip*", UnknownMinEntropy, source.KindHWRNG, "its sampling lets about one block in eight fail the FIPS tests by design", 1.0 / 8},
	{"rk3328*", UnknownMinEntropy, source.KindHWRNG, "known to fail every block on some boards", 0},
	{"ccp-*-rng", UnknownMinEntropy, source.KindHWRNG, "AMD CCP; gives only ones where the firmware left it off", 0},
	{"geode*", UnknownMinEntropy, source.KindHWRNG, "AMD Geode LX; repeats a short pattern on recent kernels", 0},
	{"*smccc_trng*", UnknownMinEntropy, source.KindHWRNG, "as good as the firmware", 0},
}

// Lookup returns what is known of a driver by its name, and whether it is listed at all. Others get
// UnknownMinEntropy and no note.
func Lookup(name string) (Driver, bool) {
	for _, d := range Drivers {
		if ok, _ := path.Match(d.Pattern, name); ok {
			return d, true
		}
	}
	return Driver{Pattern: name, MinEntropy: UnknownMinEntropy, Kind: source.KindHWRNG}, false
}

// binder tells which driver a device is bound to. [linux.Sysfs] is the real one.
type binder interface{ BoundDriver(device string) string }

// Identify returns what is known of a generator by the name that rng_current shows. That is the
// driver's name or the device's, such as 3f104000.rng: then sysfs knows whose device it is.
func Identify(name string, sys binder) (d Driver, listed bool) {
	if d, listed = Lookup(name); listed || name == "" {
		return d, listed
	}
	bound := sys.BoundDriver(name)
	if bound == "" {
		return d, false
	}
	d, listed = Lookup(bound)
	d.Note = strings.TrimSuffix("driver "+bound+": "+d.Note, ": ")
	return d, listed
}
