package hwrng

import (
	"path"

	"github.com/hwrngd/hwrngd/source"
)

// noises tells of the drivers that read no block of the chip of their own, by the names that they
// register in Linux 6.12; first match wins. What is off the chip shares its noise with nobody.
var noises = []struct {
	pattern string
	noise   source.Noise
}{
	{"tpm-rng*", source.NoiseTPM},
	{"virtio_rng*", ""},
	{"ath9k*", ""},
	{"chaoskey*", ""},
	{"atmel-sha204a*", ""},
	{"ccp-*-rng", source.NoiseCPU}, // AMD's RDSEED is fed by the same unit
	{"powernv-rng", source.NoiseCPU},
	{"pseries-rng", source.NoiseCPU}, // the unit that DARN reads
	{"s390-trng", source.NoiseCPU},   // the instruction itself
	{"*smccc_trng*", source.NoiseCPU},
	{"via", source.NoiseCPU}, // an instruction of VIA's CPUs
}

// noiseOf returns what makes the noise of a generator by its name.
func noiseOf(driver string) source.Noise {
	for _, n := range noises {
		if ok, _ := path.Match(n.pattern, driver); ok {
			return n.noise
		}
	}
	return source.NoiseHardware
}
