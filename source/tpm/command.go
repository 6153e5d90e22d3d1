package tpm

import (
	"encoding/binary"
	"fmt"
)

// The structures are those of the Trusted Platform Module Library, Family 2.0, revision 01.59: Part 1,
// 18 (layout of commands and responses), Part 2, 6.5.2 (TPM_CC), 6.9 (TPM_ST) and 10.4.2 (TPM2B_DIGEST),
// Part 3, 16.1 (TPM2_GetRandom). All numbers are big-endian.
const (
	tagNoSessions = 0x8001 // TPM_ST_NO_SESSIONS
	tagVersion1   = 0x00C4 // TPM_ST_RSP_COMMAND: how a TPM 1.2 answers, and a TPM 2.0 what it takes for a 1.2 command
	getRandom     = 0x017B // TPM_CC_GetRandom

	headerBytes = 10 // tag, size, command or response code: 2, 4 and 4
	sizeBytes   = 2  // of the TPM2B in the parameters
)

// maxRandom is the most that one command asks for, in bytes. A TPM gives as much as its largest digest has,
// which is 32 bytes or more of any that has SHA-256.
const maxRandom = 32

// maxAnswer has room for any answer: TPM_BUFSIZE of the kernel's drivers/char/tpm/tpm.h.
const maxAnswer = 4096

// request returns the command that asks for n bytes, at most maxRandom.
func request(n int) []byte {
	c := binary.BigEndian.AppendUint16(nil, tagNoSessions)
	c = binary.BigEndian.AppendUint32(c, headerBytes+2)
	c = binary.BigEndian.AppendUint32(c, getRandom)
	return binary.BigEndian.AppendUint16(c, uint16(n))
}

// answered returns the random bytes of an answer to request(n): at most n, and at least one. Errors are a
// [*ResponseError] if the TPM says that it did not work, an *oldError of a TPM 1.2, else a *malformedError.
func answered(answer []byte, n int) ([]byte, error) {
	if len(answer) < headerBytes {
		return nil, &malformedError{fmt.Sprintf("it has %d bytes, and a header has %d", len(answer), headerBytes)}
	}
	tag, size := binary.BigEndian.Uint16(answer), binary.BigEndian.Uint32(answer[2:])
	if uint64(size) != uint64(len(answer)) {
		return nil, &malformedError{fmt.Sprintf("it has %d bytes and says that it has %d", len(answer), size)}
	}
	code := binary.BigEndian.Uint32(answer[6:])
	switch {
	case tag == tagVersion1 && code != 0:
		return nil, &oldError{code}
	case tag != tagNoSessions:
		return nil, &malformedError{fmt.Sprintf("its tag is %#04x and not %#04x", tag, tagNoSessions)}
	case code != 0:
		return nil, &ResponseError{code}
	}
	body := answer[headerBytes:]
	if len(body) < sizeBytes {
		return nil, &malformedError{"it holds no data"}
	}
	data := body[sizeBytes:]
	switch given := int(binary.BigEndian.Uint16(body)); {
	case given != len(data):
		return nil, &malformedError{fmt.Sprintf("it holds %d random bytes and says that there are %d", len(data), given)}
	case given > n:
		return nil, &malformedError{fmt.Sprintf("it holds %d random bytes, and %d were asked for", given, n)}
	case given == 0:
		return nil, &malformedError{"it holds no random bytes"}
	}
	return data, nil
}

// malformedError reports an answer that is none, and of which nothing can be used.
type malformedError struct{ what string }

func (e *malformedError) Error() string { return "not an answer to TPM2_GetRandom: " + e.what }

// oldError reports the answer of a TPM 1.2, which does not know the command.
type oldError struct{ code uint32 }

func (e *oldError) Error() string {
	return fmt.Sprintf("it answers as a TPM 1.2 does (code %#x)", e.code)
}
