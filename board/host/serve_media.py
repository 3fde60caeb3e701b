# SPDX-License-Identifier: GPL-3.0-or-later
"""Serves the files of a folder's `www` by nginx, and through a proxy that lies, until its parent ends.

    serve_media.py FOLDER [FAULT,… RATE]

Writes both ports to FOLDER/ports when it listens. /whole/ has no byte ranges, /slow/ sends 4 kB a second, and
/denied/ and /page/ are no media. /moved/ and /named/ lead to what they name; the latter's URLs have no endings.
"""
import json
import os
import pathlib
import signal
import sys
import time

from fault_proxy import FaultProxy
from servers import free_port, nginx_with

TYPES = """types { application/vnd.apple.mpegurl m3u8; video/mp2t ts; video/mp4 mp4 m4s; audio/mpeg mp3; audio/mp4 m4a; }
           default_type application/octet-stream;"""


def main():
    folder = pathlib.Path(sys.argv[1])
    faults = sys.argv[2].split(",") if len(sys.argv) > 2 else []
    rate = float(sys.argv[3]) if len(sys.argv) > 3 else 0
    parent, port, root = os.getppid(), free_port(), folder / "www"
    root.mkdir(exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    rules = f"""{TYPES} server {{
        listen 127.0.0.1:{port}; root {root};
        location /whole/ {{ alias {root}/; max_ranges 0; }}
        location /slow/ {{ alias {root}/; limit_rate 4k; }}
        location /moved/ {{ rewrite ^/moved/(.*)$ /$1 redirect; }}
        location /named/ {{ alias {root}/; try_files $uri.m3u8 $uri.ts =404; }}
        location /denied/ {{ return 403; }}
        location /page/ {{ default_type text/html; return 200 '<html>Please log in.</html>'; }}
    }}"""
    with nginx_with(folder, port, rules), FaultProxy(port, faults, rate) as proxy:
        fresh = folder / "ports.new"
        fresh.write_text(json.dumps({"plain": port, "faulty": proxy.port}))
        fresh.rename(folder / "ports")
        while os.getppid() == parent:
            time.sleep(0.2)


main()
