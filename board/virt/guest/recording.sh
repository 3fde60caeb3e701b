# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the cases that record clips with the panel's button: vivid at 640x360 and 15 frames per second, all of which
# an emulator can compress.
source "$guest/vitrine.sh"

# recording_configuration [LINES]: the button begins and ends clips; LINES go to [recording]. The screen is small,
# because the time to fill a larger one would be taken from the encoder in an emulator.
recording_configuration() {
    configuration "match = { driver = \"vivid\" }
pixel_format = \"XR24\"
width_px = 640
height_px = 360
frame_rate_fps = 15"
    sed -i 's/^shutter.press = .*/shutter.press = "record"/; s/^mode = .*/mode = "640x480"/' vitrine.toml
    printf '[recording]\nmaximum_s = 0\nquality = 18\npreset = "ultrafast"\n%s\n' "${1:-}" >>vitrine.toml
}

is_recording() { [[ $(status .recording.active) == true ]]; }
is_not_recording() { ! is_recording; }
# recorded SECONDS: whether the clip is that long; for `wait_until`.
recorded() { status .recording.seconds | jq -e ". >= $1" >/dev/null; }
preroll_reaches() { status .recording.preRollSeconds | jq -e ". >= $1" >/dev/null; }
clips() { status .library.videos; }
clips_reach() { (($(clips) >= $1)); }

# probe_clip FILE: prints its packets, one JSON line each.
probe_clip() { on_host clip packets "$1"; }
# plays FILE: whether a decoder finds no error in it.
plays() { on_host clip plays "$1"; }
# plays_in_browser FILE: whether Chromium plays it to its end and can seek to every place.
plays_in_browser() { on_host plays-in-browser "$1"; }
# clip_counters FILE: reads the numbers that are burnt into its pictures, in order.
clip_counters() {
    on_host clip counters "$1" digits.npz >counters.jsonl || wrong "a picture's counter cannot be read"
}
# begin SECONDS: begins a clip and waits until it is that long.
begin() {
    vitrine press shutter >/dev/null || wrong "no clip begins"
    wait_until recorded "$1" || wrong "no clip: $(jq -c '{recording, problems, state}' status.json)"
}
# expect_clip MILLISECONDS [beside]: the newest clip is that long, except for two seconds, and plays. `beside` allows
# another clip that is being recorded.
expect_clip() {
    local id path length
    vitrine library list --json | jq -c 'select(.mediaType == "video")' | tail -n 1 >clip.json
    id=$(jq -r .id clip.json)
    length=$(jq '.durationSeconds * 1000 | floor' clip.json)
    path=$(find library/originals -name "$id.mp4")
    echo "$length ms of $1 ms"
    ((length >= $1 - 2000)) || wrong "$length ms of $1 ms are kept"
    is_finished "$path" || wrong "the clip consists of $(top_boxes "$path")"
    plays "$path" || wrong "the clip does not play"
    plays_in_browser "$path" || wrong "Chromium does not play the clip"
    [[ $(sha256sum "$path" | cut -d ' ' -f 1) == "$(jq -r .sha256 clip.json)" ]] || wrong "the clip has another hash"
    [[ ${2:-} || -z $(find library/incoming -type f) ]] || wrong "left in incoming/: $(ls library/incoming)"
}
# is_finished FILE: whether it is an ordinary movie that a player does not see as fragments.
is_finished() { [[ $(top_boxes "$1") == 'ftyp mdat moov' ]]; }
# top_boxes FILE: prints the file's top-level boxes.
top_boxes() {
    /usr/bin/python3 - "$1" <<'PYTHON'
import struct, sys
names, data = [], open(sys.argv[1], "rb").read()
offset = 0
while offset + 8 <= len(data):
    size, name = struct.unpack(">I4s", data[offset:offset + 8])
    size = struct.unpack(">Q", data[offset + 8:offset + 16])[0] if size == 1 else size
    names.append(name.decode())
    offset += max(size, 8)
if offset != len(data):
    names.append(f"and {len(data) - offset} bytes")
print(" ".join(names))
PYTHON
}
