# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the cases that break something under a running appliance, repeatedly. VITRINE_ROUNDS is the number of
# rounds, VITRINE_SEED their order; a case has its own number of rounds for each tier.

declare -F start_vitrine >/dev/null || source "$guest/vitrine.sh"

RANDOM=${VITRINE_SEED:-3}
rounds=${VITRINE_ROUNDS:-$(by_tier "${rounds_by_tier[@]}")}
times=$work/times
: >"$times"

# logged TEXT: prints how often the appliance's log contains TEXT.
logged() { grep -c "$1" vitrine.log || true; }

# comes_back [FRAMES]: waits until the preview has shown so many more frames, and notes how long that took. The fault
# must be over when it is called.
comes_back() {
    local began shown
    began=$(milliseconds)
    shown=$(status '.preview.framesShown')
    wait_until previewing "$((shown + ${1:-3}))" || return 1
    echo $(($(milliseconds) - began)) >>"$times"
}

# descriptors PID: prints what each descriptor leads to, without those of the library's database. Each of its
# connections has its own; connections open when they are needed, and stay. There are at most database_descriptors.
descriptors() { find "/proc/$1/fd" -mindepth 1 -printf '%l\n' | grep -v '/library\.sqlite'; }
# The file and its WAL for each of a writer, four readers and two connections that copy.
database_descriptors=14

# resources PID: prints the numbers of descriptors and threads, and the private memory in kB.
resources() {
    echo "$(descriptors "$1" | wc -l)" "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)" \
        "$(awk '/^RssAnon/ {print $2}' "/proc/$1/status")"
}

copies_nothing() { ! descriptors "$vitrine_pid" | matches '/snapshots/new\.part'; }
# at_rest FILE: prints what the appliance uses while nothing is under way, and lists its descriptors in FILE.
at_rest() {
    local used
    sleep 4
    # The appliance copies its database five minutes after its start and then once a day: do not count meanwhile.
    while :; do
        wait_until copies_nothing || wrong "a snapshot of the database does not end"
        descriptors "$vitrine_pid" | sed 's/\[.*\]//' | sort >"$1"
        used=$(resources "$vitrine_pid")
        ! copies_nothing || break
    done
    echo "$used"
}

# rests_as BEFORE: whether the appliance at rest uses no more than BEFORE.
rests_as() { same_resources "$1" "$(at_rest after.fds)"; }
# expect_nothing_left BEFORE: the appliance uses no more than BEFORE, the output of `at_rest before.fds`. libdispatch
# ends its worker threads after five idle seconds. What has leaked stays, so it may take a while.
expect_nothing_left() {
    patience=60 wait_until rests_as "$1" ||
        wrong "something grows: $(diff before.fds after.fds | grep '^[<>]' | tr '\n' ' ')"
    local database
    database=$(find "/proc/$vitrine_pid/fd" -mindepth 1 -printf '%l\n' | grep -c '/library\.sqlite')
    echo "descriptors of the database: $database"
    ((database <= database_descriptors)) || wrong "$database descriptors of the library's database"
}

# same_resources BEFORE AFTER: whether nothing grew but worker threads, which come and go, and an allocator's steps.
same_resources() {
    local fds threads memory fds_after threads_after memory_after
    read -r fds threads memory <<<"$1"
    read -r fds_after threads_after memory_after <<<"$2"
    echo "descriptors $fds then $fds_after, threads $threads then $threads_after," \
        "private memory $memory kB then $memory_after kB"
    ((fds_after <= fds)) && ((threads_after <= threads + 3)) &&
        ((memory_after <= memory + 4096))
}

