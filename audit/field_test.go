package audit

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// block returns a stream of one block.
func block(b *fipstest.Block) []byte { return append([]byte("boot"), b[:]...) }

// edited returns 20 good blocks after a change.
func edited(change func(data []byte)) []byte {
	data := good(20, 20)
	change(data)
	return data
}

// everySecond returns the words of good data of so many bytes, each the given number of times.
func repeatedWords(size, times int) []byte {
	var data []byte
	for source := good(21, 20); len(source) >= size; source = source[size:] {
		for range times {
			data = append(data, source[:size]...)
		}
	}
	return data
}

// counting returns words that count, in 20 blocks.
func counting(size int, step uint64, order binary.ByteOrder) []byte {
	data := good(0, 20)
	for i := 0; i+8 <= len(data); i += size {
		var word [8]byte
		order.PutUint64(word[:], uint64(i/size)*step+12345)
		if order == binary.ByteOrder(binary.BigEndian) {
			copy(data[i:], word[8-size:])
		} else {
			copy(data[i:], word[:size])
		}
	}
	return data
}

// terminal returns 40 good blocks after a terminal line replaced each byte.
func terminal(line func(b byte) []byte) []byte {
	var data []byte
	for _, b := range good(22, 40) {
		data = append(data, line(b)...)
	}
	return data
}

// banner is what a generator may say before its data.
const banner = "hardware random number generator, model 4711, firmware 2.0 (build 8)\r\n" +
	"self test passed: noise source ok, bias 0.03 %, temperature 31 degrees\r\n" +
	"commands: d data, h help, s status\r\nd\r\n"

