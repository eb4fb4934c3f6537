"""An agent that is killed again and again while a run's artifacts are sent: the result comes whole, once."""
import hashlib
import itertools
import os
import random
import tempfile
import time
import unittest

from harness import LONG_LEASE, Instance, main, make_project, paths_below, wait_until

FILES = 500
SEED = os.environ.get("PADDOCK_TEST_SEED", "20261")
# Files whose content is known by its argument and their name, and a line for each time that it is started.
JOB = f"""
import hashlib, os, sys
print("started", flush=True)
os.makedirs("out", exist_ok=True)
for number in range({FILES}):
    with open(f"out/{{number:03}}.bin", "wb") as out:
        out.write(hashlib.sha256(b"%s %d" % (sys.argv[1].encode(), number)).digest() * 2048)
"""


def content(name, number):
    return hashlib.sha256(b"%s %d" % (name.encode(), number)).digest() * 2048


class KilledWhileItSends(unittest.TestCase):
    def setUp(self):
        self.project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), job__py=JOB)
        self.instance = Instance()
        self.instance.env.update(LONG_LEASE)
        self.enterContext(self.instance)

    def stored(self):
        """How many blobs the controller has, also those that are on their way."""
        return sum(len(names) for _, _, names in os.walk(self.blobs))

    def reaches(self, name, part):
        """Whether so many more came before the run ended: looked at without a pause, as they come fast."""
        while True:
            until = time.monotonic() + 3
            while time.monotonic() < until:
                if self.stored() >= part:
                    return True
            if self.instance.run_object(name)["status"]["phase"] in ("Succeeded", "Failed"):
                return False

    def kill_while_it_sends(self, name):
        """How often; not at all where nobody looked before all was sent."""
        luck, before = random.Random(SEED), self.stored()
        self.instance.run("compute", self.project, f"python3 job.py {name}", "--detach", "--name", name, "--artifact-dir", "out")
        kills = 0
        for part in sorted(luck.sample(range(2, FILES - 50), 4)):
            if not self.reaches(name, before + part):
                break
            self.instance.kill("paddock-node-agent")
            kills += 1
            self.instance.run("up")
        run = self.instance.wait_phase(name, "Succeeded", "Failed")
        self.assertEqual((run["status"]["phase"], run["status"]["attempt"]), ("Succeeded", 1), run["status"])
        self.assertEqual(run["status"].get("leftOut", []), [])
        self.assertEqual(sorted(each["path"] for each in run["status"]["artifacts"]), [f"out/{number:03}.bin" for number in range(FILES)])
        self.assertEqual(self.instance.run("logs", name).stdout.count("started\n"), 1)
        with tempfile.TemporaryDirectory(prefix="paddock-artifacts-") as folder:
            self.instance.run("artifacts", name, "--output", folder)
            for number in range(FILES):
                with open(os.path.join(folder, f"out/{number:03}.bin"), "rb") as file:
                    self.assertEqual(file.read(), content(name, number), number)
        return kills

    def test_the_result_is_whole_and_the_command_ran_once(self):
        self.blobs = next(paths_below(self.instance.home, "blobs"))
        numbers = itertools.count()
        wait_until("a kill while it sends", lambda: self.kill_while_it_sends(f"sends-{next(numbers)}"))


if __name__ == "__main__":
    main()
