# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# For the cases, which run inside the guest. A case ends with status 0, or calls `wrong` with
# the reason. Its output is its log; the harness prints the log's reason line.

set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
guest=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
oracles=$guest/../oracles
work=/tmp/case
rm -rf "$work"
mkdir -p "$work"
cd "$work"
PATH=$oracles:${VITRINE_TOOLS:?run the cases through board/virt/test}:$PATH

# wrong WHY...: the case has failed. What the program said goes into the log.
wrong() {
    local file
    for file in vitrine.log status.json; do
        [[ ! -s $file ]] || { echo "-- $file"; tail -n 40 "$file"; }
    done
    printf 'WHY %s\n' "$*"
    exit 1
}

# within SECONDS COMMAND...: repeats the command until it succeeds.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.1
    done
}

# camera_of DRIVER: the driver's first device node that captures.
camera_of() {
    local node
    for node in $(ls -v /dev/video*); do
        if v4l2-ctl -d "$node" --info 2>/dev/null |
            awk -v driver="$1" '/Driver name/ {named = $4 == driver} /Device Caps/ {own = 1}
                own && /Video Capture/ {captures = 1} END {exit !(named && captures)}'; then
            echo "$node"
            return
        fi
    done
    return 1
}

# steady_camera NODE FORMAT: a still picture without text at 640x480, so that any frame is the
# frame. Leaves one in source.raw.
steady_camera() {
    v4l2-ctl -d "$1" -c osd_text_mode=2
    v4l2-ctl -d "$1" -v "width=640,height=480,pixelformat=$2"
    v4l2-ctl -d "$1" --stream-mmap --stream-skip=2 --stream-count=1 --stream-to=source.raw
}

# plug_camera OPTIONS...: starts the emulated USB camera; its node is in $usb_camera.
plug_camera() {
    uvc-camera "$@" &
    usb_camera_pid=$!
    within 10 camera_of uvcvideo >/dev/null || wrong "the emulated camera does not appear"
    usb_camera=$(camera_of uvcvideo)
}

# jpegs FOLDER COUNT SIZE...: numbered pictures that cameras would make (4:2:2).
jpegs() {
    mkdir -p "$1"
    /usr/bin/python3 "$guest/make-jpegs.py" "$@"
}

panel() { gpio-panel "$@"; }
