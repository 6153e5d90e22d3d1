package jitter

import (
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/hwrngd/hwrngd/sp80090b"
)

// selfTest checks once a process, with known answers, what stands between noise and output.
var selfTest = sync.OnceValue(func() error {
	// FIPS 180-4, the example of NIST for one block: "abc".
	const want = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a" +
		"2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
	if sum := sha512.Sum512([]byte("abc")); hex.EncodeToString(sum[:]) != want {
		return errors.New("self-test: SHA-512 is wrong")
	}
	t, err := newHealth(MaxClaim)
	if err != nil {
		return err
	}
	// Cutoffs for 0.5 bits at 2^-30: 61 repeats, 422 of 512, 85 right predictions in a row.
	for _, known := range []struct {
		name   string
		test   scanner
		sample func(i int) byte
		alarm  int // index of the sample that must raise it
	}{
		{"repetition count", t.rct, func(int) byte { return 7 }, 60},
		{"adaptive proportion", t.apt, func(i int) byte { return byte(i / 422) }, 421},
		{"lag", t.lag, func(i int) byte { return byte(i % 3) }, -1},
	} {
		samples := make([]byte, 512)
		for i := range samples {
			samples[i] = known.sample(i)
		}
		at, verdict := known.test.Scan(samples)
		if verdict != sp80090b.Intermittent || known.alarm >= 0 && at != known.alarm {
			return fmt.Errorf("self-test: the %s test is wrong: %s at sample %d", known.name, verdict, at)
		}
	}
	return nil
})
