#!/bin/sh
# Seeds the kernel before devices are looked for: returns as soon as it is seeded, after ten seconds at
# the latest.
timeout 10 hwrngd run --once --metrics-listen=off --log-level=warn
