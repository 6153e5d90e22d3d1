package sp80090b

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// precision of the arbitrary-precision arithmetic here, in bits.
const precision = 400

// claim is a min-entropy as an exact fraction; its float64 is what users pass.
type claim struct{ num, den int64 }

func (c claim) float() float64 { return float64(c.num) / float64(c.den) }

// exactRCT is 1 + ceil(a / H).
func exactRCT(a int64, c claim) int {
	return int(1 + (a*c.den+c.num-1)/c.num)
}

// exactProbability returns 2^-(num/den).
func exactProbability(c claim) *big.Float {
	two := func(e int64) *big.Float {
		return new(big.Float).SetPrec(precision).SetMantExp(big.NewFloat(1), int(e))
	}
	if c.den == 1 {
		return two(-c.num)
	}
	// Solve x^den = 2^-num by Newton's method, from a good start.
	want := two(-c.num)
	x := new(big.Float).SetPrec(precision).SetFloat64(math.Exp2(-c.float()))
	den := new(big.Float).SetPrec(precision).SetInt64(c.den)
	for range 6 { // doubles the correct digits each time, from 50 bits
		power := new(big.Float).SetPrec(precision).SetInt64(1) // x^(den-1)
		for range c.den - 1 {
			power.Mul(power, x)
		}
		excess := new(big.Float).SetPrec(precision).Mul(power, x)
		excess.Sub(excess, want)
		excess.Quo(excess, power.Mul(power, den))
		x.Sub(x, excess)
	}
	return x
}

// exactTails returns P(X >= k) for k = 0 to n+1, X binomial with n trials.
func exactTails(n int, p *big.Float) []*big.Float {
	q := new(big.Float).SetPrec(precision).SetInt64(1)
	q.Sub(q, p)
	powers := func(x *big.Float) []*big.Float {
		list := []*big.Float{new(big.Float).SetPrec(precision).SetInt64(1)}
		for i := range n {
			list = append(list, new(big.Float).SetPrec(precision).Mul(list[i], x))
		}
		return list
	}
	ps, qs := powers(p), powers(q)
	tails := make([]*big.Float, n+2)
	tails[n+1] = new(big.Float).SetPrec(precision)
	for k := n; k >= 0; k-- {
		term := new(big.Float).SetPrec(precision).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
		term.Mul(term, ps[k])
		term.Mul(term, qs[n-k])
		tails[k] = term.Add(term, tails[k+1])
	}
	return tails
}

// exactAPT is 1 + critbinom(n, p, 1 - 2^-a).
func exactAPT(a int, tails []*big.Float) int {
	alpha := new(big.Float).SetMantExp(big.NewFloat(1), -a)
	k := 0
	for tails[k+1].Cmp(alpha) > 0 { // P(X > k) > alpha
		k++
	}
	return 1 + k
}

