#!/bin/sh
# Keeps dracut from going on to the root file system before hwrngd-seed.sh has done its work.
! kill -0 "$(cat /tmp/hwrngd.pid)" 2>/dev/null
