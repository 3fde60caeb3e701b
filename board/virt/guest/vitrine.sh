# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the cases that run Vitrine: configuration, start, questions, stop.

source "$guest/lib.sh"
[[ -x $VITRINE ]] || wrong "no program at $VITRINE; next: build it or set VITRINE"
export VITRINE_SOCKET=$work/control.sock
# The library needs a file system that maps and locks like a real one; /tmp is a tmpfs here, which does.
mkdir -p "$work/library"
vitrine() { "$VITRINE" "$@"; }

# configuration CAMERA-LINES [DISPLAY-LINES]: writes vitrine.toml for this board. Nothing is drawn over the picture and
# nothing waits, unless the display lines say so.
configuration() {
    cat >"$work/vitrine.toml" <<TOML
[library]
path = "$work/library"
reserve_mb = 16

[[camera]]
id = "main"
$1

[display]
driver = "vkms"
mode = "auto"
mirror = ${mirror:-false}
countdown_s = 0
${2:-review_s = 0
ready_hint = false}

[[button]]
name = "shutter"
line = "vitrine-panel:SHUTTER"
active_low = false
bias = "as-is"
debounce_ms = 20

[actions]
shutter.press = "photo"

[lamp]
ready = "vitrine-panel:LAMP"
TOML
}

# vivid_camera FORMAT [MEMORY]: prints the camera's lines for vivid at 640x480 and 30 fps.
vivid_camera() {
    printf 'match = { driver = "vivid" }\npixel_format = "%s"\n' "$1"
    printf 'width_px = 640\nheight_px = 480\nframe_rate_fps = 30\nmemory = "%s"\n' "${2:-auto}"
}

# A case may set `environment`, words for env(1), for the appliance alone.
environment=()
start_vitrine() {
    # Start the program itself, not the function: the process number must be its own.
    env "${environment[@]}" "$VITRINE" run --config "$work/vitrine.toml" >"$work/vitrine.log" 2>&1 &
    vitrine_pid=$!
    wait_until answers || wrong "no answer from vitrine: $(tail -n 3 "$work/vitrine.log")"
}

coproc status_reader {
    exec /usr/bin/python3 "$guest/status-reader.py" "$VITRINE_SOCKET" "$work/status.json"
}
# Copies of the descriptors, because bash hides a coprocess's own from command substitutions.
exec {question}>&"${status_reader[1]}" {answer}<&"${status_reader[0]}"

# ask PATH: prints one value of a fresh status; fails if the appliance does not answer.
ask() {
    local value
    echo "$1" >&"$question"
    read -r value <&"$answer" && [[ $value != - ]] && echo "$value"
}
answers() { ask .health >/dev/null; }

# status FILTER: prints one value of a fresh status, by a path or by any filter of jq(1).
status() {
    if [[ $1 =~ ^(\.[A-Za-z]+)+(' // '[0-9]+)?$ ]]; then
        ask "$1" || wrong "vitrine does not answer for $1"
    else
        answers || wrong "vitrine does not answer for $1"
        jq -r "$1" "$work/status.json"
    fi
}
previewing() { (($(status '.preview.framesShown // 0') > ${1:-5})); }
wait_for_preview() {
    wait_until previewing || wrong "no preview: $(jq -c '{camera, preview, problems}' status.json)"
}

stop_vitrine() {
    kill "$vitrine_pid"
    wait "$vitrine_pid" || wrong "vitrine ended with status $?: $(tail -n 2 vitrine.log)"
}

# expect_problem KIND: status soon has a problem of that kind, such as `camera`, and health is not ok.
expect_problem() {
    wait_until has_problem "$1" || wrong "no $1 problem: $(jq -c .problems status.json)"
}
# problem CODE: whether status has this problem, such as `camera.missing`.
problem() { status '.problems[].code' | matches -x "$1"; }
has_problem() {
    [[ $(status .health) != ok ]] && jq -r '.problems[].code' status.json | grep "^$1\."
}

# says_next KIND: each problem of that kind is one line that ends with the next step.
says_next() {
    local message messages
    messages=$(status ".problems[] | select(.code | startswith(\"$1.\")).message")
    [[ $messages ]] || wrong "no $1 problem"
    while IFS= read -r message; do
        [[ $message == *'; next: '* ]] || wrong "no next step: $message"
    done <<<"$messages"
}

