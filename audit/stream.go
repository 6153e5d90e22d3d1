package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"math"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source/repeat"
)

// streamPass is the pass that sees every byte of the stream: what identifies it, what it begins with,
// what comes again. It also takes half of the samples, so that both passes cost about the same.
type streamPass struct {
	keep  int // bytes of the start
	ahead int // bytes taken of a block that add will bring again when it is whole

	hash    hash.Hash
	start   []byte // HeadBytes or keep, whichever is more
	text    textStart
	repeats *repeat.Detector

	blocks  int64
	sampler sampler
}

// sampledByStream tells which pass takes a block that is sampled: they take turns, where all are
// sampled and where every SampledEvery-th is.
func sampledByStream(index int64) bool { return (index+index/SampledEvery)%2 != 0 }

func newStreamPass(keep int) streamPass {
	return streamPass{keep: keep, hash: sha256.New(), repeats: repeat.New(MinRepeat)}
}

// add takes the first bytes of the next piece of the stream, as many as blockPass took.
func (p *streamPass) add(next piece, taken int) {
	if taken == 0 {
		return
	}
	data := next.data[:taken]
	p.bytes(data[p.ahead:])
	p.ahead = 0
	for at := next.prime; at < len(data); at += fips.BlockBytes {
		if isSampled(p.blocks) && sampledByStream(p.blocks) {
			p.sampler.add((*[fips.BlockBytes]byte)(data[at:]), p.blocks)
		}
		p.blocks++
	}
}

// addUnfinished takes what there is of a block that is not whole, and will grow.
func (p *streamPass) addUnfinished(data []byte) {
	p.bytes(data[p.ahead:])
	p.ahead = len(data)
}

// bytes takes the next bytes of the stream.
func (p *streamPass) bytes(data []byte) {
	p.hash.Write(data)
	p.start = append(p.start, data[:min(len(data), max(HeadBytes, p.keep)-len(p.start))]...)
	p.text.add(data)
	p.repeats.Scan(data)
}

// first returns the first n bytes of the stream, or as many as there are.
func (p *streamPass) first(n int) []byte {
	n = min(n, len(p.start))
	return p.start[:n:n]
}

// addTo adds what was found to a run.
func (p *streamPass) addTo(run *Run) {
	p.sampler.addTo(&run.Sampled)
	run.SHA256 = hex.EncodeToString(p.hash.Sum(nil))
	run.Head = p.first(HeadBytes)
	run.TextPrefix = p.text.length
	if first, ok := p.repeats.First(); ok {
		run.Repeat = &Repeat{
			Offset: first.Offset, Period: first.Period, Length: first.Length,
			Bytes: p.repeats.Repeated(),
		}
	}
}

// textStart measures how much of the start of a stream is text.
type textStart struct {
	length int
	ended  bool
}

// add looks at the next bytes.
func (t *textStart) add(data []byte) {
	for _, b := range data {
		if t.ended {
			return
		}
		if (b < ' ' || b > '~') && b != '\t' && b != '\n' && b != '\r' {
			t.ended = true
			return
		}
		t.length++
		t.ended = t.length == math.MaxInt32
	}
}
