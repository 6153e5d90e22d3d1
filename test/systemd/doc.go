// Package systemd tests the units with a real systemd.
//
//	make e2e                                   # among the rest
//	go test ./test/systemd -run Watchdog -v    # one case
//
// $HWRNGD is the program, $HWRNGD_PACKAGES a directory with a .deb and an .rpm, $INITRAMFS_FUNCTIONS
// the hook-functions of initramfs-tools. Without the first the program is built, without the others
// their cases are skipped.
//
// Each case boots a machine of its own: systemd as process 1 in namespaces over this machine's root
// file system (machine.sh), in well under a second. Units, configuration and program are those of
// the tree, at the paths where the packages put them; a drop-in lifts the condition that keeps
// hwrngd out of containers. Two things are not real: the hw_random class in /sys, which is plain
// files, since the kernel has only one for all namespaces, and what is enabled beside hwrngd, which
// is nothing. The generator's device is the real one, and credit goes to the machine's kernel.
//
// It needs root, systemd, cgroup v2 and the right to make namespaces and overlay mounts. Where these
// are missing the cases are skipped, loudly; with HWRNGD_REQUIRE_SYSTEMD=1 they fail.
package systemd
