"""Clients that speak the protocol of `kubectl exec` by themselves, and badly: into a run that runs."""
import base64
import contextlib
import hashlib
import json
import pathlib
import re
import socket
import ssl
import struct
import urllib.parse

from exec_runs import ExecTest, sleepers
from harness import PATIENCE_S, find_file, main, pids_running, wait_until

KEY = base64.b64encode(b"0123456789abcdef").decode()
BINARY, TEXT, CLOSE, PING, PONG = 2, 1, 8, 9, 10


class Peer:
    """A client's raw socket, frame by frame."""

    def __init__(self, test, path, *headers, protocol="v5.channel.k8s.io", method="GET"):
        port = test.instance.port()
        self.socket = test.instance.trust().wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S), server_hostname="127.0.0.1")
        test.addCleanup(self.socket.close)
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Authorization: Bearer {test.admin()}", *headers]
        if protocol:
            lines += ["Connection: keep-alive, Upgrade", "Upgrade: WebSocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {KEY}",
                      f"Sec-WebSocket-Protocol: {protocol}"]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        self.head = head.decode()

    def fill(self):
        more = self.socket.recv(65536)
        if not more:
            raise EOFError(self.buffer)
        self.buffer += more

    def take(self, count):
        while len(self.buffer) < count:
            self.fill()
        out, self.buffer = self.buffer[:count], self.buffer[count:]
        return out

    def body(self):
        return json.loads(self.take(int(re.search(r"(?i)content-length: (\d+)", self.head)[1])))

    @staticmethod
    def framed(opcode, payload=b"", final=True, masked=True, length=None):
        size = len(payload) if length is None else length
        first = bytes([(0x80 if final else 0) | opcode])
        mark = 0x80 if masked else 0
        if size < 126:
            first += bytes([mark | size])
        else:
            first += bytes([mark | 127]) + struct.pack(">Q", size)
        mask = b"\x11\x22\x33\x44"
        return first + (mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)) if masked else payload)

    def send(self, opcode, payload=b"", **kwargs):
        self.socket.sendall(self.framed(opcode, payload, **kwargs))

    def frame(self):
        first, second = self.take(2)
        size = second & 0x7f
        if size >= 126:
            size = int.from_bytes(self.take(2 if size == 126 else 8), "big")
        return first & 0x0f, self.take(size)

    def next_but_pings(self):
        """The server asks every 20 s whether we live."""
        while (found := self.frame())[0] == PING:
            pass
        return found

    def message(self, *channels):
        """The next one of these channels; pings are answered."""
        while True:
            opcode, payload = self.frame()
            if opcode == CLOSE:
                raise EOFError(payload)
            if opcode == BINARY and payload[0] in channels:
                return payload[1:]

    def close_code(self):
        """With which the server closes, whatever it says before that."""
        while True:
            opcode, payload = self.frame()
            if opcode == CLOSE:
                return int.from_bytes(payload[:2], "big")


