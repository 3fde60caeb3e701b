# SPDX-License-Identifier: GPL-3.0-or-later
"""Presents Swift tests to pytest: each test module runs in its own process, and each of its tests is a result.

Names, times and messages come from swift-testing's event stream. A test that began and did not end has failed. A module
has failed when a signal ended its process.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import pytest

REPOSITORY = pathlib.Path(__file__).parent.parent
BUNDLE = REPOSITORY / ".build/release/vitrinePackageTests.xctest"
# The time limit of a module in seconds. No test takes that long; a hang must not cost the other modules' results.
LIMIT = 3600


# The test modules of each part of Vitrine.
AREAS = {
    "camera": ["CaptureTests", "ImagingTests", "MediaTests", "SimulationTests", "DetectionTests"],
    "display": ["DisplayTests", "ScreensTests"],
    "library": ["LibraryTests", "StoreTests", "ImportingTests"],
    "recording": ["RecordingTests", "CodecsTests"],
    "controls": ["ControlsTests", "GPIOTests", "InputTests", "KioskTests", "IIOTests"],
    "playback": ["PlaybackTests"],
    "sync": ["SyncTests", "NetworkTests", "CacheTests"],
    "service": ["ApplianceTests", "CommandProtocolTests", "FuzzTests", "HealthTests", "LinuxIOTests", "SettingsTests"],
}


class Modules(pytest.File):
    """The test modules, one per folder."""

    def collect(self):
        areas = {module: area for area, modules in AREAS.items() for module in modules}
        for folder in sorted((REPOSITORY / "Tests").glob("*Tests")):
            module = Module.from_parent(self, name=folder.name)
            module.add_marker(pytest.mark.area(areas[folder.name]))
            yield module


class Result:
    """One Swift test: when it began and ended, on this machine's clock, and its failure messages."""

    def __init__(self, identifier, name, began):
        self.identifier, self.name, self.began, self.ended = identifier, name, began, None
        self.messages, self.outcome = [], "passed"

    @property
    def has_failed(self):
        return bool(self.messages) or self.ended is None


class Module(pytest.Item):
    """A module of Swift tests."""

    def runtest(self):
        raise NotImplementedError("reports() runs it")

    def reportinfo(self):
        return self.path, None, self.name

    def run(self, *options):
        """Runs all tests, or those that `options` choose. Returns their results and 0, or the reason why the process
        ended."""
        results, names = {}, {}
        with tempfile.NamedTemporaryFile() as events, tempfile.TemporaryFile("w+") as output:
            # A crash must end the process at once: the backtracer may take longer than all the tests.
            environment = dict(os.environ, SWIFT_BACKTRACE="enable=no", VITRINE_TIER=self.config.getoption("tier"))
            try:
                # The tests keep up to a hundred libraries open, with a dozen descriptors each.
                status = subprocess.run(
                    ["prlimit", "--nofile=8192:", BUNDLE, "--testing-library", "swift-testing",
                     "--event-stream-output-path", events.name, "--event-stream-version", "0",
                     *(options or ("--filter", rf"^{self.name}\."))],
                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment,
                    timeout=LIMIT).returncode
            except subprocess.TimeoutExpired:
                status = "TIMEOUT"
            for line in pathlib.Path(events.name).read_text().splitlines():
                read_event(json.loads(line), names, results)
            output.seek(0)
            self.output = output.read()
        if isinstance(status, int) and status < 0:
            status = signal.Signals(-status).name
        return list(results.values()), 0 if status in (0, 1) else status

    def reports(self, stood_still):
        """Runs the module and returns pytest's reports of its process; their `parts` are the reports of its tests.

        `stood_still` says whether this machine was stalled between two moments; a test that failed then is run once
        more.
        """
        began = time.monotonic()
        results, status = self.run()
        parts = []
        for result in results:
            is_flaky = False
            if result.has_failed and not status and stood_still(result.began, result.ended):
                again, status_again = self.run("--filter", f"^{re.escape(result.identifier)}$")
                if not status_again and not any(other.has_failed for other in again):
                    result, is_flaky = again[0], True
            why = "\n".join(result.messages) or f"it began and did not end: {status}"
            parts.append((f"{self.nodeid}::{result.name}", "failed" if result.has_failed else result.outcome, why,
                          (result.ended or time.monotonic()) - result.began, is_flaky))
        reports = triple(self.nodeid, "passed" if results and not status else "failed",
                         f"{status or 'no test ran'}\n{self.output[-4000:]}", time.monotonic() - began, False)
        reports[1].parts = parts
        return reports


def triple(node, outcome, why, seconds, is_flaky):
    """Returns the reports that pytest makes of a test: setup, call and teardown."""
    file = node.partition("::")[0]
    location = file, None, ""
    text = {"failed": why, "skipped": (file, 0, "needs the virtual board")}.get(outcome)
    return [pytest.TestReport(node, location, {}, "passed", None, "setup"),
            pytest.TestReport(node, location, {}, outcome, text, "call", duration=seconds,
                              user_properties=[("flaky", node)] if is_flaky else []),
            pytest.TestReport(node, location, {}, "passed", None, "teardown")]


def read_event(event, names, results):
    payload = event["payload"]
    if event["kind"] == "test":
        if payload["kind"] == "function":
            suite = re.split(r"[./]", payload["id"])[1]
            names[payload["id"]] = f"{suite}: {payload.get('displayName') or payload['name']}"
        return
    identifier, kind, moment = payload.get("testID"), payload["kind"], payload["instant"]["absolute"]
    if identifier not in names:
        return
    if kind == "testStarted":
        results[identifier] = Result(identifier, names[identifier], moment)
    elif kind == "testSkipped":
        results[identifier] = Result(identifier, names[identifier], moment)
        results[identifier].ended, results[identifier].outcome = moment, "skipped"
    elif kind == "issueRecorded" and not payload["issue"].get("isKnown"):
        results[identifier].messages += [message["text"] for message in payload["messages"]]
    elif kind == "testEnded":
        results[identifier].ended = moment
