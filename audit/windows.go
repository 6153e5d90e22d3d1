package audit

import (
	"bytes"

	"github.com/hwrngd/hwrngd/sp80090b"
)

// windowScan counts, in windows of sp80090b.WindowNonBinary bytes that follow one another, the
// bytes equal to the first: the statistic of the adaptive proportion test.
type windowScan struct {
	first   [1]byte
	equal   int // to first, in the window in progress
	seen    int // bytes of it
	most    int // equal bytes in a whole window
	windows int64
}

// add looks at the next bytes.
func (s *windowScan) add(data []byte) {
	for len(data) > 0 {
		if s.seen == 0 {
			s.first[0], s.equal = data[0], 0
		}
		part := data[:min(sp80090b.WindowNonBinary-s.seen, len(data))]
		s.equal += bytes.Count(part, s.first[:])
		s.seen += len(part)
		if s.seen == sp80090b.WindowNonBinary {
			s.most = max(s.most, s.equal)
			s.windows++
			s.seen = 0
		}
		data = data[len(part):]
	}
}
