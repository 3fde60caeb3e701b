# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the Raspberry Pi board's scripts.
source "$(dirname "${BASH_SOURCE[0]}")/../../common.sh"
source "$repository/board/chroot.sh"
board=$repository/board/raspberrypi
cache=$cache/arm64
# The release that the product runs on: Debian 13, and Raspberry Pi OS of the same name.
suite=trixie

# libraries: prints the packages of the sysroot: the libraries that the program links with, from the host's list, and
# the fonts that it needs to run. The compiler's root has other packages.
libraries() { sed 's/#.*//' "$repository/board/host/packages" | grep -E '^(lib.*-dev|fonts-)' | paste -sd,; }
recipe() { { libraries; cat "$board/make-sdk"; } | sha256sum | cut -c1-12; }

# newest_sdk: prints the folder of the newest finished SDK; host/ in it is the compiler's root, sdk/ the Swift SDK.
newest_sdk() {
    local newest
    newest=$(find "$cache" -mindepth 2 -maxdepth 2 -path "*-$(recipe)/done" -printf '%T@ %h\n' 2>/dev/null |
        sort -n | tail -n 1)
    [[ $newest ]] && echo "${newest#* }"
}

sysroot_of() { echo "$1/sdk/debian-arm64.artifactbundle/$suite/sysroot"; }

# in_compiler SDK COMMAND...: runs the command in the compiler's root, with the sources at /src and the build at /build.
in_compiler() {
    local sdk=$1
    shift
    mkdir -p "$cache"/{source,build}
    in_root "$sdk/host" "$sdk/sdk:/sdk" "$cache/source:/src" "$cache/build:/build" -- "$@"
}
