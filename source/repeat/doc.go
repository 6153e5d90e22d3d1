// Package repeat finds data in a stream that was there before: a static buffer, a stuck word, a
// gap of zeros, a DMA buffer that is delivered twice, the rest of the last read in the next one.
// Such data may pass every statistical test, but after its first time it has no entropy.
//
// # What is found
//
// A stretch of bytes repeats with the period d if each of its bytes equals the one d bytes
// earlier. Periods are from 1 byte to [MaxPeriod], aligned to nothing. A short stretch comes up by
// chance, so a [Detector] looks for a word of the stream that is there again: as many bytes as
// [MinMatch] tells for the source, rounded up to a multiple of 8. From there it follows the stretch
// both ways and counts its bytes. It promises:
//
//   - Whatever it counts is part of a stretch of minMatch bytes or more.
//   - It finds every stretch of [Detector.Reach] bytes, at most 54 more than minMatch (47 more if
//     that is a multiple of 8), by the time the last of these bytes was scanned. It counts all of
//     it, or all but at most 47 bytes in a row if parts of it also repeat with shorter periods.
//   - Of shorter stretches it finds those that lie well: one of minMatch bytes once in 48.
//   - Of static data all but the first pass counts, and the period is the shortest there is.
//   - All results depend on the stream alone, not on how it was cut into calls.
//
// # Cost
//
// A detector takes about 200 KiB and minMatch bytes, which New allocates. It scans random data at
// some half a nanosecond a byte, and the worst data, where all words are almost repeats, at ten to
// twenty. It holds the latest 64 to 96 KiB of the stream in memory until Reset.
package repeat

import "github.com/hwrngd/hwrngd/sp80090b"

// MaxPeriod is the longest period that is found, in bytes.
const MaxPeriod = 1 << log2MaxPeriod

const log2MaxPeriod = 16

// Match is a stretch of a stream in which each byte equals the one Period bytes earlier.
type Match struct {
	Offset int64 // of its first byte in the stream
	Period int   // bytes
	Length int64 // bytes, as far as it was scanned
}

// MinMatch returns the length in bytes of the shortest match that a source does not show by chance,
// if its claimed min-entropy is h bits per byte, 0 < h <= 8, whatever came before. Its next byte is
// then any given one with a probability of 2^-h at most, its next L bytes are any given ones with
// 2^(-h L). There are 2^16 periods, so a match of L bytes begins at a byte with a probability of
// 2^(16 - h L) at most. MinMatch returns the smallest L for which this is not above alpha: the
// ceiling of (16 - log2(alpha)) / h. That is one less than the cutoff of the repetition count test
// (SP 800-90B, January 2018, section 4.4.1) for 2^-16 alpha.
//
// MinMatch panics if h is out of range or alpha not from 1 to sp80090b.MaxAlpha - 16.
func MinMatch(alpha sp80090b.Alpha, h float64) int {
	return sp80090b.RCTCutoff(alpha+log2MaxPeriod, h) - 1
}
