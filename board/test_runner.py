# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the test run itself: a failure counts, and a repetition is reported."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

BOARD = pathlib.Path(__file__).parent
# The statement with which a stand-in for stall-watch reports that the machine is always stalled.
STILL = r'printf("{\"cpu\": 0, \"fromMicroseconds\": 0, \"untilMicroseconds\": 9e15}\n"); fflush(stdout);'
FAILS_ONCE = """
import time
def test_once():
    time.sleep(0.5)
    with open("ran", "a") as file:
        file.write("x")
    assert open("ran").read() != "x"
"""


@pytest.fixture
def run(tmp_path):
    """Returns a function that runs a repository with this test file, on a machine that is stalled or not. The function
    returns the run's status and output."""
    board = tmp_path / "board"
    (board / "virt/oracles").mkdir(parents=True)
    for name in ("conftest.py", "swift_tests.py", "pytest.ini"):
        shutil.copy(BOARD / name, board)

    def run(source="", stands_still=False):
        (board / "virt/oracles/stall-watch.c").write_text(
            f"#include <stdio.h>\n#include <unistd.h>\nint main(void) {{ {STILL if stands_still else ''} pause(); }}\n")
        (board / "test_given.py").write_text(source)
        done = subprocess.run(
            ["/usr/bin/python3", "-B", "-m", "pytest", "-c", "board/pytest.ini", "--rootdir=.", f"--results={tmp_path}/results",
             "board"],
            cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=dict(os.environ, XDG_CACHE_HOME=str(tmp_path / "cache")))
        return done.returncode, done.stdout

    return run


def last_line(output):
    return output.rstrip().rpartition("\n")[2]


def test_what_fails_has_failed_and_is_not_repeated(run, tmp_path):
    status, output = run(FAILS_ONCE)
    assert status == 1 and last_line(output) == "0 passed, 1 failed"
    assert (tmp_path / "ran").read_text() == "x"


def test_what_fails_in_a_standstill_is_repeated_once_and_named(run, tmp_path):
    status, output = run(FAILS_ONCE, stands_still=True)
    assert status == 0 and last_line(output) == "1 passed, 0 failed"
    assert "flaky: board/test_given.py::test_once\n" in output and "1 flaky" in output


def test_what_fails_again_has_failed(run, tmp_path):
    status, output = run(FAILS_ONCE.replace('!= "x"', '== ""'), stands_still=True)
    assert status == 1 and last_line(output) == "0 passed, 1 failed"
    assert (tmp_path / "ran").read_text() == "xx"


def test_what_is_flaky_twice_in_ten_runs_has_failed(run, tmp_path):
    for expected in (0, 1):
        status, output = run(FAILS_ONCE, stands_still=True)
        assert status == expected
        (tmp_path / "ran").unlink()
    assert last_line(output) == "0 passed, 1 failed"
    assert "flaky: board/test_given.py::test_once: not for the first time in 10 runs\n" in output


def test_a_crash_is_not_repeated(run, tmp_path):
    crashes = FAILS_ONCE.replace("once():", "once(record_property):\n    record_property('crashed', True)")
    status, output = run(crashes, stands_still=True)
    assert status == 1 and (tmp_path / "ran").read_text() == "x"


EVENT = '{{"kind": "{}", "payload": {{"instant": {{"absolute": {}}}, {}}}}}'


def swift_bundle(tmp_path, ending):
    """Writes a bundle with a test that passes, one that fails and one that only begins; the bundle ends with
    `ending`."""
    def test(name):
        return EVENT.format("test", 0, f'"id": "HealthTests.A/{name}()/A.swift:1:1", "kind": "function", "name": "{name}()"')

    def event(kind, name, moment, more=""):
        return EVENT.format("event", moment, f'"kind": "{kind}", "testID": "HealthTests.A/{name}()/A.swift:1:1"{more}')

    events = [test("good"), test("bad"), test("begun"), event("testStarted", "good", 1), event("testStarted", "bad", 1),
              event("testStarted", "begun", 1), event("testEnded", "good", 2),
              event("issueRecorded", "bad", 2, ', "issue": {"isKnown": false}, "messages": [{"text": "it is bad"}]'),
              event("testEnded", "bad", 3)]
    (tmp_path / "Tests/HealthTests").mkdir(parents=True)
    bundle = tmp_path / ".build/release/vitrinePackageTests.xctest"
    bundle.parent.mkdir(parents=True)
    bundle.write_text("#!/bin/bash\ncat >\"$4\" <<'EVENTS'\n" + "\n".join(events) + f"\nEVENTS\n{ending}\n")
    bundle.chmod(0o755)


def test_a_swift_test_that_does_not_end_has_failed_and_so_has_its_module(run, tmp_path):
    swift_bundle(tmp_path, "kill -TRAP $$")
    status, output = run(stands_still=True)
    # The good test passes; the bad one, the one that only began and the module fail.
    assert status == 1 and last_line(output) == "1 passed, 3 failed"
    assert "it is bad" in output and "it began and did not end: SIGTRAP" in output and "flaky:" not in output


def test_each_swift_test_counts_and_is_timed(run, tmp_path):
    swift_bundle(tmp_path, "exit 1")
    status, output = run()
    assert status == 1 and last_line(output) == "2 passed, 2 failed"
    assert re.search(r"2\.00s call +board/swift_tests\.py::HealthTests::A: bad\(\)\n", output)
