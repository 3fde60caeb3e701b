# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells which frames of the camera a clip's pictures are, and when those were taken.

Reads trace.jsonl (dqbuf-trace), packets.jsonl (ffprobe's packets in order), counters.jsonl (read-counter on the clip's
pictures) and status.json, which counts the restarts of the stream of a camera that delivered nothing. The counter that
vivid burns into a picture names the frame, and the trace tells when it was taken: neither shares code with Vitrine.
"""
import json
import os

from jsonl import lines
from traced import Frames


class Pictures:
    """A clip's pictures. All times are in microseconds: frames have the machine's time, pictures the time since the
    clip's start."""

    def __init__(self):
        with open("status.json") as file:
            restarts = json.load(file).get("camera", {}).get("streamRestarts", 0)
        self.camera = Frames(newest=1 + restarts)
        self.interval = self.camera.interval
        self.packets = lines("packets.jsonl")
        self.times = [float(p["pts_time"]) * 1e6 for p in self.packets]
        self.shown = [c["sequence"] for c in sorted(lines("counters.jsonl"), key=lambda c: os.path.basename(c["file"]))]
        # Two frames with one number may both be the first picture: with the wrong one, all pictures would seem late.
        of_first = self.camera.indices(self.shown[0])
        assert of_first, f"the camera never gave the first picture, {self.shown[0]}"
        self.frames = min((self.match(first) for first in of_first),
                          key=lambda frames: (frames.count(None), sum(self.apart_of(frames))))
        self.apart = self.apart_of(self.frames)
        known = [n for n in self.frames if n is not None]
        missing = set(range(known[0], known[-1])) - set(known)
        self.lost = len(missing)
        # The span in which the driver left a number out, for each such number.
        numbers, times = self.camera.numbers, self.camera.times
        self.skipped = [(times[n], times[n + 1]) for n in range(known[0], known[-1])
                        for _ in range(numbers[n] + 1, numbers[n + 1])]

    def match(self, first):
        """Returns the frame of each picture, if `first` is that of the first one. A picture's frame has the picture's
        number and follows the frames of the pictures before; of several, the nearest in time counts. `None` means that
        there is none."""
        frames, last = [], first - 1
        for number, time in zip(self.shown, self.times):
            due = self.camera.times[first] + time - self.times[0]
            found = min((n for n in self.camera.indices(number) if n > last),
                        key=lambda n: abs(self.camera.times[n] - due), default=None)
            frames.append(found)
            last = last if found is None else found
        return frames

    def apart_of(self, frames):
        """Returns how far the pictures are from the times of these frames."""
        begin = self.camera.times[frames[0]] - self.times[0]
        return [abs(self.camera.times[n] - begin - time) for n, time in zip(frames, self.times) if n is not None]

    def taken(self, n):
        """Returns when the picture was taken, or, if it is no frame, when it is shown."""
        frame = self.frames[n]
        if frame is None:
            return self.camera.times[self.frames[0]] + self.times[n] - self.times[0]
        return self.camera.times[frame]

    @property
    def late_keys(self):
        """The times of pictures that should have been key frames: more than a second after the last one."""
        late, key = [], None
        for time, packet in zip(self.times, self.packets):
            if packet["flags"].startswith("K"):
                key = time
            elif key is None or time - key > 1.001e6:
                late.append(time)
        return late

    def wrong(self, told):
        """Returns what is wrong with the pictures, if `told` frames were reported missing."""
        found = [
            (len(self.times) != len(self.shown), f"{len(self.times)} packets, {len(self.shown)} pictures"),
            (self.times[0] != 0, f"it begins at {self.times[0]} us"),
            (any(a >= b for a, b in zip(self.times, self.times[1:])), "times go back or repeat"),
            (self.late_keys != [], f"no key frames, though they were due: {self.late_keys[:5]} us"),
            (None in self.frames, f"frames go back, repeat or were never given: {self.shown}"),
            # Missing frames must have been counted, by the driver or by an encoder that was behind.
            (self.lost > told, f"{self.lost} frames are missing, {told} told"),
            (max(self.apart) >= 1000, f"a picture is {max(self.apart):.0f} us from its time"),
        ]
        return [why for is_wrong, why in found if is_wrong]
