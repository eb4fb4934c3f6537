"""What an agent finds on its disk and cannot read for now: it ends nothing, removes nothing, and goes on once it can."""
import contextlib
import os
import signal
import tempfile
import unittest

from harness import Instance, find_file, main, make_project, paths_below, pids_running, send, wait_until
from session_client import SessionApi

TOLD = """import signal, sys
signal.signal(signal.SIGUSR1, lambda *_: (print("done", flush=True), sys.exit(0)))
print("started", flush=True)
while True: signal.pause()
"""


class UnreadFolders(unittest.TestCase):
    def setUp(self):
        self.instance = self.enterContext(Instance())
        self.project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), told__py=TOLD)
        self.mark = f"unread-{os.getpid()}"

    @contextlib.contextmanager
    def unreadable(self, path):
        """A link to itself stands for whatever keeps the file from being read. The agent is gone then."""
        aside = path.rename(self.instance.home / "aside")
        path.symlink_to(path)
        self.instance.kill("paddock-node-agent")
        try:
            yield
        finally:
            path.unlink()
            aside.rename(path)

    def test_a_run_goes_on_and_a_session_has_its_files(self):
        api = SessionApi(self.instance)
        self.addCleanup(api.close)
        self.assertEqual(api.create(name="s")[0], 201)
        self.assertIn(api.file("PUT", "s", "kept", b"its owner's")[0], (200, 201, 204))
        self.instance.run("compute", self.project, f"python3 told.py {self.mark}", "--detach", "--name", "told")
        wait_until("the command to start", lambda: "started" in self.instance.run("logs", "told").stdout)
        uid = self.instance.run_object("told")["metadata"]["uid"]
        journal, = paths_below(self.instance.home, f"{uid}-1/journal")
        order, = paths_below(self.instance.home, "session.json")
        with self.unreadable(journal):
            refused = self.instance.run("up", check=False)
            self.assertNotEqual(refused.returncode, 0, refused)
            self.assertIn(f"looking for the run {uid}-1", refused.stderr)
        self.instance.run("up")
        self.assertEqual(api.create(name="other")[0], 201)
        with self.unreadable(order):
            self.instance.run("up")
            status, answer = api.file("GET", "s", "kept")
            self.assertEqual(status, 503, answer)
            self.assertIn("NODE_DISK_FAILS", str(answer))
            self.assertIn(api.file("PUT", "other", "new", b"one that can be read")[0], (200, 201, 204))
            self.assertIn(order.parent.name, find_file(self.instance.home, "paddock-node-agent/latest.log").read_text())
        wait_until("it to be read", lambda: api.file("GET", "s", "kept")[0] == 200)
        self.assertEqual(self.instance.run_object("told")["status"]["phase"], "Running")
        for pid in pids_running(self.mark):
            send(signal.SIGUSR1, pid)
        run = self.instance.wait_phase("told", "Succeeded", "Failed")
        self.assertEqual((run["status"]["phase"], run["status"]["attempt"]), ("Succeeded", 1), run["status"])
        self.assertEqual(api.file("GET", "s", "kept")[1], b"its owner's")


if __name__ == "__main__":
    main()
