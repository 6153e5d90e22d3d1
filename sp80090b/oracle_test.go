package sp80090b

import "math"

// The oracle follows the pseudo-code of SP 800-90B section 6.3 step by step, with maps
// and long lists, for small inputs. Where NIST's tool differs, it follows the tool.

func oracleUpper(p float64, n int) float64 {
	return math.Min(1, p+2.5758293035489008*math.Sqrt(p*(1-p)/float64(n-1)))
}

// oraclePrediction has the correct[] array of a predictor, 1 right, 0 wrong; what is
// negative counts for n only.
func oraclePrediction(correct []int, k int) float64 {
	n := len(correct)
	c, run, r := 0, 0, 0
	for _, x := range correct {
		switch {
		case x == 1:
			c++
			run++
			r = max(r, run)
		case x == 0:
			run = 0
		}
	}
	r++
	p := float64(c) / float64(n)
	global := 1 - math.Pow(0.01, 1/float64(n))
	if c > 0 {
		global = oracleUpper(p, n)
	}
	// P_local by bisection over all of (0, 1) and with x itself, not x - 1.
	alpha := func(p float64) float64 {
		q, x := 1-p, 1.0
		for range 200 {
			x = 1 + q*math.Pow(p, float64(r))*math.Pow(x, float64(r+1))
		}
		return (1 - p*x) / ((float64(r) + 1 - float64(r)*x) * q) / math.Pow(x, float64(n+1))
	}
	low, high := 0.0, float64(r)/float64(r+1)
	for range 100 {
		mid := (low + high) / 2
		if alpha(mid) > 0.99 {
			low = mid
		} else {
			high = mid
		}
	}
	return -math.Log2(max(global, low, 1/float64(k)))
}

func oracleMCW(s []byte, k int) float64 {
	windows := []int{63, 255, 1023, 4095}
	scoreboard := make([]int, 4)
	winner := 0
	var correct []int
	for i := windows[0]; i < len(s); i++ {
		frequent := []int{-1, -1, -1, -1}
		for j, w := range windows {
			if i < w {
				continue
			}
			counts := make([]int, 256)
			most := 0
			for _, y := range s[i-w : i] {
				counts[y]++
				most = max(most, counts[y])
			}
			for at := i - 1; ; at-- {
				if counts[s[at]] == most {
					frequent[j] = int(s[at])
					break
				}
			}
		}
		correct = append(correct, oracleEqual(frequent[winner], s[i]))
		for j := range windows {
			if frequent[j] == int(s[i]) {
				scoreboard[j]++
				if scoreboard[j] >= scoreboard[winner] {
					winner = j
				}
			}
		}
	}
	return oraclePrediction(correct, k)
}

func oracleEqual(predicted int, y byte) int {
	if predicted == int(y) {
		return 1
	}
	return 0
}

func oracleLag(s []byte, k int) float64 {
	scoreboard := make([]int, 128)
	winner := 0
	var correct []int
	for i := 1; i < len(s); i++ {
		lag := make([]int, 128)
		for d := range lag {
			lag[d] = -1
			if d+1 <= i {
				lag[d] = int(s[i-d-1])
			}
		}
		correct = append(correct, oracleEqual(lag[winner], s[i]))
		for d := range lag {
			if lag[d] == int(s[i]) {
				scoreboard[d]++
				if scoreboard[d] >= scoreboard[winner] {
					winner = d
				}
			}
		}
	}
	return oraclePrediction(correct, k)
}

// oracleBest returns the most frequent symbol after a context, the largest of several.
func oracleBest(counts map[byte]int) (symbol, most int) {
	for y, c := range counts {
		if c > most || c == most && int(y) > symbol {
			symbol, most = int(y), c
		}
	}
	return symbol, most
}

