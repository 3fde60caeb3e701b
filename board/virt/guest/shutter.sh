# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# For the cases that press at random phases: the photo is the frame nearest to the press, judged by the panel's own
# clock and the kernel's trace event; the counter in the JPEG names the frame.
source "$guest/vitrine.sh"

# judge_shutter HOGS: beside so many programs that want all the processor's time.
judge_shutter() {
    local camera trace driver stalls hog hogs=()
    camera=$(camera_of vivid)
    v4l2-ctl -d "$camera" --set-parm=30
    read-counter --calibrate "$camera" --templates digits.npz
    v4l2-ctl -d "$camera" -c osd_text_mode=1
    panel create
    configuration "$(vivid_camera XR24)"
    dqbuf-trace "$camera" >trace.jsonl 2>trace.err &
    trace=$!
    within 20 grep -q tracing trace.err || wrong "dqbuf-trace does not start"
    driver-trace "$camera" >driver.jsonl 2>driver.err &
    driver=$!
    within 20 grep -q tracing driver.err || wrong "driver-trace does not start"
    stall-watch >stalls.jsonl 2>stalls.err &
    stalls=$!
    within 20 grep -q watching stalls.err || wrong "stall-watch does not start: $(cat stalls.err)"
    start_vitrine
    wait_for_preview
    for ((hog = 0; hog < $1; hog++)); do
        while :; do :; done &
        hogs+=($!)
    done
    press_in_bursts "$(in_full 200 60)"
    [[ ! ${hogs[*]} ]] || kill "${hogs[@]}"
    vitrine library list --json >assets.jsonl
    mkdir photos
    vitrine library export photos
    stop_vitrine
    kill "$trace" "$driver" "$stalls"
    wait "$trace" "$driver" "$stalls" || true
    cp trace.jsonl driver.jsonl stalls.jsonl presses.jsonl assets.jsonl vitrine.log /vb/log
    on_host read-counter --templates digits.npz photos/*.jpg >counters.jsonl ||
        wrong "a photo's counter cannot be read"
    /usr/bin/python3 "$guest/judge-shutter.py" || wrong "photos are not the nearest frames"
}