# expect_no_rise FILE: FILE has a long run's lines ROUND DESCRIPTORS THREADS KILOBYTES. A line through the second half
# must not rise by 2 MB, which is twice an allocator's steps. Less than a hundred lines prove nothing.
expect_no_rise() {
    local rise
    (($(wc -l <"$1") >= 100)) || return 0
    rise=$(rise_of "$1")
    echo "private memory rises by $rise kB in the second half"
    ((rise < 2048)) || wrong "private memory rises by $rise kB in the second half"
}
# rise_of FILE: prints the rise of the least-squares line through the second half, from its first line to its last, in
# kB.
rise_of() {
    tail -n "$(($(wc -l <"$1") / 2))" "$1" | awk '{ x[++n] = $1; sx += $1; sy += $4; xx += $1 * $1; xy += $1 * $4 }
        END { printf "%d\n", (n * xy - sx * sy) / (n * xx - sx * sx) * (x[n] - x[1]) }'
}
# expect_rise_is_noticed: the control: a kilobyte more per round, and none, under an allocator's noise.
expect_rise_is_noticed() {
    local bytes
    for bytes in 0 1024; do
        awk -v bytes=$bytes 'BEGIN { srand(4); for (n = 1; n <= 1200; n++)
            print n * 5, 50, 12, 14000 + n * 5 * bytes / 1024 + int(rand() * 1200) }' >"rise$bytes"
    done
    (($(rise_of rise0) < 300 && $(rise_of rise1024) > 2048)) ||
        wrong "control: rises of $(rise_of rise0) and $(rise_of rise1024) kB, not of 0 and 3000"
}

# expect_notices: the control: the judges of the rounds notice a frozen preview and a process that leaks.
expect_notices() {
    local kind
    kill -STOP "$vitrine_pid"
    (patience=2 comes_back >/dev/null 2>&1) && wrong "control: a stopped appliance counts as back"
    # Longer than the display's thread may stall; but no other thread could run either.
    sleep 4
    kill -CONT "$vitrine_pid"
    for kind in descriptors threads memory; do notice_leak "$kind"; done
    wait_until previewing "$(($(status .preview.framesShown) + 5))" || wrong "no preview after the control"
    ! grep 'another .*continues' vitrine.log || wrong "a thread was given up because the whole process had stopped"
}

# notice_leak KIND: the judges notice a process that leaks this and nothing else.
notice_leak() {
    local leaking before
    /usr/bin/python3 "$guest/leak.py" "$1" >leak.log &
    leaking=$!
    wait_until grep -q ready leak.log || wrong "control: the leaking process does not start"
    before=$(resources "$leaking")
    same_resources "$before" "$(resources "$leaking")" >/dev/null ||
        wrong "control: a process at rest counts as one that leaks"
    kill -USR1 "$leaking"
    wait_until grep -q leaked leak.log || wrong "control: no $1 leaked"
    same_resources "$before" "$(resources "$leaking")" >/dev/null &&
        wrong "control: a process that leaks $1 counts as one that does not"
    kill -KILL "$leaking"
    wait "$leaking" 2>/dev/null || true
}

# trace_frames NODE: notes every frame that a program takes from the camera in frames.jsonl, until end_trace.
trace_frames() {
    rm -f frames.jsonl trace.err
    dqbuf-trace "$1" >frames.jsonl 2>trace.err &
    trace=$!
    wait_until grep -q tracing trace.err || wrong "dqbuf-trace does not start"
}
end_trace() {
    kill "$trace"
    wait "$trace" || true
}
# traced CONDITION: whether the jq(1) condition holds for any two consecutive frames, $a and $b.
traced() {
    jq -s -e "[., .[1:]] | transpose | any(.[0] as \$a | .[1] as \$b | \$b and ($1))" frames.jsonl >/dev/null 2>&1
}

# report_times WHAT: prints how long the rounds took: the figure of board/virt/faults.
report_times() {
    sort -n "$times" >sorted
    local count
    count=$(wc -l <sorted)
    ((count > 0)) || wrong "no round was timed"
    echo "FIGURE $1: median $(sed -n "$(((count + 1) / 2))p" sorted) ms," \
        "most $(tail -n 1 sorted) ms, $count times"
}
