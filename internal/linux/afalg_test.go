package linux

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const cryptoList = `name         : ecb(aes)
driver       : ecb(aes-generic)
module       : kernel
priority     : 101
selftest     : passed
internal     : no
type         : lskcipher

name         : stdrng
driver       : drbg_nopr_hmac_sha512
module       : drbg
priority     : 217
refcnt       : 1
selftest     : passed
internal     : no
type         : rng
seedsize     : 0

name         : stdrng
driver       : sun4i_ss_rng
module       : sun4i_ss
priority     : 300
selftest     : unknown
internal     : no
type         : rng
seedsize     : 24

name         : stdrng
driver       : hidden
internal     : yes
type         : rng

name         : jitterentropy_rng
driver       : jitterentropy_rng
module       : kernel
priority     : 100
selftest     : passed
internal     : no
type         : rng
seedsize     : 0

`

func TestCryptoRNGs(t *testing.T) {
	want := []CryptoRNG{
		{"drbg_nopr_hmac_sha512", "drbg", 217, 0, true},
		{"sun4i_ss_rng", "sun4i_ss", 300, 24, false},
		{"jitterentropy_rng", "kernel", 100, 0, true},
	}
	got, err := Procfs(tree(t, map[string]string{"crypto": cryptoList})).CryptoRNGs()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, none := range []Procfs{"", Procfs(t.TempDir())} {
		if _, err := none.CryptoRNGs(); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("procfs %q: %v", none, err)
		}
	}
}

func FuzzParseCrypto(f *testing.F) {
	f.Add(cryptoList)
	f.Add("type:rng\ndriver:\n\ntype : rng\ndriver : x\npriority : 99999999999999999999\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, g := range parseCrypto(text) {
			if g.Driver == "" || strings.ContainsAny(g.Driver, "\n") || !strings.Contains(text, g.Driver) {
				t.Errorf("driver %q", g.Driver)
			}
		}
	})
}

// TestCryptoGenerator reads the kernel's own generators where it lets programs do so.
func TestCryptoGenerator(t *testing.T) {
	list, err := Procfs("/proc").CryptoRNGs()
	if err != nil {
		t.Skip(err)
	}
	i := slices.IndexFunc(list, func(g CryptoRNG) bool { return g.SeedSize == 0 && g.Passed })
	if i < 0 {
		t.Skip("the kernel has no generator that seeds itself")
	}
	noLeak(t, func() {
		g, err := OpenCryptoGenerator(list[i].Driver)
		if err != nil {
			t.Skip(err)
		}
		defer g.Close()
		a, b := make([]byte, MaxCryptoRead+1), make([]byte, 16)
		n, errA := g.Read(a)
		m, errB := g.Read(b)
		if errors.Join(errA, errB) != nil || n != MaxCryptoRead || m != len(b) || bytes.Equal(a[:16], b) {
			t.Errorf("%d bytes, %v, then %d, %v", n, errA, m, errB)
		}
	})
}

// TestNoCryptoGenerator: a generator that is not there gives an error that names call and generator,
// and leaves nothing open.
func TestNoCryptoGenerator(t *testing.T) {
	noLeak(t, func() {
		_, err := OpenCryptoGenerator("no-such-generator")
		if err == nil || !strings.Contains(err.Error(), "no-such-generator") {
			t.Fatalf("error %v", err)
		}
		if !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.EAFNOSUPPORT) && !errors.Is(err, os.ErrPermission) {
			t.Errorf("error %v", err)
		}
		if _, err := OpenCryptoGenerator(strings.Repeat("x", 100)); err == nil {
			t.Error("a name that is too long was taken")
		}
	})
}
