# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps files from real servers, directly and through a proxy that lies, through kills, full disks and wrong clocks."""
import contextlib
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import pytest

from fault_proxy import ANSWER_FAULTS, FaultProxy
from servers import PATIENCE, free_port, nginx_with

REPOSITORY = pathlib.Path(__file__).parent.parent.parent
VITRINE = REPOSITORY / ".build/release/vitrine"
SCREEN = REPOSITORY / "board/host/screen.png"
pytestmark = pytest.mark.area("sync")


class Cache:
    """A cache, its configuration and the command."""

    def __init__(self, folder, rules="", contents=""):
        self.folder, self.files = folder, folder / "cache"
        self.configure(rules, contents)

    def configure(self, rules="", contents=""):
        (self.folder / "vitrine.toml").write_text(f'[cache]\npath = "{self.files}"\n{rules}\n{contents}')

    def command(self, verb, *arguments):
        return [str(VITRINE), "cache", verb, *map(str, arguments), "--config", str(self.folder / "vitrine.toml")]

    def run(self, verb, *arguments, before=(), environment=None):
        return subprocess.run([*before, *self.command(verb, *arguments)], capture_output=True, text=True,
                              timeout=PATIENCE, stdin=subprocess.DEVNULL,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), **(environment or {})})

    def fetch(self, *arguments, **options):
        """Returns what `cache fetch --json` prints of one URL."""
        done = self.run("fetch", *arguments, "--json", **options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def names(self, folder):
        return sorted(file.name for file in (self.files / folder).iterdir())

    def expect_whole(self, known):
        """Each file is what the index says, and is one of the `known` hashes; nothing else is there."""
        items = [json.loads(line) for line in self.run("list", "--json").stdout.splitlines()]
        for item in items:
            assert digest(item["path"]) == item["sha256"] and item["sha256"] in known, item
        assert self.names("items") == sorted(pathlib.Path(item["path"]).name for item in items)
        return items


def digest(file):
    return hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()


class Site:
    """nginx with files."""

    def __init__(self, folder, port):
        self.folder, self.port, self.root = folder, port, folder / "www"
        # nginx makes its ETag of the second and the size, so each version has a second of its own.
        self.date = int(time.time()) - 86_400

    def url(self, name, port=None):
        return f"http://127.0.0.1:{port or self.port}/{name}"

    def requests(self, name):
        """Returns the lines of nginx's log for a file."""
        return [line for line in (self.folder / "access.log").read_text().splitlines() if f" /{name} " in line]

    def write(self, name, content):
        """Replaces a file at once. Returns the content's hash."""
        fresh = self.root / f".{name}"
        fresh.write_bytes(content)
        self.date += 1
        os.utime(fresh, (self.date, self.date))
        fresh.rename(self.root / name)
        return hashlib.sha256(content).hexdigest()


@contextlib.contextmanager
def site(folder, rules=""):
    port, root = free_port(), folder / "www"
    root.mkdir(exist_ok=True)
    folder.chmod(0o755)
    with nginx_with(folder, port, f"types {{ image/png png; text/plain txt; }} default_type application/octet-stream; "
                                  f"server {{ listen 127.0.0.1:{port}; root {root}; {rules} }}"):
        yield Site(folder, port)


def test_one_request(tmp_path):
    """500 callers in a process cause one request; many processes share a download, too."""
    with site(tmp_path, "location /slow.bin { limit_rate 2m; }") as web:
        cache = Cache(tmp_path)
        hash_ = web.write("slow.bin", random.Random(1).randbytes(1 << 20))
        done = cache.run("fetch", *[web.url("slow.bin")] * 500, "--lifetime", 600, "--json")
        assert done.returncode == 0, done.stderr
        results = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(results) == 500 and {result["sha256"] for result in results} == {hash_}
        assert len(web.requests("slow.bin")) == 1
        cache.run("purge", "--all")
        children = [subprocess.Popen(cache.command("fetch", web.url("slow.bin"), "--lifetime", 600),
                                     stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) for _ in range(20)]
        paths = {child.communicate(timeout=PATIENCE)[0].decode().strip() for child in children}
        assert len(paths) == 1 and digest(paths.pop()) == hash_
        assert len(web.requests("slow.bin")) == 2
        cache.expect_whole({hash_})


def test_revalidation(tmp_path):
    """nginx's own ETag, dates, ranges, redirects and compression."""
    with site(tmp_path, "gzip on; gzip_min_length 1; location = /moved { return 302 /a.txt; } "
                        "location /half.bin { limit_rate 1m; limit_rate_after 3m; }") as web:
        cache = Cache(tmp_path)
        text = b"a line of text\n" * 1000
        hash_ = web.write("a.txt", text)
        first = cache.fetch(web.url("a.txt"), "--lifetime", 600)
        assert first["sha256"] == hash_ and first["source"] == "network" and first["contentType"] == "text/plain"
        assert cache.fetch(web.url("a.txt"))["source"] == "cache"
        assert cache.fetch(web.url("moved"), "--lifetime", 600)["sha256"] == hash_
        assert cache.run("refresh", web.url("a.txt")).returncode == 0
        assert web.requests("a.txt")[-1].split()[2] == "304"
        newer = web.write("a.txt", text + b"more\n")
        assert cache.run("refresh", web.url("a.txt")).returncode == 0
        assert cache.fetch(web.url("a.txt"))["sha256"] == newer
        # A download that a kill ends goes on where it was, by nginx's own validators.
        half = web.write("half.bin", random.Random(2).randbytes(6 << 20))
        with subprocess.Popen(cache.command("fetch", web.url("half.bin")), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL) as child:
            part = cache.files / "incoming" / hashlib.sha256(web.url("half.bin").encode()).hexdigest()
            while not part.exists() or part.stat().st_size < 4 << 20:
                assert child.poll() is None
                time.sleep(0.01)
            child.kill()
        # What the index does not know to be on the medium is fetched again.
        assert cache.fetch(web.url("half.bin"), "--lifetime", 600)["sha256"] == half
        last = web.requests("half.bin")[-1].split()
        assert last[2] in ("206", "200") and (last[2] == "206") == last[4].startswith("bytes=")
        cache.expect_whole({hash_, newer, half})
        assert cache.names("incoming") == []


def test_tls(tmp_path):
    """An unknown authority is refused, a pinned one is enough, and nothing leads from TLS to none."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                    "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"], check=True, capture_output=True)
    secure = free_port()
    with site(tmp_path, f"listen 127.0.0.1:{secure} ssl http2; ssl_certificate {tmp_path}/cert.pem; "
                        f"ssl_certificate_key {tmp_path}/key.pem; "
                        "location = /down { return 302 http://127.0.0.1:$server_port/a.txt; }") as web:
        hash_ = web.write("a.txt", b"secret")
        cache, url = Cache(tmp_path), f"https://localhost:{secure}/a.txt"
        done = cache.run("fetch", url)
        assert done.returncode == 74 and "certificate" in done.stderr and "ca_file" in done.stderr
        cache.configure(f'ca_file = "{tmp_path}/cert.pem"')
        assert cache.fetch(url, "--lifetime", 600)["sha256"] == hash_
        assert "HTTP/2.0" in web.requests("a.txt")[-1]
        assert cache.run("fetch", f"https://localhost:{secure}/down").returncode == 74


def test_liar(tmp_path):
    """Behind a proxy that lies, every file that is returned is one that the server had, and a stall ends. Control:
    without a hash, a damaged file is taken for a good one."""
    with site(tmp_path) as web, FaultProxy(web.port, ANSWER_FAULTS, rate=0.6, seed=3) as proxy:
        cache, source = Cache(tmp_path, "stall_s = 1"), random.Random(4)
        known, failures = {}, 0
        for number in range(80):
            name = f"{source.randrange(8)}.bin"
            if name not in known or source.random() < 0.4:
                known.setdefault(name, []).append(web.write(name, source.randbytes(20_000 + number)))
            done = cache.run("fetch", web.url(name, proxy.port), "--lifetime", 0, "--sha256", known[name][-1], "--json")
            if done.returncode:
                assert done.returncode == 74, done.stderr
                failures += 1
                continue
            result = json.loads(done.stdout)
            assert digest(result["path"]) == known[name][-1]
        assert all(proxy.counts[fault] for fault in ANSWER_FAULTS) and failures > 10, (proxy.counts, failures)
        proxy.rate = 0
        for name, versions in known.items():
            assert cache.fetch(web.url(name, proxy.port), "--lifetime", 60, "--sha256", versions[-1])
        cache.expect_whole({version for versions in known.values() for version in versions})
        proxy.rate, proxy.faults = 1, ["damage"]
        damaged = cache.fetch(web.url("0.bin", proxy.port) + "?control", "--lifetime", 60)
        assert damaged["sha256"] not in known["0.bin"]


def test_kills(tmp_path):
    """A kill at any moment leaves no torn file, no wrong bytes and nothing in temporary names."""
    kills, met, returned = 200, 0, 0
    # nginx sends the first 2 MB at once, so a large file takes half a second.
    with site(tmp_path, "limit_rate 2m;") as web:
        cache, source, known = Cache(tmp_path, "quota_mb = 7"), random.Random(5), {}
        incoming = cache.files / "incoming"
        for number in range(kills):
            name = f"{source.randrange(6)}.bin"
            if name not in known or source.random() < 0.5:
                size = source.choice([3000, 300_000, 3_000_000])
                known.setdefault(name, []).append(web.write(name, source.randbytes(size)))
            child = subprocess.Popen(cache.command("fetch", web.url(name), "--lifetime", 0), stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            # One kill in three comes at any time, one during the download, and one after the answer.
            path = b""
            if number % 3 == 0:
                time.sleep(source.uniform(0, 0.12))
            elif number % 3 == 1:
                while child.poll() is None and not (incoming.exists() and any(incoming.iterdir())):
                    time.sleep(0.001)
            else:
                path = child.stdout.readline()
            child.send_signal(signal.SIGKILL)
            path = (path + child.communicate()[0]).decode().strip()
            if path:
                returned += 1
                assert digest(path) in known[name], f"kill {number}"
            met += incoming.exists() and any(incoming.iterdir())
        # Control: kills met downloads on their way, and some came after the answer.
        assert met > kills / 20 and returned > kills / 20, (met, returned)
        for name, versions in known.items():
            assert cache.fetch(web.url(name), "--lifetime", 600)["sha256"] == versions[-1]
        cache.expect_whole({version for versions in known.values() for version in versions})
        assert cache.names("incoming") == []


def test_full_disk(tmp_path):
    """A failed write is a failed fetch; the room is given back, and what was there stays."""
    with site(tmp_path) as web:
        cache = Cache(tmp_path)
        small = web.write("small.bin", b"s" * 100_000)
        large = web.write("large.bin", random.Random(6).randbytes(8 << 20))
        inside = tmp_path / "inside.sh"
        run = " ".join(cache.command("fetch", web.url("small.bin"), "--lifetime", 600))
        inside.write_text(f"""set -u
            mkdir -p {cache.files} && mount -t tmpfs -o size=6m none {cache.files} && cd {tmp_path}
            {run} >small.out || exit 1
            {run.replace("small.bin", "large.bin")} 2>large.err && exit 2
            echo $? >large.status; ls {cache.files}/incoming >incoming.out
            {run} >again.out || exit 3
            sha256sum $(cat again.out) >again.sum
            rm -rf {cache.files}/*; mount -o remount,size=32m {cache.files}
            {run.replace("small.bin", "large.bin")} >control.out || exit 4
            sha256sum $(cat control.out) >control.sum
            """)
        # A mount of its own needs no rights.
        done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", inside], capture_output=True,
                              text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "large.status").read_text() == "74\n"
        assert "No space left" in (tmp_path / "large.err").read_text()
        assert (tmp_path / "incoming.out").read_text() == ""
        assert (tmp_path / "again.sum").read_text().startswith(small)
        # Control: with more room the same download works.
        assert (tmp_path / "control.sum").read_text().startswith(large)


def test_clocks(tmp_path):
    """In one boot a lifetime runs by the time since boot, whatever the wall clock says."""
    with site(tmp_path) as web:
        cache = Cache(tmp_path)
        hash_ = web.write("a.txt", b"text")
        cache.fetch(web.url("a.txt"), "--lifetime", 3600)
        for wall in ("1970-01-02 00:00:00", "-1h", "+3650d"):
            result = cache.fetch(web.url("a.txt"), before=["faketime", "-f", wall],
                                 environment={"DONT_FAKE_MONOTONIC": "1"})
            assert result["source"] == "cache" and result["sha256"] == hash_, wall
        assert len(web.requests("a.txt")) == 1
        # Control: when two hours have passed by all clocks, the server is asked.
        result = cache.fetch(web.url("a.txt"), before=["faketime", "-f", "+2h"])
        assert result["source"] == "renewed" and len(web.requests("a.txt")) == 2


def test_week_without_server(tmp_path):
    """A stale file is returned each day of a week without the server, and a newer one after it is back."""
    with site(tmp_path) as web:
        cache = Cache(tmp_path)
        hash_ = web.write("a.txt", b"text")
        cache.fetch(web.url("a.txt"), "--lifetime", 3600)
        url = web.url("a.txt")
    for day in range(1, 8):
        result = cache.fetch(url, "--lifetime", 3600, before=["faketime", "-f", f"+{day}d"])
        assert result["source"] == "stale" and result["sha256"] == hash_ and "onnect" in result["failure"]
    assert cache.run("fetch", url.replace("a.txt", "other.txt")).returncode == 74


def test_service(tmp_path):
    """The service keeps configured content fresh and in its place, also while the server is away."""
    def shown(url):
        file = cache.files / "shown" / hashlib.sha256(url.encode()).hexdigest()
        return digest(file) if file.exists() else None

    def wait_for(condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end and child.poll() is None, (tmp_path / "service.log").read_text()
            time.sleep(0.1)

    with site(tmp_path) as web:
        url = web.url("logo.png")
        cache = Cache(tmp_path, contents=f'[[content]]\nurl = "{url}"\nkind = "splash"\nlifetime_s = 1\n')
        first = web.write("logo.png", SCREEN.read_bytes())
        with open(tmp_path / "service.log", "wb") as log:
            child = subprocess.Popen([VITRINE, "sync", "run", "--config", tmp_path / "vitrine.toml", "--socket",
                                      tmp_path / "none"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            wait_for(lambda: shown(url) == first)
            second = web.write("logo.png", SCREEN.read_bytes() + b"\0")
            wait_for(lambda: shown(url) == second)
            # A page of a captive portal is no picture.
            web.write("logo.png", b"<html>Please log in.</html>")
            wait_for(lambda: "no PNG" in (tmp_path / "service.log").read_text())
            assert shown(url) == second
        finally:
            child.terminate()
            assert child.wait(PATIENCE) in (0, 143)
        assert shown(url) == second
