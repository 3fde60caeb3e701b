# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the cases that press at random phases: the photo, or a burst's first one, is the frame nearest to the press.
# The panel's own clock and the kernel's trace event are the judges; the counter in the JPEG names the frame.
source "$guest/vitrine.sh"

# watch_shutter: makes a panel, lets vivid burn in its counter, and notes for pressed.py what the driver does and when
# the machine stalls, until `end_watching`.
watch_shutter() {
    local camera
    camera=$(camera_of vivid)
    v4l2-ctl -d "$camera" --set-parm=30
    learn_digits "$camera"
    v4l2-ctl -d "$camera" -c osd_text_mode=1
    panel create
    dqbuf-trace "$camera" >trace.jsonl 2>trace.err &
    watching=($!)
    wait_until grep -q tracing trace.err || wrong "dqbuf-trace does not start"
    driver-trace >driver.jsonl 2>driver.err &
    watching+=($!)
    wait_until grep -q tracing driver.err || wrong "driver-trace does not start"
    stall-watch >stalls.jsonl 2>stalls.err &
    watching+=($!)
    wait_until grep -q watching stalls.err || wrong "stall-watch does not start: $(cat stalls.err)"
}
end_watching() {
    kill "${watching[@]}"
    wait "${watching[@]}" || true
    keep {trace,driver,stalls,presses,assets}.jsonl vitrine.log
}
# judgeable [FRAMES]: prints the number of presses around which the machine did not stall and the driver had a buffer
# for each of so many frames.
judgeable() { /usr/bin/python3 "$guest/pressed.py" "$@"; }
# mend_photos: adds the photos that the guest itself has spoiled to the exported ones.
mend_photos() {
    /usr/bin/python3 "$guest/mend-lost-line.py" assets.jsonl library photos || wrong "photos are damaged"
}
# count_photos: writes the frame numbers of the exported photos to counters.jsonl.
count_photos() {
    on_host read-counter --templates digits.npz photos/*.jpg >counters.jsonl ||
        wrong "a photo's counter cannot be read"
}

# judge_shutter HOGS: judges presses beside so many programs that want all processor time.
judge_shutter() {
    local hog hogs=() presses pressed
    watch_shutter
    configuration "$(vivid_camera XR24)"
    start_vitrine
    wait_for_preview
    for ((hog = 0; hog < $1; hog++)); do
        while :; do :; done &
        hogs+=($!)
    done
    presses=$(by_tier 30 60 200)
    press_in_bursts "$presses"
    # On a machine that stalls repeatedly, press again until there is enough to judge.
    pressed=$presses
    while ((pressed < 3 * presses)) && (($(judgeable) < presses / 2)); do
        press_in_bursts $((pressed + 20)) "$pressed"
        pressed=$((pressed + 20))
    done
    [[ ! ${hogs[*]} ]] || kill "${hogs[@]}"
    vitrine library list --json >assets.jsonl
    mkdir photos
    vitrine library export photos || mend_photos
    stop_vitrine
    end_watching
    count_photos
    /usr/bin/python3 "$guest/judge-shutter.py" || wrong "photos are not the nearest frames"
}
