# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges shutter-oracle and shutter-busy: which frame each press should have given, and which it gave.

Reads assets.jsonl (library list) and counters.jsonl (read-counter), and what pressed.py reads. If one of the machine's
processors stalled around a press, or the driver had buffers and filled none, the photo need not be the nearest frame,
but must state truly which frame it is. Such presses must be few: nine in ten of a full run's presses have to be judged
in full, and half of another run's, which other guests disturb. A slow Vitrine is no excuse.
"""
import os
import statistics

from jsonl import lines
from pressed import Presses

presses = Presses()
assets = sorted(lines("assets.jsonl"), key=lambda asset: asset["sequence"])
counters = {os.path.basename(c["file"]): c["sequence"] for c in lines("counters.jsonl")}
wrong = []
judged = 0
if len(assets) != len(presses):
    wrong.append(f"{len(assets)} photos of {len(presses)} presses")
for number, asset in enumerate(assets[:len(presses)]):
    saved = counters.get(os.path.basename(asset["fileName"]))
    offset = asset["shutterOffsetMicroseconds"]
    if asset["frameSequence"] != saved:
        wrong.append(f"press {number}: frame {saved} in the JPEG, {asset['frameSequence']} stored")
    given = presses.given(number, saved, offset)
    if not given:
        wrong.append(f"press {number}: frame {saved} and {offset} us from it no press; {presses.account(number)}")
    if presses.stood_still(number):
        continue
    judged += 1
    right = presses.nearest(number)
    if given and not given & right:
        wrong.append(f"press {number}: frame {saved}, nearest {[presses.frames.numbers[n] for n in sorted(right)]}; "
                     f"{presses.account(number)}")
    gap = presses.gap(number)
    if abs(offset) > gap / 2 + presses.uncertainty(number):
        wrong.append(f"press {number}: offset {offset} us, actual interval {gap} us")
if judged < len(presses) * (0.9 if os.environ.get("VITRINE_TIER") == "full" else 0.5):
    wrong.append(f"the machine stood still around all but {judged} presses")
print("\n".join(wrong[:20]))
offsets = [abs(asset["shutterOffsetMicroseconds"]) for asset in assets] or [0]
print(f"{len(assets)} photos, {judged} judged in full, {len(wrong)} wrong, interval {presses.frames.interval:.0f} us, "
      f"largest offset {max(offsets)} us, median {statistics.median(offsets):.0f} us")
raise SystemExit(1 if wrong else 0)
