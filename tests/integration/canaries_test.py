"""A node on which a canary fails takes no run, says why, and takes it once its launcher is sound."""
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import harness
from harness import BIN, Instance, main, make_project, put_programs, wait_until

# Stands in for the launcher: everything is the real one's, but for what a canary came to.
WEAK = """#!/usr/bin/env python3
import json, os, subprocess, sys
real = os.path.abspath(__file__) + ".real"
if sys.argv[1:] != ["probe"]:
    os.execv(real, [real, *sys.argv[1:]])
proof = json.loads(subprocess.check_output([real, "probe"]))
for canary in proof["canaries"]:
    if canary["name"] in {failed}:
        canary.update(passed=False, got="succeeded", level="none", remedy="the line that helps")
print(json.dumps(proof))
"""


class FailedCanary(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-weak-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o755)
        put_programs(self.folder / "bin")
        self.launcher = self.folder / "bin/paddock-sandbox"
        self.launcher.rename(self.folder / "bin/paddock-sandbox.real")
        self.addCleanup(setattr, harness, "BIN", BIN)
        harness.BIN = self.folder / "bin"
        self.project = make_project(self.folder / "project", job__py="print('ran')\n")

    def weaken(self, *names):
        """Replaces the launcher in one step, as an upgrade does."""
        fresh = self.folder / "bin/fresh"
        fresh.write_text(WEAK.replace("{failed}", repr(list(names))))
        fresh.chmod(0o755)
        fresh.rename(self.launcher)

    def wait_reason(self, instance, words):
        """The run `held`, once it says so; a node that was not heard of yet is another reason."""
        return wait_until(f"the reason \"{words}\"", lambda: (lambda run: run if words in run["status"].get("message", "") else None)(
            instance.run_object("held")))

    # proves: VLT-18
    def test_a_run_waits_until_isolation_is_proven(self):
        self.weaken("connect")
        with Instance() as instance:
            node = instance.get("nodes")["items"][0]
            canaries = {each["name"]: each for each in node["status"]["canaries"]}
            self.assertGreater(len(canaries), 30)
            self.assertFalse(canaries["connect"]["passed"])
            self.assertTrue(canaries["mount"]["passed"])
            for canary in canaries.values():
                self.assertLessEqual({"attempt", "expected", "got", "level", "capability"}, set(canary))
            self.assertIn("the line that helps", instance.run("describe", "node", node["metadata"]["name"]).stdout)

            doctor = instance.run("doctor", check=False)
            self.assertEqual(doctor.returncode, 1)
            self.assertIn("fix: the line that helps", doctor.stdout)

            instance.run("compute", str(self.project), "python3 job.py", "--detach", "--name", "held")
            waiting = self.wait_reason(instance, "1 failed the canaries of its isolation")
            self.assertEqual(waiting["status"]["phase"], "Pending")
            self.assertIn("paddock doctor", waiting["status"]["message"])

            self.weaken()  # an upgrade, with the agent running
            done = instance.wait_phase("held", "Succeeded", "Failed")
            self.assertEqual(done["status"]["phase"], "Succeeded", done["status"])

    def test_a_limit_that_is_not_proven_keeps_away_only_who_needs_it(self):
        self.weaken("memory")
        with Instance() as instance:
            self.assertEqual(instance.run("doctor").returncode, 0)
            instance.run("compute", str(self.project), "python3 job.py", "--detach", "--name", "held")
            self.wait_reason(instance, "failed the canary of the limit memory")


class KilledProbe(unittest.TestCase):
    def test_its_folder_is_removed_by_a_later_one_and_no_other_is(self):
        with tempfile.TemporaryDirectory(prefix="paddock-doctor-") as place:
            folders = {name: pathlib.Path(place) / f"paddock-canary-{name}" for name in ("dead", "alive", "young")}
            for folder in folders.values():
                (folder / "shown").mkdir(parents=True)
            for name in ("dead", "alive"):
                os.utime(folders[name], (0, 0))
            held = os.open(folders["alive"], os.O_RDONLY)
            fcntl.flock(held, fcntl.LOCK_EX)
            subprocess.run([BIN / "paddock-sandbox", "probe"], env={"TMPDIR": place}, check=True,
                           stdout=subprocess.DEVNULL)
            os.close(held)
            self.assertEqual(sorted(os.listdir(place)), ["paddock-canary-alive", "paddock-canary-young"])


class Doctor(unittest.TestCase):
    # proves: VLT-101
    def test_prints_every_canary_with_what_was_expected_and_what_came(self):
        with tempfile.TemporaryDirectory(prefix="paddock-doctor-") as home:
            instance = Instance(home=home)
            table = instance.run("doctor").stdout
            for column in ("CANARY", "ATTEMPT", "EXPECTED", "GOT", "LEVEL"):
                self.assertIn(column, table)
            self.assertIn("connect to a listener of the host on 127.0.0.1", table)
            document = json.loads(instance.run("doctor", "-o", "json").stdout)
            for canary in document["sandbox"]["canaries"]:
                self.assertLessEqual({"name", "attempt", "expected", "got", "level", "passed"}, set(canary))
                if canary["capability"] != "landlock":
                    self.assertTrue(canary["passed"], canary)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to show the launcher in /usr/bin")
    def test_a_launcher_among_the_systems_programs_tries_them_all(self):
        """As its package installs it; here /usr/bin has our programs above it, for this one process."""
        over = f"mount -t overlay overlay -o lowerdir={BIN}:/usr/bin /usr/bin || exit 77; exec /usr/bin/paddock-sandbox probe"
        done = subprocess.run(["unshare", "--mount", "sh", "-c", over], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode == 77:
            self.skipTest(f"this kernel puts nothing above /usr/bin: {done.stderr.strip()}")
        installed = {each["name"]: each["got"] for each in json.loads(done.stdout)["canaries"]}
        built = json.loads(subprocess.check_output([BIN / "paddock-sandbox", "probe"]))["canaries"]
        self.assertEqual([name for name, got in installed.items() if got.startswith("not tried")], [])
        self.assertEqual(set(installed), {each["name"] for each in built})


if __name__ == "__main__":
    main()
