# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the library: bench-library.py HELPER FOLDER ROUNDS yes|no (JSON) [ASSETS...].

For each size, the script fills a library with the rows of a kiosk (no originals) and reads pages at random positions of
a dozen fetches, in processes of their own. It then stores stills, each next to a bare synchronized file and a bare
transaction, and stores more of them beside readers that never pause. strace counts what stills write and flush. The
exit status is 0 when every goal holds.
"""
import json
import math
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

STILL = 1 << 20
GOALS = {"open": 200.0, "page": 5.0, "fetch": 5.0, "memory": 96, "kilobytes": 128.0, "flushes": 7.0, "beside": 2.5,
         "question": 50.0, "growth": 2.0}

FILL = """
INSERT INTO asset (sequence, id, media_type, path, file_name, bytes, sha256, created_at,
    utc_offset_s, time_confidence, width, height, orientation, device_name, session_id, added_at,
    subtypes, favorite, hidden, deleted_at, burst_id, represents_burst, caption)
WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < :count),
    draw AS (SELECT i, abs(random()) % 1000 AS r,
        1514764800000000000 + CAST(i * (240000000.0 / :count) AS INTEGER) * 1000000000 AS time
        FROM number)
SELECT i,
    printf('%08x-0000-4000-8000-%012x', abs(random()) % 4294967296, i),
    iif(r < 50, 'video', 'photo'),
    strftime('%Y/%m/%d', time / 1000000000, 'unixepoch') || printf('/%012x.jpg', i),
    printf('%d.jpg', i), 2000000 + r, randomblob(32), time, 0, 'synchronized', 1920, 1080, 1,
    'main', printf('session-%05d', i / 20), time, iif(r BETWEEN 100 AND 109, 2, 0),
    r BETWEEN 200 AND 219, r BETWEEN 300 AND 319, iif(r BETWEEN 400 AND 419, time, NULL),
    iif(r BETWEEN 500 AND 549, printf('burst-%d', i / 8), NULL), r = 500,
    iif(r BETWEEN 600 AND 619, 'caption ' || i, NULL)
FROM draw;
INSERT INTO asset_keyword SELECT 'garden', sequence, 'garden' FROM asset WHERE sequence % 50 = 0;
INSERT INTO asset_keyword SELECT 'word' || (sequence % 997), sequence, 'word' || (sequence % 997)
    FROM asset WHERE sequence % 5 = 0;
INSERT INTO outbox (asset, queued_at) SELECT sequence, created_at FROM asset WHERE sequence % 10 = 0;
INSERT INTO change (kind, asset, origin)
    SELECT 'inserted', sequence, 'capture' FROM asset ORDER BY sequence DESC LIMIT 99000;
INSERT INTO collection (id, type, position, title, created_at, modified_at)
    VALUES ('00000000-0000-4000-8000-000000000001', 'album', 1, 'long', 0, 0),
    ('00000000-0000-4000-8000-000000000002', 'album', 2, 'short', 0, 0);
INSERT INTO album_asset SELECT 1, sequence, row_number() OVER (ORDER BY random())
    FROM asset WHERE sequence % 10 = 1;
