# SPDX-License-Identifier: GPL-3.0-or-later
"""Sends photos to real servers, directly and through a proxy that lies, and looks at what the servers have."""
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import pytest

from fault_proxy import FAULTS, FaultProxy
from servers import PATIENCE, moto, nginx, samba, serve_s3, sshd, wsgidav

REPOSITORY = pathlib.Path(__file__).parent.parent.parent
VITRINE = REPOSITORY / ".build/release/vitrine"
INGEST = REPOSITORY / ".build/release/library-ingest"
pytestmark = pytest.mark.area("sync")


class Kiosk:
    """A library with photos, and its configuration."""

    def __init__(self, folder, photos, configuration, location, rules=""):
        self.folder, self.library = folder, folder / "library"
        self.rclone = folder / "rclone.conf"
        self.rclone.write_text(configuration)
        (folder / "vitrine.toml").write_text(
            f'[library]\npath = "{self.library}"\nreserve_mb = 1\n{rules}\n'
            f'[sync]\nremote = "{location}"\nrclone_config = "{self.rclone}"\ndevice_id = "kiosk"\n')
        subprocess.run([INGEST, "add", self.library, str(photos), "3000"], check=True, stdout=subprocess.DEVNULL)
        self.find_originals()
        assert len(self.originals) == photos
        (folder / "tmp").mkdir()
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder / "tmp"),
                            "VITRINE_SOCKET": str(folder / "control.sock")}

    def find_originals(self):
        """Notes the files of the library and their hashes."""
        self.originals = {str(file.relative_to(self.library)): digest(file)
                          for file in (self.library / "originals").glob("**/*.*") if file.is_file()}

    def command(self, *arguments):
        return [str(VITRINE), *map(str, arguments), "--config", str(self.folder / "vitrine.toml")]

    def start(self, *arguments):
        """Starts a command whose output goes to a log."""
        with open(self.folder / "commands.log", "ab") as log:
            return subprocess.Popen(self.command(*arguments), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                    env=self.environment)

    def run(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, env=self.environment)

    def ask(self, *arguments):
        """Runs a command that needs the appliance; returns whether it succeeds."""
        return subprocess.run([VITRINE, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=PATIENCE, env=self.environment).returncode == 0

    def json(self, *arguments):
        done = self.run(*arguments, "--json")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def verified(self):
        """Returns the originals that count as verified."""
        return {entry["key"] for entry in self.json("sync", "ledger")
                if entry["state"] == "verified" and entry["kind"] == "original"}


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def arrived(kiosk, location, root, scratch):
    """Returns the hashes of all objects below the kiosk's folder, by their keys: from the server's own folder, else as
    rclone downloads them."""
    if root is None:
        subprocess.run(["rclone", "--config", kiosk.rclone, "copy", f"{location}/kiosk", scratch / "back/kiosk",
                        "--ignore-times"], check=True, env={"PATH": "/usr/bin:/bin"})
        root = scratch / "back"
    return {str(file.relative_to(root / "kiosk")): digest(file)
            for file in (root / "kiosk").glob("**/*") if file.is_file()}


def expect_all(kiosk, there):
    """Each original is there once, with its bytes, and so are its side-car and the manifests that name everything."""
    originals = {key: value for key, value in there.items() if key.startswith("originals/")}
    assert originals == kiosk.originals
    sidecars = [key for key in there if key.startswith("sidecars/")]
    assert len(sidecars) == len(kiosk.originals)
    manifests = [key for key in there if key.startswith("manifests/")]
    assert len(there) == len(originals) + len(sidecars) + len(manifests) and manifests


def photos(request, usual):
    return usual if request.config.getoption("tier") == "usual" else 200


SERVERS = [
    nginx, sshd, samba,
    pytest.param(serve_s3, marks=pytest.mark.tier("day")), pytest.param(moto, marks=pytest.mark.tier("day")),
    pytest.param(wsgidav, marks=pytest.mark.tier("day")),
]


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.__name__)
def test_server(server, tmp_path, request):
    """Everything arrives, nothing twice, and damage at the server is found and mended."""
    with server(tmp_path) as (configuration, location, root, _):
        kiosk = Kiosk(tmp_path, photos(request, 40), configuration, location)
        done = kiosk.run("sync", "now")
        assert done.returncode == 0, done.stderr
        expect_all(kiosk, arrived(kiosk, location, root, tmp_path))
        assert kiosk.json("sync", "now")[0]["verified"] == 0
        if root is None:
            return
        # A flipped bit, of the same size, and a missing object.
        damaged, missing = sorted(kiosk.originals)[:2]
        file = root / "kiosk" / damaged
        content = bytearray(file.read_bytes())
        content[100] ^= 1
        file.write_bytes(content)
        (root / "kiosk" / missing).unlink()
        done = kiosk.run("sync", "verify", "--deep")
        assert done.returncode == 74 and damaged in done.stdout and missing in done.stdout
        assert done.stdout.count("originals/") == 2
        assert kiosk.run("sync", "now").returncode == 0
        expect_all(kiosk, arrived(kiosk, location, root, tmp_path))