func oracleMMC(s []byte, k, limit int) float64 {
	const d = 16
	dictionary := make([]map[string]map[byte]int, d+1)
	for m := range dictionary {
		dictionary[m] = map[string]map[byte]int{}
	}
	entries := make([]int, d+1)
	scoreboard := make([]int, d+1)
	winner := 1
	var correct []int
	for i := 1; i < len(s); i++ {
		predicted := make([]int, d+1)
		for m := 1; m <= d; m++ {
			predicted[m] = -1
			if m > i {
				continue
			}
			counts := dictionary[m][string(s[i-m:i])]
			if counts == nil {
				// The tool does not look for longer ones either.
				for ; m <= d; m++ {
					predicted[m] = -1
				}
				break
			}
			predicted[m], _ = oracleBest(counts)
		}
		if i >= 2 {
			right := -1
			if predicted[winner] >= 0 {
				right = oracleEqual(predicted[winner], s[i])
			}
			correct = append(correct, right)
		}
		for m := 1; m <= d; m++ {
			if predicted[m] == int(s[i]) {
				scoreboard[m]++
				if scoreboard[m] >= scoreboard[winner] {
					winner = m
				}
			}
		}
		for m := 1; m <= min(d, i); m++ {
			x := string(s[i-m : i])
			counts := dictionary[m][x]
			switch {
			case counts[s[i]] > 0:
				counts[s[i]]++
			case entries[m] < limit:
				if counts == nil {
					counts = map[byte]int{}
					dictionary[m][x] = counts
				}
				counts[s[i]] = 1
				entries[m]++
			}
		}
	}
	return oraclePrediction(correct, k)
}

func oracleLZ(s []byte, k, limit int) float64 {
	const b = 16
	dictionary := map[string]map[byte]int{}
	var correct []int
	for i := b; i < len(s); i++ {
		predicted, most := -1, 0
		for m := b; m > 0; m-- {
			if counts := dictionary[string(s[i-m:i])]; counts != nil {
				if y, c := oracleBest(counts); c > most {
					predicted, most = y, c
				}
			}
		}
		if i > b {
			correct = append(correct, oracleEqual(predicted, s[i]))
		}
		for m := b; m > 0; m-- {
			x := string(s[i-m : i])
			counts := dictionary[x]
			if counts == nil {
				if len(dictionary) >= limit {
					continue
				}
				counts = map[byte]int{}
				dictionary[x] = counts
			}
			counts[s[i]]++
		}
	}
	return oraclePrediction(correct, k)
}

// oracleTuples counts all tuples of all lengths.
func oracleTuples(s []byte) (tTuple, lrs float64) {
	tTuple, lrs = -1, -1
	tuple, repeat := 0.0, 0.0
	u := 0
	for w := 1; ; w++ {
		counts := map[string]int{}
		most := 0
		for i := 0; i+w <= len(s); i++ {
			x := string(s[i : i+w])
			counts[x]++
			most = max(most, counts[x])
		}
		if most < 2 {
			break
		}
		if u == 0 && most >= 35 {
			p := float64(most) / float64(len(s)-w+1)
			tuple = max(tuple, math.Pow(p, 1/float64(w)))
			continue
		}
		if u == 0 {
			u = w
		}
		pairs := 0
		for _, c := range counts {
			pairs += c * (c - 1) / 2
		}
		all := float64(len(s)-w+1) * float64(len(s)-w) / 2
		repeat = max(repeat, math.Pow(float64(pairs)/all, 1/float64(w)))
	}
	if tuple > 0 {
		tTuple = -math.Log2(oracleUpper(tuple, len(s)))
	}
	if u > 0 {
		lrs = -math.Log2(oracleUpper(repeat, len(s)))
	}
	return tTuple, lrs
}

func oracleMCV(s []byte) float64 {
	counts := map[byte]int{}
	most := 0
	for _, y := range s {
		counts[y]++
		most = max(most, counts[y])
	}
	return -math.Log2(oracleUpper(float64(most)/float64(len(s)), len(s)))
}

