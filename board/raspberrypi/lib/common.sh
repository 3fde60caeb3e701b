# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the Raspberry Pi board's scripts.
source "$(dirname "${BASH_SOURCE[0]}")/../../common.sh"
board=$repository/board/raspberrypi
cache=$cache/arm64
# What the product runs on: Debian 13, and so Raspberry Pi OS of the same name.
suite=trixie
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

require_root() {
    [[ $(id -u) == 0 ]] || fail "a foreign root file system takes root; next: sudo $0"
}

# What programs for the board are linked with: the libraries of the host's list. The compiler's own are others,
# and fonts are for running.
libraries() { sed 's/#.*//' "$repository/board/host/packages" | grep -E '^(lib.*-dev|fonts-)' | paste -sd,; }
recipe() { { libraries; cat "$board/make-sdk"; } | sha256sum | cut -c1-12; }

# The newest finished one: compiler in host/, what it builds for in sdk/.
newest_sdk() {
    local newest
    newest=$(find "$cache" -mindepth 2 -maxdepth 2 -path "*-$(recipe)/done" -printf '%T@ %h\n' 2>/dev/null |
        sort -n | tail -n 1)
    [[ $newest ]] && echo "${newest#* }"
}

sysroot_of() { echo "$1/sdk/debian-arm64.artifactbundle/$suite/sysroot"; }

# in_compiler SDK COMMAND...: runs it in the compiler's root, what is built at /src and the build at /build,
# with this machine's settings for git. All mounts are the command's own and end with it.
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
        # Where git here reads packages from a folder, git in there reads them from the same.
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
