# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the virtual board's host-side scripts.

source "$(dirname "${BASH_SOURCE[0]}")/../../common.sh"
board=$repository/board/virt
# The tools for file systems are there; an ordinary user's PATH lacks these folders.
PATH=$PATH:/usr/sbin:/sbin
refuse_spaces

# require_commands COMMAND...: fails unless all commands exist, and prints the command that installs them.
require_commands() {
    local missing=() command
    for command in "$@"; do
        command -v "$command" >/dev/null || missing+=("$command")
    done
    ((${#missing[@]} == 0)) || fail "missing: ${missing[*]}; install what" \
        "$board/packages lists: sudo apt-get install \$(grep -v '^#' $board/packages)"
}

# hash_of FILE...: prints a short hash of the files' contents, without their names.
hash_of() { cat "$@" | sha256sum | cut -c1-12; }

# libcamera_ready: builds Vitrine's part of libcamera once per state of its sources, and sets VITRINE_LIBCAMERA to its
# folder. libcamera's own files are below usr beside it.
libcamera_ready() {
    local files fresh
    files=$(source "$repository/board/libcamera.sh" && libcamera_files bookworm)
    export VITRINE_LIBCAMERA
    VITRINE_LIBCAMERA=$files/$(hash_of "$repository"/Sources/CLibcamera/{include/clibcamera.h,shim/clibcamera.cpp})
    [[ ! -d $VITRINE_LIBCAMERA ]] || return 0
    fresh=$(mktemp -d "$files/.build-XXXXXX")
    chmod 755 "$fresh"
    "$repository/board/build-libcamera" "$fresh" "$files"
    mv -T "$fresh" "$VITRINE_LIBCAMERA" 2>/dev/null || rm -rf "$fresh" # another run was faster
}

# build_tools: builds the oracles and the emulated camera once per state of their sources, and sets VITRINE_TOOLS to
# their folder.
build_tools() {
    local fresh folder flags
    local sources=("$board"/oracles/*.[ch] "$board"/uvc-camera/*.[ch]
        "$board"/{oracles,uvc-camera}/Makefile "$repository"/Sources/CGPIO/{cgpio.c,include/cgpio.h})
    export VITRINE_TOOLS=$cache/tools/$(hash_of "${sources[@]}")
    [[ ! -d $VITRINE_TOOLS ]] || return 0
    mkdir -p "$cache/tools"
    flags=$(source "$board/lib/gpiod.sh" && gpiod2_flags)
    fresh=$(mktemp -d "$cache/tools/.build-XXXXXX")
    chmod 755 "$fresh"
    for folder in oracles uvc-camera; do make -s -C "$board/$folder" OUT="$fresh" GPIOD2="$flags" >&2; done
    mv -T "$fresh" "$VITRINE_TOOLS" 2>/dev/null || rm -rf "$fresh" # another run was faster
}
