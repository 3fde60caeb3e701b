# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the frames in trace.jsonl (dqbuf-trace), all of them or those of the newest streams, and what their driver did,
in driver.jsonl (driver-trace). Vitrine started its stream last; numbers restart there, at zero or a little later.

A number alone need not name a frame. vivid takes its numbers from the kernel's jiffies: if it was late, two frames that
come close together have the same number, in their buffers and in their pictures alike.
"""
import collections
import statistics

from jsonl import lines


class Frames:
    """The frames in the order in which the driver delivered them, without those that it left out. Times are in
    microseconds of the machine's clock."""

    def __init__(self, newest=1):
        """Reads the frames of the `newest` streams, or of all if it is `None`."""
        frames = lines("trace.jsonl")
        starts = [n for n, frame in enumerate(frames) if n == 0 or frame["sequence"] < frames[n - 1]["sequence"]]
        start = starts[-newest] if newest and newest <= len(starts) else 0
        self.numbers = [frame["sequence"] for frame in frames[start:]]
        self.times = [frame["timestampMicroseconds"] for frame in frames[start:]]
        self.numbered = collections.defaultdict(list)
        for n, number in enumerate(self.numbers):
            self.numbered[number].append(n)
        self.interval = statistics.median(b - a for a, b in zip(self.times, self.times[1:]))

    def __len__(self):
        return len(self.numbers)

    def indices(self, number):
        """Returns the frames that have this number: none, one or two of each stream."""
        return self.numbered.get(number, [])

    def nearest(self, moment):
        """Returns the frame that was taken nearest to this moment."""
        return min(range(len(self)), key=lambda n: abs(self.times[n] - moment))


class DriverEvents(list):
    """The driver's events in the order of their times."""

    def __init__(self):
        super().__init__(sorted(lines("driver.jsonl"), key=lambda event: event["microseconds"]))

    def was_starved(self, begin, end):
        """Whether the driver was without a buffer for a while between these two moments, in microseconds of the
        machine's clock."""
        return any(event["buffers"] == 0 and event["microseconds"] < end and following["microseconds"] > begin
                   for event, following in zip(self, self[1:]))
