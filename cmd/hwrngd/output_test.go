package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// callFull runs a command whose standard output has no room.
func callFull(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	var talk bytes.Buffer
	code = dispatch(context.Background(), process{stdin: strings.NewReader(""), stdout: full, stderr: &talk}, args)
	return code, talk.String()
}

func testReport(color bool) string {
	r := &Report{color: color}
	r.Line("all is well")
	r.Section("Kernel")
	r.Row(plain("seeded"), good("yes"))
	r.Row(plain("pool size"), plain("256 bits"), dim("modern"))
	r.Section("Sources")
	r.Row(dim("NAME"), dim("STATE"), dim("NOTE"))
	r.Row(plain("hwrng"), bad("failed"), plain("größer\x1b[31m"))
	r.Row(plain("größer"), warn("suspect"), plain(""))
	r.Row()
	r.align()
	return r.text.String()
}

func TestReport(t *testing.T) {
	const want = `all is well

Kernel
seeded     yes
pool size  256 bits  modern

Sources
NAME    STATE    NOTE
hwrng   failed   größer\x1b[31m
größer  suspect

`
	if got := testReport(false); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	colored := testReport(true)
	if !strings.Contains(colored, "\x1b[31mfailed\x1b[0m   größer") {
		t.Errorf("no red word, or not aligned:\n%q", colored)
	}
	for _, style := range []string{styleBold, styleDim, styleRed, styleGreen, styleYellow, "0"} {
		colored = strings.ReplaceAll(colored, "\x1b["+style+"m", "")
	}
	if colored != want {
		t.Errorf("colour changes the text:\n%q", colored)
	}
}

func TestWriteJSON(t *testing.T) {
	var out countingWriter
	inv := &Invocation{Stdout: &out, Stderr: &out}
	if err := inv.WriteJSON(map[string]string{"note": "a < b & c"}); err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"note\": \"a < b & c\"\n}\n"; out.text.String() != want || out.writes != 1 {
		t.Errorf("%d writes of %q, want 1 of %q", out.writes, out.text.String(), want)
	}
	if err := inv.WriteJSON(func() {}); exitCode(err) != exitOS || out.writes != 1 {
		t.Errorf("got %v", err)
	}
}

type countingWriter struct {
	text   bytes.Buffer
	writes int
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	return w.text.Write(p)
}

func TestUseColor(t *testing.T) {
	// Only the conditions that forbid colour can be checked without a terminal.
	for _, environ := range [][]string{nil, {"NO_COLOR=1"}, {"TERM=dumb"}, {"TERM=xterm"}} {
		if useColor(&bytes.Buffer{}, environ) || useColor(os.NewFile(^uintptr(0), "closed"), environ) {
			t.Errorf("colour without a terminal, %q", environ)
		}
	}
	terminal := kit.NewPTY(t).Master
	for want, environ := range map[bool][][]string{
		true:  {nil, {"NO_COLOR="}, {"TERM=xterm"}},
		false: {{"NO_COLOR=1"}, {"TERM=dumb"}, {"NO_COLOR=0", "TERM=xterm"}},
	} {
		for _, e := range environ {
			if got := useColor(terminal, e); got != want {
				t.Errorf("%q on a terminal: %t, want %t", e, got, want)
			}
		}
	}
}

func TestFail(t *testing.T) {
	tests := []struct {
		name string
		err  error
		code int
		want string
	}{
		{
			"with hint", exitErrorf(exitUnavailable, "plug it in", "source %s: gone", "tpm"), exitUnavailable,
			"hwrngd: source tpm: gone\nhint: plug it in\n",
		},
		{"without hint", exitErrorf(exitIO, "", "read: %w", fs.ErrClosed), exitIO, "hwrngd: read: file already closed\n"},
		{"wrapped", fmt.Errorf("run: %w", exitErrorf(exitOS, "h", "x")), exitOS, "hwrngd: run: x\nhint: h\n"},
		{"without code", errors.New("strange"), exitOS, "hwrngd: strange\n"},
		{
			"permission", &fs.PathError{Op: "open", Path: "/dev/hwrng", Err: fs.ErrPermission}, exitPermission,
			"hwrngd: open /dev/hwrng: permission denied\n",
		},
		{
			"several", &exitError{code: exitUsage, err: problems{errors.New("a"), errors.New("b")}, hint: "h"}, exitUsage,
			"hwrngd: a\nhwrngd: b\nhint: h\n",
		},
		{"control characters", errors.New("a\x1b[2J\nb\u202e\xff"), exitOS, "hwrngd: a\\x1b[2J\\nb\\u202e\ufffd\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stderr bytes.Buffer
			inv := &Invocation{Stderr: &stderr}
			if code := inv.Fail(test.err); code != test.code || stderr.String() != test.want {
				t.Errorf("code %d, %q\nwant %d, %q", code, stderr.String(), test.code, test.want)
			}
		})
	}
	if code := (&Invocation{}).exit(nil); code != exitOK {
		t.Errorf("no error gives %d", code)
	}
	var stderr bytes.Buffer
	(&Invocation{Stderr: &stderr}).Warn("odd\n")
	if want := "hwrngd: warning: odd\\n\n"; stderr.String() != want {
		t.Errorf("got %q, want %q", stderr.String(), want)
	}
}