// TestFieldCases judges the streams of the field cases, and others with the faults that have a hint.
func TestFieldCases(t *testing.T) {
	for _, test := range []struct {
		name    string
		data    []byte
		verdict Verdict
		hints   []string // names, with a part of the text after a colon
		reason  string   // a part of it
	}{
		{"G1", fipstest.G1(2000), Pass, nil, "1 of 2000 blocks failed; an ideal source fails as many or more in 80 % of audits"},
		{"G1 100", fipstest.G1(100), Pass, nil, "none of 100 blocks failed"},
		{"G2", fipstest.G2(), Insufficient, nil, "4 blocks came"},
		{"G3 25", fipstest.G3(25), Insufficient, nil, "4 blocks came"},
		{"G3 34", fipstest.G3(34), Insufficient, nil, "4 blocks came"},
		{"G4", block(fipstest.G4(9725)), Insufficient, nil, "1 block came"},
		{"G5", block(fipstest.G5(1576930)), Insufficient, nil, "1 block came"},
		{"G7", fipstest.G7(), Insufficient, nil, "4 blocks came"},
		{"G8 start", fipstest.G8(false), Insufficient, nil, "4 blocks came"},
		{"G8 end", fipstest.G8(true), Insufficient, nil, "4 blocks came"},
		{"G10", fipstest.G10(40), Fail, []string{"stuck:stuck at ff"}, "stuck at ff: every byte is that"},
		{"G10, one block", fipstest.G10(1), Fail, []string{"stuck"}, "stuck at ff"},
		{"G11", fipstest.G11(0, 40), Fail, []string{"stuck:every byte"}, "stuck at 00"},
		{"G11 after 10", fipstest.G11(10, 40), Fail, []string{"stuck:00 from byte 25004 on"}, "stuck at 00"},
		{"G12 16", fipstest.G12(16, 40), Fail, []string{"repeats:repeats every 16 bytes"}, "repeats every 16 bytes"},
		{"G12 64", fipstest.G12(64, 40), Fail, []string{"repeats:repeats every 64 bytes"}, "repeats every 64 bytes"},
		{"G12 4096", fipstest.G12(4096, 40), Fail, []string{"repeats:repeats every 4096 bytes"}, "repeats every 4096 bytes"},
		{"G12 5000", fipstest.G12(5000, 40), Fail, []string{"repeats:repeats every 5000 bytes"}, "repeats every 5000 bytes"},
		{"G15 0.40", fipstest.G15(0.40, 40), Fail, []string{"bias:40.0 %"}, "of the bits are ones"},
		{"G15 0.45", fipstest.G15(0.45, 40), Fail, []string{"bias:44.9 %"}, "of the bits are ones"},
		{"G15 0.495", fipstest.G15(0.495, 40), Fail, []string{"bias:49.4 %"}, "of the bits are ones"},
		{"G16", fipstest.G16(), Fail, []string{"gap:zero gap of 4096 bytes at offset 100000"}, "zero gap of 4096 bytes"},
		{"G17", fipstest.G17(40), Fail, []string{"stuck-bits:byte 31 of every 32 bytes is always 00"}, "byte 31 of every 32 bytes"},
		{"G18", fipstest.G18(40), Fail, []string{"word-twice:every word of 32 bits comes twice"}, "every word of 32 bits"},
		{"G21 top", fipstest.G21("top", 40), Fail, []string{"text:top bit always 0: looks like text"}, "top bit always 0"},
		{"G21 hex", fipstest.G21("hex", 40), Fail, []string{"text:only hexadecimal digits"}, "only hexadecimal digits"},
		{"G21 base64", fipstest.G21("base64", 40), Fail, []string{"text:only base64 characters"}, "only base64 characters"},
		{"G22 0", nil, Insufficient, nil, "no whole block"},
		{"G22 3", fipstest.G1(1)[:3], Insufficient, nil, "no whole block"},
		{"G22 4", fipstest.G1(1)[:4], Insufficient, nil, "no whole block"},
		{"G22 2499", fipstest.G1(1)[:2499], Insufficient, nil, "no whole block"},
		{"G22 2500", fipstest.G1(1)[:2500], Insufficient, nil, "no whole block"},
		{"G23", fipstest.G23(8, 4, 50_000), Pass, nil, "blocks failed"},
		{"G23, 12 equal bytes", fipstest.G23(8, 12, 50_000), Fail, nil, "12 equal bytes came in a row"},
		{"G24", fipstest.G24(8, 13, 512), Insufficient, nil, "no whole block"},
		{"G24 among good data", edited(func(d []byte) { copy(d[4:], fipstest.G24(8, 30, 512)) }), Fail, nil, "30 bytes of a window equal its first"},
		{"G26", fipstest.G26(40), Fail, []string{"counter:each word of 8 bits is the one before plus 1", "repeats:every 256 bytes"}, "a counter"},

		{"banner", append([]byte(banner), good(24, 100)...), Pass, []string{"text-prefix:the first 183 bytes are text"}, "none of 100 blocks failed"},
		{"7-bit printable", edited(func(d []byte) {
			for i := range d {
				d[i] = ' ' + d[i]%95
			}
		}), Fail, []string{"text:only printable characters"}, "only printable"},
		{"register read as 64 bits", edited(func(d []byte) {
			for i := range d {
				if i%8 >= 4 {
					d[i] = 0
				}
			}
		}), Fail, []string{"stuck-bits:bytes 4 to 7 of every 8 bytes are always 00"}, "bytes 4 to 7"},
		{"bits 6 and 0 stuck", edited(func(d []byte) {
			for i := range d {
				d[i] = d[i]&^1 | 0x40
			}
		}), Fail, []string{"stuck-bits:every byte is always 40 in the bits of 41"}, "every byte"},
		{"one bit of 512 stuck", edited(func(d []byte) {
			for i := 37; i < len(d); i += 64 {
				d[i] |= 4
			}
		}), Fail, []string{"stuck-bits:byte 37 of every 64 bytes is always 04 in the bits of 04"}, "byte 37"},
		{"five bytes of 64 stuck", edited(func(d []byte) {
			for i := range d {
				if i%64 < 10 && i%2 == 1 {
					d[i] = 0xA5
				}
			}
		}), Fail, []string{"stuck-bits:byte 1 of every 64 bytes is always a5; byte 3 of every 64 bytes is always a5; byte 5 of every 64 bytes is always a5; 2 places more"}, "byte 1"},
		{"bytes twice", repeatedWords(1, 2), Fail, []string{"word-twice:every word of 8 bits comes twice"}, "8 bits"},
		{"words of 16 bits twice", repeatedWords(2, 2), Fail, []string{"word-twice:every word of 16 bits comes twice"}, "16 bits"},
		{"words of 64 bits twice", repeatedWords(8, 2), Fail, []string{"word-twice:every word of 64 bits comes twice"}, "64 bits"},
		{"words of 128 bits twice", repeatedWords(16, 2), Fail, []string{"word-twice:every word of 128 bits comes twice"}, "128 bits"},
		{"words of 32 bits 3 times", repeatedWords(4, 3), Fail, []string{"word-twice:every word of 32 bits comes 3 times"}, "3 times"},
		{"words of 32 bits 8 times", repeatedWords(4, 8), Fail, []string{"word-twice:every word of 32 bits comes 8 times"}, "8 times"},
		{"buffer delivered twice", edited(func(d []byte) { copy(d[20_000:20_512], d[15_000:]) }), Fail, []string{"repeats:512 bytes at offset 20000 came before, 5000 bytes earlier"}, "came before"},
		{"gap at the end", edited(func(d []byte) { clear(d[len(d)-40:]) }), Fail, []string{"gap:zero gap of 40 bytes at offset 49964"}, "zero gap"},
		{"1000 zero bytes", make([]byte, 1000), Fail, []string{"stuck:999 bytes equal the one before"}, "stuck"},
		{"three gaps", edited(func(d []byte) {
			for i := range 3 {
				copy(d[10_000*i+5_000:], strings.Repeat("\xAA", 40))
			}
		}), Fail, []string{"gap:3 gaps, the first a gap filled with aa of 40 bytes at offset 5000"}, "3 gaps"},
		{"twenty gaps", edited(func(d []byte) {
			for i := range 20 {
				clear(d[2_000*i+2_000 : 2_000*i+2_040])
			}
		}), Fail, []string{"gap:16 gaps or more, the first a zero gap of 40 bytes at offset 2000"}, "16 gaps"},
		{"counter of 32 bits", counting(4, 1, binary.LittleEndian), Fail, []string{"counter:each word of 32 bits is the one before plus 1"}, "a counter"},
		{"counter of 64 bits, down", counting(8, ^uint64(6), binary.BigEndian), Fail, []string{"counter:each word of 64 bits is the one before plus -7"}, "a counter"},
		{"terminal: 0d becomes 0a", terminal(func(b byte) []byte {
			if b == '\r' {
				b = '\n'
			}
			return []byte{b}
		}), Fail, []string{"cooked-tty:0d never occurs and 0a twice as often"}, "cooked mode"},
		{"terminal: 0a becomes 0d", terminal(func(b byte) []byte {
			if b == '\n' {
				b = '\r'
			}
			return []byte{b}
		}), Fail, []string{"cooked-tty:0a never occurs and 0d twice as often"}, "cooked mode"},
		{"terminal: 0d is left out", terminal(func(b byte) []byte {
			if b == '\r' {
				return nil
			}
			return []byte{b}
		}), Fail, []string{"cooked-tty:0d never occurs"}, "cooked mode"},
		{"terminal: 0a becomes 0d 0a", terminal(func(b byte) []byte {
			if b == '\n' {
				return []byte("\r\n")
			}
			return []byte{b}
		}), Fail, []string{"cooked-tty:every 0a follows a 0d"}, "cooked mode"},
		{"terminal: flow control", terminal(func(b byte) []byte {
			if b == 0x11 || b == 0x13 {
				return nil
			}
			return []byte{b}
		}), Fail, []string{"cooked-tty:11 and 13 never occur"}, "cooked mode"},
		{"sticky", biased(1, 40, 0, 0.52), Fail, []string{"sticky:52.0 % of the bits equal the one before"}, "sticky"},
		{"alternating", biased(1, 40, 0, 0.47), Fail, []string{"alternating:only 47."}, "alternating"},
		{"correlation at 17 bits", edited(func(d []byte) {
			for i := 17; i < 8*len(d); i++ {
				if i%10 == 0 {
					fipstest.SetBit(d, i, fipstest.Bit(d, i-17))
				}
			}
		}), Fail, []string{"correlation:54.9 % of the bits equal those 17 bits before"}, "17 bits before"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if race && len(test.data) > 1_000_000 {
				t.Skip("5 MB")
			}
			r := judged(test.data, Rules{})
			for _, h := range r.Hints {
				t.Logf("%s: %s", h.Name, h.Text)
			}
			if r.Verdict != test.verdict || !strings.Contains(r.Reason, test.reason) {
				t.Errorf("%s: %q, want %s: %q", r.Verdict, r.Reason, test.verdict, test.reason)
			}
			ok := len(r.Hints) == len(test.hints)
			for i, want := range test.hints {
				name, part, _ := strings.Cut(want, ":")
				ok = ok && r.Hints[i].Name == name && strings.Contains(r.Hints[i].Text, part)
			}
			if !ok {
				t.Errorf("hints %q, want %q", r.Hints, test.hints)
			}
		})
	}
}

