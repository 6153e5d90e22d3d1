package fips_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// verdicts returns the verdict of each block of a stream.
func verdicts(stream []byte) (list []fips.Failure) {
	boot, blocks := fipstest.Split(stream)
	var tester fips.Tester
	tester.Prime(boot)
	for _, block := range blocks {
		list = append(list, tester.Block(block))
	}
	return list
}

func TestGoodStream(t *testing.T) {
	for i, got := range verdicts(fipstest.G1(2000)) {
		want := fips.Failure(0)
		if i == 1216 {
			want = fips.Monobit
		}
		if got != want {
			t.Errorf("block %d: got %v, want %v", i, got, want)
		}
	}
}

// TestPlantedRuns has one fault in the third of four blocks.
func TestPlantedRuns(t *testing.T) {
	for _, test := range []struct {
		name   string
		stream []byte
		third  fips.Failure
	}{
		{"26 ones", fipstest.G2(), fips.LongRun},
		{"24 ones", fipstest.G3(24), 0},
		{"25 ones", fipstest.G3(25), 0},
		{"27 ones", fipstest.G3(27), fips.LongRun},
		{"34 ones", fipstest.G3(34), fips.LongRun},
		{"26 zeros", fipstest.G7(), fips.LongRun},
		{"26 ones at start", fipstest.G8(false), fips.LongRun},
		{"26 ones at end", fipstest.G8(true), fips.LongRun},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := []fips.Failure{0, 0, test.third, 0}
			if got := verdicts(test.stream); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestShiftedOnes(t *testing.T) {
	for ones, want := range map[int]fips.Failure{
		9724: fips.Monobit, 9725: fips.Monobit, 9726: 0, 10000: 0,
		10274: 0, 10275: fips.Monobit, 10276: fips.Monobit,
	} {
		if got := fips.Check(fipstest.G4(ones), prev); got != want {
			t.Errorf("%d ones: got %v, want %v", ones, got, want)
		}
	}
}

// TestBrokenGenerators has streams of 100 blocks (20 of the constant ones).
func TestBrokenGenerators(t *testing.T) {
	const every = fips.Monobit | fips.Poker | fips.Runs | fips.LongRun | fips.ContinuousRun
	for _, test := range []struct {
		name   string
		stream []byte
		good   int
		always fips.Failure // tests that each bad block fails
		never  fips.Failure // tests that no block fails
	}{
		{"G10 all ones", fipstest.G10(20), 0, every, 0},
		{"G11 all zeros", make([]byte, 4+20*fips.BlockBytes), 0, every, 0},
		{"G11 zeros after 10 blocks", fipstest.G11(10, 20), 10, every, 0},
		{
			"G12 period 16", fipstest.G12(16, 100), 0,
			fips.Monobit | fips.Poker | fips.Runs, fips.LongRun | fips.ContinuousRun,
		},
		{"G12 period 64", fipstest.G12(64, 100), 0, 0, fips.LongRun | fips.ContinuousRun},
		{"G15 p=0.40", fipstest.G15(0.40, 100), 0, fips.Monobit, 0},
		{"G15 p=0.45", fipstest.G15(0.45, 100), 0, fips.Monobit, 0},
		{"G15 p=0.495", fipstest.G15(0.495, 100), 99, 0, fips.LongRun | fips.ContinuousRun},
		{"G16 4096 zeros inside", fipstest.G16(), 97, fips.LongRun, 0},
		{"G17 a zero byte in 32", fipstest.G17(100), 0, fips.Poker, 0},
		{"G18 words twice", fipstest.G18(100), 0, fips.ContinuousRun, 0},
		{"G21 7-bit data", fipstest.G21("top", 100), 0, fips.Monobit | fips.Poker, 0},
		{"G21 hex", fipstest.G21("hex", 100), 0, fips.Poker, 0},
		{"G21 base64", fipstest.G21("base64", 100), 0, fips.Poker, 0},
		{"G26 counter", fipstest.G26(100), 34, 0, fips.ContinuousRun},
	} {
		t.Run(test.name, func(t *testing.T) {
			good := 0
			for i, failed := range verdicts(test.stream) {
				if failed == 0 {
					good++
				} else if failed&test.always != test.always || failed.Has(test.never) {
					t.Errorf("block %d: %v", i, failed)
				}
			}
			if good != test.good {
				t.Errorf("%d blocks pass, want %d", good, test.good)
			}
		})
	}
}

// TestShortStreams: Split hands out whole blocks only.
func TestShortStreams(t *testing.T) {
	for size, want := range map[int]int{4: 0, 2503: 0, 2504: 1, 5003: 1, 5004: 2} {
		stream := fipstest.G1(2)[:size]
		boot, blocks := fipstest.Split(stream)
		if !bytes.Equal(boot[:], stream[:4]) || len(blocks) != want {
			t.Errorf("%d bytes: %d blocks, want %d", size, len(blocks), want)
		}
	}
}
