package hwrng

import (
	"testing"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

func TestNoiseOf(t *testing.T) {
	for _, c := range []struct {
		driver string
		want   source.Noise
	}{
		{"tpm-rng-0", source.NoiseTPM},
		{"virtio_rng.1", ""},
		{"ccp-1-rng", source.NoiseCPU},
		{"s390-trng", source.NoiseCPU},
		{"2094000.caam", source.NoiseHardware},
		{"optee-rng", source.NoiseHardware},
		{"", source.NoiseHardware}, // what is not known may be anything
	} {
		if got := noiseOf(c.driver); got != c.want {
			t.Errorf("%q: %q, want %q", c.driver, got, c.want)
		}
		if got := (Options{}).describe("/dev/hwrng", linux.Node{Type: linux.CharDevice}, c.driver).Noise; got != c.want {
			t.Errorf("%q is described as %q, want %q", c.driver, got, c.want)
		}
	}
}
