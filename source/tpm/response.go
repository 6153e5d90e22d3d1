package tpm

import "fmt"

// ResponseError is a TPM's answer that a command did not work.
type ResponseError struct{ Code uint32 }

func (e *ResponseError) Error() string {
	r := e.known()
	if r.name == "" {
		return fmt.Sprintf("the TPM answers TPM2_GetRandom with code %#x", e.Code)
	}
	return fmt.Sprintf("the TPM answers TPM2_GetRandom with %s (%#x): %s", r.name, e.Code, r.means)
}

// response is what a response code means for this source.
type response struct {
	code  uint32
	name  string
	means string
	busy  bool   // ask again soon
	hint  string // else: what it takes before there is anything to read; "" if that is not known
}

// layer masks the part of a code that names who answers for the TPM: the kernel's resource manager does so
// with 11 (TCG TSS 2.0 Overview and Common Structures, 1.0, 4.2; drivers/char/tpm/tpm.h).
const layer = 0x00FF0000

// responses are the codes that concern this command: Trusted Platform Module Library, Family 2.0,
// revision 01.59, Part 2, 6.6.3 (TPM_RC).
var responses = []response{
	{code: 0x922, name: "TPM_RC_RETRY", means: "it could not start the command", busy: true},
	{code: 0x908, name: "TPM_RC_YIELDED", means: "it put the command off", busy: true},
	{code: 0x909, name: "TPM_RC_CANCELED", means: "the command was cancelled", busy: true},
	{code: 0x90A, name: "TPM_RC_TESTING", means: "its self-test runs", busy: true},
	{code: 0x904, name: "TPM_RC_MEMORY", means: "it is out of memory", busy: true},

	{code: 0x101, name: "TPM_RC_FAILURE", means: "a self-test failed, and it does nothing more", hint: "power the machine off and on; 'tpm2_gettestresult' tells more; a TPM that stays so is broken"},
	{code: 0x100, name: "TPM_RC_INITIALIZE", means: "nobody has started it up since its reset", hint: "the firmware or the kernel's driver does that: look at the kernel log for tpm"},
	{code: 0x153, name: "TPM_RC_NEEDS_TEST", means: "it wants its self-test first", hint: "'tpm2_selftest' runs it"},
	{code: 0x120, name: "TPM_RC_DISABLED", means: "the command is disabled", hint: "the firmware's setup has a switch for the TPM"},
	{code: 0x143, name: "TPM_RC_COMMAND_CODE", means: "it does not have the command", hint: "such a TPM cannot be a source"},
	{code: 0x12D, name: "TPM_RC_UPGRADE", means: "its firmware is being changed", hint: "finish the upgrade"},
	{code: 0x130, name: "TPM_RC_REBOOT", means: "it wants a restart", hint: "restart the machine"},
	{code: 0x921, name: "TPM_RC_LOCKOUT", means: "it is locked against guessing", hint: "this ends by itself, or by 'tpm2_dictionarylockout --clear-lockout'; random numbers should not depend on it"},
}

// known returns what is known of the code, with name "" if it is not listed.
func (e *ResponseError) known() response {
	for _, r := range responses {
		if r.code == e.Code&^layer {
			return r
		}
	}
	return response{}
}
