// Package script reads the case files of the fault bench: a device that misbehaves step by step, and
// what a daemon has to make of it.
//
// A file is a list of lines, each a verb and its words. Words are parted by blanks, texts stand in
// quotes as in Go, and # begins a comment. Lines are carried out one after the other.
//
//	title   TEXT                          what happens, in one line; the first line
//	channel fifo|pty|fuse|file            what sort of device; the second line
//	channel pty cooked                    a terminal that nobody has made raw
//	channel link PATH                     a link to another device
//	cpu     SHARE%                        CPU time that the daemon may take, of one core (default 3%)
//
// Before the daemon starts:
//
//	sink    PATH                          in the place of /dev/random; "file" is an empty file
//	without CAP_SYS_ADMIN                 the right to credit is taken away
//	notify  [watchdog TIME]               a service manager listens
//	trace   CALL,... of device|sink|any   system calls are recorded
//	inject  CALL ERRNO [when N+M] of device|sink
//	                                      system calls fail, counted for each thread by itself
//	start   [OPTION...]                   hwrngd run; once, unless there is a run line
//	run     COMMAND [OPTION...]           another command of hwrngd, to its end
//
// DEVICE in an option or in the configuration stands for the path of the device.
//
// At any time:
//
//	plug    [as NAME]                     the device appears, beside its usual place under another name
//	unplug                                it vanishes, and reads under way end
//	sys     PATH TEXT                     a file below /sys
//	proc    PATH TEXT                     a file below /proc
//	config  TEXT                          the configuration file
//	reload                                SIGHUP
//	wait    TIME
//	stop                                  SIGTERM; the end of the file does so, too
//	within  TIME CONDITION                becomes true within that time
//	for     TIME CONDITION                is true all that time
//	expect  CONDITION                     is true now
//
// What the device does. It goes on to the next of these lines when the daemon has read so far; one
// without an amount or a time lasts until another of these lines is carried out.
//
//	feed    STREAM [N bytes|N blocks] [rate N|burst N every TIME|chunk N] [error ERRNO every N]
//	silence [TIME]
//	error   ERRNO [N times]               what reads answer (channel fuse)
//	await   TEXT                          silence until it has been sent this text (channel pty)
//	fault                                 the fault begins here: times count from this moment
//
// Streams, of which each goes on where it stopped: G1 [from BYTE] (good data), G10 (all ones), zeros,
// repeat N (N good bytes again and again; G12), G15 p=SHARE (so many bits are ones), G17 (each 32nd byte
// is zero), G18 (each 32-bit word twice), G21 hex|base64|top (text), G26 (bytes that count up), banner
// (lines of plain text). The numbers are those of package fipstest. A block has 2500 bytes, rates are
// in bytes a second.
//
// A condition compares a quantity with a value by =, >= or <=, texts by = or contains; the quantities
// are in the table of condition.go, and a mistake in a line shows their row. A number that begins with +
// is counted from the moment at which its line begins.
package script
