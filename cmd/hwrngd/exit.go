package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Exit codes. Those from 64 up are the numbers of BSD's sysexits.h, so that a
// service manager can tell a fault that a restart may cure from one that it
// cannot (the systemd unit lists the latter in RestartPreventExitStatus).
const (
	// exitOK: everything that was asked for was done.
	exitOK int = 0
	// exitFailedTests: the data were read and failed the statistical tests.
	exitFailedTests int = 1
	// exitUsage: the command line, an environment variable or the
	// configuration file is wrong; the message names the place.
	exitUsage int = 2
	// exitTooLittleData: the input ended before a judgement was possible, or what came asks for more.
	exitTooLittleData int = 65
	// exitNoInput: an input file or device cannot be opened.
	exitNoInput int = 66
	// exitUnavailable: a source that was required is not there or not usable.
	exitUnavailable int = 69
	// exitOS: the operating system refused something that should have worked.
	exitOS int = 71
	// exitIO: reading the input or writing the output failed half-way.
	exitIO int = 74
	// exitAlreadyRunning: another hwrngd runs on this machine, or another process has the tty.
	exitAlreadyRunning int = 75
	// exitPermission: the user has not the rights for what was asked.
	exitPermission int = 77
)

// exitMeanings is the table that help texts and man pages show.
var exitMeanings = []struct {
	code    int
	meaning string
}{
	{exitOK, "fine"},
	{exitFailedTests, "the data failed the statistical tests"},
	{exitUsage, "the command line or the configuration is wrong"},
	{exitTooLittleData, "not enough data to judge"},
	{exitNoInput, "an input file or device cannot be opened"},
	{exitUnavailable, "a required source is not available"},
	{exitOS, "the operating system reported an error"},
	{exitIO, "reading the input or writing the output failed"},
	{exitAlreadyRunning, "another hwrngd already runs, or a tty is in use"},
	{exitPermission, "permission denied"},
}

// exitError is an error that knows the exit code it leads to and, where there
// is one, what the user can do about it.
type exitError struct {
	code int
	err  error
	hint string // lower case, no full stop; may be empty
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// exitErrorf makes an exitError. The message says what was attempted, on which
// path and what the system answered; the hint says what to do next.
func exitErrorf(code int, hint, format string, args ...any) error {
	return &exitError{code: code, err: fmt.Errorf(format, args...), hint: hint}
}

// problems are all the mistakes found in one go, so that a user corrects a
// file once and not once a line.
type problems []error

// Error joins them on one line, which is what a log entry needs; Fail prints
// them one a line.
func (p problems) Error() string {
	texts := make([]string, len(p))
	for i, err := range p {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

func (p problems) Unwrap() []error { return p }

// exitCode is the exit code that an error leads to. One without a code of its
// own counts as a permission problem if it is one, and else as an error of the
// operating system.
func exitCode(err error) int {
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit.code
	}
	if errors.Is(err, fs.ErrPermission) {
		return exitPermission
	}
	return exitOS
}

// Fail reports an error on standard error, with its hint, and returns the exit
// code for it.
func (inv *Invocation) Fail(err error) int {
	lines := []error{err}
	if all, ok := errors.AsType[problems](err); ok {
		lines = all
	}
	var text strings.Builder
	for _, line := range lines {
		text.WriteString("hwrngd: " + escapeControls(line.Error()) + "\n")
	}
	if exit, ok := errors.AsType[*exitError](err); ok && exit.hint != "" {
		text.WriteString("hint: " + escapeControls(exit.hint) + "\n")
	}
	inv.tell(text.String())
	return exitCode(err)
}

// Warn reports something that does not stop the command.
func (inv *Invocation) Warn(warning string) {
	inv.tell("hwrngd: warning: " + escapeControls(warning) + "\n")
}

// tell writes to standard error. Where that is broken there is nobody left to
// complain to.
func (inv *Invocation) tell(text string) { _, _ = inv.Stderr.Write([]byte(text)) }

// exit is Fail for an error that may be nil.
func (inv *Invocation) exit(err error) int {
	if err != nil {
		return inv.Fail(err)
	}
	return exitOK
}
