# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the case recording: the clip is what the camera delivered from the pre-roll before the press on.

    judge-recording.py PRE-ROLL-SECONDS [gapless]

A gapless clip's counter has no gap, except where the driver had a buffer all the time and filled it too late. If the
encoder reports that it was behind, the exit status is 75: such a clip does not show whether gaps are avoidable.

Reads presses.jsonl (gpio-panel: one press begins the clip, one ends it), driver.jsonl (driver-trace), what filmed.py
reads, asset.json and status.json.
"""
import json
import sys

from filmed import Pictures
from jsonl import lines
from traced import DriverEvents

pre_roll = float(sys.argv[1]) * 1e6
pictures = Pictures()
# The panel reads the clock before and after it moves its line.
begin, end = [p["before"] / 1000 for p in lines("presses.jsonl") if p["pressed"]]
uncertainty = max(p["after"] / 1000 - p["before"] / 1000 for p in lines("presses.jsonl") if p["pressed"])
with open("asset.json") as file:
    asset = json.load(file)
with open("status.json") as file:
    dropped = json.load(file)["recording"]["framesDropped"]
told = dropped["encoder"] + dropped["undecodable"]
wrong = pictures.wrong(told)


def expect(is_right, why):
    if not is_right:
        wrong.append(why)


count, lost, interval = len(pictures.shown), pictures.lost, pictures.interval
if "gapless" in sys.argv:
    events = DriverEvents()
    # Numbers that the driver left out count as missing if it had no buffer.
    missing = max(lost - told, 0) + sum(events.was_starved(*apart) for apart in pictures.skipped)
    expect(not missing, f"{missing} are missing, {told} told")
# An emulator on a busy host may have no time for each frame.
expect(count >= 15, f"{count} pictures are too few to judge")
first, last = pictures.taken(0), pictures.taken(-1)
early, late = begin - first, last - end
if pre_roll:
    # If frames are missing, a key frame may come later than a second after the one before it.
    before = [time for time in pictures.times if time <= early]
    longest = max(b - a for a, b in zip(before, before[1:]))
    expect(pre_roll - uncertainty <= early <= pre_roll + 1e6 + longest - interval + 1000, f"it begins {early / 1e6:.2f} s before the press")
else:
    # The encoder is made at the press, which takes time in an emulator.
    expect(-2e6 <= early <= 0, f"it begins {-early / 1e6:.2f} s after the press")
# Frames before the press that ends the clip are in it; there may be no time for one of them.
behind = sum(last < time < end for time in pictures.camera.times)
expect(behind <= 1 + max(told - lost, 0) and late <= 2e6,
       f"it ends {late / 1e6:.2f} s after the press, {behind} frames before it are missing")
duration, end = asset["durationSeconds"] * 1e6, pictures.times[-1]
expect(abs(duration - end - interval) < interval, f"duration {duration:.0f} us, last picture at {end:.0f} us")
print("\n".join(wrong))
print(f"{count} frames, {lost} lost and {told} told, {len(pictures.skipped)} left out by the driver, from "
      f"{early / 1e6:.2f} s before the press to {late / 1e6:.2f} s after the other; at most {max(pictures.apart):.0f} us "
      f"from their times; {len(wrong)} wrong")
raise SystemExit(1 if wrong else 75 if "gapless" in sys.argv and told else 0)
