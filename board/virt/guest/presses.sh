# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the cases that press repeatedly, 3 times per second: each press takes one photo, none doubled or lost.
source "$guest/vitrine.sh"

# press_often REVIEW-SECONDS: presses, and checks the photos.
press_often() {
    local count different listed
    count=$(by_tier 40 60 300)
    panel create
    v4l2-ctl -d "$(camera_of vivid)" -c osd_text_mode=1
    configuration "$(vivid_camera XR24)" "review_s = $1"
    start_vitrine
    wait_for_preview
    press_in_bursts "$count"
    sleep 2 # an extra photo would come now
    [[ $(status '.buttons[] | select(.name == "shutter").presses') == "$count" ]] ||
        wrong "presses counted: $(jq -c .buttons status.json)"
    vitrine library list --json >assets.jsonl
    different=$(jq -r .sha256 assets.jsonl | sort -u | wc -l)
    listed=$(wc -l <assets.jsonl)
    [[ $listed == "$count" && $different == "$count" ]] ||
        wrong "$listed photos listed, $different of them different"
    stop_vitrine
}
