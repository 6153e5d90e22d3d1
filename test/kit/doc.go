// Package kit has what tests of many packages need: the program under test, provided once a run; skips that
// are heard; waits that end as soon as the thing happens; files and golden files; pseudo-terminals; and ways to
// watch a daemon: its page of metrics, what it tells the service manager, what strace sees of it.
//
// A helper that takes a [testing.TB] ends the case on an error, with what was attempted.
package kit
