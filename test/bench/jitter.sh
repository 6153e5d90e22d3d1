#!/bin/bash
# Compares the output per CPU second of three software noise sources on this machine, in one run:
# hwrngd's jitter source, jitterentropy-rngd and haveged of Debian 12, unpacked, not installed.
#
#   jitter.sh BINARY
#
# Root, since jitterentropy-rngd writes to the kernel (its usual start-up feed). The figures are
# median of three. They say how fast, not how good; see docs/jitter.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=${1:-build/hwrngd}
TIMEFORMAT='%U %S'

haveged=$(test/need.sh --unpack haveged usr/sbin/haveged)
library=$(dirname "$(test/need.sh --unpack libhavege2 usr/lib/x86_64-linux-gnu/libhavege.so.2)")
rngd=$(test/need.sh --unpack jitterentropy-rngd usr/sbin/jitterentropy-rngd)

# cpu COMMAND... prints the CPU seconds that it took; its output goes to $out.
out=$(mktemp)
trap 'rm -f "$out"' EXIT
cpu() { { time "$@" >"$out" 2>&1; } 2>&1 | awk '{ print $1 + $2 }'; }
median() { sort -g | sed -n 2p; }

ours=$(for _ in 1 2 3; do
	"$bin" bench jitter --duration 2s --output json |
		sed -n 's/.*"full_entropy_bytes_per_cpu_second": *\([0-9.]*\).*/\1/p'
done | median)

# It feeds 448 bytes when it starts and then waits. Its own start-up test is in the figure.
theirs=$(for _ in 1 2 3; do
	seconds=$(cpu timeout 3 "$rngd" -v -v || true)
	bytes=$(sed -n 's/.* \([0-9]*\) bytes written.*/\1/p' "$out" | head -1)
	awk -v b="$bytes" -v s="$seconds" 'BEGIN { print b / s }'
done | median)

hav=$(for _ in 1 2 3; do
	seconds=$(LD_LIBRARY_PATH=$library cpu "$haveged" -n 64M -f /dev/null)
	awk -v s="$seconds" 'BEGIN { print 64 * 1048576 / s }'
done | median)

printf '%-24s %16s   %s\n' SOURCE 'BYTES/CPU SECOND' 'WHAT IT CLAIMS'
printf '%-24s %16.0f   %s\n' 'hwrngd jitter' "$ours" '0.5 bit a sample or less, measured twice that; full entropy with 64 bits in excess'
printf '%-24s %16.0f   %s\n' 'jitterentropy-rngd 1.2.8' "$theirs" '1/3 bit a sample, fixed; start-up included'
printf '%-24s %16.0f   %s\n' 'haveged 1.9.14' "$hav" '8 bits a byte from 2 clock readings for each 64 bytes, never measured'
awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "hwrngd / jitterentropy-rngd: %.1f\n", a / b }'
