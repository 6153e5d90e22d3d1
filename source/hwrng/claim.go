package hwrng

import (
	"fmt"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

// describe returns the Info of the generator called driver, "" if it has no name, behind the device
// at path. It claims the configured min-entropy if there is one, else what the driver table says,
// else UnknownMinEntropy; a quality that the driver states caps all of them.
func (o Options) describe(path string, node linux.Node, driver string) source.Info {
	known, listed := Identify(driver, o.Sysfs)
	info := source.Info{
		Name: Name, Kind: known.Kind, Noise: noiseOf(driver), Device: path, Driver: driver, Note: known.Note,
		MinEntropy: known.MinEntropy, ClaimOrigin: "default",
	}
	switch {
	case o.Entropy > 0:
		info.MinEntropy, info.ClaimOrigin = o.Entropy, "configured"
	case listed:
		info.ClaimOrigin = "driver table"
	}
	if driver == "" && (node.Type == linux.FIFO || node.Type == linux.RegularFile) {
		info.Kind = source.KindFile
	}
	if info.FailureRate = known.FailureRate; o.FailureRate > 0 {
		info.FailureRate = o.FailureRate
	}
	if most := source.MinEntropyCeiling(info.FailureRate); most < info.MinEntropy {
		info.MinEntropy = most
		info.ClaimOrigin += fmt.Sprintf(", capped for %.3g %% failing blocks", 100*info.FailureRate)
	}
	// rng_quality speaks of the current generator alone.
	if current, _ := o.Sysfs.RNGCurrent(); current != driver {
		return info
	}
	if quality, _, stated := o.Sysfs.RNGQuality(); stated && bits(float64(quality)) < info.MinEntropy {
		info.MinEntropy = bits(float64(quality))
		info.ClaimOrigin += fmt.Sprintf(", capped by rng_quality %d", quality)
	}
	return info
}
