# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares playing and seeking with mpv and FFmpeg's libraries: bench-play.py PLAY-BENCH ROUNDS yes|no (JSON).

Playing: the processor time per picture of a 1920x1080 H.264 video, with the same software decoder and number of
threads. It is the difference between a long run and a short one, so start-up does not count. mpv decodes and shows
nothing; Vitrine copies each picture to the display's memory, too. Seeking: the time from an order until the exact
picture is decoded, of the same random instants; PyAV calls FFmpeg's libraries. The programs take turns, and a figure is
the median ratio of the rounds. Memory: after 1,000 items, against that after the first 100. The exit status is 0 when
all goals are met.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import av

GOALS = {"play": 1.0, "seek": 1.1, "memory": 4.0}
SHORT, LONG, RATE = 2, 10, 30
THREADS = min(os.cpu_count(), 4)
SEEKS, ITEMS = 40, 1000


def seconds(arguments):
    """Returns the processor time of a program, and its output."""
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{arguments[0]} failed: {output.strip()}")
    return usage.ru_utime + usage.ru_stime, output


def make(path, length, size, more=()):
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=size={size}:rate={RATE}:duration={length}",
                    "-vf", "noise=alls=6:allf=t", "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-bf", "2",
                    "-g", "60", "-pix_fmt", "yuv420p", *more, path], check=True)


def cost(command):
    """Returns the milliseconds per picture of a command for a number of seconds."""
    took = {length: seconds(command(length))[0] for length in (SHORT, LONG)}
    return (took[LONG] - took[SHORT]) / ((LONG - SHORT) * RATE) * 1000


def peer_seeks(video, instants):
    """Returns the milliseconds that FFmpeg's libraries take for each instant."""
    took = []
    with av.open(video) as file:
        stream = file.streams.video[0]
        stream.thread_type, stream.thread_count = "AUTO", THREADS
        next(file.decode(stream))
        for instant in instants:
            begin = time.monotonic()
            file.seek(int(instant / stream.time_base), stream=stream)
            for frame in file.decode(stream):
                if frame.time + 1 / RATE > instant + 1e-6:
                    break
            took.append((time.monotonic() - begin) * 1000)
    return took


def main():
    bench, rounds, as_json = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "yes"
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=where) as folder:
        video, small = f"{folder}/video.mp4", f"{folder}/small.mp4"
        make(video, LONG, "1920x1080")
        make(small, 0.4, "320x180")
        values = {"vitrine ms a picture": [], "mpv ms a picture": [], "vitrine ms a seek": [], "FFmpeg ms a seek": []}
        ratios = {"play": [], "seek": []}
        for number in range(rounds):
            for length in (SHORT, LONG):
                shown, dropped = map(int, seconds([bench, "play", video, str(length)])[1].split())
                if shown + dropped != length * RATE or dropped > length:
                    print(f"{dropped} of {length * RATE} pictures dropped", file=sys.stderr)
            ours = cost(lambda length: [bench, "play", video, str(length)])
            theirs = cost(lambda length: ["mpv", "--no-config", "--really-quiet", "--vo=null", "--no-audio",
                                          "--hwdec=no", f"--vd-lavc-threads={THREADS}", f"--length={length}", video])
            values["vitrine ms a picture"].append(ours)
            values["mpv ms a picture"].append(theirs)
            ratios["play"].append(ours / theirs)
            chance = random.Random(number)
            instants = [chance.uniform(0, LONG - 0.1) for _ in range(SEEKS)]
            texts = [f"{instant:.6f}" for instant in instants]
            ours = statistics.median(map(float, seconds([bench, "seek", video, *texts])[1].split()))
            theirs = statistics.median(peer_seeks(video, instants))
            values["vitrine ms a seek"].append(ours)
            values["FFmpeg ms a seek"].append(theirs)
            ratios["seek"].append(ours / theirs)
        kilobytes = [int(line) for line in seconds([bench, "items", small, str(ITEMS)])[1].split()]
    figures = {name: statistics.median(list_) for name, list_ in ratios.items()}
    figures["memory"] = (kilobytes[-1] - kilobytes[0]) / 1024
    if as_json:
        print(json.dumps({"name": "play", "figures": figures, "goals": GOALS, "values": values, "kilobytes": kilobytes}))
    else:
        print(f"{'':22} {'median':>8} {'least':>8} {'most':>8}")
        for name, list_ in {**values, **{f"{name} ratio": list_ for name, list_ in ratios.items()}}.items():
            print(f"{name:22} {statistics.median(list_):8.3f} {min(list_):8.3f} {max(list_):8.3f}")
        print(f"memory after each {ITEMS // 10} items, kB: {' '.join(map(str, kilobytes))}")
    holds = True
    for name, figure in figures.items():
        good = abs(figure) <= GOALS[name]
        holds = holds and good
        print(f"{name}: {figure:.2f} (goal {GOALS[name]}): {'holds' if good else 'falls short'}",
              file=sys.stderr if as_json else sys.stdout)
    raise SystemExit(not holds)


main()
