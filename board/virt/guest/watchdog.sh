# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the cases that stand in for systemd and receive what the service manager would, with a watchdog of 8
# seconds.

# watch_watchdog: from now on vitrine's notifications go to notified.jsonl. Call it before start_vitrine.
watch_watchdog() {
    notify-listener "$work/notify.sock" >notified.jsonl 2>listener.err &
    wait_until grep -q listening listener.err || wrong "notify-listener does not start"
    environment=(NOTIFY_SOCKET="$work/notify.sock" WATCHDOG_USEC=8000000)
}

# hunger SINCE: prints the longest time without a watchdog notification from SINCE to now, in milliseconds.
hunger() {
    jq -s --argjson since "$1" --argjson now "$(milliseconds)" '[$since]
        + map(select(.message == "WATCHDOG=1" and .milliseconds > $since).milliseconds) + [$now]
        | [., .[1:]] | transpose | map(select(.[1]) | .[1] - .[0]) | max' notified.jsonl
}

# expect_hunger_of_a_stopped_process: the control: a stopped process does not feed the watchdog, and one that continues
# does so again.
expect_hunger_of_a_stopped_process() {
    local since
    since=$(milliseconds)
    sleep 10
    (($(hunger "$since") < 8000)) || wrong "control: the watchdog is not fed: $(hunger "$since") ms"
    kill -STOP "$vitrine_pid"
    sleep 10
    kill -CONT "$vitrine_pid"
    (($(hunger "$since") > 8000)) || wrong "control: a stopped process feeds the watchdog"
    wait_until previewing "$(($(status .preview.framesShown) + 5))" || wrong "no preview after the control"
}
