# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the sync: bench-sync.py PROGRAM INGEST ROUNDS yes|no (JSON).

In each round, rclone copies the files of a library of small photos (originals, side-cars and manifests) to an S3 server
on this machine, and Vitrine sends and proves them to another folder of the same server, in alternating order. Vitrine's
memory is read at each batch. The exit status is 0 when every goal holds.
"""
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from servers import serve_s3

PROGRAM, INGEST, ROUNDS, AS_JSON = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "yes"
PHOTOS, BYTES = 10_000, 2000
GOAL, FLAT = 0.95, 8.0  # share of rclone's speed; megabytes


def say(text):
    print(text, file=sys.stderr, flush=True)


def memory_of(process, samples):
    """Collects the resident memory of a process in megabytes while it lives, in order."""
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            samples.append(next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")))
        except (OSError, StopIteration):
            pass
        time.sleep(0.2)


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vitrine-bench-sync-"))
    try:
        with serve_s3(folder) as (configuration, location, root, _):
            return measure(folder, configuration, location, root)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(folder, configuration, location, root):
    say(f"storing {PHOTOS} photos")
    library, rclone = folder / "library", folder / "rclone.conf"
    rclone.write_text(configuration)
    subprocess.run([INGEST, "add", library, str(PHOTOS), str(BYTES)], check=True, stdout=subprocess.DEVNULL)
    ratios, growth, times = [], [], {"rclone": [], "vitrine": []}
    for number in range(ROUNDS):
        device = f"kiosk{number}"
        settings = folder / f"{device}.toml"
        settings.write_text(f'[library]\npath = "{library}"\nreserve_mb = 1\n[sync]\nremote = "{location}"\n'
                            f'rclone_config = "{rclone}"\ndevice_id = "{device}"\n')

        def vitrine():
            process = subprocess.Popen([PROGRAM, "sync", "now", "--json", "--config", settings],
                                       stdout=subprocess.PIPE, text=True)
            samples = []
            watcher = threading.Thread(target=memory_of, args=(process, samples))
            watcher.start()
            answer = json.loads(process.communicate()[0])
            watcher.join()
            assert process.returncode == 0 and answer["verified"] > 2 * PHOTOS, answer
            tail = samples[len(samples) // 4:]
            growth.append(statistics.mean(tail[-len(tail) // 4:]) - statistics.mean(tail[:len(tail) // 4]))

        def peer():
            subprocess.run(["rclone", "--config", rclone, "copy", folder / "same", f"{location}/peer{number}"],
                           check=True, env={"PATH": "/usr/bin:/bin"})

        # What Vitrine has sent, as files: the first round's.
        steps = [("vitrine", vitrine), ("rclone", peer)]
        if number == 0:
            vitrine_first = time.monotonic()
            vitrine()
            times["vitrine"].append(time.monotonic() - vitrine_first)
            shutil.copytree(root / device, folder / "same")
            steps = steps[1:]
        elif number % 2:
            steps.reverse()
        for name, step in steps:
            begin = time.monotonic()
            step()
            times[name].append(time.monotonic() - begin)
        ratios.append(times["rclone"][-1] / times["vitrine"][-1])
        say(f"round {number + 1}: vitrine {times['vitrine'][-1]:.1f} s, rclone {times['rclone'][-1]:.1f} s, "
            f"memory {growth[-1]:+.1f} MB")
    ratio, grown = statistics.median(ratios), statistics.median(growth)
    holds = ratio >= GOAL and abs(grown) <= FLAT
    if AS_JSON:
        print(json.dumps({"ratio": ratio, "ratios": ratios, "seconds": times, "growthMegabytes": growth, "holds": holds}))
    else:
        print(f"{'':10}{'median s':>10}{'least':>10}{'most':>10}")
        for name, values in times.items():
            print(f"{name:10}{statistics.median(values):>10.1f}{min(values):>10.1f}{max(values):>10.1f}")
        print(f"memory during a run {grown:+.1f} MB (goal ±{FLAT:.0f} MB)")
        print(f"sync: {ratio:.2f} of rclone's speed (goal {GOAL}): {'holds' if holds else 'falls short'}")
    return holds


sys.exit(0 if main() else 1)
