// Package openwrt tests the OpenWrt package.
//
//	make openwrt                               # scripts, feed, packages for two architectures
//	make openwrt-all                           # packages for all of them, each program run under emulation
//	go test ./test/openwrt -run Options -v     # one case
//
// The scripts run as they are, under the shell of busybox, at the paths where the package puts them: each
// case has a root directory of its own with the program of this tree. OpenWrt's parts are stand-ins made
// for these tests (testdata/root and standin): they keep what the scripts tell procd, and the test makes
// the message of it that procd would get. What procd and ujail do with it is not tested here.
//
// $HWRNGD is the program, linked statically, $BUSYBOX a static busybox. Without the first the program is
// built. $HWRNGD_OPENWRT_PACKAGES is a directory that packaging/openwrt/build.sh has made; without it the
// cases about packages are skipped. Cases that need root or a tool that is not there are skipped, loudly;
// with HWRNGD_REQUIRE_OPENWRT=1 they fail.
package openwrt
