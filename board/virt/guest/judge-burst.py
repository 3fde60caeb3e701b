# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the case burst: each burst consists of consecutive frames, starting with the one nearest to the press.

Reads assets.jsonl and standing.jsonl (library list, with and without all of the bursts), commanded.jsonl (the last
burst, which a command began) and counters.jsonl (read-counter), and what pressed.py reads. If the machine stalled
around a press, its burst may start with another frame, but must state truly when the press was; this must not happen at
every press. If Vitrine has no time to take frames, the driver may be without a buffer and deliver none; this must not
happen in every burst.
"""
import os
from itertools import groupby

from jsonl import lines
from pressed import Presses

presses = Presses()
counters = {os.path.basename(c["file"]): c["sequence"] for c in lines("counters.jsonl")}
assets = sorted(lines("assets.jsonl"), key=lambda asset: asset["sequence"])
bursts = [list(of) for _, of in groupby(assets, key=lambda asset: asset["burstId"])]


def row(shown, begins):
    """Returns when the driver delivered the first and the last of these frames, if it delivered them in a row from one
    of the indices `begins` on; otherwise None."""
    return next(((presses.frames.times[begin], presses.frames.times[begin + len(shown) - 1]) for begin in begins
                 if shown == presses.frames.numbers[begin:begin + len(shown)]), None)


assert [len(burst) for burst in bursts] == [10] * len(presses) + [30], [len(burst) for burst in bursts]
judged, full_rate = 0, 0
for number, burst in enumerate(bursts):
    shown = [counters[asset["fileName"]] for asset in burst]
    assert shown == [asset["frameSequence"] for asset in burst], (number, shown)
    assert sum(asset.get("representsBurst", False) for asset in burst) == 1
    assert all(asset["mediaSubtypes"] == ["burst"] for asset in burst)
    if number == len(presses):
        break
    offset = burst[0]["shutterOffsetMicroseconds"]
    given = presses.given(number, shown[0], offset)
    assert given, (number, shown[0], offset, presses.account(number))
    taken = row(shown, given)
    assert taken, (number, shown, presses.account(number))
    full_rate += not presses.events.was_starved(*taken)
    if not presses.stood_still(number):
        judged += 1
        right = presses.nearest(number)
        # A panel that was held up allows several frames: the first ones may have gone meanwhile.
        may_be = right | ({max(right) + 1} if len(right) > 1 else set())
        assert given & may_be, (number, shown[0], {presses.frames.numbers[n] for n in right}, presses.account(number))
# The last burst, which a command began, is `shown` now.
begins = presses.frames.indices(shown[0])
assert row(shown, begins), shown
assert full_rate, "the driver was without a buffer in each burst"
assert judged, "the machine stood still around all of the presses"
standing = [asset["id"] for asset in lines("standing.jsonl")]
assert standing == [asset["id"] for asset in assets if asset.get("representsBurst")], standing
assert [asset["id"] for asset in lines("commanded.jsonl")] == [asset["id"] for asset in bursts[-1]]
# The control: a burst that lacks a frame is noticed.
assert not row(shown[:4] + shown[5:], begins), "a gap would not be noticed"
print(f"{len(bursts)} bursts, {len(assets)} photos, no gap; {judged} of {len(presses)} begin with the nearest frame, "
      f"{full_rate} at the driver's full rate")
