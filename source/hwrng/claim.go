package hwrng

import (
	"fmt"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

// Claim returns the min-entropy to claim for the current generator called name, in bits per
// byte, and where it comes from: the configured figure if above zero, else the driver table, else
// UnknownMinEntropy. A quality that the driver states caps all of them.
func Claim(name string, configured float64, sys linux.Sysfs) (minEntropy float64, origin string) {
	driver := Lookup(name)
	switch {
	case configured > 0:
		minEntropy, origin = configured, "configured"
	case driver.Note != "":
		minEntropy, origin = driver.MinEntropy, "driver table"
	default:
		minEntropy, origin = driver.MinEntropy, "default"
	}
	if quality, stated := sys.RNGQuality(); stated && bits(float64(quality)) < minEntropy {
		minEntropy = bits(float64(quality))
		origin += fmt.Sprintf(", capped by rng_quality %d", quality)
	}
	return minEntropy, origin
}

// describe returns the Info of the generator called driver on device.
func describe(name, device, driver string, configured float64, sys linux.Sysfs) source.Info {
	known := Lookup(driver)
	info := source.Info{Name: name, Kind: known.Kind, Device: device, Driver: driver, Note: known.Note}
	info.MinEntropy, info.ClaimOrigin = Claim(driver, configured, sys)
	return info
}
