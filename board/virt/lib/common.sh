# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the virtual board's host-side scripts.

board=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
repository=$(cd "$board/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrine

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() { say "$*"; exit 1; }

# require_commands COMMAND...: stops with the one command that installs what is missing.
require_commands() {
    local missing=() command
    for command in "$@"; do
        command -v "$command" >/dev/null || missing+=("$command")
    done
    ((${#missing[@]} == 0)) || fail "missing: ${missing[*]}; install what" \
        "$board/packages lists: sudo apt-get install \$(grep -v '^#' $board/packages)"
}

# hash_of FILE...: one short hash of the files' contents, names not included.
hash_of() { cat "$@" | sha256sum | cut -c1-12; }
