"""The disk of an agent's data folder, as a real file system (ext4 on a loop device) fails: out of files with room for bytes, and
read-only, at once or by its own journal. Its node says why, no run is lost, and it goes on once the disk is mended."""
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from harness import Instance, main, make_project, pids_running, send, wait_until

# Has a result, and ends once it is told to.
WAITS = """import os, signal, sys
os.makedirs("out", exist_ok=True)
open("out/result.json", "w").write('{"n": 42}')
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(0))
print("started", flush=True)
while True: signal.pause()
"""


def make_disk(image, folder):
    with open(image, "wb") as file:
        file.truncate(256 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", "-N", "4096", image], check=True)
    subprocess.run(["mount", "-o", "loop", image, folder], check=True)
    os.chmod(folder, 0o700)


def why_not():
    if os.geteuid() != 0:
        return "a disk of its own needs root"
    with tempfile.TemporaryDirectory(prefix="paddock-disk-") as name:
        folder = pathlib.Path(name, "disk")
        folder.mkdir()
        try:
            make_disk(pathlib.Path(name, "image"), folder)
        except (OSError, subprocess.CalledProcessError) as error:
            return f"no ext4 on a loop device here: {error}"
        subprocess.run(["umount", folder], check=True)
    return None


WHY_NOT = why_not()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Ext4(unittest.TestCase):
    def setUp(self):
        self.project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), waits__py=WAITS,
                                    quick__py="print('done')\n")
        self.instance = Instance()
        self.instance.env["PADDOCK_NODE_AGENT_MIN_FREE"] = "1"
        self.addCleanup(self.instance.__exit__, None, None, None)
        self.mark = f"waits-{os.getpid()}"

    def up_with_a_disk_at(self, folder):
        self.disk = self.instance.home / "data" / folder
        self.disk.mkdir(parents=True)
        self.image = self.instance.home / "image"
        make_disk(self.image, self.disk)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.disk], check=True)
        self.up()

    def up(self):
        self.instance.up("--data-dir", self.instance.home / "data")

    def status(self):
        return self.instance.get("nodes")["items"][0]["status"]

    def conditions(self, reason):
        said = wait_until(reason, lambda: [c for c in self.status().get("conditions", []) if c.get("reason") == reason])
        return {c["type"]: c for c in said}

    def start(self, name, *command):
        self.instance.run("run", self.project, "--artifact-dir", "out/", "--detach", "--name", name, "--", "python3", *command)

    def start_one_that_waits(self):
        self.start("held", "waits.py", self.mark)
        wait_until("the command to start", lambda: "started" in self.instance.run("logs", "held", check=False).stdout)

    def let_it_end(self):
        for pid in pids_running(self.mark):
            send(signal.SIGUSR1, pid)

    def start_one_that_has_to_wait(self, words):
        self.start("later", "quick.py")
        wait_until("a reason", lambda: words in self.instance.run_object("later")["status"].get("message", ""))
        self.assertEqual(self.instance.run_object("later")["status"]["phase"], "Pending")

    def assert_succeeds(self, name):
        self.assertEqual(self.instance.wait_phase(name, "Succeeded", "Failed")["status"]["phase"], "Succeeded")

    def assert_well(self):
        wait_until("the node to be as before", lambda: [c["type"] for c in self.status()["conditions"]] == ["Ready"])

    def test_out_of_files_with_room_for_bytes(self):
        self.up_with_a_disk_at("agent")
        self.start_one_that_waits()
        hoard = self.disk / "hoard"
        hoard.mkdir()
        with self.assertRaises(OSError):
            for number in range(10_000):
                (hoard / str(number)).touch()
        room = os.statvfs(self.disk)
        self.assertEqual((room.f_favail, room.f_bavail * room.f_frsize > 100 << 20), (0, True))
        said = self.conditions("NODE_DISK_FULL")
        self.assertEqual([(c, said[c]["status"]) for c in sorted(said)], [("DiskPressure", "True"), ("Ready", "False")])
        self.assertIn("files", said["DiskPressure"]["message"])
        self.start_one_that_has_to_wait("disk")
        self.assertEqual(self.instance.run_object("held")["status"]["phase"], "Running")
        self.let_it_end()
        for path in hoard.iterdir():
            path.unlink()
        self.assert_succeeds("held")
        self.assert_succeeds("later")
        self.assert_well()

    def test_read_only_where_runs_begin(self):
        self.up_with_a_disk_at("agent/runs")
        subprocess.run(["mount", "-o", "remount,ro", self.disk], check=True)
        self.start_one_that_has_to_wait("is read-only")
        wait_until("the node to rest", lambda: "Resting" in self.instance.run("get", "nodes").stdout)
        subprocess.run(["mount", "-o", "remount,rw", self.disk], check=True)
        self.assert_succeeds("later")
        wait_until("the node to be as before", lambda: "Resting" not in self.instance.run("get", "nodes").stdout)
        self.assert_well()

    def test_read_only_by_its_own_journal_under_a_run(self):
        self.up_with_a_disk_at("agent")
        self.start_one_that_waits()
        if subprocess.run(["mount", "-o", "remount,abort", self.disk], check=False, capture_output=True).returncode != 0:
            self.skipTest("this host's ext4 cannot be made to fail")
        said = self.conditions("NODE_DISK_READ_ONLY")
        self.assertEqual((said["HostFault"]["status"], said["Ready"]["status"]), ("True", "False"))
        self.start_one_that_has_to_wait("faulty host")
        self.let_it_end()
        # Its result could not be kept anywhere; but why is known.
        held = self.instance.wait_phase("held", "Succeeded", "Failed")["status"]
        self.assertEqual((held["phase"], held["reason"], held["attempt"]), ("Failed", "NODE_DISK_READ_ONLY", 1))
        self.mend()
        self.assert_succeeds("later")
        self.assert_well()

    def mend(self):
        """As its operator does: everything of the node's host is stopped, which uses the disk; the controller is elsewhere."""
        for pid in set(self.instance.processes()) - {self.instance.pid_of("paddock-controller")}:
            send(signal.SIGKILL, pid)
        wait_until("nobody to use it", lambda: subprocess.run(["umount", self.disk], check=False, capture_output=True).returncode == 0)
        checked = subprocess.run(["e2fsck", "-f", "-y", self.image], check=False, capture_output=True, text=True)
        self.assertLess(checked.returncode, 4, checked.stdout)
        subprocess.run(["mount", "-o", "loop", self.image, self.disk], check=True)
        self.up()


if __name__ == "__main__":
    main()
