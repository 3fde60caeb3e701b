# SPDX-License-Identifier: GPL-3.0-or-later
"""An HTTP proxy that lies: it damages, cuts and denies what passes, as networks and servers do."""
import http.client
import http.server
import random
import socket
import struct
import threading
import time

FAULTS = ["flip", "truncate", "late-500", "etag", "reset", "captive"]
# Of answers: half of the body, a flipped bit in it, a byte a second, a reset, another ETag, a page of a login.
ANSWER_FAULTS = ["cut", "damage", "slow", "reset", "etag", "captive"]
# Of parts: half of it and then silence, the part before it, and everything.
PART_FAULTS = ["stall", "wrong-part", "whole"]


class FaultProxy:
    """Forwards requests to a server on this machine, and spoils the share `rate` of them by one of `faults`."""

    def __init__(self, upstream, faults=FAULTS, rate=0.3, seed=1):
        self.upstream, self.faults, self.rate = upstream, list(faults), rate
        self.counts = {fault: 0 for fault in faults}
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        # While it is clear, requests wait.
        self.passing = threading.Event()
        self.passing.set()
        self.held = 0
        self.ending = threading.Event()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def handle_request(self):
                proxy.pass_on(self)

        for method in ["GET", "HEAD", "PUT", "DELETE", "MKCOL", "PROPFIND", "OPTIONS", "MOVE", "COPY", "POST"]:
            setattr(Handler, f"do_{method}", Handler.handle_request)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.passing.set()
        self.ending.set()
        self.server.shutdown()
        self.server.server_close()

    def choose(self, method):
        """Returns the fault of a request; None for none. What spoils a body needs a request with one."""
        with self.lock:
            if self.random.random() >= self.rate or not self.faults:
                return None
            fault = self.random.choice(self.faults)
            if fault in ("flip", "truncate", "late-500") and method != "PUT":
                return None
            self.counts[fault] += 1
            return fault

    def pass_on(self, handler):
        body = self.body_of(handler)
        self.held += not self.passing.is_set()
        self.passing.wait()
        fault = self.choose(handler.command)
        if fault == "reset":
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
            handler.close_connection = True
            return
        if fault == "captive":
            return self.answer(handler, 200, [("Content-Type", "text/html")], b"<html>Please log in.</html>")
        if fault == "flip" and body:
            place = self.random.randrange(len(body))
            body = body[:place] + bytes([body[place] ^ 1]) + body[place + 1:]
        if fault == "truncate":
            body = body[:len(body) // 2]
        status, headers, content = self.ask(handler, body)
        if fault == "late-500":
            status, headers, content = 500, [], b"later"
        if fault == "etag":
            headers = [(name, '"0123456789abcdef0123456789abcdef"' if name.lower() == "etag" else value)
                       for name, value in headers]
        if fault == "damage" and content:
            place = self.random.randrange(len(content))
            content = content[:place] + bytes([content[place] ^ 1]) + content[place + 1:]
        if fault == "wrong-part":
            headers = [(name, value.replace("bytes ", "bytes 1") if name == "Content-Range" else value)
                       for name, value in headers]
        if fault == "whole" and status == 206:
            status, headers = 200, [one for one in headers if one[0] != "Content-Range"]
        self.answer(handler, status, headers, content, fault)

    @staticmethod
    def body_of(handler):
        if handler.headers.get("Expect", "").lower() == "100-continue":
            handler.send_response_only(100)
            handler.end_headers()
        if handler.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        body = b""
        while size := int(handler.rfile.readline().split(b";")[0], 16):
            body += handler.rfile.read(size)
            handler.rfile.readline()
        handler.rfile.readline()
        return body

    def ask(self, handler, body):
        headers = {name: value for name, value in handler.headers.items()
                   if name.lower() not in ("transfer-encoding", "content-length", "expect", "connection")}
        if "Destination" in headers:
            headers["Destination"] = headers["Destination"].replace(f":{self.port}/", f":{self.upstream}/")
        connection = http.client.HTTPConnection("127.0.0.1", self.upstream, timeout=60)
        try:
            if body or handler.command in ("PUT", "POST"):
                headers["Content-Length"] = str(len(body))
            connection.request(handler.command, handler.path, body=body or None, headers=headers)
            answer = connection.getresponse()
            content = answer.read()
            kept = [(name, value) for name, value in answer.getheaders()
                    if name.lower() not in ("transfer-encoding", "connection", "content-length")]
            if handler.command == "HEAD" and answer.getheader("Content-Length"):
                kept.append(("Content-Length", answer.getheader("Content-Length")))
            return answer.status, kept, content
        finally:
            connection.close()

    def answer(self, handler, status, headers, content, fault=None):
        try:
            handler.send_response_only(status)
            for name, value in headers:
                handler.send_header(name, value)
            if handler.command != "HEAD" and status not in (204, 304):
                handler.send_header("Content-Length", str(len(content)))
            handler.end_headers()
            if handler.command == "HEAD":
                return
            if fault == "cut":
                content = content[:len(content) // 2]
                handler.close_connection = True
            if fault == "stall":
                handler.wfile.write(content[:len(content) // 2])
                handler.wfile.flush()
                self.ending.wait()
                return
            if fault == "slow":
                for byte in content:
                    handler.wfile.write(bytes([byte]))
                    handler.wfile.flush()
                    time.sleep(1)
                return
            handler.wfile.write(content)
            handler.wfile.flush()
        except OSError:
            handler.close_connection = True
