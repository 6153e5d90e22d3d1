package linux

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"os"
	"slices"
	"testing"
)

func TestCPUFlags(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
		bad        bool
	}{
		{"x86", "processor\t: 0\nvendor_id\t: AuthenticAMD\nflags\t\t: fpu rdrand rdseed\nbugs\t\t: spectre_v1\n\nprocessor\t: 1\nflags\t\t: fpu\n", []string{"fpu", "rdrand", "rdseed"}, false},
		{"arm64", "processor\t: 0\nFeatures\t: fp asimd rng\n", []string{"fp", "asimd", "rng"}, false},
		{"no flags at all", "flags\t\t:\n", []string{}, false},
		{"s390x", "vendor_id       : IBM/S390\nfeatures\t: esan3 stfle msa\n", nil, true},
		{"empty", "", nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Procfs(tree(t, map[string]string{"cpuinfo": tt.text}))
			got, err := p.CPUFlags()
			if !slices.Equal(got, tt.want) || (err != nil) != tt.bad {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
	if _, err := Procfs("").CPUFlags(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a procfs: %v", err)
	}
}

// TestHWCAP2 can only compare with what the kernel shows of the same vector.
func TestHWCAP2(t *testing.T) {
	shown, err := os.ReadFile("/proc/self/auxv")
	if err != nil {
		t.Skip(err)
	}
	want, found := auxiliary(shown, atHWCAP2)
	got, err := HWCAP2()
	if got != want || (err == nil) != found {
		t.Errorf("%#x, %v, the kernel shows %#x, %v", got, err, want, found)
	}
}

// auxiliary looks up a key in an auxiliary vector of this process's word size and byte order.
func auxiliary(vector []byte, key uint64) (value uint64, found bool) {
	word := func() uint64 {
		defer func() { vector = vector[bits.UintSize/8:] }()
		if bits.UintSize == 32 {
			return uint64(binary.NativeEndian.Uint32(vector))
		}
		return binary.NativeEndian.Uint64(vector)
	}
	for len(vector) >= 2*bits.UintSize/8 {
		if k, v := word(), word(); k == key {
			return v, true
		}
	}
	return 0, false
}