@pytest.mark.parametrize("server, faults", [
    (nginx, FAULTS),
    pytest.param(wsgidav, FAULTS, marks=pytest.mark.tier("day")),
    # What a proxy changes in a signed request is refused, so these faults reach S3 only in answers.
    pytest.param(serve_s3, ["late-500", "etag", "reset", "captive"], marks=pytest.mark.tier("day")),
    pytest.param(moto, ["flip", "truncate", "late-500", "reset"], marks=pytest.mark.tier("day")),
], ids=lambda value: getattr(value, "__name__", ""))
def test_liar(server, faults, tmp_path, request):
    """Behind a proxy that lies, nothing counts as verified that the server does not have, no such original goes, and
    all arrives in the end. Control: rclone alone takes damaged objects for good ones."""
    with server(tmp_path) as (configuration, location, root, port), FaultProxy(port, faults) as proxy:
        lying = configuration.replace(f":{port}", f":{proxy.port}")
        kiosk = Kiosk(tmp_path, photos(request, 40), lying, location, rules="retention_assets = 1")
        runs = 0
        while True:
            runs += 1
            assert runs < 60, done.stderr
            done = kiosk.run("sync", "now")
            assert done.returncode in (0, 74), done.stderr
            proxy.rate, rate = 0, proxy.rate
            there = arrived(kiosk, location, root, tmp_path)
            verified = kiosk.verified()
            wrong = {key for key in verified if there.get(key) != kiosk.originals[key]}
            assert not wrong, f"run {runs}: verified, and not there: {sorted(wrong)[:3]}"
            # What goes is what is there.
            kiosk.run("library", "retention", "--apply")
            gone = {asset["id"] for asset in kiosk.json("library", "list") if asset.get("remoteOnly")}
            assert all(there.get(key) == value for key, value in kiosk.originals.items()
                       if pathlib.Path(key).stem in gone)
            proxy.rate = rate
            if done.returncode == 0:
                break
        assert sum(proxy.counts.values()) > 10 and gone, (proxy.counts, gone)
        expect_all(kiosk, there)
        if not {"flip", "truncate"} & set(faults) or root is None:
            return
        # The control.
        (tmp_path / "more").mkdir()
        source = random.Random(7)
        for number in range(60):
            (tmp_path / "more" / str(number)).write_bytes(source.randbytes(3000))
        proxy.faults, proxy.rate = ["flip"], 0.5
        subprocess.run(["rclone", "--config", kiosk.rclone, "copy", tmp_path / "more", f"{location}/control"],
                       check=True, env={"PATH": "/usr/bin:/bin"})
        assert any(digest(file) != digest(root / "control" / file.name) for file in (tmp_path / "more").iterdir())


SIMULATED = """
[[camera]]
match = { driver = "simulated" }
source = "pattern"
preset = "640x480"
[display]
countdown_s = 0
review_s = 0
[board]
kind = "simulated"
"""


def test_kills(tmp_path, request):
    """Kills of the kiosk, of the command that sends and of rclone, at random moments while photos are taken: the ledger
    converges, nothing is lost or doubled, and nothing is left in temporary names."""
    kills = photos(request, 25) if request.config.getoption("tier") == "usual" else 100
    source, killed = random.Random(8), {"kiosk": 0, "command": 0, "rclone": 0}
    with nginx(tmp_path) as (configuration, location, root, _):
        kiosk = Kiosk(tmp_path, 60, configuration, location, rules=SIMULATED)
        appliance = kiosk.start("run")
        try:
            for _ in range(kills):
                wait_for(lambda: kiosk.ask("press", "shutter", "--wait"))
                command = kiosk.start("sync", "now")
                time.sleep(source.uniform(0, 0.6))
                victim = source.choice(list(killed))
                child = children_of(command.pid) if victim == "rclone" else []
                if victim == "kiosk":
                    appliance.kill()
                    appliance.wait()
                    appliance = kiosk.start("run")
                elif victim == "command" and command.poll() is None:
                    command.kill()
                elif not any(is_killed(process) for process in child):
                    victim = None
                if victim:
                    killed[victim] += 1
                command.wait(PATIENCE)
            wait_for(lambda: kiosk.ask("status"))
            done = kiosk.run("sync", "now")
            assert done.returncode == 0, done.stderr
            # A run that a kill ended may have left failures that wait; now nothing waits.
            assert all(entry["state"] == "verified" for entry in kiosk.json("sync", "ledger"))
        finally:
            appliance.terminate()
            appliance.wait(PATIENCE)
        assert all(killed.values()) and sum(killed.values()) > kills / 2, killed
        kiosk.find_originals()
        assert len(kiosk.originals) == 60 + kills
        expect_all(kiosk, arrived(kiosk, location, root, tmp_path))
        assert list((tmp_path / "tmp").iterdir()) == []
        own = {path.name for path in pathlib.Path("/dev/shm").glob("vitrine-sync-*")}
        assert not [name for name in own if not pathlib.Path(f"/proc/{name.split('-')[2]}").exists()], own


