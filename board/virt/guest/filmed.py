# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames of the camera a clip's pictures are, and when those were taken.

Reads trace.jsonl (dqbuf-trace), packets.jsonl (ffprobe's packets in their order) and counters.jsonl (read-counter on
the clip's pictures). The counter that vivid has burnt into a picture says which frame it is, the trace when that was
taken: both share no code with Vitrine.
"""
import os
import statistics

from jsonl import lines
from traced import newest_stream


class Pictures:
    """All times are in microseconds: those of frames the machine's, those of pictures from the clip's beginning on."""

    def __init__(self):
        self.taken = {frame["sequence"]: frame["timestampMicroseconds"] for frame in newest_stream()}
        times = sorted(self.taken.values())
        self.interval = statistics.median(b - a for a, b in zip(times, times[1:]))
        self.packets = lines("packets.jsonl")
        self.times = [float(p["pts_time"]) * 1e6 for p in self.packets]
        self.shown = [c["sequence"] for c in sorted(lines("counters.jsonl"), key=lambda c: os.path.basename(c["file"]))]
        missing = set(range(self.shown[0], self.shown[-1])) - set(self.shown)
        # Of these the driver gave none.
        self.skipped = missing - self.taken.keys()
        self.lost = len(missing & self.taken.keys())
        self.apart = [abs((self.times[n] - self.times[0]) - (self.taken[s] - self.taken[self.shown[0]]))
                      for n, s in enumerate(self.shown[:len(self.times)]) if s in self.taken]

    @property
    def late_keys(self):
        """Pictures, by their times, that should have been key frames: a second after the last one, or later."""
        late, key = [], None
        for time, packet in zip(self.times, self.packets):
            if packet["flags"].startswith("K"):
                key = time
            elif key is None or time - key > 1.001e6:
                late.append(time)
        return late

    def wrong(self, told):
        """What is wrong with them, where it was told that so many are missing."""
        found = [
            (len(self.times) != len(self.shown), f"{len(self.times)} packets, {len(self.shown)} pictures"),
            (self.times[0] != 0, f"it begins at {self.times[0]} us"),
            (any(a >= b for a, b in zip(self.times, self.times[1:])), "times go back or repeat"),
            (self.late_keys != [], f"no key frames, though they were due: {self.late_keys[:5]} us"),
            (any(a >= b for a, b in zip(self.shown, self.shown[1:])), f"frames go back or repeat: {self.shown}"),
            (any(n not in self.taken for n in self.shown), "frames that the camera never gave"),
            # What is missing was counted: by the driver, or because the encoder was behind.
            (self.lost > told, f"{self.lost} frames are missing, {told} told"),
            (max(self.apart) >= 1000, f"a picture is {max(self.apart):.0f} us from its time"),
        ]
        return [why for is_wrong, why in found if is_wrong]
