# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays on renderers of a network of this machine: gmediarender, which writes down what is heard."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

from servers import PATIENCE

REPOSITORY = pathlib.Path(__file__).parent.parent.parent
VITRINE = REPOSITORY / ".build/release/vitrine"
pytestmark = pytest.mark.area("playback")


class Network:
    """A network with one board and some renderers."""

    SETUP = """
        ip link set lo up
        ip link add board type veth peer name wall
        ip address add 198.51.100.1/24 dev board
        ip link set board up
        ip link set wall up
        ip route add 224.0.0.0/4 dev board
        echo ready
        exec cat
    """

    def __init__(self, folder, stack):
        self.folder, self.stack = folder, stack
        self.holder = stack.enter_context(subprocess.Popen(
            ["unshare", "--user", "--map-root-user", "--net", "sh", "-ec", self.SETUP],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        stack.callback(self.holder.stdin.close)
        assert self.holder.stdout.readline() == "ready\n"

    def inside(self, *command):
        return ["nsenter", "--preserve-credentials", "--user", "--net", "--target", str(self.holder.pid),
                *map(str, command)]

    def renderer(self, name, number=1):
        """Starts a renderer; returns the file of the samples that it plays."""
        heard = self.folder / f"{number}.raw"
        log = self.folder / f"{number}.log"
        sink = f"audioconvert ! audioresample ! audio/x-raw,format=S16LE,rate=48000,channels=2 ! filesink sync=true " \
               f"location={heard}"
        child = subprocess.Popen(
            self.inside("gmediarender", "--friendly-name", name, "--uuid", f"vitrine-{number}", "--interface-name",
                        "board", "--port", 49494 + number, "--gstout-audiopipe", sink, "--gstout-videosink",
                        "fakesink", "--logfile", log),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.stack.callback(child.wait)
        self.stack.callback(child.terminate)
        assert child.stderr.readline() == "Ready for rendering.\n"
        return heard

    def command(self, *arguments):
        return self.inside(VITRINE, "play", *arguments, "--json")

    def run(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, env=self.environment)

    @property
    def environment(self):
        return {"PATH": "/usr/bin:/bin:/usr/sbin", "HOME": str(self.folder),
                "VITRINE_SOCKET": str(self.folder / "none")}

    def displays(self):
        done = self.run("displays")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["displays"]

    def status(self, *arguments):
        done = self.run(*arguments, "--display", "Living room")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def refusal(self, *arguments):
        done = self.run(*arguments)
        assert done.returncode > 0 and "; next: " in done.stderr, done
        return done.returncode, done.stderr

    @contextlib.contextmanager
    def playing(self, *arguments):
        """Plays until the end of the block."""
        child = subprocess.Popen(self.command(*arguments, "--display", "Living room"), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment)
        try:
            wait_until(lambda: child.poll() is not None or self.run("status", "--display", "Living room").returncode == 0)
            yield child
        finally:
            child.kill()
            child.wait()


def wait_until(is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.fixture
def network(tmp_path):
    with contextlib.ExitStack() as stack:
        yield Network(tmp_path, stack)


def music(folder, seconds=3):
    """Makes a piece of music; returns its path and its samples."""
    file = folder / "a & b.flac"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"aevalsrc=0.4*sin(330*2*PI*t)|0.4*sin(t*t*100):"
                    f"s=48000:d={seconds}", "-sample_fmt", "s16", file], check=True)
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", file, "-f", "s16le", "-"], check=True, capture_output=True)
    return file, raw.stdout


def test_list(network):
    # Control: nobody answers.
    assert network.displays() == [{"kind": "display", "name": "first"}]
    network.renderer("Living room")
    one = network.displays()[1]
    assert (one["kind"], one["name"], one["id"]) == ("renderer", "Living room", "uuid:vitrine-1")
    assert one["location"].startswith("http://198.51.100.1:")


def test_play(network):
    heard = network.renderer("Living room")
    file, samples = music(network.folder)
    done = network.run(file, "--display", "Living room")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["result"] == "finished" and answer["status"]["title"] == file.name
    assert heard.read_bytes() == samples
    log = (network.folder / "1.log").read_text()
    assert "a &amp; b.flac" in log


def test_control(network):
    network.renderer("Living room")
    file, _ = music(network.folder, seconds=600)
    with network.playing(file, "--at", "60") as child:
        assert network.status("pause")["state"] == "paused"
        at = network.status("status")
        assert at["state"] == "paused" and 60 <= at["seconds"] < 600 and at["duration"] == 600
        assert network.status("seek", "300")["state"] == "paused"
        wait_until(lambda: network.status("status")["seconds"] == 300)
        network.status("resume")
        wait_until(lambda: network.status("status")["seconds"] > 301)
        # A test that runs in the background ignores SIGINT, and so do its children.
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE) == 128 + signal.SIGTERM
    assert network.refusal("status", "--display", "Living room")[0] == 75
    # Another command ends it, too.
    with network.playing(file) as child:
        network.status("stop")
        assert json.loads(child.communicate(timeout=PATIENCE)[0])["result"] == "stopped"
        assert child.returncode == 0


def test_loop(network):
    network.renderer("Living room")
    file, _ = music(network.folder, seconds=2)
    with network.playing(file, "--loop") as child:
        log = network.folder / "1.log"
        wait_until(lambda: child.poll() is not None or log.read_text().count('TransportState val="PLAYING"') >= 3)
        assert child.poll() is None


def test_names(network):
    file, _ = music(network.folder)
    status, error = network.refusal(file, "--display", "Kitchen")
    assert status == 66 and "no display or renderer is called Kitchen" in error
    network.renderer("Kitchen", 1)
    heard = network.renderer("Kitchen", 2)
    status, error = network.refusal(file, "--display", "Kitchen")
    assert status == 66 and "uuid:vitrine-1, uuid:vitrine-2" in error
    done = network.run(file, "--display", "uuid:vitrine-2")
    assert done.returncode == 0 and heard.stat().st_size > 0


def test_failures(network):
    network.renderer("Living room")
    file, _ = music(network.folder)
    at = ["--display", "Living room"]
    assert network.refusal(file, *at, "--rate", "2")[0] == 64
    assert network.refusal(file, *at, "--background")[0] == 64
    assert network.refusal(network.folder / "missing.flac", *at)[0] == 66
    text = network.folder / "notes.txt"
    text.write_text("no media")
    status, error = network.refusal(text, *at)
    assert status == 74 and "no media file" in error
    # A folder is not for the network.
    assert network.refusal(network.folder, *at)[0] == 66
    # What has failed does not stay in the way.
    assert network.run(file, *at).returncode == 0


def test_asset(network):
    heard = network.renderer("Living room")
    film = network.folder / "film.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=25:duration=2", "-f",
                    "lavfi", "-i", "sine=duration=2", "-c:v", "libx264", "-c:a", "aac", "-pix_fmt", "yuv420p", film],
                   check=True)
    configuration = network.folder / "vitrine.toml"
    configuration.write_text(f'[library]\npath = "{network.folder}/library"\n')
    made = subprocess.run([VITRINE, "library", "import", film, "--json", "--config", configuration], check=True,
                          capture_output=True, text=True, env=network.environment)
    identifier = json.loads(made.stdout)["imported"][0]
    done = network.run(identifier, "--display", "Living room", "--config", configuration)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"] == "finished"
    assert heard.stat().st_size > 48000 * 4
