"""An instance that answers POST /execute on a port of its own, and how a test asks it."""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import unittest

from harness import SOURCE, Instance, ancestors, held_port, wait_until


# What a machine says of itself whose node had no processor for seconds: a caller waits no longer for it than its own callers would.
TOO_BUSY = ("NODES_BUSY", "NO_NODE", "NODE_LOST", "NO_ANSWER")


def verify(url, **variables):
    """The design's checks, as a user runs them."""
    return subprocess.run([str(SOURCE / "examples/execute/verify.sh"), url], text=True, timeout=300, capture_output=True,
                          env={"PATH": os.environ["PATH"], **variables})


def verified(url, **variables):
    """The same, once more where an answer came too late for it."""
    for _ in range(3):
        told = verify(url, **variables)
        if told.returncode == 0:
            break
        print(told.stdout, file=sys.stderr)
    return told


class Executing(unittest.TestCase):
    """One instance for all classes of a suite whose programs have the same variables, which are `settings`."""
    settings = {}
    _shared = {}  # by settings: the instance and its port

    @classmethod
    def setUpClass(cls):
        settings = tuple(sorted(cls.settings.items()))
        if settings not in Executing._shared:
            Executing._shared[settings] = cls.started()
        cls.instance, cls.port = Executing._shared[settings]
        cls.wait_healthy()

    @classmethod
    def started(cls):
        port = unittest.enterModuleContext(held_port())
        instance = Instance()
        instance.env.update(PADDOCK_CONTROLLER_EXECUTE_PORT=str(port), **cls.settings)
        return unittest.enterModuleContext(instance), port

    @classmethod
    def wait_healthy(cls):
        return wait_until("a node to take snippets",
                          lambda: (lambda got: got[1] if got[0] == 200 else None)(cls.ask("GET", "/health")))

    @classmethod
    def connect(cls, port):
        return http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    @classmethod
    def ask(cls, method, path, body=None, headers=None, port=None):
        connection = cls.connect(port or cls.port)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def post(self, code=None, **fields):
        if code is not None:
            fields["code"] = code
        return self.ask("POST", "/execute", json.dumps(fields))

    def served(self, code, fields):
        """What a node answered; nothing where none had the time, and who asks again is served."""
        status, answer = self.post(code, **fields)
        error = answer.get("error")
        if status >= 429 and isinstance(error, dict) and error.get("code") in TOO_BUSY:
            print(f"asked again after {error['code']}", file=sys.stderr)
            return None
        return status, answer

    def execute(self, code, **fields):
        status, answer = wait_until("an answer of a node", lambda: self.served(code, fields))
        self.assertEqual(status, 200, answer)
        self.assertEqual(set(answer), {"success", "stdout", "stderr", "exit_code", "execution_time_ms", "error",
                                       "validation_errors"})
        self.assertIsInstance(answer["success"], bool)
        self.assertIsInstance(answer["execution_time_ms"], int)
        return answer

    def output_of(self, code, **fields):
        answer = self.execute(code, **fields)
        self.assertTrue(answer["success"], answer)
        return answer["stdout"]

    def busy_workers(self):
        """Interpreters of this instance, and of no test beside this one, that have read their request: /dev/null is
        their standard input now."""
        mine, found = set(self.instance.processes()), []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                command = (entry / "cmdline").read_bytes()
                if b"python3" in command and b"/tmp/code.py" in command and b"paddock" not in command and \
                        os.readlink(entry / "fd/0") == "/dev/null" and mine.intersection(ancestors(int(entry.name))):
                    found.append(int(entry.name))
            except OSError:
                pass
        return found
