# SPDX-License-Identifier: GPL-3.0-or-later
"""When the machine stood still, by stall-watch: what nobody could do then is nobody's fault."""
import collections

from jsonl import lines


class Stalls:
    """Reads stalls.jsonl. All times are in microseconds of the machine's clock."""

    def __init__(self):
        self.stalls = lines("stalls.jsonl")

    def within(self, begin, end):
        """For how long a processor stood still in that time: the one that did for longest."""
        still = collections.Counter()
        for stall in self.stalls:
            shared = min(end, stall["untilMicroseconds"]) - max(begin, stall["fromMicroseconds"])
            still[stall["cpu"]] += max(shared, 0)
        return max(still.values(), default=0)

    def around(self, moment, distance):
        """Of which processor, from when and until when, seen from that moment."""
        return [(stall["cpu"], round(stall["fromMicroseconds"] - moment), round(stall["untilMicroseconds"] - moment))
                for stall in self.stalls
                if stall["untilMicroseconds"] > moment - distance and stall["fromMicroseconds"] < moment + distance]
