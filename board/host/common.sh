# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the host board's scripts; sourced, not run.
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# The built program.
vitrine="$repository/.build/release/vitrine"
# The folder of the copied sources and of the build (see copy_sources).
build=$cache/build

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# install_packages FILE...: installs the packages that are listed in the files and missing.
install_packages() {
    local missing
    missing=$(sed 's/#.*//' "$@" | xargs -n1 | while read -r package; do
        dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' \
            || echo "$package"
    done)
    [ -n "$missing" ] || return 0
    say "installing:" $missing
    local log
    log=$(mktemp)
    # shellcheck disable=SC2086  # one word per package
    if ! { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        fail "the packages cannot be installed; next: fix the error that apt reports, and run this again"
    fi
    rm -f "$log"
}

# require_swift: ends with status 69 unless Swift 6.2 or newer is on PATH.
require_swift() {
    local found version
    found=$(command -v swift || true)
    if [ -n "$found" ]; then
        version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p')
        if [ "$(printf '%s\n6.2\n' "$version" | sort -V | head -1)" = 6.2 ]; then return 0; fi
    fi
    say "Vitrine needs Swift 6.2 or newer on PATH (found: ${version:-none})."
    say "Next step: install the toolchain for your Debian from swift.org, for example with swiftly,"
    say "then run this command again. On Debian 12 that is the only way; on Debian 13 the package"
    say "swiftlang of Debian sid works too."
    exit 69
}

# copy_sources: copies the sources to $build/source, where everything is compiled. rsync touches only files whose
# content differs. Any clone of the same sources therefore reuses the build and compiles only its own changes. The lock
# makes other builds wait.
copy_sources() {
    mkdir -p "$build"
    exec 9>"$build/lock"
    flock --nonblock 9 || { say "waiting for another build"; flock 9; }
    rsync --recursive --links --perms --checksum --delete --exclude /.git --exclude /.build "$repository/" "$build/source/"
}
