# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the cases that record sound with pictures: vivid's frames show their numbers and are traced, and tones are
# played on the loopback at known times.
source "$guest/recording.sh"

camera=$(camera_of vivid)
v4l2-ctl -d "$camera" -v width=640,height=360,pixelformat=XR24
v4l2-ctl -d "$camera" --set-parm=15
learn_digits "$camera"
v4l2-ctl -d "$camera" -c osd_text_mode=1
panel create
dqbuf-trace "$camera" >trace.jsonl 2>trace.err &
trace=$!
wait_until grep -q tracing trace.err || wrong "dqbuf-trace does not start"

# play SECONDS: plays a tone every so many seconds, noted in tones.jsonl, until `silence`.
play() {
    local try
    begins_or_ends() { grep -q playing tones.err || ! kill -0 "$beeper" 2>/dev/null; }
    # The loopback may have no configuration left for this end while its other end is being opened.
    for try in 1 2 3 4 5; do
        beeper plughw:Loopback,0 "$1" >>tones.jsonl 2>tones.err &
        beeper=$!
        wait_until begins_or_ends || break
        ! grep -q playing tones.err || return 0
        wait "$beeper" || echo "try $try: $(tail -n 1 tones.err)"
    done
    wrong "nothing is played: $(cat tones.err)"
}
silence() {
    kill "$beeper" || wrong "the tones have ended: $(cat tones.err)"
    wait "$beeper" || true
}

# start_listening: starts with a pre-roll of two seconds, so that the microphone is open before a clip.
start_listening() {
    recording_configuration 'pre_roll_s = 2
microphone = "Loopback,1"'
    start_vitrine
    wait_for_preview
}
hears() { [[ $(status .recording.microphone.device) == Loopback,1 ]] && ! problem microphone.missing; }
# level CONDITION: whether the sound is that loud; for `wait_until`.
level() { status .recording.microphone.levelDecibels | jq -e ". $1" >/dev/null; }

# save_clip NAME: ends the clip, and saves it as clip.mp4, its times in times.json, its sound in sound.raw, and what
# filmed.py reads.
save_clip() {
    vitrine press shutter --wait --json >asset.json || wrong "no clip is saved"
    rm -rf out
    mkdir out
    vitrine library export out "$(jq -r .id asset.json)" >/dev/null
    echo "$1: $(status '.recording.microphone | tojson'), $(status '.recording.framesDropped | tojson')"
    mv out/*.mp4 clip.mp4
    cp clip.mp4 "/vb/log/$1.mp4"
    plays clip.mp4 || wrong "the clip does not decode"
    probe_clip clip.mp4 >packets.jsonl
    on_host clip sound-times clip.mp4 >times.json || wrong "the sound's times are out of order: $(<times.json)"
    rm -f sound.raw
    on_host clip sound clip.mp4 sound.raw || wrong "the clip's sound does not decode"
    clip_counters clip.mp4
}
# belong_together [FROM TO]: see judge-sound.py.
belong_together() { /usr/bin/python3 "$guest/judge-sound.py" sound.raw "$@"; }
