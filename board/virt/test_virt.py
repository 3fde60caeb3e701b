# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the virtual board's cases, as the table `cases` lists them."""
import os
import pathlib
import subprocess

import pytest

VIRT = pathlib.Path(__file__).parent
# The time limits of a case in seconds. A time that matters is measured, not cut off.
LIMIT = {"usual": 3600, "day": 3600, "full": 12 * 3600}


def pytest_generate_tests(metafunc):
    """Makes a parameter of each case and boot that runs on this kernel series."""
    series = metafunc.config.getoption("series") or "7"
    parameters = []
    for line in (VIRT / "cases").read_text().splitlines():
        if line.startswith("case "):
            _, name, area, tier, on, boots = line.split()
            parameters += [
                pytest.param(f"{name}@{boot}", id=f"{name}@{boot}", marks=[pytest.mark.area(area), pytest.mark.tier(tier)])
                for boot in boots.split(",") if on in ("all", series.split(".")[0])]
    metafunc.parametrize("case", parameters)


def test_case(case, request, results, record_property):
    tier = request.config.getoption("tier")
    done = subprocess.run(
        [VIRT / "case", case, "--series", request.config.getoption("series") or "", "--results", results / case,
         "--timeout", str(LIMIT[tier])],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        env=dict(os.environ, VITRINE_TIER=tier))
    if done.returncode:
        if done.returncode != 1:
            record_property("crashed", True)
        print(done.stderr[-6000:])
        pytest.fail(done.stdout.strip() or f"no verdict: status {done.returncode}", pytrace=False)
