#!/usr/bin/env python3
"""paddock-sandbox.exe under wine: what wine keeps of a Job Object is tried, what it does not is named.

wine 8 ends a job's processes with it, and keeps none of its limits. It answers the question which
limits a job has with "none": the launcher must then refuse, or say so where the policy allows that. Usage: wine_test.py FOLDER_OF_PROGRAMS. Exit status 77: no wine.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
WINE = shutil.which("wine") or "/usr/lib/wine/wine64"


def windows_path(path):
    return "Z:" + str(path).replace("/", "\\")


class Frames:
    """What is in an events file."""

    def __init__(self, data):
        self.types, self.result = [], None
        while data:
            header, rest = data.split(b"\n", 1)
            kind, _, size = header.decode().split(" ")
            payload, data = rest[:int(size)], rest[int(size) + 1:]
            self.types.append(kind)
            if kind == "result":
                self.result = json.loads(payload)


class Launch(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, arguments, limits=None, open_host=True, partial=True):
        request = {"traceId": "t", "workdir": "/workspace", "env": {"PATH": "C:\\windows\\system32", "ONLY": "this"},
                   "command": [windows_path(PROGRAMS / "job_child.exe"), *arguments],
                   "mounts": [{"hostPath": windows_path(self.folder), "sandboxPath": "/workspace", "mode": "rw"}],
                   "policy": {"limits": {"wallTime": "60s", **(limits or {})}, "allowPartial": partial}}
        (self.folder / "request").write_text(json.dumps(request))
        command = [WINE, PROGRAMS / "paddock-sandbox.exe", "run", "--request", windows_path(self.folder / "request"),
                   "--events", windows_path(self.folder / "events"), "--lock", windows_path(self.folder / "lock")]
        return subprocess.Popen(command + ["--open-host"] * open_host, stdout=subprocess.DEVNULL)

    def finish(self, process):
        self.assertEqual(process.wait(timeout=120), 0)
        frames = Frames((self.folder / "events").read_bytes())
        (self.folder / "events").unlink()
        return frames

    def run_one(self, *arguments, **options):
        return self.finish(self.start(arguments, **options))

    def heart_stands_still(self):
        beat = (self.folder / "beat").read_text()
        time.sleep(0.5)
        return (self.folder / "beat").read_text() == beat

    def assert_heart_stands_still(self):
        """The file is made before the launch ends, and grows no more after it."""
        self.assertTrue(self.heart_stands_still())

    def test_arguments_folder_environment_and_code_arrive_as_they_were(self):
        words = ["plain", "two words", "", 'q"q', "end\\", "space end\\", '\\"', "\u00e9"]
        frames = self.run_one("args", *words[:-1])
        self.assertEqual(frames.result["stdout"].split("\r\n")[:-1], [f"<{word}>" for word in words[:-1]])
        self.assertEqual(frames.types, ["started", "stdout", "result"])
        result = self.run_one("exit", "9").result
        self.assertEqual((result["status"], result["rc"]), ("FAILED", 9))
        names = {line.split("=")[0].upper() for line in self.run_one("env").result["stdout"].split("\r\n") if line}
        self.assertLessEqual({"ONLY", "PATH", "SYSTEMROOT"}, names)
        self.assertNotIn("HOME", names)

    def test_the_whole_tree_ends_with_the_command(self):  # proves partly: VLT-77
        result = self.run_one("leave", "beat").result
        self.assertEqual((result["status"], result["stdout"].strip()), ("OK", "0"))
        self.assert_heart_stands_still()

    def test_the_whole_tree_ends_when_time_is_up(self):
        for wall in ("3s", "60s"):  # longer where the machine needs it to start the tree
            result = self.run_one("tree", "beat", limits={"wallTime": wall}).result
            self.assertEqual(result["status"], "TIMEOUT")
            if (self.folder / "beat").exists():
                break
        self.assert_heart_stands_still()

    def test_the_whole_tree_ends_with_its_launcher(self):
        process = self.start(["tree", "beat"])
        while not (self.folder / "beat").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.kill()  # the kernel closes the job's last handle; wine's is a process of its own
        process.wait()
        self.assertTrue(any(self.heart_stands_still() for _ in range(360)))
        self.assertIsNone(Frames((self.folder / "events").read_bytes()).result)

    def test_nothing_breaks_away_from_the_job(self):
        self.assertEqual(self.run_one("breakaway").result["stdout"].strip(), "5")  # access denied

    def test_output_is_cut_at_the_exact_byte(self):
        self.assertFalse(self.run_one("flood", "1000", limits={"stdout": "1000"}).result["truncated"]["stdout"])
        self.assertTrue(self.run_one("flood", "1001", limits={"stdout": "1000"}).result["truncated"]["stdout"])

    def test_a_missing_program_is_told(self):
        process = self.start([])
        self.finish(process)
        request = json.loads((self.folder / "request").read_text())
        request["command"] = ["no-such-program"]
        (self.folder / "request").write_text(json.dumps(request))
        process = subprocess.Popen(process.args, stdout=subprocess.DEVNULL)
        self.assertEqual(self.finish(process).result["rc"], 127)

    def test_limits_that_this_host_forgets_are_refused_or_named(self):  # proves partly: VLT-78
        limits = {"memory": "64Mi", "pids": 8, "cpuTime": "10s"}
        result = self.run_one("exit", "0", limits=limits, partial=False).result
        if result["status"] == "OK":
            self.assertTrue(result["enforced"]["memory"]["applied"])  # a host that keeps them
            return
        self.assertEqual(result["status"], "INTERNAL_ERROR")
        self.assertIn("JOB_LIMIT_NOT_HELD", result["reason"])
        result = self.run_one("exit", "0", limits=limits).result
        self.assertEqual((result["status"], result["reason"]), ("OK", "PARTIAL_ENFORCEMENT"))
        for name in limits:
            self.assertFalse(result["enforced"][name]["applied"], name)

    def test_nothing_runs_where_the_operator_did_not_accept_an_open_host(self):
        frames = self.run_one("leave", "beat", open_host=False)
        self.assertIn("WALLS_UNAVAILABLE", frames.result["reason"])
        self.assertEqual(frames.types, ["result"])
        self.assertFalse((self.folder / "beat").exists())


if __name__ == "__main__":
    if not os.path.exists(WINE):
        print("skipped: wine is missing; install the packages wine and wine64")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as prefix:
        os.environ.update(WINEPREFIX=os.environ.get("WINEPREFIX", prefix), WINEDEBUG="-all", DISPLAY="")
        began = time.monotonic()
        subprocess.run([WINE, "wineboot", "-i"], stderr=subprocess.DEVNULL, timeout=300, check=True)
        print(f"wine: prefix made in {time.monotonic() - began:.1f} s")
        outcome = unittest.main(exit=False).result
        subprocess.run(["wineserver", "-k"], check=False)
    sys.exit(0 if outcome.wasSuccessful() else 1)
