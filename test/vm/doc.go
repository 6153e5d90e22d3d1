// Package vm tests the built program on real kernels with generators that the test controls, in
// emulated machines.
//
//	go test ./test/vm -run Quick -v               # Linux 6.1 on x86, 3 minutes: what each change needs
//	HWRNGD_VM=all go test -timeout 150m ./test/vm # everything, an hour and more
//
// Needed are QEMU and apt; test/need.sh installs the one, kernels and the programs to compare with
// come by the other. A whole Debian takes mmdebstrap, root, and HWRNGD_PACKAGES, a directory with the
// .deb package of 'make package'. Where something cannot be had, cases are skipped, loudly, or fail if
// HWRNGD_REQUIRE_VM=1. What was downloaded is kept in the user's cache, below hwrngd/vm.
// HWRNGD_VM_RESULTS=PATH leaves the table of results as PATH.txt and PATH.json; it is printed in any
// case.
//
// # How it works
//
// The machine's root file system is made of the daemon, whatever else a case needs, and the program
// in directory init, which does what the case asks for over the console (package wire). Behind each
// virtio random number generator is a socket, and behind that a script (package egd): good data,
// zeros, a bias, silence, one after the other. QEMU's control socket pulls generators out and takes
// snapshots (package qemu).
//
// A few cases boot a whole Debian from a disk in its place: its kernel, its initramfs, systemd and
// udev, with hwrngd's package installed (package debian). There the program in directory init is a
// service. A few more have hwrngd in their initramfs, made by initramfs-tools or dracut.
//
// Kernels are Debian's. The x86 CPU has no RDRAND, and neither CPU nor boot loader are trusted, so
// that the kernel really starts unseeded. Times are those of an emulated machine: they compare what
// ran in the same one, and say nothing about real hardware.
//
// # What is not shown here
//
//   - A kernel with the pool from before Linux 5.18. No package holds one any more; what it asks for
//     is simulated in package pool/pooltest.
//   - Suspend, and generators other than virtio's and a TPM in software (swtpm).
package vm
