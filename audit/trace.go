package audit

import (
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// Run is everything known of one stream after it was read.
type Run struct {
	Counters
	Trace
}

// Trace is what was seen where in one stream. Unlike Counters it does not add up. SHA256, Repeat,
// TextPrefix and Head are of all bytes, the others of whole blocks.
type Trace struct {
	SHA256 string `json:"sha256"` // of all Bytes, in hexadecimal

	// Failed are the first MaxFailed blocks that failed.
	Failed []FailedBlock `json:"failed_blocks,omitempty"`

	// Timeline has up to MaxBins bins of BinBlocks blocks each; the last may hold fewer.
	Timeline  []Bin `json:"timeline,omitempty"`
	BinBlocks int   `json:"bin_blocks,omitempty"`

	// Repeat is the first repetition of MinRepeat bytes or more up to repeat.MaxPeriod bytes
	// later, if any was found.
	Repeat *Repeat `json:"repeat,omitempty"`
	// Plateaus are the longest sequences of equal bytes of MinPlateau bytes and more in blocks, in
	// the order of the stream, at most MaxPlateaus. Of equally long ones the first are there.
	Plateaus []Plateau `json:"plateaus,omitempty"`
	// TextPrefix is the number of bytes at the start that are printable ASCII, tab or line ends, at
	// most 1<<31 - 1.
	TextPrefix int `json:"text_prefix,omitempty"`

	// Head is the start of the stream, at most HeadBytes. Documents do not hold it.
	Head []byte `json:"-"`
}

// Bounds on a Trace.
const (
	MaxFailed   = 1000
	MaxBins     = 256
	MinPlateau  = 16
	MaxPlateaus = 16
	HeadBytes   = 512 * 512 / 8
)

// MinRepeat is the length in bytes from which on a repetition is looked for, at any period up to
// repeat.MaxPeriod, 2^16. An ideal source shows one with a probability of 2^(16 - 8 MinRepeat), 2^-112,
// at each byte.
const MinRepeat = 16

// FailedBlock is a block that failed.
type FailedBlock struct {
	Index  int64        `json:"block"`  // from 0
	Offset int64        `json:"offset"` // of its first byte in the stream
	Tests  fips.Failure `json:"-"`
	Failed string       `json:"failed"` // for example "monobit+runs"
	Ones   int          `json:"ones"`   // of its fips.BlockBits bits
}

// Bin is a stretch of the stream.
type Bin struct {
	Blocks int64 `json:"blocks"`
	Failed int64 `json:"failed"`
	Ones   int64 `json:"ones"`
	// Seconds is how long the stretch took to arrive. It differs from run to run, so documents
	// hold it only where it says something of a generator.
	Seconds float64 `json:"-"`
}

// Repeat is a stretch of the stream that is equal to what came Period bytes earlier.
type Repeat struct {
	Offset int64 `json:"offset"` // of the first byte that was seen before
	Period int   `json:"period"` // bytes
	Length int64 `json:"length"` // of the stretch, as far as it was followed
	Bytes  int64 `json:"bytes"`  // of the whole stream that were repeats, at whatever period
}

// Plateau is a sequence of equal bytes.
type Plateau struct {
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
	Value  byte  `json:"value"`
}

// Timing is when the bytes came. It is kept apart from Run: two audits of the same bytes differ in it.
type Timing struct {
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	// First is the time to the first byte.
	First float64 `json:"first_byte_seconds"`
	Reads int64   `json:"reads"`
	// Latency counts the reads by their duration: the bin i holds those of 2^i to 2^(i+1)
	// microseconds, bin 0 all shorter ones too, the last all longer ones.
	Latency [26]int64 `json:"read_microseconds_log2"`
	Slowest float64   `json:"slowest_read_seconds"`
}
