package ais31

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// The oracle computes each statistic from its definition, bit by bit or nearly so.

// figures are the values of each statistic, by test and name, and failures counts the failed
// verdicts of each test.
type figures struct {
	values   map[string][]float64
	failures map[string]int
}

func newFigures() *figures {
	return &figures{map[string][]float64{}, map[string]int{}}
}

func (f *figures) add(test, statistic string, v float64) {
	key := test + " " + statistic
	f.values[key] = append(f.values[key], v)
}

func (f *figures) fail(test string, failed bool) {
	if failed {
		f.failures[test]++
	}
}

// bitsOf returns bits from to to of the data, a byte each.
func bitsOf(data []byte, from, to int) []byte {
	list := make([]byte, 0, to-from)
	for i := from; i < to; i++ {
		list = append(list, fipstest.Bit(data, i))
	}
	return list
}

func oracleA(data []byte) *figures {
	f := newFigures()
	seen := map[string]bool{}
	for i := range 65536 {
		seen[string(data[6*i:6*i+6])] = true
	}
	f.add("t0", "repeats", float64(65536-len(seen)))
	f.fail("t0", len(seen) < 65536)
	for i := range 257 {
		block := data[6*65536+2500*i:][:2500]
		sequence := bitsOf(block, 0, 20000)

		ones := 0
		for _, b := range sequence {
			ones += int(b)
		}
		f.add("t1", "ones", float64(ones))
		f.fail("t1", !(9654 < ones && ones < 10346))

		var count [16]float64
		for j := 0; j < 20000; j += 4 {
			count[8*sequence[j]+4*sequence[j+1]+2*sequence[j+2]+sequence[j+3]]++
		}
		x := 0.0
		for _, n := range count {
			x += (n - 312.5) * (n - 312.5) / 312.5
		}
		f.add("t2", "x", x)
		f.fail("t2", !(1.03 < x && x < 57.4))

		var runs [2][7]int
		longest, start := 0, 0
		for j := 1; j <= 20000; j++ {
			if j == 20000 || sequence[j] != sequence[start] {
				runs[sequence[start]][min(j-start, 6)]++
				longest = max(longest, j-start)
				start = j
			}
		}
		failed := false
		for v := range 2 {
			for length, limits := range [][2]int{1: {2267, 2733}, {1079, 1421}, {502, 748}, {223, 402}, {90, 223}, {90, 223}} {
				if length > 0 {
					n := runs[v][length]
					f.add("t3", fmt.Sprintf("runs_of_%d_length_%d", v, length), float64(n))
					failed = failed || n < limits[0] || n > limits[1]
				}
			}
		}
		f.fail("t3", failed)
		f.add("t4", "longest_run", float64(longest))
		f.fail("t4", longest >= 34)

		_, z := oracleShift(block)
		f.add("t5", "z", float64(z))
		f.fail("t5", !(2326 < z && z < 2674))
	}
	return f
}

// oracleShift is test T5 on numbers of 10,000 bits.
func oracleShift(block []byte) (by, z int) {
	var x, first, later big.Int
	differ := func(shift int) (n int) {
		later.Rsh(&x, uint(5000-shift)) // bits 1 to 5000+shift
		later.Xor(&later, &first)
		for i, word := range later.Bits() { // of these the last 5000
			if used := 5000 - i*bits.UintSize; used < bits.UintSize {
				word &= 1<<max(used, 0) - 1
			}
			n += bits.OnesCount(uint(word))
		}
		return n
	}
	far := -1
	first.Rsh(x.SetBytes(block[:1250]), 5000) // bits 1 to 5000
	for shift := 1; shift <= 5000; shift++ {
		if d := differ(shift) - 2500; max(d, -d) > far {
			far, by = max(d, -d), shift
		}
	}
	first.Rsh(x.SetBytes(block[1250:]), 5000)
	return by, differ(by)
}

