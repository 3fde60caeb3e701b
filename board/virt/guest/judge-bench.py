# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a bench: judge-bench.py NAME ROUNDS.jsonl yes|no (JSON); exit status 0 when it holds."""
import json
import statistics
import sys

# The largest ratio to each peer that a path may have.
GOALS = {"exported": {"gstreamer": 0.5}, "decoded": {"gstreamer": 0.5, "bare work": 1.15},
         "converted": {"gstreamer": 0.5, "bare work": 1.15}, "still": {"bare calls": 1.25}}
TITLES = {"preview": "ms of CPU per frame, and the ratio to the peer in each round",
          "still": "ms per photo, the median of each round, and the ratio to the bare calls"}


def rounds_of(lines):
    """Returns a figure per round for each program: the median if a round has several."""
    figures = {}
    for entry in lines:
        turns = figures.setdefault(entry["who"], {})
        turns.setdefault(entry.get("round", len(turns)), []).append(entry["milliseconds"])
    return {who: [statistics.median(turn) for turn in turns.values()] for who, turns in figures.items()}


def table(figures, peer):
    theirs = figures[peer]
    # Figures that count instructions are small.
    digits = 2 if min(figures["vitrine"] + theirs) >= 0.1 else 4
    print(f"{'':16}" + f"{'median':>9}{'min':>9}{'max':>9}" * 2)
    for who, values in figures.items():
        parts = [a / b for a, b in zip(values, theirs)]
        print(f"{who:16}" + "".join(
            f"{value:9.{places}f}" for column, places in ((values, digits), (parts, 2))
            for value in (statistics.median(column), min(column), max(column))))


name, path, as_json = sys.argv[1:4]
with open(path) as file:
    lines = [json.loads(line) for line in file]
judged = []
for part in dict.fromkeys(line.get("path", name) for line in lines):
    figures = rounds_of([line for line in lines if line.get("path", name) == part])
    ratios = {peer: statistics.median([a / b for a, b in zip(figures["vitrine"], figures[peer])])
              for peer in GOALS[part]}
    holds = all(ratios[peer] <= goal for peer, goal in GOALS[part].items())
    judged.append({"path": part, "ratios": ratios, "goals": GOALS[part], "holds": holds})
    if as_json != "yes":
        print(TITLES[name] + ("" if part == name else f", {part}"))
        table(figures, next(iter(GOALS[part])))
holds = all(part["holds"] for part in judged)
if as_json == "yes":
    print(json.dumps({"name": name, "holds": holds, "paths": judged, "rounds": lines}))
for part in judged:
    title = name if part["path"] == name else f"{name} {part['path']}"
    said = ", ".join(f"{ratio:.2f} of {peer} (goal {part['goals'][peer]:.2f})"
                     for peer, ratio in part["ratios"].items())
    # The verdict goes to stderr if stdout holds the JSON object.
    print(f"{title}: {said}: {'holds' if part['holds'] else 'falls short'}",
          file=sys.stderr if as_json == "yes" else sys.stdout)
sys.exit(0 if holds else 1)
