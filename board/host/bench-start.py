# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures how long the appliance takes after kill -9: bench-start.py PROGRAM ROUNDS yes|no (JSON).

Each round takes a photo, presses the button again and kills the appliance at once, so that there is something to
recover. It then starts the appliance without the pause that a service manager makes. Both times start at the kill. The
figure is the slowest round's time to the first frame. The run ends if a photo that was reported as saved is missing.
The exit status is 0 when the figure meets the goal.
"""
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

GOAL = 2.0
LIMIT = 60.0
POLL = 0.005
CONFIGURATION = """
[board]
kind = "simulated"
[library]
path = "library"
reserve_mb = 1
[[camera]]
id = "main"
match = { driver = "simulated" }
preset = "1280x720"
[display]
mode = "1280x720"
countdown_s = 0
review_s = 0
[[button]]
name = "shutter"
[actions]
shutter.press = "photo"
"""


class Client:
    """One connection to the control socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        try:
            self.socket.connect(path)
            self.stream = self.socket.makefile("rw")
            if not self.stream.readline():  # the greeting
                raise OSError("no greeting")
        except OSError:
            self.socket.close()
            raise

    def ask(self, verb, **arguments):
        self.stream.write(json.dumps({"id": 1, "verb": verb, "arguments": arguments}) + "\n")
        self.stream.flush()
        while True:
            answer = json.loads(self.stream.readline() or "null")
            if answer is None:
                raise OSError("the appliance has ended")
            if "error" in answer:
                sys.exit(f"{verb}: {answer['error']['message']}")
            if "result" in answer:
                return answer["result"]

    def close(self):
        self.stream.close()
        self.socket.close()


class Appliance:
    """The program, running with a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.socket = os.path.join(folder, "control.sock")
        self.log = os.path.join(folder, "log")
        self.process = None
        with open(os.path.join(folder, "vitrine.toml"), "w") as file:
            file.write(CONFIGURATION)

    def start(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [self.program, "run", "--config", os.path.join(self.folder, "vitrine.toml"),
                 "--socket", self.socket], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def until(self, condition, what):
        """Polls `condition` every 5 ms and returns its first value; ends the run at the limit or when the program
        ends."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and self.process.poll() is None:
            value = condition()
            if value is not None:
                return value
            time.sleep(POLL)
        with open(self.log) as log:
            sys.exit(f"{what} did not come\n{log.read()}")

    def connected(self):
        """Returns a client whose first question was answered, or None."""
        try:
            client = Client(self.socket)
        except OSError:
            return None
        try:
            client.ask("status")
            return client
        except OSError:
            client.close()
            return None

    def ready(self, start):
        """Returns the seconds from `start` to the first answer and to the first frame."""
        client = self.until(self.connected, "the first answer")
        answer = time.monotonic() - start
        self.until(lambda: client.ask("status")["preview"]["framesShown"] or None,
                   "the first frame")
        frame = time.monotonic() - start
        client.close()
        return answer, frame


def measure(appliance, rounds):
    """Runs the rounds and returns one dictionary per round."""
    appliance.start()
    appliance.ready(time.monotonic())
    results = []
    for number in range(rounds):
        client = Client(appliance.socket)
        photo = client.ask("capture.photo")["id"]
        client.ask("press", name="shutter")
        start = time.monotonic()
        appliance.kill()
        client.close()
        appliance.start()
        answer, frame = appliance.ready(start)
        client = Client(appliance.socket)
        client.ask("library.show", id=photo)  # ends the run if the photo is missing
        client.close()
        results.append({"round": number + 1, "answerSeconds": answer, "frameSeconds": frame})
    return results


def main():
    program, rounds, as_json = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "yes"
    with tempfile.TemporaryDirectory(prefix="vitrine-bench-") as folder:
        appliance = Appliance(program, folder)
        try:
            results = measure(appliance, rounds)
        finally:
            appliance.kill()
    rows = [("first answer", [r["answerSeconds"] for r in results]),
            ("first frame", [r["frameSeconds"] for r in results])]
    figure = max(rows[1][1])
    holds = figure <= GOAL
    if as_json:
        print(json.dumps({"name": "start", "seconds": figure, "goal": GOAL, "holds": holds,
                          "rounds": results}))
    else:
        print(f"{'':14}{'median':>9}{'min':>9}{'max':>9}   s after kill -9")
        for what, values in rows:
            print(f"{what:14}{statistics.median(values):9.3f}{min(values):9.3f}{max(values):9.3f}")
    # The verdict goes to stderr if stdout holds the JSON object.
    print(f"start: {figure:.2f} s (goal {GOAL:.1f} s): {'holds' if holds else 'falls short'}",
          file=sys.stderr if as_json else sys.stdout)
    sys.exit(0 if holds else 1)


main()
