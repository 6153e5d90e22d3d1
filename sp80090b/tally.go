package sp80090b

// Tally counts the bytes of a source in use for the three estimates of SP 800-90B (January
// 2018), section 6.3, that need counts and not the samples: [Tally.MostCommonValue],
// [Tally.Collision] and [Tally.Markov]. It keeps no sample, so that what is counted may be
// used at once. The zero value is ready to use, by one goroutine at a time.
//
// The counts of a gap-free recording give what [Assess] finds. Of several pieces, what
// reaches from one into the next is not counted: samples that were not neighbours.
type Tally struct {
	samples      int
	counts       [256]int
	twos, threes int // of collision
	markov       markovCounts
	bits         bitString // scratch, wiped after use
}

// Add counts consecutive samples.
func (t *Tally) Add(samples []byte) {
	if len(samples) == 0 {
		return
	}
	t.samples += len(samples)
	for _, s := range samples {
		t.counts[s]++
	}
	t.bits.pack(samples, 8)
	twos, threes := collisionPieces(&t.bits)
	t.twos += twos
	t.threes += threes
	t.markov.add(&t.bits)
	clear(t.bits.words)
}

// Samples returns how many samples are counted.
func (t *Tally) Samples() int { return t.samples }

// Reset forgets all counts.
func (t *Tally) Reset() { *t = Tally{bits: t.bits} }

// MostCommonValue is the estimate of section 6.3.1 in bits per sample: of the upper bound, with a
// confidence of 99 %, on the frequency of the most frequent byte. It needs two samples or more, as do
// the others.
func (t *Tally) MostCommonValue() float64 { return mostCommonValue(t.counts[:], t.samples) }

// Collision is the estimate of section 6.3.2 in bits per sample, of the samples' bits, with a confidence
// of 99 %.
func (t *Tally) Collision() float64 { return 8 * collisionEstimate(t.twos, t.threes) }

// Markov is the estimate of section 6.3.3 in bits per sample, of the samples' bits. It has no margin.
func (t *Tally) Markov() float64 { return 8 * t.markov.estimate() }
