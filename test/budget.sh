#!/bin/sh
# Checks that the minimal build fits on a router.
#
#   budget.sh MIPSLE HERE    its program for MIPS, little endian, soft float; and for this machine
#
# Sizes are in bytes of the stripped program, as it is and as xz -9 packs it, which is about what it takes
# in the image of a router. Memory is VmRSS, of a daemon at rest that has tested a source, on amd64.
set -eu

raw_limit=5150000
xz_limit=1165000
rss_limit=4500000

status=0
check() { # NAME BYTES LIMIT
	if [ "$2" -le "$3" ]; then
		echo "budget.sh: $1: $2 bytes, at most $3"
	else
		echo "budget.sh: $1: $2 bytes are more than $3" >&2
		status=1
	fi
}

check "program" "$(wc -c <"$1")" "$raw_limit"
check "program, packed" "$(xz -9 -c "$1" | wc -c)" "$xz_limit"

if [ "$(uname -m)" != x86_64 ]; then
	echo "budget.sh: memory is not checked on $(uname -m), the limit is for x86_64"
	exit "$status"
fi
dir=$(mktemp -d)
daemon='' feeder=''
end() {
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || :
	[ -z "$feeder" ] || kill "$feeder" 2>/dev/null || :
	rm -rf "$dir"
}
trap end EXIT
trap 'exit 1' INT TERM
mkfifo "$dir/hwrng"
cat /dev/urandom >"$dir/hwrng" &
feeder=$!
"$2" run --config /dev/null --monitor --hwrng-device "$dir/hwrng" --sysfs "$dir" --runtime-dir "$dir/run" \
	--metrics-listen "unix:$dir/metrics" 2>"$dir/log" &
daemon=$!
# It is at rest some seconds after the source has passed its test. Nothing tells the moment.
rss=999999999 wait=0
while [ "$wait" -lt 120 ] && [ "$rss" -gt "$rss_limit" ]; do
	sleep 0.5
	wait=$((wait + 1))
	grep -q 'start-up test passed' "$dir/log" || continue
	rss=$(awk '/^VmRSS:/ { print $2 * 1024 }' "/proc/$daemon/status")
done
check "memory of a daemon at rest" "$rss" "$rss_limit"
[ "$status" = 0 ] || cat "$dir/log" >&2
exit "$status"
