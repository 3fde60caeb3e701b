# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares JPEG encoding speed with tjbench: bench-jpeg.py JPEG-BENCH ROUNDS yes|no (JSON).

In each round, Vitrine and tjbench take turns: each encodes the same 1920x1080 picture at quality 90, in one thread, as
often as it can in one second. Both convert the colours of XRGB themselves. Planar YUV and the formats of cameras (YUYV,
NV12) need no colour conversion: tjbench then encodes its planar input, whose planes are already separate. The figure is
the lowest of the formats' median ratios. The exit status is 0 when it meets the goal.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

GOAL = 0.97
WIDTH, HEIGHT, QUALITY, SECONDS = 1920, 1080, 90, 1.0
# The format's name, ffmpeg's name for it, and tjbench's options.
CASES = [("XR24", "bgr0", ["-bgrx", "-subsamp", "420"]), ("YU12", "yuv420p", ["-yuv", "-subsamp", "420"]),
         ("NV12", "nv12", ["-yuv", "-subsamp", "420"]), ("YUYV", "yuyv422", ["-yuv", "-subsamp", "422"])]


def output(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def tjbench(picture, options):
    """Returns tjbench's rate in megapixels per second."""
    told = output("tjbench", picture, str(QUALITY), *options, "-componly", "-quiet", "-nowrite", "-benchtime",
                  str(SECONDS), "-warmup", "0.1")
    row = next(line for line in told.splitlines() if re.search(r"\d:\d:\d", line))
    numbers = re.findall(r"[\d.]+", row.split(str(HEIGHT), 1)[1])
    # The first number of tjbench -yuv is the rate at which it made the planes.
    return float(numbers[1] if "-yuv" in options else numbers[0])


def main():
    bench, rounds, as_json = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "yes"
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    rates = {name: {"vitrine": [], "tjbench": []} for name, _, _ in CASES}
    with tempfile.TemporaryDirectory(dir=where) as folder:
        picture = f"{folder}/picture.ppm"
        output("ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=size={WIDTH}x{HEIGHT},noise=alls=8",
               "-frames:v", "1", picture)
        for name, pixels, _ in CASES:
            output("ffmpeg", "-v", "error", "-i", picture, "-vf", "scale=out_color_matrix=bt601:out_range=full",
                   "-pix_fmt", pixels, "-f", "rawvideo", f"{folder}/{name}")
        for _ in range(rounds):
            for name, _, options in CASES:
                told = output(bench, f"{folder}/{name}", name, str(WIDTH), str(HEIGHT), str(QUALITY), str(SECONDS))
                rates[name]["vitrine"].append(float(told.split()[0]))
                rates[name]["tjbench"].append(tjbench(picture, options))
    ratios = {name: [ours / theirs for ours, theirs in zip(rate["vitrine"], rate["tjbench"])]
              for name, rate in rates.items()}
    figure = min(statistics.median(values) for values in ratios.values())
    if as_json:
        print(json.dumps({"name": "jpeg", "figure": figure, "goal": GOAL, "megapixelsPerSecond": rates,
                          "ratios": ratios}))
    else:
        print(f"{'MPix/s':8}{'vitrine':>9}{'tjbench':>9}{'ratio':>8}{'least':>8}{'most':>8}")
        for name, rate in rates.items():
            print(f"{name:8}{statistics.median(rate['vitrine']):9.1f}{statistics.median(rate['tjbench']):9.1f}"
                  f"{statistics.median(ratios[name]):8.3f}{min(ratios[name]):8.3f}{max(ratios[name]):8.3f}")
    print(f"jpeg: {figure:.2f} (goal {GOAL}): {'holds' if figure >= GOAL else 'falls short'}",
          file=sys.stderr if as_json else sys.stdout)
    raise SystemExit(figure < GOAL)


main()
