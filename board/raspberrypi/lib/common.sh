# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the Raspberry Pi board's scripts.
source "$(dirname "${BASH_SOURCE[0]}")/../../common.sh"
board=$repository/board/raspberrypi
cache=$cache/arm64
# The release that the product runs on: Debian 13, and Raspberry Pi OS of the same name.
suite=trixie
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

require_root() {
    [[ $(id -u) == 0 ]] || fail "unpacking a foreign root file system needs root; next: sudo $0"
}

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

# in_compiler SDK COMMAND...: runs the command in the compiler's root, with the sources at /src, the build at /build and
# this machine's git settings. All mounts are private to the command and end with it.
in_compiler() {
    local sdk=$1
    shift
    mkdir -p "$cache"/{source,build} "$sdk/host"/{sdk,src,build}
    sdk=$sdk source=$cache/source build=$cache/build unshare -m --propagation private bash -euc '
        root=$sdk/host
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --bind "$sdk/sdk" "$root/sdk"
        mount --bind "$source" "$root/src"
        mount --bind "$build" "$root/build"
        cp -L /etc/resolv.conf "$root/etc/" 2>/dev/null || true
        git config --system --list >/dev/null 2>&1 && cp /etc/gitconfig "$root/etc/" || true
        # If git reads packages from a folder here, git in the root reads them from the same folder.
        git config --get-regexp "^url\..*\.insteadof$" | sed -n "s/^url\.\(file:\/\/\)\?\(\/[^ ]*\)\.insteadof .*/\2/p" |
            sort -u | while read -r folder; do
            mkdir -p "$root$folder"
            mount --bind -o ro "$folder" "$root$folder"
        done
        git --git-dir="$root/nowhere" config --file "$root/root/.gitconfig" safe.directory "*"
        git --git-dir="$root/nowhere" config --file "$root/root/.gitconfig" protocol.file.allow always
        exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin LANG=C.UTF-8 "$@"
    ' in-compiler "$@"
}
