# SPDX-License-Identifier: GPL-3.0-or-later
"""What is judged by programs that are there already: style, the reference, the systemd units, the fuzz targets."""
import json
import pathlib
import subprocess

import pytest

HOST = pathlib.Path(__file__).parent
REPOSITORY = HOST.parent.parent


def run(*command):
    done = subprocess.run(command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode:
        pytest.fail(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-6000:]}", pytrace=False)
    return done.stdout


def test_swift_format():
    run("swift", "format", "lint", "--strict", "--recursive", "--parallel", "Package.swift", "Sources", "Tests")


def test_prose():
    run("board/host/prose")


@pytest.mark.parametrize("file, text, fault", [
    ("Sources/A.swift", "/// Of two frames the newer.\n", "1 of 1 sentences"),
    ("Sources/A.swift", "//" + 99 * "x" + "\n", "1 lines are longer"),
    ("README.md", 161 * "\n", "161 lines"),
    ("guide.md", "[elsewhere](nowhere.md)\n", "leads nowhere"),
    ("guide.md", "# Here\n\n[there](#there)\n", "leads nowhere"),
])
def test_prose_finds(tmp_path, file, text, fault):
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text)
    done = subprocess.run([HOST / "prose", tmp_path], capture_output=True, text=True)
    assert done.returncode == 1 and fault in done.stdout


def test_version():
    version = (REPOSITORY / "board/debian/changelog").read_text().split("(", 1)[1].split(")", 1)[0]
    assert run(".build/release/vitrine", "--version").split() == [version]


def test_manual_pages(tmp_path):
    """Every verb has a page, and every key of the configuration is described."""
    run("board/debian/man.py", ".build/release/vitrine", tmp_path)
    verbs = json.loads(run(".build/release/vitrine", "--experimental-dump-help"))["command"]["subcommands"]
    shown = [verb["commandName"] for verb in verbs if verb["shouldDisplay"] and verb["commandName"] != "help"]
    assert len(shown) > 10
    assert {page.name for page in tmp_path.iterdir()} == {
        "vitrine.1", "vitrine.toml.5", *(f"vitrine-{verb}.1" for verb in shown)}
    page = (tmp_path / "vitrine.toml.5").read_text()
    keys = [json.loads(line)["key"] for line in run(".build/release/vitrine", "config", "docs", "--json").splitlines()]
    assert len(keys) > 100
    for key in keys:
        assert f"\\fB{key.split('.')[-1]}\\fR" in page or f".{key.split('.')[-1]}\\fR" in page, key


@pytest.mark.area("service")
def test_systemd_units(tmp_path):
    for unit in (REPOSITORY / "rootfs-overlay/usr/lib/systemd/system").glob("*.service"):
        (tmp_path / unit.name).write_text(unit.read_text().replace("/usr/bin/vitrine", "/bin/true"))
    assert run("systemd-analyze", "verify", "--man=no", *tmp_path.glob("*.service")) == ""


@pytest.mark.tier("day")
def test_reference():
    run("board/host/docs")


@pytest.mark.tier("day")
def test_fuzz():
    run("board/host/fuzz", "--seconds", "300")


@pytest.mark.tier("full")
@pytest.mark.parametrize("options", [
    "--suite trixie", "--suite bookworm", "--suite trixie --arch arm64", "--suite trixie --drivers"])
def test_package(options):
    run("board/debian/test", *options.split())


@pytest.mark.tier("full")
@pytest.mark.parametrize("options", ["--suite trixie", "--suite bookworm", "--suite trixie --arch arm64"])
def test_same_package(options):
    """Two builds from scratch make the same bytes."""
    run("board/debian/reproduce", *options.split())
