"""A full disk that controller, agent and client share: the instance comes down, up and to an end on it."""
import contextlib
import pathlib
import subprocess
import tempfile
import unittest

from harness import Instance, main, make_project, why_no_disk


def fill(disk):
    with open(disk / "filler", "ab", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 4096):
            pass


def fill_with_files(disk):
    """Until no name is left; the files that it made."""
    fillers = []
    with contextlib.suppress(OSError):
        while True:
            (disk / f"filler{len(fillers)}").touch()
            fillers.append(disk / f"filler{len(fillers)}")
    return fillers


@unittest.skipIf(why_no_disk(), why_no_disk())
class LaptopDisk(unittest.TestCase):
    """One disk for all of an instance, its client's files too, which others fill to the last byte."""

    def setUp(self):
        self.home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-it-")))
        self.instance = Instance(home=self.home)
        self.instance.env.update(PADDOCK_NODE_AGENT_MIN_FREE="1", PADDOCK_CONTROLLER_BLOBS_MIN_FREE="0")

    def disk(self, name, options="size=96m"):
        disk = self.home / name
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"{options},mode=700", "none", disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=True)
        return disk

    def assert_works(self):
        self.instance.run("compute", make_project(self.home / "project", quick__py="print(1)\n"), "python3 quick.py")

    def test_it_comes_down_and_up_on_it_and_works_again_once_there_is_room(self):
        disk = self.disk("state")
        self.enterContext(self.instance)
        fill(disk)
        down = self.instance.run("down")
        self.assertIn("is down", down.stdout + down.stderr)
        self.assertEqual(self.instance.processes(), [])
        fill(disk)
        up = self.instance.up()
        self.assertIn("disk", up.stdout + up.stderr)
        self.assertEqual(self.instance.get("runs")["items"], [])
        (disk / "filler").unlink()
        self.assert_works()

    def test_it_comes_up_after_a_crash_though_no_file_is_left(self):
        disk = self.disk("state", "size=256m,nr_inodes=3000")
        self.enterContext(self.instance)
        for program in ("paddock-controller", "paddock-node-agent"):
            self.instance.kill(program)
        fillers = fill_with_files(disk)
        self.assertRegex(self.instance.run("doctor", check=False).stdout, r"full +disk .* 0 files are left at .*DISK_FULL")
        up = self.instance.up()
        self.assertIn("df -i", up.stdout + up.stderr)
        self.assertEqual(self.instance.get("runs")["items"], [])
        for filler in fillers:
            filler.unlink()
        self.assert_works()

    def test_doctor_looks_at_the_disk_of_the_data_folder_that_up_was_told(self):
        disk = self.disk("data")
        self.addCleanup(self.instance.__exit__, None, None, None)
        self.instance.up("--data-dir", disk)
        fill(disk)
        told = self.instance.run("doctor", check=False).stdout
        self.assertRegex(told, rf"full +disk .* are left at {disk} .*DISK_FULL")
        self.assertRegex(told, rf"ok +disk .* are left at {self.home}/state")


if __name__ == "__main__":
    main()
