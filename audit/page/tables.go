package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/fips"
)

// maxFailing is how many failing blocks are listed one by one.
const maxFailing = 50

// short cuts a checksum to what tells units apart at a glance.
func short(sum string) string {
	const enough = 16
	if len(sum) <= enough {
		return sum
	}
	return sum[:enough] + "…"
}

// words turns names such as monobit+long_run into words.
func words(name string) string {
	return strings.NewReplacer("+", ", ", "_", " ").Replace(name)
}

// causes are the hints that say more than the reason of the verdict.
func causes(r *audit.Report) []string {
	var list []string
	for _, h := range r.Hints {
		if h.Text != r.Reason {
			list = append(list, h.Text)
		}
	}
	return list
}

// MostExtreme names the figure with the smallest probability, for people.
func (c *content) MostExtreme() string {
	for _, t := range c.Tests {
		if t.Name == c.Budget.By {
			return t.Title
		}
	}
	for _, s := range c.Statistics {
		if s.Name == c.Budget.By && s.Where != "" {
			return s.Title + ", " + s.Where
		} else if s.Name == c.Budget.By {
			return s.Title
		}
	}
	return c.Budget.By
}

// failing returns the blocks to list that failed FIPS 140-2, and how many more there are.
func failing(r *audit.Report) (list []audit.FailedBlock, further int64) {
	list = r.Run.Failed[:min(len(r.Run.Failed), maxFailing)]
	return list, r.Run.FIPS1402.Any - int64(len(list))
}

// runLength is a row of the table of runs.
type runLength struct {
	Length        string
	Zeros, Ones   int64
	ZerosZ, OnesZ float64 // standard deviations above Expected
	Expected      float64 // of each
}

// runLengths compares the runs of equal bits with what an ideal source has.
func runLengths(c *audit.Counters) []runLength {
	if c.Blocks == 0 {
		return nil
	}
	rows := make([]runLength, len(c.Runs[0]))
	z := c.RunZ()
	for i := range rows {
		// Of exactly k bits of one value there are (n - k + 3)/2^(k+2) in n random bits, of k or
		// more (n - k + 2)/2^(k+1).
		k := i + 1
		expected := float64(fips.BlockBits-k+3) / math.Exp2(float64(k+2))
		length := strconv.Itoa(k)
		if k == len(rows) {
			expected = float64(fips.BlockBits-k+2) / math.Exp2(float64(k+1))
			length += "+"
		}
		rows[i] = runLength{
			Length: length, Expected: expected * float64(c.Blocks),
			Zeros: c.Runs[0][i], ZerosZ: z[0][i],
			Ones: c.Runs[1][i], OnesZ: z[1][i],
		}
	}
	return rows
}

// tally says how many units have a verdict.
type tally struct {
	Verdict audit.Verdict
	Units   int
}

// tallies counts the units of a lot, the worst verdict first.
func tallies(units []audit.Unit) []tally {
	var list []tally
	for _, v := range []audit.Verdict{audit.Fail, audit.Suspicious, audit.Insufficient, audit.Pass} {
		n := 0
		for _, u := range units {
			if u.Verdict == v {
				n++
			}
		}
		if n > 0 {
			list = append(list, tally{v, n})
		}
	}
	return list
}

// fact is a line of a list of names and values.
type fact struct {
	Name, Value string
	Code        bool // a name, path or checksum, to be shown letter by letter
}

// Wide reports whether the value needs a line of its own.
func (f fact) Wide() bool { return len(f.Value) > 40 }

// facts leaves out those that are not known.
func facts(all ...fact) []fact {
	var known []fact
	for _, f := range all {
		if f.Value != "" {
			known = append(known, f)
		}
	}
	return known
}

// blocksText counts blocks, beside those that were asked for.
func blocksText(r *audit.Report) string {
	text := fmt.Sprintf("%s of %s bits", count(r.Run.Blocks), count(fips.BlockBits))
	if r.Input.Wanted > 0 {
		text += fmt.Sprintf("; %s were asked for", count(r.Input.Wanted))
	}
	return text
}
