package audit

import (
	"encoding/binary"
	"strings"

	"github.com/hwrngd/hwrngd/fips"
)

// stuckAt finds a stream of one byte value, or one that ends in it.
func stuckAt(run *Run) *Hint {
	if run.Blocks == 0 {
		return nil
	}
	value := run.Ever[0]
	for i, ever := range run.Ever {
		if ever != value || run.Always[i] != value {
			return stuckSince(run)
		}
	}
	return hint(HintStuck, "stuck at %02x: every byte is that", value)
}

// stuckSince finds a stream that ends in one byte value, for a block at least: less is a gap.
func stuckSince(run *Run) *Hint {
	if len(run.Plateaus) == 0 {
		return nil
	}
	last := run.Plateaus[len(run.Plateaus)-1]
	if last.Length < fips.BlockBytes || last.Offset+last.Length < blockOffset(run.Blocks) {
		return nil
	}
	return hint(HintStuck, "stuck at %02x from byte %d on, to the end", last.Value, last.Offset)
}

// alphabets are the characters of kinds of text, the narrowest first.
var alphabets = [...]struct{ name, letters string }{
	{"only hexadecimal digits", "0123456789ABCDEFabcdef"},
	{"only base64 characters", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/="},
	{"only printable characters", func() string {
		var b strings.Builder
		for c := byte(0x21); c < 0x7F; c++ {
			b.WriteByte(c)
		}
		return b.String()
	}()},
}

// text finds bytes whose top bit is always 0, either all of some alphabet, blanks and line ends left
// aside, or with no other stuck bit.
func text(run *Run) *Hint {
	ones, zeros, length := run.stuckRow()
	if zeros[0]&0x80 == 0 || run.Blocks == 0 {
		return nil
	}
	for i := range length {
		if zeros[i]&0x80 == 0 {
			return nil
		}
	}
	const looks = "top bit always 0: looks like text"
	for _, a := range alphabets {
		if onlyOf(&run.Sampled.Values, a.letters+" \t\r\n") {
			return hint(HintText, "%s, %s", looks, a.name)
		}
	}
	if length > 1 || zeros[0] != 0x80 || ones[0] != 0 {
		return nil
	}
	return hint(HintText, "%s", looks)
}

// onlyOf tells whether no byte but the given ones occurs.
func onlyOf(values *[256]int64, letters string) bool {
	for value, n := range values {
		if n > 0 && strings.IndexByte(letters, byte(value)) < 0 {
			return false
		}
	}
	return true
}

// textPrefix finds text at the start with other data after it. Bytes of an ideal source are text as far as
// that once in 10^10 audits.
func textPrefix(run *Run) *Hint {
	const remarkable = 24
	if run.TextPrefix < remarkable || int64(run.TextPrefix) >= run.Bytes {
		return nil
	}
	return hint(HintTextPrefix, "the first %d bytes are text: a banner before the data", run.TextPrefix)
}

// counter finds words at the start of the stream each of which is the one before plus a constant.
func counter(run *Run) *Hint {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for size := 1; size <= 8; size *= 2 {
			if step, ok := countsBy(run.Head, size, order); ok {
				return hint(HintCounter, "a counter: each word of %d bits is the one before plus %d", 8*size, step)
			}
		}
	}
	return nil
}

// countsBy tells by what words of the given size and order count, if they do and are enough to tell.
func countsBy(data []byte, size int, order binary.ByteOrder) (step int64, ok bool) {
	const enough = 32
	if len(data) < enough*size {
		return 0, false
	}
	shift := 64 - 8*size
	word := func(at int) int64 { // in the upper bits
		switch size {
		case 1:
			return int64(data[at]) << shift
		case 2:
			return int64(order.Uint16(data[at:])) << shift
		case 4:
			return int64(order.Uint32(data[at:])) << shift
		}
		return int64(order.Uint64(data[at:]))
	}
	step = word(size) - word(0)
	for at := 2 * size; at+size <= len(data); at += size {
		if word(at)-word(at-size) != step {
			return 0, false
		}
	}
	return step >> shift, step != 0
}
