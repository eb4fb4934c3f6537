"""A disk that is full to the last byte, on which all of an instance is: what frees something is still done, what ends is still
told, nothing that was acknowledged is lost, and all goes on by itself once there is room."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from harness import Instance, main, make_project, pids_running, send, wait_until, why_no_disk

# Ends by itself once it is told to, from outside.
WAITS = """import signal, sys
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(0))
print("started", flush=True)
while True: signal.pause()
"""
# Takes every byte that there is, also those that others give back.
FILLS = """import time
with open("all", "ab", buffering=0) as file:
    while True:
        try:
            file.write(b"x" * 65536)
        except OSError:
            try:
                file.write(b"x" * 4096)
            except OSError:
                time.sleep(0.002)
"""


@unittest.skipIf(why_no_disk(), why_no_disk())
class FullStore(unittest.TestCase):
    MIN_FREE = "0"  # of the agent: 0 is an agent that ends nobody

    def setUp(self):
        home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-it-")))
        self.disk = home / "state"
        self.disk.mkdir()
        self.mount()
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.disk], check=True)
        self.instance = Instance(home=home)
        self.instance.env.update(PADDOCK_NODE_AGENT_MIN_FREE=self.MIN_FREE, PADDOCK_CONTROLLER_BLOBS_MIN_FREE="0")
        self.enterContext(self.instance)
        self.project = make_project(home / "project", waits__py=WAITS, fills__py=FILLS, quick__py="print(1)\n")
        self.created = 0

    def mount(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512m,mode=700", "none", self.disk], check=True)

    def start(self, program, name, *options):
        mark = f"{name}-{os.getpid()}"
        self.instance.run("compute", self.project, f"python3 {program} {mark}", "--detach", "--name", name, *options)
        wait_until(f"{name} to run", lambda: pids_running(mark))
        return mark

    def create(self):
        """Runs that no node fits: they wait."""
        self.created += 1
        return self.instance.post_run(f"more-{self.created}", {"type": "command", "command": ["true", "x" * 20_000],
                                                               "nodeSelector": {"no": "node"}})

    def refused(self):
        status, answer = self.create()
        return answer if status != 201 else None

    def fill(self):
        with open(self.disk / "filler", "ab", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(b"x" * 4096):
                pass

    def end(self, mark):
        for pid in pids_running(mark):
            send(signal.SIGUSR1, pid)

    def phases(self):
        return {run["metadata"]["name"]: run["status"]["phase"] for run in self.instance.get("runs")["items"]}


class FilledByARun(FullStore):
    def test_it_is_cancelled_and_all_goes_on_while_it_races_for_each_byte(self):
        self.instance.run("compute", self.project, "python3 quick.py", "--name", "ended")
        mark = self.start("waits.py", "waits")
        self.start("fills.py", "fills")
        answer = wait_until("the store to be full", self.refused)
        self.assertIn("STORE_FULL", json.dumps(answer))
        self.assertIn("paddock cancel RUN", json.dumps(answer))
        known = set(self.phases())
        self.instance.run("delete", "runs", "ended")
        self.end(mark)
        self.instance.wait_phase("waits", "Succeeded")
        self.assertIn("STORE_FULL", json.dumps(self.create()[1]), "the disk is full all the while")
        self.instance.run("cancel", "fills")
        self.instance.wait_phase("fills", "Canceled")
        wait_until("room", lambda: not self.refused())
        self.instance.run("compute", self.project, "python3 quick.py")
        self.assertLessEqual(known - {"ended"}, set(self.phases()), "what was acknowledged is there")


class FilledByOthers(FullStore):
    def fill_all(self):
        self.fill()
        wait_until("the store to be full", self.refused)
        self.fill()

    def test_deletions_make_room_in_the_store_and_a_restart_on_the_full_disk_changes_nothing(self):
        mark = self.start("waits.py", "waits")
        self.assertIsNone(self.refused())
        self.fill_all()
        self.instance.kill("paddock-controller")
        self.fill()
        self.instance.up()
        self.fill_all()
        told = self.instance.run("doctor", check=False)
        self.assertIn("STORE_FULL", told.stdout + told.stderr, "it says what is wrong on a full disk, and ends")
        self.end(mark)
        self.instance.wait_phase("waits", "Succeeded")
        before = self.phases()
        self.instance.run("delete", "runs", *[name for name in before if name.startswith("more-")])
        self.assertEqual(self.phases(), {"waits": "Succeeded"})
        (self.disk / "filler").unlink()
        wait_until("room", lambda: not self.refused())
        self.instance.run("compute", self.project, "python3 quick.py")


class TurnedReadOnly(FullStore):
    """As ext4 does at an error of its disk: from then on each write is EROFS."""

    def mount(self):
        image = self.disk.parent / "image"
        with open(image, "wb") as file:
            file.truncate(512 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
        if subprocess.run(["mount", "-o", "loop", image, self.disk], check=False, capture_output=True).returncode != 0:
            self.skipTest("this host has no loop devices")
        os.chmod(self.disk, 0o700)

    def test_what_is_there_is_read_and_changes_are_refused_with_the_cause(self):
        for _ in range(3):
            self.assertIsNone(self.refused())
        known = self.phases()
        if subprocess.run(["mount", "-o", "remount,abort", self.disk], check=False, capture_output=True).returncode != 0:
            self.skipTest("this host's file systems cannot be made to fail")
        for _ in range(3):
            status, answer = self.create()
            self.assertEqual((status, answer["error"]["retryable"]), (503, True), answer)
            self.assertEqual(answer["error"]["code"], "STORE_IO", answer)
            self.assertEqual(self.phases(), known, "reads are served")
        self.assertIn("STORE_IO", self.instance.run("status", check=False).stdout)


if __name__ == "__main__":
    main()