def test_orders(tmp_path):
    """One process sends at a time, and the service says so; an order that a pause cuts off is met by the next run."""
    with nginx(tmp_path) as (configuration, location, root, port), FaultProxy(port, [], rate=0) as proxy:
        kiosk = Kiosk(tmp_path, 3, configuration.replace(f":{port}", f":{proxy.port}"), location, rules=SIMULATED)

        def state():
            return kiosk.json("sync", "status")[0]["state"]

        def held():
            seen = proxy.held
            wait_for(lambda: proxy.held > seen)

        processes = [kiosk.start("run")]
        try:
            wait_for(lambda: kiosk.ask("status"))
            proxy.passing.clear()
            alone = kiosk.start("sync", "now")
            held()
            processes.append(kiosk.start("sync", "run"))
            wait_for(lambda: state() != "stopped")
            second = kiosk.run("sync", "now", "--json")
            assert second.returncode == 74 and json.loads(second.stdout)["failure"]["code"] == "sync.busy", second
            assert f"process {alone.pid} syncs already" in second.stderr
            proxy.passing.set()
            assert alone.wait(PATIENCE) == 0

            wait_for(lambda: kiosk.ask("press", "shutter", "--wait"))
            proxy.passing.clear()
            order = kiosk.start("sync", "now")
            held()
            # The run that the pause cuts begins anew at once.
            assert kiosk.run("sync", "pause").returncode == 0
            held()
            assert order.poll() is None
            proxy.passing.set()
            assert order.wait(PATIENCE) == 0
            assert all(entry["state"] == "verified" for entry in kiosk.json("sync", "ledger"))
            assert state() == "paused"
        finally:
            proxy.passing.set()
            for process in reversed(processes):
                process.terminate()
                process.wait(PATIENCE)
        kiosk.find_originals()
        expect_all(kiosk, arrived(kiosk, location, root, tmp_path))


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def children_of(process):
    """Returns the processes that a process has started."""
    done = subprocess.run(["pgrep", "--parent", str(process)], capture_output=True, text=True)
    return [int(line) for line in done.stdout.split()]


def is_killed(process):
    """Kills a process, and returns whether it was still there."""
    try:
        os.kill(process, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


@pytest.mark.tier("day")
def test_stall(tmp_path):
    """An answer of a byte a second ends with its deadline, which is a minute for small objects."""
    with nginx(tmp_path) as (configuration, location, root, port), FaultProxy(port, ["slow"], rate=1) as proxy:
        kiosk = Kiosk(tmp_path, 2, configuration.replace(f":{port}", f":{proxy.port}"), location)
        # Something that is read back, so that the answers have bodies.
        proxy.rate, begin = 0, time.monotonic()
        assert kiosk.run("sync", "now").returncode == 0
        usual = time.monotonic() - begin
        proxy.rate = 1
        begin = time.monotonic()
        done = kiosk.run("sync", "verify", "--deep")
        assert done.returncode == 74 and time.monotonic() - begin < usual + 200, done.stderr
        assert "sync.stalled" in done.stderr or "took no data" in done.stdout + done.stderr, (done.stdout, done.stderr)
        proxy.rate = 0
        assert kiosk.run("sync", "now").returncode == 0
        expect_all(kiosk, arrived(kiosk, location, root, tmp_path))


def test_doctor(tmp_path):
    """The doctor's object is written, compared and deleted; a remote that damages it is named."""
    with nginx(tmp_path) as (configuration, location, root, port), FaultProxy(port, ["flip"], rate=0) as proxy:
        kiosk = Kiosk(tmp_path, 1, configuration.replace(f":{port}", f":{proxy.port}"), location, rules=SIMULATED)

        def remote():
            return next(finding for finding in kiosk.json("doctor") if finding["check"] == "remote")

        assert remote()["state"] == "ok" and "reading them back" in remote()["message"]
        assert [path for path in root.glob("**/*") if path.is_file()] == []
        requests = (tmp_path / "access.log").read_text()
        assert "PUT /kiosk/probes/" in requests and "DELETE /kiosk/probes/" in requests
        proxy.rate = 1
        assert remote()["state"] == "warning" and "sync.differs" in remote()["message"]


def test_tells_why(tmp_path):
    """Each refusal is named, with the next step."""
    cases = [
        ("far:", "[far]\ntype = webdav\nurl = http://127.0.0.1:1\nvendor = other\n", "sync.unreachable", "network"),
        ("gone:", "[far]\ntype = local\n", "sync.configuration", "rclone config"),
        (str(tmp_path / "nowhere"), "", "sync.missing", "Create the folder"),
    ]
    for number, (location, configuration, code, step) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        kiosk = Kiosk(folder, 1, configuration, location)
        done = kiosk.run("sync", "now", "--json")
        assert done.returncode == 74 and step in done.stderr, done.stderr
        assert json.loads(done.stdout)["failure"]["code"] == code
        assert kiosk.json("sync", "status")[0]["pending"] == 1