// TestCutoffsTables compares with tables that were computed with 50 and 80 digits,
// and with exact arithmetic.
func TestCutoffsTables(t *testing.T) {
	type pair struct{ rct, apt int }
	for _, test := range []struct {
		window int
		alphas []Alpha
		rows   map[claim][]pair
	}{
		{WindowBinary, []Alpha{20, 30, 40}, map[claim][]pair{
			{1, 1}:    {{21, 589}, {31, 609}, {41, 625}},
			{9, 10}:   {{24, 625}, {35, 645}, {46, 661}},
			{8, 10}:   {{26, 664}, {39, 683}, {51, 699}},
			{7, 10}:   {{30, 705}, {44, 723}, {59, 739}},
			{5, 10}:   {{41, 793}, {61, 810}, {81, 824}},
			{3, 10}:   {{68, 890}, {101, 904}, {135, 915}},
			{25, 100}: {{81, 915}, {121, 928}, {161, 938}},
			{1, 10}:   {{201, 991}, {301, 999}, {401, 1005}},
		}},
		{WindowNonBinary, []Alpha{20, 30, 40}, map[claim][]pair{
			{8, 1}:   {{4, 13}, {5, 16}, {6, 19}},
			{79, 10}: {{4, 13}, {5, 17}, {7, 20}},
			{75, 10}: {{4, 15}, {5, 19}, {7, 22}},
			{7, 1}:   {{4, 18}, {6, 22}, {7, 26}},
			{6, 1}:   {{5, 25}, {6, 31}, {8, 35}},
			{5, 1}:   {{5, 39}, {7, 46}, {9, 51}},
			{4, 1}:   {{6, 62}, {9, 71}, {11, 78}},
			{3, 1}:   {{8, 103}, {11, 114}, {15, 123}},
			{2, 1}:   {{11, 177}, {16, 190}, {21, 201}},
			{1, 1}:   {{21, 311}, {31, 325}, {41, 336}},
			{1, 2}:   {{41, 410}, {61, 422}, {81, 432}},
		}},
		{WindowNonBinary, []Alpha{20, 30, 60}, map[claim][]pair{
			{1, 1}: {{21, 311}, {31, 325}, {61, 355}},
			{1, 2}: {{41, 410}, {61, 422}, {121, 447}},
			{1, 3}: {{61, 449}, {91, 458}, {181, 479}},
			{1, 5}: {{101, 480}, {151, 487}, {301, 502}},
			{1, 8}: {{161, 497}, {241, 502}, {481, 512}},
			{2, 1}: {{11, 177}, {16, 190}, {31, 220}},
			{4, 1}: {{6, 62}, {9, 71}, {16, 91}},
		}},
		{WindowBinary, []Alpha{30}, map[claim][]pair{
			{1, 2}: {{61, 810}},
			{1, 8}: {{241, 988}},
		}},
	} {
		for c, row := range test.rows {
			t.Run(fmt.Sprintf("window %d/H=%d:%d", test.window, c.num, c.den), func(t *testing.T) {
				tails := exactTails(test.window, exactProbability(c))
				for i, want := range row {
					a := test.alphas[i]
					if got := RCTCutoff(a, c.float()); got != want.rct {
						t.Errorf("RCT at 2^-%d: got %d, the table has %d", a, got, want.rct)
					}
					if got := exactRCT(int64(a), c); got != want.rct {
						t.Errorf("RCT at 2^-%d: exactly %d, the table has %d", a, got, want.rct)
					}
					if got := APTCutoff(a, c.float(), test.window); got != want.apt {
						t.Errorf("APT at 2^-%d: got %d, the table has %d", a, got, want.apt)
					}
					if got := exactAPT(int(a), tails); got != want.apt {
						t.Errorf("APT at 2^-%d: exactly %d, the table has %d", a, got, want.apt)
					}
				}
			})
		}
	}
}

// TestCutoffsExact compares with exact arithmetic for other claims and for every
// eighth alpha.
func TestCutoffsExact(t *testing.T) {
	claims := []claim{{1, 100}, {1, 20}, {1, 7}, {2, 3}, {99, 100}, {123, 50}, {61, 10}, {799, 100}}
	if testing.Short() {
		claims = claims[:3]
	}
	for _, window := range []int{WindowNonBinary, WindowBinary} {
		for _, c := range claims {
			if window == WindowBinary && c.num > c.den {
				continue
			}
			tails := exactTails(window, exactProbability(c))
			for a := Alpha(1); a <= MaxAlpha; a += 5 {
				if got, want := APTCutoff(a, c.float(), window), exactAPT(int(a), tails); got != want {
					t.Errorf("APT, H=%v, window %d, 2^-%d: got %d, exactly %d", c, window, a, got, want)
				}
				if got, want := RCTCutoff(a, c.float()), exactRCT(int64(a), c); got != want {
					t.Errorf("RCT, H=%v, 2^-%d: got %d, exactly %d", c, a, got, want)
				}
			}
		}
	}
}

