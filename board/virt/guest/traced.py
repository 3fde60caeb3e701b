# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of the newest stream in trace.jsonl (dqbuf-trace): vitrine started its stream last, and sequences restart
there, at zero or a little later."""
from jsonl import lines


def newest_stream():
    frames = lines("trace.jsonl")
    start = max(n for n, frame in enumerate(frames)
                if n == 0 or frame["sequence"] < frames[n - 1]["sequence"])
    return frames[start:]
