# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the logs of a fault run: judge-faults.py NAME GOAL-MS JSON SERIES LOG...

Their FIGURE lines tell how long the rounds took. A fault without a time goal holds when every round has passed.
"""
import json
import re
import sys

name, goal, as_json, series = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "yes", sys.argv[4]
medians, most, count, facts = [], 0, 0, []
for path in sys.argv[5:]:
    for line in open(path):
        if match := re.match(r"FIGURE .*: median (\d+) ms, most (\d+) ms, (\d+) times", line):
            medians.append(int(match[1]))
            most = max(most, int(match[2]))
            count += int(match[3])
        elif re.match(r"descriptors |saved |from start ", line):
            facts.append(line.strip())
holds = goal == 0 or 0 < most <= goal
median = sorted(medians)[len(medians) // 2] if medians else None
for fact in facts:
    print(fact, file=sys.stderr)
if as_json:
    print(json.dumps({"name": name, "kernel": series, "medianMilliseconds": median, "mostMilliseconds": most,
                      "rounds": count, "goalMilliseconds": goal, "holds": holds}))
figure = f"{most} ms at the most, {median} in the median, {count} rounds" if goal else "every round passed"
wanted = f"goal {goal} ms" if goal else "goal: nothing lost"
# The verdict goes to stderr if stdout holds the JSON object.
print(f"{name}: {figure} ({wanted}, Linux {series}): {'holds' if holds else 'falls short'}",
      file=sys.stderr if as_json else sys.stdout)
sys.exit(0 if holds else 1)
