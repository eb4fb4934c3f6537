"""What an agent finds on its disk and cannot read for now: it ends nothing, removes nothing, and goes on once it can."""
import os
import signal
import tempfile
import unittest

from harness import Instance, main, make_project, paths_below, pids_running, wait_until
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

    def assert_waits_for(self, path, name):
        """A link to itself stands for whatever keeps the file from being read."""
        aside = path.rename(self.instance.home / "aside")
        path.symlink_to(path)
        self.instance.kill("paddock-node-agent")
        refused = self.instance.run("up", check=False)
        self.assertNotEqual(refused.returncode, 0, refused)
        self.assertIn(name, refused.stderr)
        path.unlink()
        aside.rename(path)
        self.instance.run("up")

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
        self.assert_waits_for(journal, f"looking for the run {uid}-1")
        self.assert_waits_for(order, f"looking for the session {order.parent.name}")
        self.assertEqual(self.instance.run_object("told")["status"]["phase"], "Running")
        for pid in pids_running(self.mark):
            os.kill(pid, signal.SIGUSR1)
        run = self.instance.wait_phase("told", "Succeeded", "Failed")
        self.assertEqual((run["status"]["phase"], run["status"]["attempt"]), ("Succeeded", 1), run["status"])
        self.assertEqual(api.file("GET", "s", "kept")[1], b"its owner's")


if __name__ == "__main__":
    main()
