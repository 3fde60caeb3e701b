# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Gets the libcamera of bookworm-backports, because Debian 12's own is too old.
source "$board/lib/debian-archive.sh"

# libcamera_ready: gets libcamera's files, builds Vitrine's part of it once per state of its sources, and sets
# VITRINE_LIBCAMERA to that part's folder. libcamera's own files are below usr beside it.
libcamera_ready() {
    local scratch files=$cache/libcamera-0.3
    if [[ ! -d $files ]]; then
        scratch=$(mktemp -d "$cache/.libcamera-XXXXXX")
        say "getting libcamera 0.3 of bookworm-backports"
        prepare_apt "$scratch/apt" bookworm-backports && (cd "$scratch" &&
            apt-get "${apt_options[@]}" -qq download libcamera0.3 libcamera-ipa libcamera-dev >&2 &&
            for package in *.deb; do dpkg-deb -x "$package" files || exit 1; done) ||
            { rm -rf "$scratch"; fail "libcamera 0.3 cannot be downloaded; next: see apt-get's error above"; }
        mv -T "$scratch/files" "$files" 2>/dev/null || true # another run was faster
        rm -rf "$scratch"
    fi
    export VITRINE_LIBCAMERA
    VITRINE_LIBCAMERA=$files/$(hash_of "$repository"/Sources/CLibcamera/{include/clibcamera.h,shim/clibcamera.cpp})
    [[ ! -d $VITRINE_LIBCAMERA ]] || return 0
    scratch=$(mktemp -d "$files/.build-XXXXXX")
    chmod 755 "$scratch"
    "$repository/board/build-libcamera" "$scratch" "$files"
    mv -T "$scratch" "$VITRINE_LIBCAMERA" 2>/dev/null || rm -rf "$scratch" # another run was faster
}