// oracleCollision uses the F of Appendix G.1.1 and solves step 7 by bisection.
func oracleCollision(s []byte) float64 {
	var times []float64
	for i := 0; i < len(s); {
		seen := map[byte]bool{}
		j := i
		for j < len(s) && !seen[s[j]] {
			seen[s[j]] = true
			j++
		}
		if j == len(s) {
			break
		}
		times = append(times, float64(j-i+1))
		i = j + 1
	}
	v := float64(len(times))
	mean := 0.0
	for _, t := range times {
		mean += t / v
	}
	variance := 0.0
	for _, t := range times {
		variance += (t - mean) * (t - mean) / (v - 1)
	}
	mean -= 2.5758293035489008 * math.Sqrt(variance/v)
	expected := func(p float64) float64 {
		q := 1 - p
		f := q * (1 + 2*q + 2*q*q) // Gamma(3, 1/q) q^3 e^(1/q)
		half := 0.5 * (1/p - 1/q)
		return p/(q*q)*(1+half)*f - p/q*half
	}
	low, high := 0.5, 1.0
	if mean > expected(low) {
		return 1
	}
	if mean <= 2+1e-9 {
		return 0 // p = 1, or so near that 1/q is useless
	}
	for range 60 {
		mid := (low + high) / 2
		if expected(mid) > mean {
			low = mid
		} else {
			high = mid
		}
	}
	return -math.Log2(low)
}

func oracleMarkov(s []byte) float64 {
	var p [2]float64
	var next [2][2]float64
	for i, y := range s {
		p[y] += 1 / float64(len(s))
		if i > 0 {
			next[s[i-1]][y]++
		}
	}
	for a := range next {
		if total := next[a][0] + next[a][1]; total > 0 {
			next[a][0], next[a][1] = next[a][0]/total, next[a][1]/total
		}
	}
	best := math.Pow(2, -128)
	for _, sequence := range [][2]string{{"", "0"}, {"", "01"}, {"0", "1"}, {"1", "0"}, {"", "10"}, {"", "1"}} {
		bits := sequence[0]
		for len(bits) < 128 {
			bits += sequence[1]
		}
		bits = bits[:128]
		q := p[bits[0]-'0']
		for i := 1; i < 128; i++ {
			q *= next[bits[i-1]-'0'][bits[i]-'0']
		}
		best = max(best, q)
	}
	return min(1, -math.Log2(best)/128)
}

// oracleCompression evaluates G as the double sum that it is.
func oracleCompression(s []byte) float64 {
	const b, d = 6, 1000
	blocks := len(s) / b
	if blocks <= d+1 {
		return -1
	}
	dict := map[string]int{}
	var logs []float64
	for i := 1; i <= blocks; i++ {
		x := string(s[(i-1)*b : i*b])
		if i > d {
			logs = append(logs, math.Log2(float64(i-dict[x])))
		}
		dict[x] = i
	}
	v := float64(len(logs))
	mean, squares := 0.0, 0.0
	for _, x := range logs {
		mean += x / v
		squares += x * x / (v - 1)
	}
	mean -= 2.5758293035489008 * 0.5907 * math.Sqrt(squares-mean*mean) / math.Sqrt(v)
	g := func(z float64) float64 {
		sum, before := 0.0, 0.0 // before is the sum over u < t
		for t := 1; t <= blocks; t++ {
			at := math.Log2(float64(t)) * math.Pow(1-z, float64(t-1))
			if t > d {
				sum += z*z*before + z*at
			}
			before += at
		}
		return sum / v
	}
	expected := func(p float64) float64 { return g(p) + 63*g((1-p)/63) }
	low, high := 1.0/64, 1.0
	if expected(low) < mean {
		return 1
	}
	for range 50 {
		mid := (low + high) / 2
		if expected(mid) > mean {
			low = mid
		} else {
			high = mid
		}
	}
	return -math.Log2(low) / b
}
