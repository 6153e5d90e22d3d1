package source

// Noise names what physically makes a source's randomness, as far as it is known. Two paths may lead
// to one device: the TPM is read directly or behind /dev/hwrng. Sources of the same Noise are not
// independent, so the claims of two of them are never added up. Where it is not known whether two
// paths meet, they do.
type Noise string

// The noises that more than one path leads to.
const (
	NoiseTiming   Noise = "timing"   // of the CPU: jitter, jitterentropy_rng of the kernel
	NoiseCPU      Noise = "cpu"      // behind the instructions of the CPU, and behind drivers that use the same unit
	NoiseTPM      Noise = "tpm"      // a TPM
	NoiseHardware Noise = "hardware" // a block of the chip, behind /dev/hwrng or the crypto API
)

// noise returns what makes the noise of a source. What no other path leads to is only like itself.
func (i *Info) noise() Noise {
	if i.Noise != "" {
		return i.Noise
	}
	return Noise(i.Name + " " + i.Driver)
}
