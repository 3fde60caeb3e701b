# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# For the cases that play systemd: what the service manager would hear of a watchdog of eight seconds.

# watch_watchdog: from now on what vitrine tells goes to notified.jsonl. Before start_vitrine.
watch_watchdog() {
    notify-listener "$work/notify.sock" >notified.jsonl 2>listener.err &
    wait_until grep -q listening listener.err || wrong "notify-listener does not start"
    environment=(NOTIFY_SOCKET="$work/notify.sock" WATCHDOG_USEC=8000000)
}

# hunger SINCE: the longest time without food for the watchdog from then to now, in milliseconds.
hunger() {
    jq -s --argjson since "$1" --argjson now "$(milliseconds)" '[$since]
        + map(select(.message == "WATCHDOG=1" and .milliseconds > $since).milliseconds) + [$now]
        | [., .[1:]] | transpose | map(select(.[1]) | .[1] - .[0]) | max' notified.jsonl
}

# expect_hunger_of_a_stopped_process: the control. A process that stands still starves it, and one that goes on feeds
# it again.
expect_hunger_of_a_stopped_process() {
    local since
    since=$(milliseconds)
    sleep 10
    (($(hunger "$since") < 8000)) || wrong "control: the watchdog is not fed: $(hunger "$since") ms"
    kill -STOP "$vitrine_pid"
    sleep 10
    kill -CONT "$vitrine_pid"
    (($(hunger "$since") > 8000)) || wrong "control: a process that stands still feeds the watchdog"
    wait_until previewing "$(($(status .preview.framesShown) + 5))" || wrong "no preview after the control"
}
