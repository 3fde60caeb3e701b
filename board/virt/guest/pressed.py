# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells which frame a press of the panel should have given, and whether the machine let it.

Reads trace.jsonl (dqbuf-trace), presses.jsonl (gpio-panel), driver.jsonl (driver-trace) and stalls.jsonl (stall-watch):
see watch_shutter. None of them shares code with Vitrine.
"""
import bisect
import sys

from jsonl import lines
from stalls import Stalls
from traced import DriverEvents, Frames


class Presses:
    """The presses, numbered from 0. Times are in microseconds of the machine's clock; frames are indices of
    `frames`."""

    def __init__(self):
        self.frames = Frames(newest=None)
        moves = lines("presses.jsonl")
        # The panel reads the clock before and after it moves its line.
        self.moments = [(p["before"] / 1000, p["after"] / 1000) for p in moves if p["pressed"]]
        self.releases = [p["after"] / 1000 for p in moves if not p["pressed"]]
        self.stalls = Stalls()
        self.events = DriverEvents()
        self.driver_stalls = self.find_driver_stalls()

    def __len__(self):
        return len(self.moments)

    def find_driver_stalls(self):
        """Returns the spans in which the driver had a buffer and took longer to fill it than three frames last."""
        found, since = [], None
        assert len(self.events) > len(self.frames), f"{len(self.events)} events of the driver for {len(self.frames)} frames"
        for event in self.events:
            now = event["microseconds"]
            if event["event"] == "done":
                if since is not None and now - since > 3 * self.frames.interval:
                    found.append((since, now))
                since = now if event["buffers"] else None
            elif since is None:
                since = now
        return found

    def stood_still(self, number):
        """Whether the machine stalled for longer than a frame lasts, or the driver stalled, from shortly before the
        press to well after it."""
        begin, end = self.moments[number][0] - 100e3, self.moments[number][1] + 200e3
        return (self.stalls.within(begin, end) > self.frames.interval
                or any(since < end and until > begin for since, until in self.driver_stalls))

    def nearest(self, number):
        """Returns the frames that may be nearest: several if the panel's uncertainty includes a middle between two
        frames."""
        first, last = (self.frames.nearest(moment) for moment in self.moments[number])
        return set(range(first, last + 1))

    def given(self, number, saved, offset):
        """Returns the frames that a photo with this number can be, if the press was `offset` before it: none if it is
        no photo of the press."""
        return {n for n in self.frames.indices(saved) if self.is_moment(number, self.frames.times[n] - offset)}

    def is_moment(self, number, moment):
        """Whether the press can have been at this moment. If the machine stalled, the kernel may get press and release
        in one interrupt, and gives both the time of the last."""
        before, after = self.moments[number]
        if self.stood_still(number) and number < len(self.releases):
            after = self.releases[number]
        return before - 1 <= moment <= after + 1

    def gap(self, number):
        """Returns the time between the two frames around the press, which is longer if the driver dropped one."""
        times = self.frames.times
        after = min(max(bisect.bisect_left(times, self.moments[number][0]), 1), len(times) - 1)
        return times[after] - times[after - 1]

    def uncertainty(self, number):
        before, after = self.moments[number]
        return after - before

    def account(self, number):
        """Returns all that is known about the press, in microseconds since the panel's first reading, to help find a
        reason."""
        before, after = self.moments[number]
        frames = [(frame, round(time - before)) for frame, time in zip(self.frames.numbers, self.frames.times)
                  if abs(time - before) < 4 * self.frames.interval]
        released = [round(release - before) for release in self.releases[number:number + 1]]
        stalls = self.stalls.around(before, 10 * self.frames.interval)
        return (f"pressed within {after - before:.0f}, released after {released}, frames {frames}, "
                f"standstills {stalls}")


if __name__ == "__main__":
    # Print how many presses can be judged: with a number of frames, only those for which the driver had a buffer each
    # time.
    presses = Presses()
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    print(sum(not presses.stood_still(number)
              and not (frames and presses.events.was_starved(before, after + frames * presses.frames.interval))
              for number, (before, after) in enumerate(presses.moments)))
