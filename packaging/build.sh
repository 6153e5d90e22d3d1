#!/bin/bash
# Makes everything of a release in the directory $OUT, build/release by default: packages, bare
# programs, a list of what is in them, checksums. The same tree gives the same bytes: all times are
# that of the commit.
#
#   build.sh VERSION [ARCH...]          amd64 arm64 armhf riscv64 by default
set -euo pipefail
cd "$(dirname "$0")/.."

version=$1
shift
[ $# -gt 0 ] || set -- amd64 arm64 armhf riscv64

go=${GO:-go}
out=$(realpath -m "${OUT:-build/release}")
stage=$out.stage
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC CGO_ENABLED=0
umask 022
rm -rf "$out" "$stage"
mkdir -p "$out" "$stage"

# Where the machine of the build could show: nowhere.
flags=(-trimpath -ldflags "-s -w -X main.version=$version")
"$go" build -modfile=tools/go.mod -o "$stage/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm
pack() { gzip -9n <"$1" >"$2"; }

# What is the same for every machine.
common=$stage/common
mkdir -p "$common"/{man,completion,doc/examples}
"$go" build "${flags[@]}" -o "$stage/native" ./cmd/hwrngd
"$stage/native" man --date="$(date -d "@$SOURCE_DATE_EPOCH" +%F)" "$common/man"
gzip -9n "$common"/man/*
for shell in bash zsh fish; do "$stage/native" completion "$shell" >"$common/completion/$shell"; done
cp -r packaging/{systemd,debian,rpm,alpine,initramfs-tools,dracut} "$common/"
# OpenRC has no socket units, so there the daemon serves the port itself.
"$stage/native" config --systemd >"$common/systemd/hwrngd.toml"
"$stage/native" config >"$common/alpine/hwrngd.toml"
cp README.md SECURITY.md docs/*.md "$common/doc/"
cp packaging/systemd/{host-network,textfile,tty,command,afalg,tpm}.conf "$common/doc/examples/"
cp packaging/prometheus/*.yml packaging/grafana/*.json "$common/doc/examples/"
pack CHANGELOG.md "$common/doc/NEWS.gz"
cp packaging/debian/copyright "$common/doc/"
printf 'hwrngd (%s) unstable; urgency=medium\n\n  * New release; NEWS.gz beside this file says what is new.\n\n -- %s  %s\n' \
	"$(echo "$version" | tr - '~')" "$(sed -n 's/^maintainer: //p' packaging/nfpm.yaml)" \
	"$(date -R -d "@$SOURCE_DATE_EPOCH")" >"$stage/changelog"
pack "$stage/changelog" "$common/doc/changelog.gz"

# A package description for apk has one line.
awk '/^description:/ { print; getline; print; skip = 1; next } /^[^ ]/ { skip = 0 } !skip' packaging/nfpm.yaml >"$stage/apk.yaml"

for arch; do
	case $arch in
	armhf) goarch=arm nfpmarch=arm7 ;;
	*) goarch=$arch nfpmarch=$arch ;;
	esac
	tree=$stage/$arch
	cp -r "$common" "$tree"
	GOARCH=$goarch GOARM=7 "$go" build "${flags[@]}" -o "$tree/hwrngd" ./cmd/hwrngd
	cp "$tree/hwrngd" "$out/hwrngd_${version}_linux_$arch"
	(cd tools && "$go" run ./bom --out "$out/hwrngd_${version}_linux_$arch.cdx.json" --licenses "$stage/licenses" "$tree/hwrngd")
	pack "$stage/licenses" "$tree/doc/third-party-licenses.gz"
	find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	for format in deb rpm apk; do
		config=$PWD/packaging/nfpm.yaml packaged=$version
		# apk knows few words after a number: pre, but not dev.
		[ $format != apk ] || config=$stage/apk.yaml packaged=${version/-dev/-pre}
		(cd "$tree" && VERSION=$packaged ARCH=$nfpmarch "$stage/nfpm" package -f "$config" -p "$format" -t "$out/")
	done
done

cd "$out"
sha256sum -- * >SHA256SUMS