// TestFiltered: a source whose failing blocks are taken out is remarkable for that alone.
func TestFiltered(t *testing.T) {
	if testing.Short() || race {
		t.Skip("50 MB")
	}
	const blocks = 20_000
	data := good(30, 0)
	for source := good(31, blocks+100)[primeBytes:]; len(data) < int(blockOffset(blocks)); source = source[fips.BlockBytes:] {
		last := binary.BigEndian.Uint32(data[len(data)-4:])
		if fips.Check((*fipstest.Block)(source), last) == 0 {
			data = append(data, source[:fips.BlockBytes]...)
		}
	}
	r := judged(data, Rules{})
	const want = "0 of 20000 blocks failed and about 16 should have: failing blocks may have been taken out"
	if names := hintNames(r); r.Verdict != Suspicious || !slices.Equal(names, []string{HintFiltered}) || r.Hints[0].Text != want {
		t.Errorf("%s, %q", r.Verdict, r.Hints)
	}
}

// TestNoHintsForGoodData judges 300 good streams of different lengths.
func TestNoHintsForGoodData(t *testing.T) {
	streams := uint64(300)
	if testing.Short() || race {
		streams = 15
	}
	for seed := range streams {
		r := judged(good(1000+seed, int(seed)%60+1), Rules{})
		if r.Hints != nil || r.Verdict == Fail || r.Verdict == Suspicious {
			t.Errorf("seed %d: %s, %s, %q", seed, r.Verdict, r.Reason, r.Hints)
		}
	}
}