INSERT INTO album_asset SELECT 2, sequence, sequence FROM asset WHERE sequence <= 300;
"""


def helper(*arguments, prefix=()):
    done = subprocess.run([*prefix, HELPER, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{arguments[0]}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout else None


def fill(folder, count):
    helper("make", folder)
    database = sqlite3.connect(f"{folder}/library.sqlite")
    for statement in FILL.split(";\n"):
        if statement.strip():
            with database:
                database.execute(statement, {"count": count} if ":count" in statement else {})
    checked, = database.execute("SELECT count(*) FROM asset").fetchone()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    if checked != count:
        sys.exit(f"{checked} assets instead of {count}")
    helper("index", folder)


def p99(values):
    return sorted(values)[max(0, math.ceil(0.99 * len(values)) - 1)]


def read(folder, rounds):
    """Runs the reader three times. Returns its median opening time in ms, its greatest memory in MB and all other times
    in ms."""
    runs = [helper("read", folder, rounds) for _ in range(3)]
    merged = {"open": statistics.median(run["open"] for run in runs) / 1000,
              "memory": max(run["kilobytes"] for run in runs) / 1024}
    for kind in ["fetches", "pages", "next", "others"]:
        merged[kind] = {name: [value / 1000 for run in runs for value in run[kind].get(name, [])]
                        for name in runs[0][kind]}
    return merged


def say(*words):
    if not JSON:
        print(*words, flush=True)


def show(results):
    say("\nmilliseconds: median, 99th percentile; times the smallest library's median")
    smallest = results[min(results)]
    for kind, title in [("pages", "page of 64, anywhere"), ("next", "page of 64, behind a cursor"),
                        ("fetches", "result with its first page"), ("others", "other questions")]:
        say(f"\n{title:28}" + "".join(f"{count:>28,}" for count in results))
        for name in smallest[kind]:
            line = f"{name:28}"
            base = statistics.median(smallest[kind][name])
            for result in results.values():
                values = result[kind].get(name)
                if values:
                    median = statistics.median(values)
                    line += f"{median:11.3f}{p99(values):9.3f}{median / base:7.1f}x"
            say(line)


def write(folder):
    """Stores stills alone and beside readers, and the bare file and transaction that are the minimum; returns
    milliseconds."""
    times = helper("write", folder, ROUNDS, STILL)
    pages = times.pop("pagesRead")
    if not pages:
        sys.exit("the readers beside the stills have read nothing")
    times = {name: [value / 1000 for value in values] for name, values in times.items()}
    medians = {name: statistics.median(values) for name, values in times.items()}
    say(f"    a still of {STILL >> 20} MB: {medians['still']:.2f} ms (99th percentile {p99(times['still']):.2f}); "
        f"a bare synchronized file {medians['bareFile']:.2f}, a bare transaction "
        f"{medians['bareTransaction']:.2f}: "
        f"{medians['still'] / (medians['bareFile'] + medians['bareTransaction']):.2f} of both; "
        f"beside readers, who read {pages:,} pages, {medians['stillBesideReaders']:.2f} "
        f"(99th percentile {p99(times['stillBesideReaders']):.2f})")
    return times


def written(folder, stills):
    """Returns the flushes per still, and the KiB written per still beyond the picture itself. strace counts both: the
    result is the difference between a process that stores stills and one that stores none."""
    flushes, written_bytes = [], []
    for count in [0, stills]:
        trace = f"{folder}/trace"
        done = subprocess.run(
            ["strace", "-f", "-o", trace, "-e",
             "trace=fsync,fdatasync,syncfs,sync_file_range,write,writev,pwrite64,pwritev",
             HELPER, "add", f"{folder}/flushes", str(count), str(STILL)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"add: {done.stderr}")
        with open(trace) as lines:
            calls = re.findall(r"(\w+)(?:\(| resumed>).* = (\d+)$", lines.read(), re.MULTILINE)
        flushes.append(sum(1 for call, _ in calls if "sync" in call))
        written_bytes.append(sum(int(size) for call, size in calls if "write" in call))
    return ((flushes[1] - flushes[0]) / stills,
            ((written_bytes[1] - written_bytes[0]) / stills - STILL) / 1024)


def growth(results, kind):
    """Returns the growth of a kind's fetches: the median of the largest library's times divided by the smallest
    one's."""
    first, last = results[min(results)][kind], results[max(results)][kind]
    return statistics.median(
        statistics.median(last[name]) / statistics.median(first[name])
        for name in first if first[name] and last.get(name))


def judge(name, figure, unit, goal):
    holds = figure <= goal
    say(f"{name}: {figure:.1f} {unit} (goal {goal:g}): {'holds' if holds else 'falls short'}")
    return holds


def main():
    folder = tempfile.mkdtemp(prefix="bench-library-", dir=FOLDER)
    try:
        results = {}
        for count in SIZES:
            place = f"{folder}/{count}"
            say(f"{count:,} assets ...")
            fill(place, count)
            results[count] = read(place, ROUNDS)
            results[count]["write"] = write(place)
            shutil.rmtree(place)
        show(results)
        flushes, kilobytes = written(folder, 20)
        largest = results[max(results)]
        worst = max(p99(values) for kind in ["pages", "next"] for values in largest[kind].values())
        say("")
        write_times = largest["write"]
        beside = (statistics.median(write_times["stillBesideReaders"])
                  / statistics.median(write_times["still"]))
        verdicts = [
            judge("open", largest["open"], "ms", GOALS["open"]),
            judge("any page, 99th percentile", worst, "ms", GOALS["page"]),
            judge("any result with its first page, 99th percentile",
                  max(map(p99, largest["fetches"].values())), "ms", GOALS["fetch"]),
            judge("most memory of the reader", largest["memory"], "MB", GOALS["memory"]),
            judge("a still beside readers that never pause", beside, "times", GOALS["beside"]),
            judge("flushes a still", flushes, "", GOALS["flushes"]),
            judge("written a still beyond the picture", kilobytes, "KiB", GOALS["kilobytes"]),
        ]
        others = largest["others"]
        verdicts += [judge(f"{name}, 99th percentile", p99(values), "ms", GOALS["question"])
                     for name, values in others.items()]
        if len(results) > 1:
            first = results[min(results)]["others"]
            verdicts += [judge(f"growth of {name}",
                               statistics.median(values) / statistics.median(first[name]), "times", GOALS["growth"])
                         for name, values in others.items() if not name.startswith("all of a ")]
            # The time of an index lookup grows with the depth of the index.
            allowed = math.log(max(results)) / math.log(min(results))
            for kind, title in [("pages", "a page"), ("next", "a page behind a cursor"),
                                ("fetches", "a result with its first page")]:
                verdicts.append(judge(f"growth of {title}", growth(results, kind), "times", allowed))
        if JSON:
            print(json.dumps({"sizes": results, "flushes": flushes,
                              "kilobytes": kilobytes, "holds": all(verdicts)}))
        else:
            say(f"library at {max(results):,} assets: page {worst:.2f} ms "
                f"(goal {GOALS['page']:g}): {'holds' if all(verdicts) else 'falls short'}")
        sys.exit(0 if all(verdicts) else 1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


HELPER, FOLDER, ROUNDS, JSON = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "yes"
SIZES = [int(size) for size in sys.argv[5:]] or [10_000, 100_000, 1_000_000]
main()
