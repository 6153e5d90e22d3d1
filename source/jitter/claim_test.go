package jitter

import (
	"bytes"
	"crypto/sha512"
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

func TestLadder(t *testing.T) {
	l := newLadder(0)
	var claims []float64
	for more := true; more; more = l.down() {
		claims = append(claims, l.claim())
	}
	if want := []float64{0.5, 1.0 / 3, 0.2, 0.125}; !slices.Equal(claims, want) || l.claim() != l.lowest() {
		t.Errorf("claims %v, want %v", claims, want)
	}
	for ceiling, want := range map[float64]int{0.5: 4, 0.4: 4, 0.2: 2, 0.15: 2, 0.1: 1, 0.125: 1, 4: 4, -1: 4, math.Inf(1): 4} {
		if l := newLadder(ceiling); len(l.claims) != want || l.claim() > MaxClaim || ceiling > 0 && l.claim() > ceiling {
			t.Errorf("ceiling %v: %v", ceiling, l.claims)
		}
	}
	if l := newLadder(math.NaN()); l.claim() != MaxClaim {
		t.Errorf("ceiling NaN: %v", l.claims)
	}
}

func TestLadderFit(t *testing.T) {
	for _, c := range []struct {
		estimate float64
		at       int
		ok       bool
	}{
		{4, 0, true},
		{1, 0, true},
		{0.999, 1, true},
		{2.0 / 3, 1, true},
		{0.66, 2, true},
		{0.4, 2, true},
		{0.399, 3, true},
		{0.25, 3, true},
		{0.249, 3, false},
		{0, 3, false},
	} {
		l := newLadder(0)
		if ok := l.fit(c.estimate); ok != c.ok || l.at != c.at {
			t.Errorf("estimate %v: rung %d, %v, want %d, %v", c.estimate, l.at, ok, c.at, c.ok)
		}
		at := l.at
		if l.fit(8); l.at != at {
			t.Errorf("estimate %v: a better one raised the claim", c.estimate)
		}
	}
}

// TestSamplesPerBlock: w = ceil((512 + 64) / H).
func TestSamplesPerBlock(t *testing.T) {
	for h, want := range map[float64]int{1: 576, 0.5: 1152, 1.0 / 3: 1728, 0.2: 2880, 0.125: 4608, 0.3: 1920, 0.7: 823} {
		if got := samplesPerBlock(h); got != want {
			t.Errorf("H = %v: %d, want %d", h, got, want)
		}
	}
}

// TestConditioner compares with SHA-512 over input put together by hand.
func TestConditioner(t *testing.T) {
	c := newConditioner(0.5)
	for block := uint64(1); block <= 3; block++ {
		var input []byte
		var fold uint64
		for c.missing() > 0 {
			n := min(100, c.missing())
			samples, deltas := make([]byte, n), make([]int64, n)
			for i := range samples {
				samples[i], deltas[i] = byte(i)*byte(block), int64(i)<<20+int64(block)
				fold = (fold<<7 | fold>>57) ^ uint64(deltas[i])
			}
			c.add(samples, deltas)
			input = append(input, samples...)
		}
		if len(input) != 1152 {
			t.Fatalf("block of %d samples", len(input))
		}
		input = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(input, block), fold)
		var got [BlockSize]byte
		c.block(&got)
		if want := sha512.Sum512(input); got != want {
			t.Fatalf("block %d: %x, want %x", block, got, want)
		}
		if !bytes.Equal(c.samples[:cap(c.samples)], make([]byte, cap(c.samples))) || c.fold != 0 {
			t.Error("samples were kept")
		}
	}
	// The same samples make another block: the counter is in it.
	var a, b [BlockSize]byte
	for _, dst := range []*[BlockSize]byte{&a, &b} {
		c.add(make([]byte, 1152), make([]int64, 1152))
		c.block(dst)
	}
	if a == b {
		t.Error("two blocks are equal")
	}
	c.add(make([]byte, 100), make([]int64, 100))
	if c.drop(); c.missing() != 1152 {
		t.Errorf("%d missing after a drop", c.missing())
	}
}
