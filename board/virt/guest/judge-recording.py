# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the case recording: whether the clip is what the camera gave from so long before the press on.

    judge-recording.py PRE-ROLL-SECONDS [gapless]

With gapless the counter has no gap, whatever was counted.

Reads presses.jsonl (gpio-panel: one press begins the clip, one ends it), trace.jsonl (dqbuf-trace), packets.jsonl
(ffprobe's packets in their order), counters.jsonl (read-counter on the clip's pictures), asset.json and
status.json. The counter that vivid has burnt into a picture says which frame it is, the trace when that was taken:
both share no code with Vitrine.
"""
import json
import os
import statistics
import sys


def lines(name):
    with open(name) as file:
        return [json.loads(line) for line in file]


pre_roll = float(sys.argv[1]) * 1e6
frames = lines("trace.jsonl")
# vitrine started its stream last: sequences restart there.
start = max(n for n, frame in enumerate(frames)
            if n == 0 or frame["sequence"] < frames[n - 1]["sequence"])
times = {frame["sequence"]: frame["timestampMicroseconds"] for frame in frames[start:]}
interval = statistics.median(b - a for a, b in zip(sorted(times.values()), sorted(times.values())[1:]))
begin, end = [p["before"] / 1000 for p in lines("presses.jsonl") if p["pressed"]]
packets = lines("packets.jsonl")
shown = [c["sequence"] for c in sorted(lines("counters.jsonl"), key=lambda c: os.path.basename(c["file"]))]
with open("asset.json") as file:
    asset = json.load(file)
with open("status.json") as file:
    status = json.load(file)
wrong = []


def expect(is_right, why):
    if not is_right:
        wrong.append(why)


pts = [float(p["pts_time"]) * 1e6 for p in packets]
keys = [time for time, p in zip(pts, packets) if p["flags"].startswith("K")]
expect(len(pts) == len(shown), f"{len(pts)} packets, {len(shown)} pictures")
expect(pts[0] == 0 and keys[0] == 0, f"it begins at {pts[0]} us, its first key frame is at {keys[0]} us")
expect(all(a < b for a, b in zip(pts, pts[1:])), "times go back or repeat")
expect(all(b - a < max(1.2e6, 1e6 + 1.5 * interval) for a, b in zip(keys, keys[1:])), f"key frames at {keys}")
expect(all(a < b for a, b in zip(shown, shown[1:])), f"frames go back or repeat: {shown}")
expect(all(n in times for n in shown), "frames that the camera never gave")
# What is missing was counted: by the driver, or because the encoder was behind.
missing = [n for n in range(shown[0], shown[-1]) if n not in shown]
told = status["recording"]["framesDropped"]["encoder"] + status["recording"]["framesDropped"]["undecodable"]
lost = len([n for n in missing if n in times])
expect(lost <= told, f"{lost} frames are missing, {told} told")
if "gapless" in sys.argv:
    expect(not missing and not told, f"{missing} are missing, {told} told")
# An emulator beside others may have no time for each.
expect(lost <= len(shown) / 2, f"{lost} of {len(shown)} frames are missing")
apart = [abs((pts[n] - pts[0]) - (times[s] - times[shown[0]])) for n, s in enumerate(shown)]
expect(max(apart) < 1000, f"a picture is {max(apart):.0f} us from its time")
early = begin - times[shown[0]]
if pre_roll:
    expect(pre_roll <= early <= pre_roll + 1e6 + 2 * interval, f"it begins {early / 1e6:.2f} s before the press")
else:
    # The encoder is made for it, which takes its time in an emulator.
    expect(-2e6 <= early <= 0, f"it begins {-early / 1e6:.2f} s after the press")
late = times[shown[-1]] - end
expect(-interval <= late <= 2e6, f"it ends {late / 1e6:.2f} s after the press")
duration = asset["durationSeconds"] * 1e6
expect(abs(duration - pts[-1] - interval) < interval, f"duration {duration:.0f} us, last picture at {pts[-1]:.0f} us")
print("\n".join(wrong))
print(f"{len(shown)} frames, {lost} lost and {told} told, from {early / 1e6:.2f} s before the press to "
      f"{late / 1e6:.2f} s after the other; at most {max(apart):.0f} us from their times; {len(wrong)} wrong")
raise SystemExit(1 if wrong else 0)
