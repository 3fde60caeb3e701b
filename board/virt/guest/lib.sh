# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the cases, which run inside the guest. A case ends with status 0, or calls `wrong` with the reason. Its
# output is its log; the harness prints the reason.

set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
guest=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
oracles=$guest/../oracles
work=/tmp/case
rm -rf "$work"
mkdir -p "$work"
cd "$work"
PATH=$oracles:${VITRINE_TOOLS:?run the cases through board/virt/test}:$PATH

# wrong WHY...: fails the case. The program's output goes into the log.
wrong() {
    local file
    for file in vitrine.log status.json; do
        [[ ! -s $file ]] || { echo "-- $file"; tail -n 40 "$file"; }
    done
    printf 'WHY %s\n' "$*"
    exit 1
}

# matches [OPTION] PATTERN: `grep -q` at the end of a pipe. `grep -q` itself leaves at its first match: the writer then
# ends with SIGPIPE, and pipefail makes the match a failure. This one reads to the end.
matches() { (($(grep -c "$@") > 0)); }

# uptime: prints whole seconds, which do not jump when the clock is set.
uptime() {
    local since rest
    read -r since rest </proc/uptime
    echo "${since%.*}"
}

# milliseconds: prints the same in milliseconds, in steps of ten.
milliseconds() {
    local since rest
    read -r since rest </proc/uptime
    echo "$((10#${since/./}))0"
}

# keep FILE...: keeps the files with the results, in the case's own folder, because other guests write beside it.
keep() {
    mkdir -p "/vb/log/${0##*/}"
    cp "$@" "/vb/log/${0##*/}"
}

# wait_until COMMAND...: repeats the command until it succeeds, and fails after `patience` seconds. Nothing takes that
# long on a healthy machine; times that matter are measured (see comes_back).
patience=300
wait_until() {
    local end=$(($(uptime) + patience))
    until "$@"; do
        (($(uptime) < end)) || return 1
        sleep 0.1
    done
}

# on_host ORACLE ARGUMENTS...: runs an oracle on the host, where it takes a twentieth of the time, with the files of
# this folder that its arguments name. The files that it writes come back (see ../oracle-server).
on_host() {
    local call argument status
    call=$(mktemp -d /run/board/calls/XXXXXX)
    mkdir "$call/files"
    for argument; do
        [[ ! -f $argument ]] || cp --parents "$argument" "$call/files"
    done
    printf '%s\0' "$@" >"$call/command.new"
    mv "$call/command.new" "$call/command"
    wait_until test -e "$call/status" || wrong "the host does not answer for $1"
    cat "$call/errors" >&2
    cat "$call/output"
    cp -r "$call/files/." .
    status=$(<"$call/status")
    rm -r "$call"
    return "$status"
}
compare() { on_host compare "$@"; }
# differ ARGUMENTS...: for controls: whether compare finds a difference; ending without a verdict is not enough.
differ() {
    compare "$@" >differ.json || true
    matches '"over": [1-9]' <differ.json || { cat differ.json && return 1; }
}

# camera_of DRIVER: prints the driver's device node that captures. It starts no program: a dozen nodes would take
# seconds in a busy guest.
camera_of() {
    local node name index driver=(/sys/bus/*/drivers/"$1")
    for node in /sys/class/video4linux/video*; do
        [[ $node/device/driver -ef ${driver[0]} ]] || continue
        { read -r name <"$node/name" && read -r index <"$node/index"; } 2>/dev/null || continue
        case $1:$name:$index in
            vivid:*-vid-cap:* | uvcvideo:*:0) echo "/dev/${node##*/}"; return ;;
        esac
    done
    return 1
}

# steady_camera NODE FORMAT: sets a still picture without text at 640x480, so that all frames are equal, and saves one
# as source.raw.
steady_camera() {
    v4l2-ctl -d "$1" -c osd_text_mode=2
    take_source "$1" "$2"
}
# take_source NODE FORMAT: takes a frame of 640x480 as the driver delivers it, as source.raw.
take_source() {
    v4l2-ctl -d "$1" -v "width=640,height=480,pixelformat=$2"
    v4l2-ctl -d "$1" --stream-mmap --stream-skip=2 --stream-count=1 --stream-to=source.raw
}

# learn_digits CAMERA: makes digits.npz, from which read-counter knows the numbers that vivid draws. `case` keeps the
# file: the first case that asks on a kernel learns the digits for all.
learn_digits() {
    [[ -e /vb/digits.npz ]] || { read-counter --calibrate "$1" --templates digits.npz && cp digits.npz /vb; }
    cp /vb/digits.npz .
}

# plug_camera OPTIONS...: starts the emulated USB camera and sets usb_camera to its node.
plug_camera() {
    uvc-camera "$@" &
    usb_camera_pid=$!
    appears() { usb_camera=$(camera_of uvcvideo); }
    wait_until appears || { dmesg | tail -n 40; wrong "the emulated camera does not appear"; }
}

# jpegs FOLDER COUNT SIZE...: makes numbered pictures as a camera would (4:2:2).
jpegs() { on_host make-jpegs "$@"; }

# by_tier USUAL DAY FULL: prints the value for this run's tier (board/host/test, --day, --full).
by_tier() {
    case ${VITRINE_TIER:-usual} in usual) echo "$1" ;; day) echo "$2" ;; full) echo "$3" ;; esac
}

panel() { gpio-panel "$@"; }

# use_libcamera: lets programs find libcamera, if it is not installed, and lets libcamera find its devices: it reads the
# notes of udevd, which does not run here.
use_libcamera() {
    local libraries device
    export LIBCAMERA_LOG_LEVELS='*:ERROR'
    if [[ -d ${VITRINE_LIBCAMERA%/*}/usr ]]; then
        libraries=$(dirname "$(find "${VITRINE_LIBCAMERA%/*}/usr/lib" -name 'libcamera.so.*' -print -quit)")
        export LD_LIBRARY_PATH=$libraries LIBCAMERA_IPA_MODULE_PATH=$libraries/libcamera
    fi
    mkdir -p /usr/lib/vitrine /run/udev/data
    cp "$VITRINE_LIBCAMERA"/libcamera*.so /usr/lib/vitrine
    for device in /sys/class/video4linux/* /sys/bus/media/devices/*; do
        echo I:1 >"/run/udev/data/c$(<"$device/dev")"
    done
}
