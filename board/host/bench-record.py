# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the cost of a clip with ffmpeg's: bench-record.py MOVIE-BENCH ROUNDS yes|no (JSON).

Both read the same 1280x720 NV12 pictures from a file in memory, encode them with libx264 at the same preset, tune and
quality, with a key frame every second, and write an MP4 file. Their processor time per frame is the difference between
a long run and a short one, so start-up does not count. The two programs take turns; the figure is the median ratio of
the rounds. ffprobe checks the number of frames of both. The exit status is 0 when the figure meets the goal.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

GOAL = 1.05
WIDTH, HEIGHT, PICTURES = 1280, 720, 90
SHORT, LONG = 60, 360


def seconds(arguments):
    """Runs a program and returns the processor time, in seconds, of it and its children."""
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{arguments[0]} failed: {errors.strip()}")
    return usage.ru_utime + usage.ru_stime


def frames(movie):
    told = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets",
                           "-of", "csv=p=0", movie], capture_output=True, text=True, check=True)
    return int(told.stdout)


def main():
    bench, rounds, as_json = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "yes"
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=where) as folder:
        raw, movie = f"{folder}/pictures.nv12", f"{folder}/movie.mp4"
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                        f"testsrc2=size={WIDTH}x{HEIGHT}:rate=30,noise=alls=8:allf=t", "-frames:v", str(PICTURES),
                        "-pix_fmt", "nv12", "-f", "rawvideo", raw], check=True)

        def vitrine(count):
            return [bench, raw, str(WIDTH), str(HEIGHT), str(count), movie]

        def ffmpeg(count):
            return ["ffmpeg", "-v", "error", "-y", "-stream_loop", "-1", "-f", "rawvideo", "-pix_fmt", "nv12", "-s",
                    f"{WIDTH}x{HEIGHT}", "-r", "30", "-i", raw, "-frames:v", str(count), "-c:v", "libx264",
                    "-pix_fmt", "nv12", "-preset", "superfast", "-tune", "zerolatency", "-crf", "23", "-bf", "0",
                    "-forced-idr", "1", "-force_key_frames", "expr:gte(t,n_forced)", "-x264-params", "scenecut=0",
                    "-maxrate", str(int(WIDTH * HEIGHT * 30 * 0.3)), "-bufsize", str(int(WIDTH * HEIGHT * 30 * 0.3)),
                    movie]

        costs = {"vitrine": [], "ffmpeg": []}
        for _ in range(rounds):
            for name, command in (("vitrine", vitrine), ("ffmpeg", ffmpeg)):
                took = {}
                for count in (SHORT, LONG):
                    if os.path.exists(movie):
                        os.remove(movie)
                    took[count] = seconds(command(count))
                    if frames(movie) != count:
                        sys.exit(f"{name}: {frames(movie)} frames of {count}")
                costs[name].append((took[LONG] - took[SHORT]) / (LONG - SHORT) * 1000)
        ratios = [ours / theirs for ours, theirs in zip(costs["vitrine"], costs["ffmpeg"])]
        figure = statistics.median(ratios)
    rows = {name: {"median": statistics.median(values), "min": min(values), "max": max(values)}
            for name, values in {**costs, "ratio": ratios}.items()}
    if as_json:
        print(json.dumps({"name": "record", "figure": figure, "goal": GOAL, "milliseconds": costs, "ratios": ratios}))
    else:
        print(f"{'ms a frame':10} {'median':>8} {'least':>8} {'most':>8}")
        for name, row in rows.items():
            print(f"{name:10} {row['median']:8.3f} {row['min']:8.3f} {row['max']:8.3f}")
    print(f"record: {figure:.2f} (goal {GOAL}): {'holds' if figure <= GOAL else 'falls short'}",
          file=sys.stderr if as_json else sys.stdout)
    raise SystemExit(figure > GOAL)


main()
