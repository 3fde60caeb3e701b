# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a bench: judge-bench.py NAME ROUNDS.jsonl yes|no (JSON); exit status 0 when it holds."""
import json
import statistics
import sys

GOALS = {"preview": 0.5, "still": 1.25}
PEERS = {"preview": "gstreamer", "still": "bare calls"}
TITLES = {"preview": "ms of CPU a frame, and in each round the part of the peer's",
          "still": "ms a photo, the median of each round, and the part of the bare calls'"}

name, path, as_json = sys.argv[1:4]
with open(path) as file:
    rounds = [json.loads(line) for line in file]
figures = {}
for entry in rounds:
    # One round is one figure, or has the median of several.
    turns = figures.setdefault(entry["who"], {})
    turns.setdefault(entry.get("round", len(turns)), []).append(entry["milliseconds"])
figures = {who: [statistics.median(turn) for turn in turns.values()] for who, turns in figures.items()}
ours, theirs = figures.pop("vitrine"), figures.pop(PEERS[name])
ratios = [a / b for a, b in zip(ours, theirs)]
ratio = statistics.median(ratios)
holds = ratio <= GOALS[name]
if as_json == "yes":
    print(json.dumps({"name": name, "ratio": ratio, "goal": GOALS[name], "holds": holds,
                      "rounds": rounds}))
else:
    # Counted in instructions they are small.
    digits = 2 if min(ours + theirs) >= 0.1 else 4
    print(TITLES[name])
    print(f"{'':16}" + f"{'median':>9}{'min':>9}{'max':>9}" * 2)
    for who, values in [("vitrine", ours), (PEERS[name], theirs), *figures.items()]:
        parts = [a / b for a, b in zip(values, theirs)]
        print(f"{who:16}" + "".join(
            f"{value:9.{places}f}" for of, places in ((values, digits), (parts, 2))
            for value in (statistics.median(of), min(of), max(of))))
# Beside JSON it is for whoever looks on.
print(f"{name}: {ratio:.2f} (goal {GOALS[name]:.2f}): {'holds' if holds else 'falls short'}",
      file=sys.stderr if as_json == "yes" else sys.stdout)
sys.exit(0 if holds else 1)
