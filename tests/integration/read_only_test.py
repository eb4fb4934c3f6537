"""Disks that are read-only for a while: what needs them waits, says why, and goes on by itself once they can be written again."""
import os
import signal
import subprocess
import tempfile
import unittest

from harness import Instance, contents_below, main, make_project, pids_running, send, wait_until

# Has a result, and ends once it is told to.
TOLD = """import os, signal, sys
os.makedirs("out", exist_ok=True)
open("out/result.json", "w").write('{"n": 42}')
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(0))
print("started", flush=True)
while True: signal.pause()
"""


def why_not():
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"], check=False,
                                           capture_output=True).returncode != 0:
        return "a disk of its own needs root and mounts"
    return None


@unittest.skipIf(why_not(), why_not())
class ReadOnlyForAWhile(unittest.TestCase):
    def setUp(self):
        self.project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), told__py=TOLD,
                                    quick__py="print('done')\n")
        self.instance = Instance()
        self.data = self.instance.home / "data"
        self.addCleanup(self.instance.__exit__, None, None, None)

    def up_with_a_disk_at(self, folder):
        disk = self.data / folder
        disk.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4g,mode=700", "none", disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=True)
        self.instance.up("--data-dir", self.data)
        return disk

    def remount(self, disk, how):
        subprocess.run(["mount", "-o", f"remount,{how}", disk], check=True)

    def lines(self, *words):
        text = b"".join(text for path, text in contents_below(self.instance.home, within="paddock-controller", ending="latest.log"))
        return [line for line in text.decode(errors="replace").splitlines() if all(word in line for word in words)]

    def test_a_run_loses_no_file_while_its_controller_cannot_store_it(self):
        disk = self.up_with_a_disk_at("controller/blobs")
        mark = f"told-{os.getpid()}"
        self.instance.run("run", self.project, "--artifact-dir", "out/", "--detach", "--name", "held", "--", "python3", "told.py", mark)
        wait_until("the command to start", lambda: "started" in self.instance.run("logs", "held").stdout)
        self.remount(disk, "ro")
        for pid in pids_running(mark):
            send(signal.SIGUSR1, pid)
        refused = wait_until("some tries to send its file", lambda: (lambda tries: tries if len(tries) > 2 else None)(
            self.lines('"PUT"', "/artifacts/", '"status":"503"')))
        self.assertIn("STORE_IO", refused[0])
        self.assertEqual(self.instance.run_object("held")["status"]["phase"], "Running")
        self.assertEqual(self.instance.run("get", "runs").returncode, 0)
        self.remount(disk, "rw")
        self.instance.wait_phase("held", "Succeeded", "Failed")
        self.assertEqual(self.instance.run_object("held")["status"]["phase"], "Succeeded")
        self.instance.run("artifacts", "held", "--output", self.instance.home / "got")
        self.assertEqual((self.instance.home / "got" / "out" / "result.json").read_text(), '{"n": 42}')

    def test_a_run_loses_no_file_while_the_storage_of_its_controller_is_gone(self):
        self.instance.up("--data-dir", self.data)
        folder = self.data / "controller/blobs"
        mark = f"gone-{os.getpid()}"
        self.instance.run("run", self.project, "--artifact-dir", "out/", "--detach", "--name", "held", "--", "python3", "told.py", mark)
        wait_until("the command to start", lambda: "started" in self.instance.run("logs", "held").stdout)
        folder.rename(self.data / "elsewhere")
        for pid in pids_running(mark):
            send(signal.SIGUSR1, pid)
        refused = wait_until("some tries to send its file", lambda: (lambda tries: tries if len(tries) > 2 else None)(
            self.lines('"PUT"', "/artifacts/", '"status":"503"')))
        self.assertIn("STORE_IO", refused[0])
        self.assertEqual(self.instance.run_object("held")["status"]["phase"], "Running")
        (self.data / "elsewhere").rename(folder)
        self.instance.wait_phase("held", "Succeeded", "Failed")
        self.assertEqual(self.instance.run_object("held")["status"]["phase"], "Succeeded")
        self.instance.run("artifacts", "held", "--output", self.instance.home / "got")
        self.assertEqual((self.instance.home / "got" / "out" / "result.json").read_text(), '{"n": 42}')

    def test_a_node_that_could_begin_nothing_begins_what_waits(self):
        disk = self.up_with_a_disk_at("agent/runs")
        self.remount(disk, "ro")
        self.instance.run("run", self.project, "--detach", "--name", "waits", "--", "python3", "quick.py")
        wait_until("the reason", lambda: "is read-only" in self.instance.run_object("waits")["status"].get("message", ""))
        wait_until("the node to rest", lambda: "Resting" in self.instance.run("get", "nodes").stdout)
        self.remount(disk, "rw")
        self.instance.wait_phase("waits", "Succeeded", "Failed")
        self.assertEqual(self.instance.run_object("waits")["status"]["phase"], "Succeeded")
        wait_until("the node to be as before", lambda: "Resting" not in self.instance.run("get", "nodes").stdout)


if __name__ == "__main__":
    main()
