# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks the appliance for its status over the control socket, for a case.

    status-reader.py SOCKET FILE

Each line on stdin is a path such as `.preview.framesShown`, followed by `// 0` if an absent value means 0. The whole
status goes to FILE, the value to stdout on a line of its own; `-` means that the appliance did not answer. One process
answers many questions, because starting the program or jq(1) for each takes an emulated machine half a second.
"""
import json
import re
import socket
import sys

path, file = sys.argv[1:3]


def fetch():
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(path)
        stream = connection.makefile("rw")
        stream.readline()  # the greeting
        stream.write('{"id":1,"verb":"status","arguments":{}}\n')
        stream.flush()
        return json.loads(stream.readline())["result"]


def value(status, question):
    names, _, default = question.partition("//")
    for name in re.findall(r"[A-Za-z0-9]+", names):
        status = status.get(name) if isinstance(status, dict) else None
    if status is None and default:
        status = json.loads(default)
    return status if isinstance(status, str) else json.dumps(status)


for question in sys.stdin:
    try:
        status = fetch()
    except (OSError, ValueError, KeyError):
        print("-", flush=True)
        continue
    with open(file, "w") as copy:
        copy.write(json.dumps(status) + "\n")
    print(value(status, question.strip()), flush=True)
