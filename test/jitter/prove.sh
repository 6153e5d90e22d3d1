#!/bin/sh
# Measures the jitter source's raw samples on this machine: a million in sequence and the first
# thousand of a thousand process starts, idle and beside busy neighbours, assessed by SP 800-90B.
#
#   prove.sh [BINARY [FOLDER]]
#
# It passes if each estimate is at least twice the claim. Run it as root on a machine that does
# nothing else; docs/jitter.md holds the results so far, with the machines and what they prove.
set -eu

bin=${1:-build/hwrngd}
out=${2:-$(mktemp -d)}
claim=0.5
starts=1000
neighbours=

mkdir -p "$out"

load() {
	# One neighbour that wants the CPU, one that wants the memory.
	sh -c 'while :; do :; done' &
	neighbours=$!
	dd if=/dev/zero of=/dev/null bs=64M 2>/dev/null &
	neighbours="$neighbours $!"
}

unload() {
	# shellcheck disable=SC2086 # a list of processes
	[ -z "$neighbours" ] || kill $neighbours 2>/dev/null || true
	neighbours=
}
trap unload EXIT INT TERM

restarts() {
	i=0
	: >"$1"
	while [ $i -lt $starts ]; do
		"$bin" capture jitter --samples 1000 --format bin >>"$1"
		i=$((i + 1))
	done
}

measure() {
	"$bin" capture jitter --samples 1000000 --format bin >"$out/$1.bin"
	restarts "$out/$1-restarts.bin"
}

echo "machine: $(uname -srm), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), load $(cut -d' ' -f1-3 /proc/loadavg)"
measure idle
load
sleep 5
measure loaded
unload

failed=0
for state in idle loaded; do
	echo "== $state: 1,000,000 samples in sequence"
	"$bin" assess "$out/$state.bin" --bits 8 --output json >"$out/$state.json"
	h=$(sed -n 's/.*"assessed_min_entropy": *\([0-9.]*\).*/\1/p' "$out/$state.json" | head -1)
	echo "assessed min-entropy $h bits a sample"
	awk -v h="$h" -v claim=$claim 'BEGIN { exit !(h >= 2 * claim) }' || failed=1
	echo "== $state: $starts starts of 1000 samples"
	"$bin" assess "$out/$state-restarts.bin" --bits 8 --restart $starts --claim $claim || failed=1
done
[ $failed = 0 ] && echo "each estimate is at least twice the claim of $claim" || echo "NOT each estimate is twice the claim of $claim"
exit $failed
