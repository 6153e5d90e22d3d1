package fips

// Sizes of a block, FIPS 140-2 (Change Notice 1) section 4.9.1: "a single bit
// stream of 20,000 consecutive bits".
const (
	BlockBytes = 2500
	BlockBits  = 8 * BlockBytes
)

// LongRunBits is the length in bits from which on a run is a long run, FIPS
// 140-2 (Change Notice 1) section 4.9.1, the long runs test.
const LongRunBits = 26

// Counts holds the statistics of one block, or their sum over several blocks.
type Counts struct {
	// Ones is the number of one bits.
	Ones int
	// Nibbles counts the 4-bit groups by value.
	Nibbles [16]int
	// Runs counts the runs of zeros, Runs[0], and of ones, Runs[1], of 1, 2,
	// 3, 4 and 5 bits, and last of 6 bits and more.
	Runs [2][6]int
	// LongRuns counts the runs of LongRunBits and more, of either value.
	LongRuns int
	// Repeats counts the 32-bit words that equal the word before them.
	Repeats int
}

// Add adds the statistics of d to c.
func (c *Counts) Add(d *Counts) {
	c.Ones += d.Ones
	for i, n := range d.Nibbles {
		c.Nibbles[i] += n
	}
	for v := range d.Runs {
		for i, n := range d.Runs[v] {
			c.Runs[v][i] += n
		}
	}
	c.LongRuns += d.LongRuns
	c.Repeats += d.Repeats
}

// SumSquares returns the sum of the squares of the 16 nibble counts. For the
// counts of a single block the statistic of the poker test in FIPS 140-2 section
// 4.9.1 is X = 16/5000 * SumSquares - 5000.
func (c *Counts) SumSquares() int64 {
	var sum int64
	for _, n := range c.Nibbles {
		sum += int64(n) * int64(n)
	}
	return sum
}
