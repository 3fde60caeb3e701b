# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a bench: judge-bench.py NAME ROUNDS.jsonl yes|no (JSON); exit status 0 when it holds."""
import json
import statistics
import sys

GOALS = {"preview": 0.5}
PEERS = {"preview": "gstreamer"}

name, path, as_json = sys.argv[1:4]
with open(path) as file:
    rounds = [json.loads(line) for line in file]
figures = {}
for entry in rounds:
    figures.setdefault(entry["who"], []).append(entry["milliseconds"])
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
    print(f"{'':12}{'median':>9}{'min':>9}{'max':>9}   ms of CPU a frame")
    rows = [("vitrine", ours), (PEERS[name], theirs), *figures.items(), ("ratio", ratios)]
    for who, values in rows:
        print(f"{who:12}" + "".join(f"{value:9.{digits}f}" for value in
                                    (statistics.median(values), min(values), max(values))))
# Beside JSON it is for whoever looks on.
print(f"{name}: {ratio:.2f} (goal {GOALS[name]:.2f}): {'holds' if holds else 'falls short'}",
      file=sys.stderr if as_json == "yes" else sys.stdout)
sys.exit(0 if holds else 1)
