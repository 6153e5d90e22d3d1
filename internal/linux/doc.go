// Package linux is hwrngd's only door to the operating system: the ioctls of the kernel's random
// device, getrandom, poll, device nodes, the hw_random class in sysfs, a few files of procfs,
// clocks and the lock file. No other package imports golang.org/x/sys/unix.
//
// Everything that reads below /sys or /proc hangs on a root given by the caller, so tests and
// containers can put another tree in its place. Reads are single and bounded: some drivers
// answer a second read of the same file for ever.
package linux
