# SPDX-License-Identifier: GPL-3.0-or-later
"""Times stills, one after the other, at random moments, over connections that are open already.

    time-stills.py press SOCKET COUNT COMMAND...   presses the button `shutter` of a running appliance; after each
                                                   press COMMAND gets a line and answers with its own times
    time-stills.py snapshot URL COUNT              gets pictures from a server and writes each to a file

Prints JSON lines: who, and milliseconds. The time of a press ends with the answer that the photo is saved, and includes
the wait for its frame.
"""
import json
import os
import random
import socket
import subprocess
import sys
import time
import urllib.request


def say(who, milliseconds):
    print(json.dumps({"who": who, "milliseconds": round(milliseconds, 3)}), flush=True)


PARTS = ["JPEG", "file", "folder", "row"]


def press(path, count, *command):
    floor = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with floor, socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(path)
        stream = connection.makefile("rw")
        stream.readline()  # the greeting
        for number in range(count):
            time.sleep(random.uniform(0.4, 0.8))
            start = time.monotonic()
            stream.write(json.dumps({"id": number + 1, "verb": "press",
                                     "arguments": {"name": "shutter", "wait": True}}) + "\n")
            stream.flush()
            answer = json.loads(stream.readline())
            say("vitrine", (time.monotonic() - start) * 1000)
            if "error" in answer:
                sys.exit(f"press: {answer['error']}")
            time.sleep(random.uniform(0.4, 0.8))
            print(file=floor.stdin, flush=True)
            parts = [float(part) for part in floor.stdout.readline().split()]
            say("bare calls", sum(parts))
            for part, value in zip(PARTS, parts, strict=True):
                say(f"of it {part}", value)
        floor.stdin.close()


def snapshot(url, count):
    for _ in range(100):
        try:
            urllib.request.urlopen(url, timeout=5).read()
            break
        except OSError:
            time.sleep(0.2)
    for number in range(count):
        time.sleep(random.uniform(0.4, 0.8))
        start = time.monotonic()
        with urllib.request.urlopen(url, timeout=60) as answer, open("snapshot.jpg", "wb") as file:
            picture = answer.read()
            file.write(picture)
        say("ustreamer", (time.monotonic() - start) * 1000)
        if not picture.startswith(b"\xff\xd8"):
            sys.exit("ustreamer's answer is no JPEG")
    os.remove("snapshot.jpg")


kind, where, count, *command = sys.argv[1:]
{"press": press, "snapshot": snapshot}[kind](where, int(count), *command)
