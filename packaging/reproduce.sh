#!/bin/bash
# Builds a release again from a copy of the tree in another place, without the compiler's cache, and
# compares it with the one that is there.
#
#   reproduce.sh BUILDSCRIPT RELEASEDIR VERSION [ARCH...]
set -euo pipefail
script=$1
release=$(realpath "$2")
shift 2
cd "$(dirname "$0")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -a .git "$copy/"
git ls-files -z --cached --others --exclude-standard --deduplicate | xargs -0 cp -a --parents -t "$copy"
GOCACHE=$copy/cache OUT=$copy/release "$copy/$script" "$@"
diff "$release/SHA256SUMS" "$copy/release/SHA256SUMS"
echo "reproduced: every file is the same"
