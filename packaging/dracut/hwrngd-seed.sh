#!/bin/sh
# Seeds the kernel while devices are looked for: drivers of generators are loaded only then. It ends as
# soon as the kernel is seeded, after ten seconds at the latest. The journal or the kernel's log says
# what did it.
hwrngd_log=/dev/kmsg
[ -c $hwrngd_log ] || hwrngd_log=/dev/null # a kernel without a log
timeout 10 hwrngd run --once --metrics-listen=off --log-format=journal 2>$hwrngd_log &
echo $! >/tmp/hwrngd.pid
