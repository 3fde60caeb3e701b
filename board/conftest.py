# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses, orders, repeats and reports the tests; board/host/test and board/virt/test start it.

A failed test is repeated once, but only if stall-watch saw this machine stalled for STANDSTILL during the test, and
never after a signal, a crash or a time limit. A test that then passes counts as passed and is named as flaky. A test
that is flaky twice in LEDGER runs fails the run.
"""
import fnmatch
import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest
from _pytest.runner import runtestprotocol

import swift_tests

TIERS = ["usual", "day", "full"]
STANDSTILL = 0.4  # seconds
LEDGER = 10  # runs
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "vitrine"
STALLS = "stalls.jsonl"
DURATIONS, FLAKY = CACHE / "durations.json", CACHE / "flaky.json"


def is_controller(config):
    """Whether this process reports the results and is not a worker."""
    return not hasattr(config, "workerinput")


def pytest_addoption(parser):
    options = parser.getgroup("vitrine")
    for tier in TIERS:
        options.addoption(f"--{tier}", dest="tier", action="store_const", const=tier, default="usual",
                          help="which tests, and how many rounds each")
    options.addoption("--area", help="only the tests of that area")
    options.addoption("--only", help="only tests whose names contain this; with *, ? or [ it is a shell pattern for "
                                     "the whole name, and chooses from all tiers")
    options.addoption("--series", help="kernel series of the virtual board, as for board/virt/build-kernel")
    options.addoption("--results", default=str(CACHE / "results"), help="folder for logs, pictures and results.xml")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    if is_controller(config):
        folder = results_folder(config)
        if folder.is_dir() and any(folder.iterdir()) and not (folder / STALLS).exists():
            raise pytest.UsageError(f"{folder} has files that are not test results; next: name an empty folder")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        config.option.xmlpath = folder / "results.xml"
        config.pluginmanager.register(Parts(config))
    config.addinivalue_line("markers", "area(name): the part of Vitrine that the test is about")
    config.addinivalue_line("markers", "tier(name): the smallest tier that runs it")


def pytest_report_header(config):
    return f"logs, pictures and results.xml: {results_folder(config)}"


def pytest_collect_file(file_path, parent):
    if file_path == pathlib.Path(swift_tests.__file__):
        return swift_tests.Modules.from_parent(parent, path=file_path)


def pytest_collection_modifyitems(config, items):
    """Keeps the tests of the tier and the area, and puts those first that took longest in their last run."""
    tier, area, only = config.getoption("tier"), config.getoption("area"), config.getoption("only")
    is_pattern = only and set(only) & set("*?[")

    def marked(item, kind, default):
        mark = item.get_closest_marker(kind)
        return mark.args[0] if mark else default

    def is_wanted(item):
        name = item.callspec.id if hasattr(item, "callspec") else item.name
        if is_pattern:
            return fnmatch.fnmatch(name, only)
        is_of_tier = TIERS.index(marked(item, "tier", "usual")) <= TIERS.index(tier)
        return is_of_tier and area in (None, marked(item, "area", None)) and (only or "") in name

    left_out = [item for item in items if not is_wanted(item)]
    last = read(DURATIONS, {})
    items[:] = sorted(filter(is_wanted, items), key=lambda item: -last.get(item.nodeid, 0))
    config.hook.pytest_deselected(items=left_out)


def results_folder(config):
    return pathlib.Path(config.getoption("results")).absolute()


@pytest.fixture(scope="session")
def results(request):
    """The folder for logs and pictures."""
    return results_folder(request.config)


def pytest_sessionstart(session):
    """Starts stall-watch for the whole run, in the controller only."""
    if not is_controller(session.config):
        return
    folder = results_folder(session.config)
    source = pathlib.Path(__file__).parent / "virt/oracles/stall-watch.c"
    subprocess.run(["cc", "-O2", "-pthread", "-o", folder / "stall-watch", source], check=True)
    with open(folder / STALLS, "w") as file:
        session.config.stall_watch = subprocess.Popen([folder / "stall-watch"], stdout=file, stderr=subprocess.DEVNULL)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    if isinstance(item, swift_tests.Module):
        reports = item.reports(lambda began, ended: stood_still(item.config, began, ended))
    else:
        began = time.monotonic()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if has_failed(reports) and stood_still(item.config, began, time.monotonic()):
            item._initrequest()
            again = runtestprotocol(item, nextitem=nextitem, log=False)
            if not has_failed(again):
                reports = again
                reports[1].user_properties.append(("flaky", item.nodeid))
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


class Parts:
    """Reports the single tests of a Swift test module, which arrive with the module's own report."""

    def __init__(self, config):
        self.config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        for part in getattr(report, "parts", []):
            for of_part in swift_tests.triple(*part):
                self.config.hook.pytest_runtest_logreport(report=of_part)


def has_failed(reports):
    """Whether a test failed, but not by a crash or a time limit, which a stall does not explain."""
    failed = [report for report in reports if report.failed]
    return failed and not any(("crashed", True) in report.user_properties for report in failed)


def stood_still(config, began, ended):
    """Whether a processor of this machine was stalled for STANDSTILL between these moments."""
    try:
        with open(results_folder(config) / STALLS) as file:
            stalls = [json.loads(line) for line in file if line.endswith("}\n")]
    except FileNotFoundError:
        return False
    return any(min(ended, stall["untilMicroseconds"] / 1e6) - max(began, stall["fromMicroseconds"] / 1e6) >= STANDSTILL
               for stall in stalls)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    """Stores durations and flaky tests for the next run, and reports the flaky ones; a run without tests fails."""
    config = session.config
    if not is_controller(config):
        return
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    reports = {kind: terminal.stats.get(kind, []) for kind in ("passed", "failed", "error", "skipped")}
    calls = [report for report in reports["passed"] + reports["failed"] if report.when == "call"]
    write(DURATIONS, read(DURATIONS, {}) | {report.nodeid: report.duration for report in calls})
    flaky = [value for report in calls for name, value in report.user_properties if name == "flaky"]
    ledger = read(FLAKY, [])[1 - LEDGER:] + [flaky]
    write(FLAKY, ledger)
    again = [name for name in flaky if sum(name in run for run in ledger) > 1]
    terminal.ensure_newline()
    for name in flaky:
        terminal.write_line(f"flaky: {name}" + (f": not for the first time in {LEDGER} runs" if name in again else ""))
    failed = len(reports["failed"] + reports["error"]) + len(again)
    passed = sum(report.passed for report in calls) - len(again)
    config.last_lines = f"{len(flaky)} flaky, {len(reports['skipped'])} left out here\n{passed} passed, {failed} failed"
    session.exitstatus = session.exitstatus or int(failed > 0 or passed == 0)


def pytest_unconfigure(config):
    if hasattr(config, "stall_watch"):
        config.stall_watch.kill()
    if hasattr(config, "last_lines"):
        print(config.last_lines, flush=True)


def read(path, default):
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return default


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(value))
    new.rename(path)
