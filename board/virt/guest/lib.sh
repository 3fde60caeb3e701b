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

# matches [OPTION] PATTERN: `grep -q` behind a pipe. That one leaves at its first match; who writes more then
# ends with SIGPIPE, and by pipefail the match is a failure. This one reads to the end.
matches() { (($(grep -c "$@") > 0)); }

# uptime: whole seconds, which a clock that is set does not move.
uptime() {
    local since rest
    read -r since rest </proc/uptime
    echo "${since%.*}"
}

# milliseconds: the same, finer: in steps of ten.
milliseconds() {
    local since rest
    read -r since rest </proc/uptime
    echo "$((10#${since/./}))0"
}

# keep FILE...: stays with the results under the case's name: other guests write beside it.
keep() {
    mkdir -p "/vb/log/${0##*/}"
    cp "$@" "/vb/log/${0##*/}"
}

# wait_until COMMAND...: repeats the command until it succeeds; gives up after `patience` seconds, which nothing takes on
# a machine that is sound. What has to be in time is measured (see comes_back).
patience=300
wait_until() {
    local end=$(($(uptime) + patience))
    until "$@"; do
        (($(uptime) < end)) || return 1
        sleep 0.1
    done
}

# on_host ORACLE ARGUMENTS...: runs an oracle outside, on the files of this folder that its arguments name,
# where it takes a twentieth of the time. What it makes there comes back (see ../oracle-server).
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
# differ ARGUMENTS...: for controls, which a compare that ends without a verdict does not satisfy.
differ() {
    compare "$@" >differ.json || true
    matches '"over": [1-9]' <differ.json || { cat differ.json && return 1; }
}

# camera_of DRIVER: the driver's device node that captures. Starts no program: in a busy guest a dozen nodes
# would take seconds.
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

# steady_camera NODE FORMAT: a still picture without text at 640x480, so that any frame is the
# frame. Leaves one in source.raw.
steady_camera() {
    v4l2-ctl -d "$1" -c osd_text_mode=2
    v4l2-ctl -d "$1" -v "width=640,height=480,pixelformat=$2"
    v4l2-ctl -d "$1" --stream-mmap --stream-skip=2 --stream-count=1 --stream-to=source.raw
}

# learn_digits CAMERA: digits.npz, by which read-counter reads the numbers that vivid draws. `case` keeps them: whichever
# case asks first on a kernel learns them for all.
learn_digits() {
    [[ -e /vb/digits.npz ]] || { read-counter --calibrate "$1" --templates digits.npz && cp digits.npz /vb; }
    cp /vb/digits.npz .
}

# plug_camera OPTIONS...: starts the emulated USB camera; its node is in $usb_camera.
plug_camera() {
    uvc-camera "$@" &
    usb_camera_pid=$!
    appears() { usb_camera=$(camera_of uvcvideo); }
    wait_until appears || { dmesg | tail -n 40; wrong "the emulated camera does not appear"; }
}

# jpegs FOLDER COUNT SIZE...: numbered pictures that cameras would make (4:2:2).
jpegs() { on_host make-jpegs "$@"; }

# by_tier USUAL DAY FULL: how many of something, for this run's tier (board/host/test, --day, --full).
by_tier() {
    case ${VITRINE_TIER:-usual} in usual) echo "$1" ;; day) echo "$2" ;; full) echo "$3" ;; esac
}

panel() { gpio-panel "$@"; }
