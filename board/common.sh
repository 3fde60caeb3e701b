# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the scripts of all boards; sourced, not run.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrine

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() { say "error: $*"; exit 1; }

# usage: prints the head of the calling script and ends with status 64.
usage() { sed '1,2d;/^[^#]/,$d;s/^# \{0,1\}//' "$0" >&2; exit 64; }

# refuse_spaces: fails if a path contains a space, because make, Kbuild and some tests split paths at spaces.
refuse_spaces() {
    [[ $cache != *[[:space:]]* ]] ||
        fail "there is a space in \"$cache\"; next: XDG_CACHE_HOME=/path/without/spaces $0"
    [[ $repository != *[[:space:]]* ]] ||
        fail "there is a space in \"$repository\"; next: move the repository to a path without spaces"
}
