# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the kernel's own trace events, which the traced process cannot bend."""
import json
import os
import re
import signal
import sys

WHEN = re.compile(r"\s(\d+\.\d+): (\w+): (.*)")


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def print_events(name, condition, events):
    """Prints one JSON line for each event that meets the condition, until SIGTERM.

    `events` has a function for each SYSTEM/EVENT, which makes a dictionary of the event's text and its time in
    microseconds of CLOCK_MONOTONIC. Says "tracing" on stderr when ready.
    """
    instance = f"/sys/kernel/tracing/instances/vitrine-{name}"
    os.makedirs(instance, exist_ok=True)
    write(f"{instance}/trace_clock", "mono")
    for event in events:
        write(f"{instance}/events/{event}/filter", condition)
        write(f"{instance}/events/{event}/enable", "1")
    fields = {event.split("/")[1]: made for event, made in events.items()}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print("tracing", file=sys.stderr, flush=True)
    try:
        with open(f"{instance}/trace_pipe") as pipe:
            for line in pipe:
                match = WHEN.search(line)
                if match and match[2] in fields:
                    moment = round(float(match[1]) * 1e6)
                    print(json.dumps(fields[match[2]](match[3], moment)), flush=True)
                elif "LOST" in line:
                    print(f"{name}: {line.strip()}", file=sys.stderr)
    finally:
        for event in events:
            write(f"{instance}/events/{event}/enable", "0")
        os.rmdir(instance)
