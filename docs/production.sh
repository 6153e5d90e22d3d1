#!/bin/sh
# Tests the random number generator of one unit on a production line.
#
#   production.sh SERIAL [INPUT]
#
# INPUT is what hwrngd audit takes: a device, a tty, a file (default: hwrng, the device of the machine
# itself). The reports go to $REPORTS/SERIAL.json and SERIAL.html (default: the working directory).
# $BLOCKS is how much is read (default 1000), $TIMEOUT for how long at most (default 10m).
#
# Exit codes: 0 ship it, 1 reject it, 2 the station is at fault and the unit was not tested.
set -u

serial=${1:-}
input=${2:-hwrng}
reports=${REPORTS:-.}
blocks=${BLOCKS:-1000}
timeout=${TIMEOUT:-10m}

case $serial in
'' | .* | *[!A-Za-z0-9._-]*)
	echo "usage: production.sh SERIAL [INPUT], a serial of letters, digits, '.', '_' and '-'" >&2
	exit 2
	;;
esac

# Data that do not decide (exit code 65) get a second chance with four times as many. There is no third
# one: who asks often enough gets every answer.
for attempt in first second; do
	hwrngd audit "$input" --label "$serial" --blocks "$blocks" --duration "$timeout" \
		--html "$reports/$serial.html" --output json >"$reports/$serial.json.part"
	code=$?
	case $code in
	0 | 1 | 65) mv "$reports/$serial.json.part" "$reports/$serial.json" || exit 2 ;;
	*) rm -f "$reports/$serial.json.part" ;;
	esac
	case $code in
	0)
		echo "$serial: pass"
		exit 0
		;;
	1)
		echo "$serial: REJECT, the generator is at fault; see $serial.html"
		exit 1
		;;
	65)
		echo "$serial: the $attempt audit does not decide"
		blocks=$((blocks * 4))
		;;
	*)
		echo "$serial: NOT TESTED, hwrngd audit ended with code $code"
		exit 2
		;;
	esac
done
echo "$serial: REJECT, no decision after two audits; see $serial.html"
exit 1
