package fips_test

import (
	"bytes"
	"fmt"
	"io"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

func ExampleCheck() {
	var zeros [fips.BlockBytes]byte
	fmt.Println(fips.Check(&zeros, 1))

	good := fipstest.G1Block(0)
	fmt.Println(fips.Check(good, 1))
	// Output:
	// monobit+poker+runs+long_run+continuous_run
	// pass
}

// Test a stream in the way of rngtest: its first word only primes the continuous
// run test, and an incomplete block at the end is ignored.
func ExampleTester() {
	stream := bytes.NewReader(fipstest.G2())

	var tester fips.Tester
	var first [4]byte
	if _, err := io.ReadFull(stream, first[:]); err != nil {
		fmt.Println("no data:", err)
		return
	}
	tester.Prime(first)

	var block [fips.BlockBytes]byte
	for n := 1; ; n++ {
		if _, err := io.ReadFull(stream, block[:]); err != nil {
			break
		}
		fmt.Printf("block %d: %v\n", n, tester.Block(&block))
	}
	// Output:
	// block 1: pass
	// block 2: pass
	// block 3: long_run
	// block 4: pass
}

// Find out how far a failed block is from the limits.
func ExampleMeasure() {
	block := fipstest.G4(9725)
	counts := fips.Measure(block, 0)
	if fips.FIPS1402.Judge(&counts).Has(fips.Monobit) {
		limits := fips.FIPS1402.Ones
		fmt.Printf("%d ones, allowed are %d to %d\n", counts.Ones, limits.Min, limits.Max)
	}
	// Output:
	// 9725 ones, allowed are 9726 to 10274
}
