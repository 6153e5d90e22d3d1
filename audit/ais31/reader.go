package ais31

// reader takes bits off the front of data, the most significant one of a byte first.
type reader struct {
	data  []byte
	at    int64 // bits taken
	short bool  // data ended before take was served
}

// take returns the next n bits, 1 to 8, as a number.
func (r *reader) take(n int) int {
	if r.at+int64(n) > 8*int64(len(r.data)) {
		r.short = true
		return 0
	}
	i, skip := r.at/8, int(r.at%8)
	window := uint32(r.data[i]) << 8
	if skip+n > 8 {
		window |= uint32(r.data[i+1])
	}
	r.at += int64(n)
	return int(window >> (16 - skip - n) & (1<<n - 1))
}
