# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells when the machine was stalled, as stall-watch saw it: programs are not to blame for that time."""
import collections

from jsonl import lines


class Stalls:
    """Reads stalls.jsonl. All times are in microseconds of the machine's clock."""

    def __init__(self):
        self.stalls = lines("stalls.jsonl")

    def within(self, begin, end):
        """Returns how long a processor was stalled between these moments: the one that was stalled longest."""
        still = collections.Counter()
        for stall in self.stalls:
            shared = min(end, stall["untilMicroseconds"]) - max(begin, stall["fromMicroseconds"])
            still[stall["cpu"]] += max(shared, 0)
        return max(still.values(), default=0)

    def around(self, moment, distance):
        """Returns the stalls around a moment: the processor, and the begin and the end relative to the moment."""
        return [(stall["cpu"], round(stall["fromMicroseconds"] - moment), round(stall["untilMicroseconds"] - moment))
                for stall in self.stalls
                if stall["untilMicroseconds"] > moment - distance and stall["fromMicroseconds"] < moment + distance]
