package pool_test

import (
	"bytes"
	"crypto/sha512"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source"
)

// TestConditionKnownAnswer has the SHA-512 example of FIPS 180-4, since a conditioner that merely
// looks random would pass every other test.
func TestConditionKnownAnswer(t *testing.T) {
	want, err := hex.DecodeString("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a" +
		"2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
	if err != nil {
		t.Fatal(err)
	}
	var seed [pool.SeedBytes]byte
	pool.Condition(&seed, pool.Part{Raw: []byte("a"), MinEntropy: 8}, pool.Part{Raw: []byte("bc"), MinEntropy: 8})
	if !bytes.Equal(seed[:], want) {
		t.Errorf("Condition(abc) = %x, want %x", seed, want)
	}
}

func TestConditionCredit(t *testing.T) {
	tests := []struct {
		name  string
		bytes int
		claim float64
		want  int
	}{
		{"nothing", 0, 8, 0},
		{"less than the excess", 7, 8, 0},
		{"just the excess", 8, 8, 0},
		{"one byte above the excess", 9, 8, 8},
		{"fractions are dropped", 2500, 0.0283, 6}, // 70.75 - 64
		{"one bit short of full", 144, 3.999999, 511},
		{"just full", 144, 4, 512},
		{"a block at half", 2500, 4, 512},
		{"a block at full", 2500, 8, 512},
		{"imx-rngc, 19/1024", 2500, 8 * 19. / 1024, 307},
		{"atmel-sha204a, 1/1024", 2500, 8 * 1. / 1024, 0},
		{"no claim", 2500, 0, 0},
		{"negative claim", 2500, -4, 0},
		// Configuration refuses what follows; credit must not rest on that alone.
		{"no number", 2500, math.NaN(), 0},
		{"minus infinity", 2500, math.Inf(-1), 0},
		{"infinity", 2500, math.Inf(1), 512},
		{"beyond any integer", 2500, 1e300, 512},
		{"below any integer", 2500, -1e300, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seed [pool.SeedBytes]byte
			if got := pool.Condition(&seed, pool.Part{Raw: make([]byte, tt.bytes), MinEntropy: tt.claim}); got != tt.want {
				t.Errorf("credit for %d bytes at %v bits = %d, want %d", tt.bytes, tt.claim, got, tt.want)
			}
		})
	}
}

// FuzzCondition holds the one promise that everything else rests on: no credit beyond the claim
// less 64 bits, nor beyond what the seed can hold.
func FuzzCondition(f *testing.F) {
	f.Add([]byte(strings.Repeat("x", 144)), 4.0)
	f.Add([]byte{}, 8.0)
	f.Add([]byte("abc"), math.NaN())
	f.Add([]byte("abc"), -math.MaxFloat64)
	f.Fuzz(func(t *testing.T, raw []byte, claim float64) {
		var seed [pool.SeedBytes]byte
		credit := pool.Condition(&seed, pool.Part{Raw: raw, MinEntropy: claim})
		if credit < 0 || credit > 512 {
			t.Fatalf("credit %d", credit)
		}
		if honest := claim*float64(len(raw)) - 64; credit > 0 && !(float64(credit) <= honest) {
			t.Fatalf("credit %d for a claim of %v on %d bytes, which is worth %v", credit, claim, len(raw), honest)
		}
		if seed != sha512.Sum512(raw) {
			t.Fatal("seed is not the hash of the data")
		}
	})
}

// TestConditionParts: claims add up, but never those of one device seen by two paths.
func TestConditionParts(t *testing.T) {
	part := func(claim float64, noise source.Noise) pool.Part {
		return pool.Part{Raw: make([]byte, 1000), MinEntropy: claim, Noise: noise}
	}
	for _, tt := range []struct {
		name  string
		parts []pool.Part
		want  int
	}{
		{"none", nil, 0},
		{"two noises", []pool.Part{part(0.1, "a"), part(0.2, "b")}, 236},
		{"one noise twice, the better last", []pool.Part{part(0.1, "a"), part(0.2, "a")}, 136},
		{"one noise twice, the better first", []pool.Part{part(0.2, "a"), part(0.1, "a")}, 136},
		{"one noise thrice and another", []pool.Part{part(0.2, "a"), part(0.1, "b"), part(0.3, "a"), part(0.2, "a")}, 336},
		{"no number among them", []pool.Part{part(math.NaN(), "a"), part(0.2, "b")}, 136},
		{"a negative claim among them", []pool.Part{part(-5, "a"), part(0.2, "b")}, 136},
		{"an infinite claim for few bytes", []pool.Part{{Raw: make([]byte, 10), MinEntropy: math.Inf(1), Noise: "a"}}, 16},
		{"more than a seed holds", []pool.Part{part(4, "a"), part(4, "b")}, 512},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var seed [pool.SeedBytes]byte
			if got := pool.Condition(&seed, tt.parts...); got != tt.want {
				t.Errorf("%d bits, want %d", got, tt.want)
			}
		})
	}
}