photos() { status '.library.photos'; }
# photos_reach COUNT: for `wait_until`.
photos_reach() { (($(photos) >= $1)); }

# healthy: for `wait_until`.
healthy() { [[ $(status .health) == ok ]]; }

# press_in_bursts COUNT [BEFORE]: presses the shutter until there are COUNT presses, BEFORE of which were made already,
# 3 times per second at random phases, and notes the times in presses.jsonl. The usual run waits after each burst: a
# busy emulator saves photos more slowly than it is pressed, and refuses a 33rd pending one of 640x480 in XR24.
press_in_bursts() {
    local pressed burst
    burst=$(by_tier 10 20 $(($1 - ${2:-0})))
    for ((pressed = ${2:-0} + burst; pressed <= $1; pressed += burst)); do
        panel presses SHUTTER --count "$burst" --rate 3 --hold 60 --seed "$pressed" >>presses.jsonl
        wait_until photos_reach "$pressed" || wrong "$(photos) photos of $pressed presses"
    done
}

# expect_rung NAME: status names this path of frames to the screen.
expect_rung() {
    local rung
    rung=$(status .preview.path)
    [[ $rung == "$1" ]] || wrong "preview.path is $rung, not $1"
}

# expect_shown SOURCE COMPARE-OPTIONS...: vkms shows the source.
expect_shown() {
    local source=$1
    shift
    writeback "$vitrine_pid" shown.ppm || wrong "writeback failed"
    cp shown.ppm "/vb/log/${0##*/}.ppm"
    compare shown.ppm "$source" "$@" || wrong "the screen differs from the camera's picture"
    wait_until previewing "$(($(status .preview.framesShown) + 5))" ||
        wrong "the preview is frozen after the writeback"
}

# camera_is_shown: whether the screen shows source.raw, as steady_camera saved it in XR24, and nothing else.
camera_is_shown() { writeback "$vitrine_pid" shown.ppm && compare shown.ppm source.raw --format XR24; }

# overlay_is_shown: whether the lower middle of the screen, where texts are, has white letters. For `wait_until`.
overlay_is_shown() { writeback "$vitrine_pid" shown.ppm && on_host has-text shown.ppm; }
nothing_is_said() { ! overlay_is_shown; }

# expect_screenshot TOLERANCE: the program's screenshot is what the display shows. Differing ones are compared again:
# the scene may change between the two.
expect_screenshot() {
    wait_until screenshot_agrees "$1" || wrong "the screenshot is not what the screen shows"
    cp shown.ppm "/vb/log/${0##*/}.ppm"
}
screenshot_agrees() {
    vitrine screenshot seen.png || wrong "no screenshot"
    writeback "$vitrine_pid" shown.ppm || wrong "writeback failed"
    compare shown.ppm seen.png --format IMAGE --tolerance "$1"
}

# play_once RUNG: plays a film with sound, after which everything is as before.
play_once() {
    ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=size=320x240:rate=25:duration=2 -f lavfi -i sine=duration=2 \
        -pix_fmt yuv420p -c:v libx264 -preset ultrafast -c:a aac film.mp4
    [[ $(vitrine play film.mp4) == finished ]] || wrong "a film is not played"
    wait_for_preview
    expect_rung "$1"
}

# expect_zero_copy: the program has no frame buffer mapped and touches no byte of a frame.
expect_zero_copy() {
    maps-check "$vitrine_pid" || wrong "frame buffers are mapped on a zero-copy path"
    [[ $(status .preview.bytesCopiedPerFrame) == 0 ]] || wrong "bytes are copied per frame"
}

# refuses STATUS TEXT: `vitrine run` ends by itself with this status and a line that matches TEXT.
refuses() {
    local ended=0
    timeout 60 "$VITRINE" run --config "$work/vitrine.toml" >out 2>err </dev/null || ended=$?
    cat out err
    [[ $ended =~ ^$1$ ]] || wrong "exit status $ended, not $1"
    grep -qiE "$2" err || wrong "no line that says $2"
}
