# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# For the cases that press 300 times at 3 per second: as many photos, none doubled or lost.
source "$guest/vitrine.sh"

# press_300 REVIEW-SECONDS
press_300() {
    local different listed
    panel create
    v4l2-ctl -d "$(camera_of vivid)" -c osd_text_mode=1
    configuration "$(vivid_camera XR24)" "review_s = $1"
    start_vitrine
    wait_for_preview
    panel presses SHUTTER --count 300 --rate 3 --hold 60 --seed "$1" >presses.jsonl
    within 60 photos_reach 300 || wrong "$(photos) photos of 300 presses"
    sleep 2 # one too many would come now
    [[ $(status '.buttons[] | select(.name == "shutter").presses') == 300 ]] ||
        wrong "presses counted: $(jq -c .buttons status.json)"
    vitrine library list --json >assets.jsonl
    different=$(jq -r .sha256 assets.jsonl | sort -u | wc -l)
    listed=$(wc -l <assets.jsonl)
    [[ $listed == 300 && $different == 300 ]] ||
        wrong "$listed photos listed, $different of them different"
    stop_vitrine
}
