package audit

// Add adds what was counted in another stream. Counters without blocks change Bytes only.
func (c *Counters) Add(d *Counters) {
	for i := range c.Ever {
		c.Ever[i] |= d.Ever[i]
		switch {
		case c.Blocks == 0:
			c.Always[i] = d.Always[i]
		case d.Blocks > 0:
			c.Always[i] &= d.Always[i]
		}
	}
	c.Bytes += d.Bytes
	c.Blocks += d.Blocks
	c.OddStreams += d.OddStreams
	addFailures(&c.FIPS1402, &d.FIPS1402)
	addFailures(&c.FIPS1401, &d.FIPS1401)
	c.Ones += d.Ones
	addAll(c.Nibbles[:], d.Nibbles[:])
	for value := range c.Runs {
		addAll(c.Runs[value][:], d.Runs[value][:])
	}
	c.LongestRun = max(c.LongestRun, d.LongestRun)
	addAll(c.LaneOnes[:], d.LaneOnes[:])
	c.LongestEqual = max(c.LongestEqual, d.LongestEqual)
	c.MostInWindow = max(c.MostInWindow, d.MostInWindow)
	c.Windows += d.Windows
	addSampled(&c.Sampled, &d.Sampled)
}

func addFailures(f, g *Failures) {
	f.Any += g.Any
	addAll(f.Tests[:], g.Tests[:])
}

func addSampled(s, t *Sampled) {
	s.Blocks += t.Blocks
	addAll(s.Values[:], t.Values[:])
	addAll(s.Differ[:], t.Differ[:])
	for i := range s.Changes {
		addAll(s.Changes[i][:], t.Changes[i][:])
		addAll(s.Pairs[i][:], t.Pairs[i][:])
	}
	addAll(s.EqualWords[:], t.EqualWords[:])
	s.LineEnds += t.LineEnds
}

// addAll adds the numbers of a list to those of another.
func addAll(sums, numbers []int64) {
	for i, n := range numbers {
		sums[i] += n
	}
}
