"""What a connection costs that only waits: little memory, and no thread of the controller's: not between two requests,
and not for a watch or an agent's held call."""
import contextlib
import json
import pathlib
import re
import select
import socket
import time
import unittest

from harness import Instance, find_file, main, wait_until

CONNECTIONS = 200
AGENTS = 50
MOST_KIB = 100  # each, with TLS and in a build without optimisation; three times that with what its first request allocated
THREADS = 64  # most of the controller's, which have nothing to do with how many connections there are
API = "/apis/paddock.dev/v1alpha1"
WORKSPACES = f"{API}/namespaces/default/workspaces"
WATCH = f"{WORKSPACES}?watch=true"


class Client:
    """One connection over TLS."""

    def __init__(self, instance):
        self.port = instance.port()
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        self.connection = instance.trust().wrap_socket(plain, server_hostname="127.0.0.1")
        self.token = instance.admin_token()
        self.unread = b""

    def send(self, method, path, body=None, token=None):
        text = "" if body is None else json.dumps(body)
        length = f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n" if text else ""
        self.connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                                f"Authorization: Bearer {token or self.token}\r\n{length}\r\n{text}".encode())

    def read_until(self, mark):
        """What comes up to this mark, with it."""
        while mark not in self.unread:
            got = self.connection.recv(65536)
            if not got:
                raise EOFError(f"the server closed: {self.unread[-2000:]}")
            self.unread += got
        end = self.unread.index(mark) + len(mark)
        out, self.unread = self.unread[:end], self.unread[end:]
        return out

    def head(self):
        """The head of the next answer, which must be no refusal."""
        head = self.read_until(b"\r\n\r\n").decode().lower()
        if " 20" not in head.splitlines()[0]:
            raise AssertionError(head + self.connection.recv(65536).decode())
        return head

    def answer(self):
        size = int(re.search(r"content-length: (\d+)", self.head())[1])
        while len(self.unread) < size:
            self.unread += self.connection.recv(65536)
        body, self.unread = self.unread[:size], self.unread[size:]
        return json.loads(body) if body[:1] == b"{" else body

    def ask(self, method, path, body=None, token=None):
        self.send(method, path, body, token)
        return self.answer()

    def watch(self):
        self.send("GET", WATCH)
        self.head()

    def close(self):
        self.connection.close()


class IdleConnections(unittest.TestCase):
    def test_what_waits_keeps_no_memory_of_its_first_request(self):
        with self.measured() as (instance, status, connect):
            before = status("RssAnon")
            for _ in range(CONNECTIONS):
                connect().watch()
            wait_until(f"{CONNECTIONS} watches to need little",
                       lambda: status("RssAnon") - before < CONNECTIONS * MOST_KIB)

    def test_what_is_idle_between_two_requests_holds_no_thread(self):
        with self.measured() as (instance, status, connect):
            before = status("RssAnon")
            idle = [connect() for _ in range(CONNECTIONS)]
            for each in idle:
                each.ask("GET", "/readyz")
            wait_until("the threads of their requests to end", lambda: status("Threads") < THREADS)
            wait_until("them to need little", lambda: status("RssAnon") - before < CONNECTIONS * MOST_KIB)
            for each in idle:
                each.ask("GET", "/readyz")

    def test_watches_hold_no_thread_and_are_all_told(self):
        with self.measured() as (instance, status, connect):
            watches = [connect() for _ in range(CONNECTIONS)]
            for each in watches:
                each.watch()
            wait_until("the threads of their requests to end", lambda: status("Threads") < THREADS)
            asks = connect()
            for name in ("first", "second"):
                asks.ask("POST", WORKSPACES, {"apiVersion": "paddock.dev/v1alpha1", "kind": "Workspace", "metadata": {"name": name}})
                for each in watches:
                    told = each.read_until(b"}}\n").decode()
                    self.assertIn('"type":"ADDED"', told)
                    self.assertIn(f'"name":"{name}"', told)
            wait_until("there to be few threads again", lambda: status("Threads") < THREADS)

    def test_held_calls_of_agents_hold_no_thread_and_are_answered(self):
        with self.measured() as (instance, status, connect):
            enroll = find_file(instance.home, "tokens/enroll").read_text().strip()
            asks = connect()
            of_a_node = asks.ask("GET", f"{API}/nodes")["items"][0]["status"]
            agents = []
            for number in range(AGENTS):
                node = f"{API}/nodes/held-{number}"
                identity = f"an agent's own secret, number {number} of them"
                token = asks.ask("POST", f"{node}/enroll", {"identity": identity}, token=enroll)["credential"]
                call = {"session": "session-1", "generation": 1, "runs": []}
                sync, lane = connect(), connect()
                lane.ask("GET", "/readyz")  # with what TLS sends before it
                version = sync.ask("POST", f"{node}/synchronize", {**call, "status": of_a_node}, token=token)["version"]
                agents.append((node, token, version, sync, lane))
            began = time.monotonic()
            for node, token, version, sync, lane in agents:
                lane.send("POST", f"{node}/calls", {"session": "session-1", "generation": 1, "lane": 0, "waitMs": 20_000}, token=token)
                sync.send("POST", f"{node}/synchronize", {**call, "knownVersion": version, "waitMs": 5000}, token=token)
            wait_until("the threads of their requests to end", lambda: status("Threads") < THREADS)
            lanes = [lane.connection for *_, lane in agents]
            answered = select.select(lanes, [], [], 0)[0]
            if time.monotonic() - began < 20:  # and no longer
                self.assertEqual(answered, [], "all of them are held")
            for _, _, version, sync, lane in agents:
                self.assertEqual(sync.answer()["version"], version)
                self.assertNotIn("call", lane.answer())

    @contextlib.contextmanager
    def measured(self):
        """An instance, what tells a number of its controller's /proc/PID/status, and what connects to it."""
        with Instance() as instance, contextlib.ExitStack() as stack:
            pid = instance.pid_of("paddock-controller")
            if "jemalloc" not in pathlib.Path(f"/proc/{pid}/maps").read_text():
                self.skipTest("this build has the allocator of a sanitizer")

            def connect():
                return stack.enter_context(contextlib.closing(Client(instance)))

            connect().ask("GET", "/readyz")
            yield (instance, lambda name: int(re.search(rf"{name}:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]),
                   connect)


if __name__ == "__main__":
    main()
