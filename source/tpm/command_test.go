package tpm

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

// TestRequest: the command as the specification lays it out (Part 3, 16.1, table "TPM2_GetRandom Command").
func TestRequest(t *testing.T) {
	if got := hex.EncodeToString(request(32)); got != "8001"+"0000000c"+"0000017b"+"0020" {
		t.Error(got)
	}
}

func TestAnswered(t *testing.T) {
	const good = "8001" + "00000010" + "00000000" + "0004" + "01020304"
	for _, tt := range []struct {
		name, answer string
		data         string
		reason       string // of the error
	}{
		{"as asked", "8001" + "00000014" + "00000000" + "0008" + "0102030405060708", "0102030405060708", ""},
		{"fewer than asked", good, "01020304", ""},
		{"empty", "", "", "it has 0 bytes, and a header has 10"},
		{"cut in the header", good[:18], "", "it has 9 bytes, and a header has 10"},
		{"cut in the data", good[:30], "", "it has 15 bytes and says that it has 16"},
		{"size too small", "8001" + "0000000f" + good[12:], "", "it has 16 bytes and says that it has 15"},
		{"size too large", "8001" + "00000040" + good[12:], "", "it has 16 bytes and says that it has 64"},
		{"size enormous", "8001" + "ffffffff" + good[12:], "", "says that it has 4294967295"},
		{"size zero", "8001" + "00000000" + good[12:], "", "says that it has 0"},
		{"bytes behind", good + "00", "", "it has 17 bytes and says that it has 16"},
		{"no parameters", "8001" + "0000000a" + "00000000", "", "it holds no data"},
		{"half a length", "8001" + "0000000b" + "00000000" + "00", "", "it holds no data"},
		{"more data than there are", "8001" + "00000010" + "00000000" + "0005" + "01020304", "", "it holds 4 random bytes and says that there are 5"},
		{"less data than there are", "8001" + "00000010" + "00000000" + "0003" + "01020304", "", "it holds 4 random bytes and says that there are 3"},
		{"more data than asked for", "8001" + "00000015" + "00000000" + "0009" + "010203040506070809", "", "it holds 9 random bytes, and 8 were asked for"},
		{"no random bytes", "8001" + "0000000c" + "00000000" + "0000", "", "it holds no random bytes"},
		{"tag of an authorised answer", "8002" + good[4:], "", "its tag is 0x8002 and not 0x8001"},
		{"our own command", hex.EncodeToString(request(8)), "", "code 0x17b"},
		{"text", hex.EncodeToString([]byte("login: password:")), "", "says that it has"},
		{"TPM 1.2", "00c4" + "0000000a" + "0000001e", "", "it answers as a TPM 1.2 does (code 0x1e)"},
		{"TPM 1.2 that agrees", "00c4" + "0000000a" + "00000000", "", "its tag is 0x00c4"},
		{"refused", "8001" + "0000000a" + "00000101", "", "TPM_RC_FAILURE (0x101): a self-test failed"},
		{"refused, by the resource manager", "8001" + "0000000a" + "000b0143", "", "TPM_RC_COMMAND_CODE (0xb0143)"},
		{"refused, unknown", "8001" + "0000000a" + "000001c4", "", "with code 0x1c4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := hex.DecodeString(tt.answer)
			if err != nil {
				t.Fatal(err)
			}
			data, err := answered(raw, 8)
			if hex.EncodeToString(data) != tt.data {
				t.Errorf("data %x", data)
			}
			if tt.reason == "" && err != nil || tt.reason != "" && (err == nil || !strings.Contains(err.Error(), tt.reason)) {
				t.Errorf("%v, want %q", err, tt.reason)
			}
		})
	}
}

// TestResponses: each code once, and of each what follows from it.
func TestResponses(t *testing.T) {
	seen := map[uint32]bool{}
	for _, r := range responses {
		if seen[r.code] || r.code&layer != 0 || r.means == "" || !strings.HasPrefix(r.name, "TPM_RC_") || r.busy != (r.hint == "") {
			t.Errorf("%+v", r)
		}
		seen[r.code] = true
		// Warnings are 0x900 and up, errors 0x100 and up (Part 2, 6.6.2, RC_WARN and RC_VER1).
		if warning := r.code&^0x7F == 0x900; r.busy && !warning || !warning && r.code&^0x7F != 0x100 {
			t.Errorf("%s is %#x", r.name, r.code)
		}
	}
}

// FuzzAnswered: whatever comes, it is either an error or exactly the bytes that the answer holds, and never
// more than was asked for.
func FuzzAnswered(f *testing.F) {
	for _, seed := range [][]byte{
		nil, right(make([]byte, 32)), right([]byte{1}), answer(tagNoSessions, 0x922), answer(tagVersion1, 0x1e),
		answer(tagNoSessions, 0, 0, 33), request(32),
	} {
		f.Add(seed, uint8(32))
	}
	f.Fuzz(func(t *testing.T, raw []byte, want uint8) {
		n := int(want)%maxRandom + 1
		data, err := answered(raw, n)
		if err != nil {
			var (
				answer    *ResponseError
				old       *oldError
				malformed *malformedError
			)
			if data != nil || !errors.As(err, &answer) && !errors.As(err, &old) && !errors.As(err, &malformed) || err.Error() == "" {
				t.Errorf("%x, %v", data, err)
			}
			return
		}
		if len(data) < 1 || len(data) > n || !bytes.Equal(raw, right(data)) {
			t.Errorf("%x of %x", data, raw)
		}
	})
}
