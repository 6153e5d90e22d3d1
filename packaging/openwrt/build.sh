#!/bin/bash
# Makes ready-made packages for OpenWrt in the directory $OUT, build/openwrt by default: an .ipk for releases
# up to 24.10 and an .apk for 25.12 and later, for each name that OpenWrt has for an architecture
# (DISTRIB_ARCH in /etc/openwrt_release). Neither opkg nor apk takes a package with another name, so a
# program that runs on many of them is packed many times. The same tree gives the same bytes.
#
#   build.sh VERSION [ARCH...]          all architectures by default
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$1
shift

# Go's settings, and the names that they are for. OpenWrt's feed chooses in the same way: of ARM those
# without a floating-point unit in the name get version 5, those with vfp 6, the others 7; Go knows no
# ARMv4 (arm_fa526), no big-endian ARM and no PowerPC as old as OpenWrt's.
archs='
386-softfloat   GOARCH=386     GO386=softfloat     i386_pentium-mmx
386             GOARCH=386     GO386=sse2          i386_pentium4
amd64           GOARCH=amd64   GOAMD64=v1          x86_64
arm5            GOARCH=arm     GOARM=5             arm_arm926ej-s arm_cortex-a7 arm_cortex-a9 arm_xscale
arm6            GOARCH=arm     GOARM=6             arm_arm1176jzf-s_vfp
arm7            GOARCH=arm     GOARM=7             arm_cortex-a5_vfpv4 arm_cortex-a7_neon-vfpv4 arm_cortex-a7_vfpv4 arm_cortex-a8_vfpv3 arm_cortex-a9_neon arm_cortex-a9_vfpv3-d16 arm_cortex-a15_neon-vfpv4
arm64           GOARCH=arm64   GOARM64=v8.0        aarch64_cortex-a53 aarch64_cortex-a72 aarch64_cortex-a76 aarch64_generic
mips            GOARCH=mips    GOMIPS=softfloat    mips_24kc mips_4kec mips_mips32
mipsle          GOARCH=mipsle  GOMIPS=softfloat    mipsel_24kc mipsel_24kc_24kf mipsel_74kc mipsel_mips32
mips64          GOARCH=mips64  GOMIPS64=softfloat  mips64_mips64r2 mips64_octeonplus
riscv64         GOARCH=riscv64 GORISCV64=rva20u64  riscv64_generic riscv64_riscv64
'

go=${GO:-go}
out=$(realpath -m "${OUT:-build/openwrt}")
stage=$out.stage
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC CGO_ENABLED=0
umask 022
rm -rf "$out" "$stage"
mkdir -p "$out" "$stage"
"$go" build -modfile=tools/go.mod -o "$stage/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm

# What is the same for every machine, as the Makefile of the feed installs it.
common=$stage/common
files=packaging/openwrt/files
install -d "$common"/root/{usr/sbin,etc/{init.d,capabilities,hotplug.d/{misc,tty},uci-defaults},lib/upgrade/keep.d}
cp -r packaging/openwrt/{files,scripts} "$common/"
chmod 755 "$common"/scripts/*
install -m 755 $files/hwrngd.init "$common/root/etc/init.d/hwrngd"
ln -s /var/etc/hwrngd/hwrngd.toml "$common/root/etc/hwrngd.toml"
install -m 644 $files/hwrngd.json "$common/root/etc/capabilities/hwrngd.json"
install -m 644 $files/hwrngd.hotplug "$common/root/etc/hotplug.d/misc/50-hwrngd"
ln -s ../misc/50-hwrngd "$common/root/etc/hotplug.d/tty/50-hwrngd"
install -m 755 $files/hwrngd.uci-defaults "$common/root/etc/uci-defaults/50-hwrngd"
install -m 644 $files/hwrngd.keep "$common/root/lib/upgrade/keep.d/hwrngd"

# OpenWrt's scripts look here for what an .apk holds; opkg keeps such lists itself.
lists=$common/apk/lib/apk/packages
install -d "$lists"
echo /etc/config/hwrngd >"$lists/hwrngd.conffiles"
echo "/etc/config/hwrngd $(sha256sum <$files/hwrngd.config | cut -d ' ' -f 1)" >"$lists/hwrngd.conffiles_static"
(cd "$common/root" && { find . -type f,l -printf '/%P\n' && printf '/usr/sbin/hwrngd\n/etc/config/hwrngd\n'; } | sort) >"$lists/hwrngd.list"

build() {
	local name=$1 settings=("$2" "$3") tree=$stage/$1 lean arch format mark
	shift 3
	cp -r "$common" "$tree"
	# Without inlining in the standard library the program is a twentieth smaller, packed a seventh. Not so on
	# mips64: there Go's runtime then writes a pointer to an address that is no multiple of 8.
	lean=(-gcflags=all=-l -gcflags=github.com/hwrngd/hwrngd/...=)
	[ "$name" != mips64 ] || lean=()
	env "${settings[@]}" "$go" build -tags minimal -trimpath "${lean[@]}" \
		-ldflags "-s -w -X main.version=$version" -o "$tree/root/usr/sbin/hwrngd" ./cmd/hwrngd
	find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	for arch; do
		for format in ipk apk; do
			mark=$version
			[ $format != apk ] || mark=${version/%-dev/-pre} # of what comes before a release apk knows no "dev"
			(cd "$tree" && VERSION=$mark ARCH=$arch "$stage/nfpm" package -f "$OLDPWD/packaging/openwrt/nfpm.yaml" -p "$format" -t "$out/hwrngd_${version}_$arch.$format")
		done
	done
}

while read -r name first second names; do
	[ -n "$name" ] || continue
	wanted=
	for arch in $names; do
		[ $# -gt 0 ] && [[ " $* " != *" $arch "* ]] || wanted="$wanted $arch"
	done
	# shellcheck disable=SC2086 # a list of words
	[ -z "$wanted" ] || build "$name" "$first" "$second" $wanted
done <<<"$archs"

cd "$out"
sha256sum -- * >SHA256SUMS