class Strangers(ExecTest):
    def path(self, run, *command, **query):
        words = [("command", word) for word in command] + list({"stdout": "true", "stderr": "true", **query}.items())
        return f"/api/v1/namespaces/default/pods/{run}/exec?" + urllib.parse.urlencode(words)

    def metrics_of(self, route):
        connection = self.connect()
        self.addCleanup(connection.close)
        connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {self.admin()}"})
        return "\n".join(line for line in connection.getresponse().read().decode().splitlines() if f'{route}"' in line)

    def test_bad_requests_are_answered_by_http(self):
        self.begin("asked")
        good = self.path("asked", "id")
        for path, protocol, method, status, code in (
                (good, None, "GET", 400, "HEADER_INVALID"), (good, "v3.channel.k8s.io", "GET", 400, "HEADER_INVALID"),
                (good, None, "POST", 400, "HEADER_INVALID"), (self.path("asked"), "v5.channel.k8s.io", "GET", 400, "PARAMETER_INVALID"),
                (self.path("asked", "id", container="other"), "v5.channel.k8s.io", "GET", 400, "PARAMETER_INVALID"),
                (self.path("asked", "id", stdout="false", stderr="false"), "v5.channel.k8s.io", "GET", 400, "PARAMETER_INVALID"),
                (self.path("none", "id"), "v5.channel.k8s.io", "GET", 404, "RUN_NOT_FOUND")):
            with self.subTest(path=path, protocol=protocol, method=method):
                peer = Peer(self, path, protocol=protocol, method=method)
                self.assertEqual(peer.status, status, peer.head)
                body = peer.body()
                self.assertEqual(body["kind"], "Status")
                self.assertIn(code, json.dumps(body))
        self.assertEqual(Peer(self, good, "Origin: https://evil.example").status, 403)
        for other in ("/api/v1/namespaces/default/pods", "/healthz"):
            self.assertNotEqual(Peer(self, other).status, 101)
        self.assertEqual(Peer(self, good, protocol="v5.channel.k8s.io", method="HEAD").status, 400)
        told = self.metrics_of("/exec")
        self.assertIn('class="4xx"', told)
        self.assertNotIn('class="1xx"', told, "nothing was upgraded")
        self.assertEqual(self.events(self.end("asked"))[0]["type"], "command.start")  # of `touch go`: nothing else began

    def test_both_protocols_and_slow_frames(self):
        self.begin("slow")
        for protocol in ("v5.channel.k8s.io", "v4.channel.k8s.io"):
            peer = Peer(self, self.path("slow", "cat", stdin="true"), protocol=protocol)
            self.assertEqual(peer.status, 101, peer.head)
            self.assertIn(protocol, peer.head)
            accept = base64.b64encode(hashlib.sha1((KEY + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
            self.assertIn(accept, peer.head)
            for byte in Peer.framed(BINARY, b"\x00slow\n"):
                peer.socket.sendall(bytes([byte]))
            self.assertEqual(peer.message(1), b"slow\n")
            peer.send(BINARY, b"\x00in ", final=False)
            peer.send(PING, b"are you there")
            peer.send(0, b"parts\n")
            self.assertEqual(peer.next_but_pings(), (PONG, b"are you there"))
            self.assertEqual(peer.message(1), b"in parts\n")
            peer.send(BINARY, b"\xff\x00")
            self.assertEqual(json.loads(peer.message(3)), {"metadata": {}, "status": "Success"})
            self.assertEqual(peer.close_code(), 1000)
        self.end("slow")

    def test_what_no_client_may_send_closes_and_ends_the_command(self):
        self.begin("hostile")
        cases = {
            "unmasked": (Peer.framed(BINARY, b"\x00x", masked=False), 1002),
            "a control frame in parts": (Peer.framed(PING, b"x", final=False), 0),  # a close without a code
            "a control frame that is long": (Peer.framed(PING, b"x" * 200), 0),
            "a huge message": (Peer.framed(BINARY, b"\x00", length=1 << 40), 1009),
            "a length with its first bit": (Peer.framed(BINARY, b"\x00", length=(1 << 63) + 5), 0),
            "a huge message in parts": (Peer.framed(BINARY, b"\x00" * 700_000, final=False) + Peer.framed(0, b"\x00" * 700_000), 1009),
            "text that names no channel": (Peer.framed(TEXT, b"hello"), 1008),
            "an unknown opcode": (Peer.framed(3, b"hello"), 1002),
            "a channel that is not its own": (Peer.framed(BINARY, b"\x01x"), 1008),
            "a size without a terminal": (Peer.framed(BINARY, b'\x04{"Width":1,"Height":1}'), 1008),
        }
        for name, (frames, code) in cases.items():
            with self.subTest(name):
                peer = Peer(self, self.path("hostile", "sh", "-c", "echo up; exec sleep 48175", stdin="true"))
                self.assertEqual(peer.message(1), b"up\n")
                with contextlib.suppress(OSError):
                    peer.socket.sendall(frames)
                self.assertEqual(peer.close_code(), code)
                wait_until("the command to be gone", lambda: not sleepers(48175), 55)  # and not by its silence, of a minute
        peer = Peer(self, self.path("hostile", "sh", "-c", "echo up; exec sleep 48176", stdin="true"))
        self.assertEqual(peer.message(1), b"up\n")
        socket.socket.shutdown(peer.socket, socket.SHUT_WR)  # half of it is closed
        wait_until("the command to be gone", lambda: not sleepers(48176))
        self.end("hostile")

    def test_who_does_not_read_and_who_sends_without_end_fill_nothing(self):
        self.begin("full")
        controller = find_file(self.instance.home, "controller.json")
        pid = json.loads(controller.read_text())["pid"]

        def resident():
            return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) << 10
        deaf = Peer(self, self.path("full", "sh", "-c", "yes | head -c 3000000; exec sleep 48177", tty="true", stdin="true"))
        before = resident()
        long = Peer(self, self.path("full", "sh", "-c", "head -c 300000000 /dev/zero; exec sleep 48179"))
        sender = Peer(self, self.path("full", "sh", "-c", "echo up; exec sleep 48178", stdin="true"))
        self.assertEqual(sender.message(1), b"up\n")
        sender.socket.setblocking(False)
        sent, piece = 0, Peer.framed(BINARY, b"\x00" + b"y" * 32768)
        with contextlib.suppress(ssl.SSLWantWriteError, BlockingIOError):
            while sent < 64 << 20:
                sent += sender.socket.send(piece)
        self.assertLess(sent, 64 << 20)
        self.assertLess(resident() - before, 48 << 20)
        for peer in (deaf, long, sender):
            peer.socket.close()
        wait_until("all to be gone", lambda: not any(map(sleepers, (48177, 48178, 48179))) and not pids_running("300000000"))
        self.end("full")


if __name__ == "__main__":
    main()
