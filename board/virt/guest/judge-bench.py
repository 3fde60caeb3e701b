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
    print("ms of CPU a frame, and in each round the part of the peer's")
    print(f"{'':12}" + f"{'median':>9}{'min':>9}{'max':>9}" * 2)
    for who, values in [("vitrine", ours), (PEERS[name], theirs), *figures.items()]:
        parts = [a / b for a, b in zip(values, theirs)]
        print(f"{who:12}" + "".join(
            f"{value:9.{places}f}" for of, places in ((values, digits), (parts, 2))
            for value in (statistics.median(of), min(of), max(of))))
# Beside JSON it is for whoever looks on.
print(f"{name}: {ratio:.2f} (goal {GOALS[name]:.2f}): {'holds' if holds else 'falls short'}",
      file=sys.stderr if as_json == "yes" else sys.stdout)
sys.exit(0 if holds else 1)