// TestCutoffOutOfReach: a window of equal samples has a probability of 2^-(H*W).
func TestCutoffOutOfReach(t *testing.T) {
	for _, test := range []struct {
		h     float64
		alpha Alpha
		want  int
	}{
		{1.0 / 8, 64, 512}, // 2^-64 for 512 of 512: just within alpha
		{1.0 / 8, 65, 513},
		{1e-9, 1, 513},
	} {
		if got := APTCutoff(test.alpha, test.h, WindowNonBinary); got != test.want {
			t.Errorf("H=%v, 2^-%d: got %d, want %d", test.h, test.alpha, got, test.want)
		}
	}
	if got := RCTCutoff(60, 1e-300); got != math.MaxInt32 {
		t.Errorf("RCT with next to no entropy: cutoff %d", got)
	}
}

// TestRCTCutoffFractions compares with whole numbers for claims that are fractions,
// though their float64 is not exact.
func TestRCTCutoffFractions(t *testing.T) {
	for _, den := range []int64{3, 5, 6, 7, 9, 10, 100} {
		for num := int64(1); num <= 8*den; num++ {
			c := claim{num, den}
			for a := int64(1); a <= int64(MaxAlpha); a++ {
				if got, want := RCTCutoff(Alpha(a), c.float()), exactRCT(a, c); got != want {
					t.Fatalf("H=%d/%d, 2^-%d: got %d, want %d", num, den, a, got, want)
				}
			}
		}
	}
}

// TestRCTCountIsBounded: an int of 32 bits must not overflow while a source is stuck.
func TestRCTCountIsBounded(t *testing.T) {
	rct, err := NewRCT(8, 20, 30)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 200 {
		if n < 100 {
			rct.Add(0)
		} else {
			rct.Scan([]byte{0, 0, 0})
		}
		if rct.count > 5 {
			t.Fatalf("count %d, though the permanent cutoff is 5", rct.count)
		}
	}
}

func TestAlphaFloat64(t *testing.T) {
	if got := Alpha(20).Float64(); got != 1.0/(1<<20) {
		t.Errorf("2^-20 is %v", got)
	}
	if MaxAlpha.Float64() == 0 {
		t.Error("2^-MaxAlpha is 0")
	}
}

func TestBadArguments(t *testing.T) {
	for _, test := range []struct {
		name                    string
		h                       float64
		window                  int
		intermittent, permanent Alpha
		aptOnly                 bool
	}{
		{"zero", 0, 512, 20, 40, false},
		{"negative zero", math.Copysign(0, -1), 512, 20, 40, false},
		{"negative", -1, 512, 20, 40, false},
		{"over 8", math.Nextafter(8, 9), 512, 20, 40, false},
		{"NaN", math.NaN(), 512, 20, 40, false},
		{"infinite", math.Inf(1), 512, 20, 40, false},
		{"minus infinite", math.Inf(-1), 512, 20, 40, false},
		{"alpha 0", 4, 512, 0, 40, false},
		{"alpha negative", 4, 512, -20, 40, false},
		{"alpha too small", 4, 512, 20, MaxAlpha + 1, false},
		{"alphas swapped", 4, 512, 40, 20, false},
		{"window 0", 1, 0, 20, 40, true},
		{"window 513", 1, 513, 20, 40, true},
		{"binary samples of 2 bits", 2, 1024, 20, 40, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if rct, err := NewRCT(test.h, test.intermittent, test.permanent); (err != nil) == test.aptOnly {
				t.Errorf("NewRCT: %v, %v", rct, err)
			}
			if apt, err := NewAPT(test.h, test.window, test.intermittent, test.permanent); err == nil {
				t.Errorf("NewAPT: %v", apt)
			}
		})
	}
	for name, call := range map[string]func(){
		"RCTCutoff": func() { RCTCutoff(20, math.NaN()) },
		"APTCutoff": func() { APTCutoff(20, 4, 100) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s with a bad argument does not panic", name)
				}
			}()
			call()
		}()
	}
}
