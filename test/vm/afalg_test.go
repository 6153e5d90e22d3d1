package vm

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/afalg"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// crypto61 is Linux 6.1 with the crypto API's generators for programs, and with the hashes and the cipher that
// they look for when they are loaded.
func crypto61() kernel.Spec {
	k := linux61
	k.Version, k.Modules = "6.1-crypto", []string{"sha3_generic", "hmac", "sha512_generic", "algif_rng", "jitterentropy_rng", "drbg", "ansi_cprng"}
	return k
}

// The crypto API as a source: the kernel's jitter generator earns credit, its own output earns none, and a
// generator that wants a seed from its user is not read.
func TestCryptoAPI(t *testing.T) {
	if !all() {
		t.Skip("SKIPPED, NOT TESTED: needs HWRNGD_VM=all")
	}
	k := crypto61()
	defer reportVerdict(t, k, time.Now())
	m := boot(t, setup{kernel: k})
	list := m.hwrngd("list", "--sources=afalg").Text
	if !slices.ContainsFunc(strings.Split(list, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "afalg") && strings.Contains(line, "jitterentropy_rng  usable ")
	}) {
		t.Errorf("the list has no usable generator:\n%s", list)
	}

	d := m.start("--sources=afalg", everySecond)
	d.credits(afalg.Name)
	if s := d.source(afalg.Name); s.Driver != "jitterentropy_rng" || s.MinEntropy != 1 {
		t.Errorf("%s, %v bits a byte", s.Driver, s.MinEntropy)
	}
	d.stop()

	d = m.start("--sources=afalg", "--afalg-generator=drbg_nopr_hmac_sha512", everySecond)
	kit.Eventually(t, "its own output is mixed", func() bool { return d.status().Credits.Bytes[afalg.Name] >= 128 })
	if n := d.credited(afalg.Name); n != 0 {
		t.Errorf("%d bits credited for the kernel's own output", n)
	}
	d.stop()

	d = m.start("--sources=afalg", "--afalg-generator=ansi_cprng")
	kit.Eventually(t, "a refusal", func() bool { return d.source(afalg.Name).State == source.Disabled.String() })
	if s := d.source(afalg.Name); s.BytesRead != 0 || !strings.Contains(s.Reason, "it wants a seed of ") {
		t.Errorf("%d bytes read, %s", s.BytesRead, s.Reason)
	}
	d.stop()
}
