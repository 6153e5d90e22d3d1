#!/bin/sh
# Makes tools from Debian packages available to the tests, and says so.
#
#   need.sh PACKAGE...                     installs packages that are missing (needs root)
#   need.sh --unpack PACKAGE FILE...       unpacks a package into the cache without installing it
#                                          and prints the path of the first FILE that is in it
#
# Unpacking is for tools that would start a service or conflict with another package if installed.
set -eu

say() { echo "need.sh: $*" >&2; }

update() {
	[ -n "${updated:-}" ] && return
	updated=1
	# Without root, old package lists have to do.
	[ "$(id -u)" != 0 ] || apt-get -qq -o DPkg::Lock::Timeout=300 update >&2
}

unpack() {
	package=$1
	shift
	dir=${XDG_CACHE_HOME:-$HOME/.cache}/hwrngd/tools/$package
	if [ ! -e "$dir/.complete" ]; then
		say "unpacking the Debian package $package into $dir"
		rm -rf "$dir"
		mkdir -p "$dir/deb"
		update
		(cd "$dir/deb" && apt-get -qq -o APT::Sandbox::User=root download "$package" >&2)
		dpkg-deb -x "$dir"/deb/*.deb "$dir"
		rm -rf "$dir/deb"
		touch "$dir/.complete"
	fi
	for file; do
		if [ -e "$dir/$file" ]; then
			echo "$dir/$file"
			return
		fi
	done
	say "the package $package has none of: $*"
	exit 1
}

if [ "${1:-}" = --unpack ]; then
	shift
	unpack "$@"
	exit
fi

missing=
for package; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
	say "missing packages:$missing; as root: apt-get install$missing"
	exit 1
fi
say "installing$missing"
update
# shellcheck disable=SC2086 # a list of words
apt-get -qq -y -o DPkg::Lock::Timeout=300 install --no-install-recommends $missing >&2
