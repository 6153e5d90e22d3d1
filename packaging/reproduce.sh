#!/bin/bash
# Builds a release again from a copy of the tree in another place, without the compiler's cache, and
# compares it with the one that is there.
#
#   reproduce.sh RELEASEDIR VERSION [ARCH...]
set -euo pipefail
release=$(realpath "$1")
shift
cd "$(dirname "$0")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -a .git "$copy/"
git ls-files -z --cached --others --exclude-standard --deduplicate | xargs -0 cp -a --parents -t "$copy"
GOCACHE=$copy/cache OUT=$copy/release "$copy/packaging/build.sh" "$@"
diff "$release/SHA256SUMS" "$copy/release/SHA256SUMS"
echo "reproduced: every file is the same"
