"""Two controllers on one PostgreSQL database: one leads, the other waits. For the suites that say what becomes of that."""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

from harness import BIN, PATIENCE_S, held_port, wait_until
from postgres_server import PROGRAMS, PostgresServer

RUNS = "/apis/paddock.dev/v1alpha1/namespaces/default/runs"
# What an operator copies to a standby (docs/operations.md).
SHARED = ["tls/ca.pem", "tls/ca-key.pem", "tokens"]
# Of every leader that is not to be lost by itself: the usual 3 s are soon over on a busy machine, which gives it no processor for so long.
LEASE = "PADDOCK_CONTROLLER_STORE_POSTGRES_LEASE"
PATIENT_LEASE = "60s"
LEASE_ENDS = "UPDATE paddock_leader SET lease_until = clock_timestamp()"


def whole_lines(log):
    """Of a program that lives: its last line may be on its way."""
    return log.read_text().rpartition("\n")[0].splitlines()


class Controller:
    def __init__(self, pair, name, port):
        self.folder, self.port, self.pair = pair.folder / name, port, pair
        self.url = f"https://127.0.0.1:{port}"
        self.store_url = pair.server.url()
        self.process = None

    def start(self):
        url = self.pair.folder / f"{self.folder.name}-store-url"
        url.touch(0o600)
        url.write_text(self.store_url + "\n")
        variables = {"DATA_DIR": str(self.folder), "PORT": str(self.port), "STORE_POSTGRES_ADVERTISED_URL": self.url,
                     "STORE_POSTGRES_URL_FILE": str(url)}
        with open(self.pair.folder / f"{self.folder.name}.log", "a") as log:
            self.process = subprocess.Popen([BIN / "paddock-controller"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={
                **self.pair.env, **{"PADDOCK_CONTROLLER_" + key: value for key, value in variables.items()}})

    def end(self, how=signal.SIGTERM):
        """Its exit status."""
        if self.process is None:
            return None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
        status, self.process = self.process.wait(PATIENCE_S), None
        return status

    def records(self):
        return [json.loads(line) for line in whole_lines(self.pair.folder / f"{self.folder.name}.log")]

    def ask(self, path, method="GET", body=None, patience=60):
        """Status, headers and text; None where nobody answers."""
        tls = ssl.create_default_context(cafile=str(self.pair.ca))
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=tls, timeout=patience)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {"Authorization": f"Bearer {self.pair.token}",
                                                                         "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def is_ready(self):
        answer = self.ask("/readyz")
        return answer is not None and answer[0] == 200

    def refuses(self):
        """The leader's URL, once it says that it does not lead."""
        answer = self.ask("/readyz")
        if answer is None or answer[0] != 503 or "NOT_LEADER" not in answer[2]:
            return None
        return answer[1]["paddock-leader"]

    def post(self, name, patience=60):
        """Whether a run was acknowledged; here twice is a conflict, which says the same."""
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Run", "metadata": {"name": name}, "spec": {"type": "code", "code": "print(1)"}}
        answer = self.ask(RUNS, "POST", body, patience)
        return answer is not None and answer[0] in (201, 409)


class Watch:
    """What a controller tells of runs, from a resource version on, until it ends."""

    def __init__(self, controller, version):
        tls = ssl.create_default_context(cafile=str(controller.pair.ca))
        self.connection = http.client.HTTPSConnection("127.0.0.1", controller.port, context=tls, timeout=60)
        self.connection.request("GET", f"{RUNS}?watch=true&resourceVersion={version}", None, {"Authorization": f"Bearer {controller.pair.token}"})
        self.socket = self.connection.sock
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        self.events = []
        self.over = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError, AttributeError):  # it is cut, or closed here
            while line := self.answer.readline():
                self.events.append(json.loads(line))
        self.over.set()

    def close(self):
        with contextlib.suppress(OSError):  # else close() would wait for the thread that reads
            self.socket.shutdown(socket.SHUT_RDWR)
        self.connection.close()

    def versions(self):
        return [int(each["object"]["metadata"]["resourceVersion"]) for each in self.events if each["type"] != "DELETED"]

    def has(self, name):
        return any(each["object"]["metadata"].get("name") == name for each in self.events)


class Stream:
    """An answer that goes on, read until it ends."""

    def __init__(self, controller, path):
        tls = ssl.create_default_context(cafile=str(controller.pair.ca))
        self.connection = http.client.HTTPSConnection("127.0.0.1", controller.port, context=tls, timeout=60)
        self.connection.request("GET", path, None, {"Authorization": f"Bearer {controller.pair.token}"})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        self.whole = None
        self.over = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            self.answer.read()
            self.whole = True
        except (OSError, http.client.HTTPException):
            self.whole = False
        self.over.set()

    def close(self):
        self.connection.close()


@unittest.skipUnless(PROGRAMS, "PostgreSQL is not installed (Debian: postgresql-15)")
class ControllerPair(unittest.TestCase):
    """The first leads from the beginning; a suite begins the second."""
    times = 1  # of in_time

    def setUp(self):
        self.server = self.enterContext(PostgresServer())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-pair-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.show)
        self.env = {"PATH": os.environ["PATH"], "PADDOCK_HOME": str(self.folder / "home"), "NO_COLOR": "1", LEASE: PATIENT_LEASE}
        self.one, self.two = (Controller(self, name, self.enterContext(held_port())) for name in ("one", "two"))
        self.ca = self.one.folder / "tls/ca.pem"
        self.begin(self.one)
        wait_until("the first to lead", lambda: self.ca.exists() and (self.one.folder / "tokens/admin").exists())
        self.token = (self.one.folder / "tokens/admin").read_text().strip()
        wait_until("the first to be ready", self.one.is_ready)
        self.share(self.two.folder)

    def show(self):
        """Of a test that failed."""
        if any(error for _, error in self._outcome.result.errors + self._outcome.result.failures):
            for log in sorted(self.folder.glob("*.log")):
                print(f"--- {log.name}\n{log.read_text(errors='replace')[-4000:]}", file=sys.stderr)

    def begin(self, controller):
        controller.start()
        self.addCleanup(controller.end, signal.SIGKILL)

    def share(self, folder):
        for name in SHARED:
            source = self.one.folder / name
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
        (folder / "blobs").symlink_to(self.one.folder / "blobs")  # as a file system that both hosts mount

    def epoch(self):
        return int(self.server.query("SELECT epoch FROM paddock_leader"))

    def lose(self, leader, how=signal.SIGKILL):
        """It is killed or stopped, and its lease runs out."""
        epoch = self.epoch()
        if how == signal.SIGKILL:
            leader.end(how)
        else:
            leader.process.send_signal(how)
        self.end_lease(epoch)

    def end_lease(self, epoch):
        """As if its time were over; also where commits wait, or sessions are not to write."""
        self.server.query(f"BEGIN READ WRITE; SET LOCAL synchronous_commit = local; {LEASE_ENDS} WHERE epoch = {epoch}; COMMIT")

    def begin_standby(self):
        self.begin(self.two)
        self.assertEqual(wait_until("the second to wait", self.two.refuses), self.one.url)