// oracleB also returns how many bits it used. It needs data that fill all samples.
func oracleB(data []byte) (f *figures, used int) {
	f = newFigures()
	next := func(n int) (bits []byte) {
		bits = bitsOf(data, used, used+n)
		used += n
		return bits
	}

	ones := 0
	for _, b := range next(100000) {
		ones += int(b)
	}
	f.add("t6a", "p1", float64(ones)/100000)
	f.fail("t6a", math.Abs(float64(ones)/100000-0.5) >= 0.025)

	var samples map[string][]byte
	collect := func(predecessors int) {
		samples = map[string][]byte{}
		for full := 0; full < 1<<predecessors; {
			tuple := next(predecessors + 1)
			key := ""
			for _, b := range tuple[:predecessors] {
				key += string('0' + rune(b))
			}
			if len(samples[key]) < 100000 {
				samples[key] = append(samples[key], tuple[predecessors])
				if len(samples[key]) == 100000 {
					full++
				}
			}
		}
	}
	frequency := func(key string, value byte) float64 {
		n := 0.0
		for _, b := range samples[key] {
			if b == value {
				n++
			}
		}
		return n / 100000
	}

	collect(1)
	sum := frequency("0", 1) + frequency("1", 0) - 1
	f.add("t6b", "p01_plus_p10_minus_1", sum)
	f.fail("t6b", math.Abs(sum) >= 0.02)

	compare := func(test, rest string) {
		chi2 := 0.0
		for _, value := range []byte{0, 1} {
			both := (frequency("0"+rest, value) + frequency("1"+rest, value)) / 2
			for _, key := range []string{"0" + rest, "1" + rest} {
				d := frequency(key, value) - both
				chi2 += 100000 * d * d / both
			}
		}
		f.add(test, "chi2_after_x"+rest, chi2)
		f.fail(test, chi2 >= 15.13)
	}
	collect(2)
	compare("t7a", "0")
	compare("t7a", "1")
	collect(3)
	for _, rest := range []string{"00", "01", "10", "11"} {
		compare("t7b", rest)
	}

	last := map[int]int{}
	total := 0.0
	for n := 1; n <= 2560+256000; n++ {
		word := 0
		for _, b := range next(8) {
			word = 2*word + int(b)
		}
		distance := n
		if before, ok := last[word]; ok {
			distance = n - before
		}
		last[word] = n
		if n > 2560 {
			for k := 1; k < distance; k++ {
				total += 1 / float64(k)
			}
		}
	}
	h := total / 256000 / math.Log(2)
	f.add("t8", "f", h)
	f.fail("t8", h <= 7.976)
	return f, used
}

// compare fails the test unless the attempt has the figures of the oracle.
func compare(t *testing.T, a Attempt, want *figures) {
	t.Helper()
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }
	known, failures := 0, 0
	for _, test := range a.Tests {
		verdicts := 0
		for _, s := range test.Statistics {
			values := want.values[test.Name+" "+s.Name]
			if len(values) == 0 {
				t.Fatalf("%s: there is no statistic %s", test.Name, s.Name)
			}
			known++
			verdicts = len(values)
			if !near(s.Min, slices.Min(values)) || !near(s.Max, slices.Max(values)) {
				t.Errorf("%s, %s: got %v to %v, want %v to %v", test.Name, s.Name, s.Min, s.Max, slices.Min(values), slices.Max(values))
			}
		}
		if verdicts == 1 {
			verdicts = max(1, len(test.Statistics)) // those of T7 are one verdict each
		}
		failed := want.failures[test.Name]
		if test.Verdicts != verdicts || test.Failures != failed || test.Passed != (failed == 0) || test.Chance <= 0 {
			t.Errorf("%s: %+v, want %d failures of %d", test.Name, test, failed, verdicts)
		}
		failures += failed
	}
	if known != len(want.values) || a.Failures != failures {
		t.Errorf("%d statistics and %d failures, want %d and %d", known, a.Failures, len(want.values), failures)
	}
}

// TestStatistics compares with the oracle on good and on faulty data.
func TestStatistics(t *testing.T) {
	for i, tt := range []struct {
		name string
		data func() []byte
	}{
		{"good", good(FirstBytes)},
		{"bias", biased(0.52)},
		{"dependence", chained(3, 0.02)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			someOf(t, i)
			data := tt.data()
			a, ok := attemptA(data)
			if !ok || a.Bytes != BytesA || a.Verdicts != 1286 {
				t.Errorf("procedure A: %v, %d bytes, %d verdicts", ok, a.Bytes, a.Verdicts)
			}
			compare(t, a, oracleA(data))

			data = data[BytesA:]
			b, ok := attemptB(data)
			want, used := oracleB(data)
			if !ok || b.Bytes != int64(used+7)/8 || b.Verdicts != 9 {
				t.Errorf("procedure B: %v, %d bytes, %d verdicts; the oracle used %d bits", ok, b.Bytes, b.Verdicts, used)
			}
			compare(t, b, want)
		})
	}
}
