# SPDX-License-Identifier: GPL-3.0-or-later
"""The judges of the virtual board's cases can fail: the tests give each of them correct data, and data with one
error."""
import json
import pathlib
import runpy
import subprocess

import pytest

GUEST = pathlib.Path(__file__).parent / "guest"
FRAME = 33000  # microseconds


def write(folder, name, lines):
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def read(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def judge(folder, name, *arguments):
    done = subprocess.run(["/usr/bin/python3", "-B", GUEST / f"judge-{name}.py", *map(str, arguments)], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


@pytest.mark.parametrize("milliseconds, verdict", [(3000, "holds"), (3001, "falls short")])
def test_a_fault_run_is_judged_by_its_longest_time(tmp_path, milliseconds, verdict):
    (tmp_path / "log").write_text(f"FIGURE back: median 900 ms, most {milliseconds} ms, 5 times\n")
    status, said = judge(tmp_path, "faults", "camera", 3000, "no", 7, tmp_path / "log")
    assert status == (verdict != "holds")
    assert f"camera: {milliseconds} ms at the most" in said and said.endswith(f": {verdict}\n")


def press_frames(folder, mistaken, late=None):
    """Writes sixty presses, the first `mistaken` of which took the frame after the nearest. The processor was stalled
    around the first press. Around the second press, the driver filled no buffer ("driver"), the program took none
    ("program"), or the frame after the nearest has its number ("twins"); or the driver never had a buffer left
    ("hungry")."""
    gap = range(32, 36)

    def number(n):
        return 30 if n == 31 and late == "twins" else n

    left = 0 if late == "hungry" else 3  # the driver's buffers after it has filled one
    write(folder, "trace", (
        {"sequence": number(n), "timestampMicroseconds": n * FRAME, "dequeuedMicroseconds": n * FRAME + 900}
        for n in range(1000) if late not in ("driver", "program") or n not in gap))
    write(folder, "driver", [{"event": "queued", "microseconds": n - 4, "buffers": n + 1} for n in range(4)] + [
        {"event": event, "microseconds": n * FRAME + behind, "buffers": buffers}
        for n in range(1000) if late != "driver" or n not in gap
        for event, behind, buffers in [("done", 0, left), ("queued", 1000, left + 1)]])
    frames = [10 * n + 20 for n in range(60)]
    moments = [frame * FRAME + 4000 for frame in frames]
    taken = [frame + (n < mistaken) for n, frame in enumerate(frames)]
    write(folder, "presses", ({"pressed": True, "before": moment * 1000, "after": moment * 1000} for moment in moments))
    write(folder, "assets", (
        {"sequence": n, "fileName": f"{n}.jpg", "frameSequence": number(frame),
         "shutterOffsetMicroseconds": frame * FRAME - moment} for n, (frame, moment) in enumerate(zip(taken, moments))))
    write(folder, "counters", ({"file": f"{n}.jpg", "sequence": number(frame)} for n, frame in enumerate(taken)))
    write(folder, "stalls", ({"cpu": 0, "fromMicroseconds": moment - 1000, "untilMicroseconds": moment + 90000}
                             for moment in moments[:1]))


@pytest.mark.parametrize("mistaken, late, status, verdict", [
    (0, None, 0, "60 photos, 59 judged in full, 0 wrong"),
    (1, None, 0, "60 photos, 59 judged in full, 0 wrong"),
    (2, None, 1, "press 1: frame 31, nearest [30]"),
    (2, "driver", 0, "60 photos, 58 judged in full, 0 wrong"),
    (2, "program", 1, "press 1: frame 31, nearest [30]"),
    (1, "twins", 0, "60 photos, 59 judged in full, 0 wrong"),
    (2, "twins", 1, "press 1: frame 30, nearest [30]"),
])
def test_a_photo_that_is_not_the_nearest_frame_is_found(tmp_path, mistaken, late, status, verdict):
    press_frames(tmp_path, mistaken, late)
    found, said = judge(tmp_path, "shutter")
    assert found == status and verdict in said


@pytest.mark.parametrize("mistaken, late, status, verdict", [
    (0, None, 0, "61 bursts, 630 photos, no gap; 59 of 60 begin with the nearest frame, 60 at the driver's full rate"),
    (1, None, 0, "61 bursts, 630 photos, no gap; 59 of 60"),
    (2, None, 1, "AssertionError: (1, 31, {30}, "),
    (0, "still", 1, "AssertionError: the machine stood still around all"),
    (0, "hungry", 1, "AssertionError: the driver was without a buffer in each burst"),
])
def test_a_burst_that_does_not_begin_with_the_nearest_frame_is_found(tmp_path, mistaken, late, status, verdict):
    press_frames(tmp_path, mistaken, late)
    first = read(tmp_path, "assets") + [{"frameSequence": 900, "shutterOffsetMicroseconds": 0}]
    photos = [(burst, n, asset["frameSequence"] + n, asset["shutterOffsetMicroseconds"] + n * FRAME)
              for burst, asset in enumerate(first) for n in range(30 if burst == 60 else 10)]
    assets = [{"id": number, "sequence": number, "burstId": burst, "mediaSubtypes": ["burst"],
               "fileName": f"{number}.jpg", "frameSequence": frame, "shutterOffsetMicroseconds": offset,
               "representsBurst": n == 0} for number, (burst, n, frame, offset) in enumerate(photos)]
    write(tmp_path, "assets", assets)
    write(tmp_path, "standing", (asset for asset in assets if asset["representsBurst"]))
    write(tmp_path, "commanded", assets[-30:])
    write(tmp_path, "counters", ({"file": asset["fileName"], "sequence": asset["frameSequence"]} for asset in assets))
    if late == "still":
        write(tmp_path, "stalls", [{"cpu": 0, "fromMicroseconds": 0, "untilMicroseconds": 40e6}])
    found, said = judge(tmp_path, "burst")
    assert found == status and verdict in said


@pytest.mark.parametrize("wrong, status, verdict", [
    (None, 0, "80 frames, 0 lost and 0 told, 2 left out by the driver, "),
    ("first", 0, "79 frames, 0 lost and 0 told"),
    ("lost", 1, "1 frames are missing, 0 told"),
    ("again", 1, "a picture is 13000 us from its time"),
    ("anew", 0, "80 frames, 0 lost and 0 told, 2 left out by the driver, "),
    ("unsaid", 1, "frames go back, repeat or were never given"),
])
def test_a_clip_that_lacks_a_picture_is_found(tmp_path, wrong, status, verdict):
    """A clip of the frames 10 to 89, of which two have the number 10, and two 40. It begins with the second 10
    ("first"), lacks the second 40 ("lost"), or shows the first 40 for it ("again"); or the stream restarts in it, and
    status counts that ("anew") or not ("unsaid")."""
    interval = 66000
    begun = 60 if wrong in ("anew", "unsaid") else 100

    def number(n):
        return n - begun if n >= begun else n - (n in (11, 41))

    def time(n):
        return n * interval - (20000 if n in (11, 41) else 0) + (1200000 if n >= begun else 0)

    write(tmp_path, "trace", (
        {"sequence": number(n), "timestampMicroseconds": time(n), "dequeuedMicroseconds": time(n) + 900}
        for n in range(100)))
    write(tmp_path, "driver", ({"event": "done", "microseconds": time(n), "buffers": 4} for n in range(100)))
    shown = list(range(10, 90))
    if wrong in ("lost", "again"):
        shown.remove(41)
    if wrong == "again":
        shown.insert(31, 40)
    if wrong == "first":
        shown.remove(10)
    begin = time(shown[0])
    times = [time(n) - begin + (interval / 2 if (wrong, place) == ("again", 31) else 0) for place, n in enumerate(shown)]
    write(tmp_path, "packets", ({"pts_time": f"{moment / 1e6:.6f}", "flags": "K__" if place % 10 == 0 else "___"}
                                for place, moment in enumerate(times)))
    write(tmp_path, "counters", ({"file": f"{place:04}.png", "sequence": number(n)} for place, n in enumerate(shown)))
    write(tmp_path, "presses", ({"pressed": True, "before": moment * 1000, "after": moment * 1000}
                                for moment in (begin, time(89))))
    (tmp_path / "asset.json").write_text(json.dumps({"durationSeconds": (times[-1] + interval) / 1e6}))
    (tmp_path / "status.json").write_text(json.dumps({
        "camera": {"streamRestarts": int(wrong == "anew")},
        "recording": {"framesDropped": {"encoder": 0, "undecodable": 0}}}))
    found, said = judge(tmp_path, "recording", 0)
    assert found == status and verdict in said


def test_a_purge_may_reach_the_disk_before_the_flush_that_ends_it():
    owed = runpy.run_path(str(GUEST.parent / "oracles" / "power-cut"))["Owed"]
    saved = ["saved:a:1", "raw:a:2", "saved:b:3"]
    assert owed(saved).saved == {"a": "1", "b": "3"}
    begun = owed(saved, ["favorite:b", "purging:a"])
    assert (begun.saved, begun.raws, begun.favorites) == ({"b": "3"}, {}, set())
