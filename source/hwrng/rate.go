package hwrng

import (
	"time"

	"github.com/hwrngd/hwrngd/source"
)

// bytesIn returns how many bytes a device of that rate gives in d: at least 16, at most maxRead, and
// maxRead while nothing is known.
func bytesIn(r *source.Rate, d time.Duration) int {
	perSecond := r.PerSecond()
	if perSecond == 0 {
		return maxRead
	}
	return int(min(max(perSecond*d.Seconds(), 16), maxRead))
}
