"""A node whose disk has less room than its operator wants: it says so by name and gets no runs until there is room."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from harness import Instance, find_file, held_port, main, make_project, wait_until


class FullDisk(unittest.TestCase):
    def setUp(self):
        self.instance = Instance()
        self.instance.env["PADDOCK_NODE_AGENT_MIN_FREE"] = "1000Ti"  # which no disk has
        self.port = self.enterContext(held_port())
        self.instance.env["PADDOCK_CONTROLLER_EXECUTE_PORT"] = str(self.port)
        self.enterContext(self.instance)

    def status(self):
        return self.instance.get("nodes")["items"][0]["status"]

    def execute(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        with contextlib.closing(connection):
            connection.request("POST", "/execute", '{"code": "print(1)"}')
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def test_it_says_so_and_a_run_waits_until_there_is_room(self):
        said = wait_until("the node to say so", lambda: self.status().get("conditions"))
        self.assertEqual([(c["type"], c["status"], c["reason"]) for c in said], [("DiskPressure", "True", "NODE_DISK_FULL")])
        self.assertTrue(self.status()["ready"])
        self.assertIn("DiskFull", self.instance.run("get", "nodes").stdout)
        project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), job__py="print(1)\n")
        self.instance.run("compute", project, "python3 job.py", "--detach", "--name", "waits")
        wait_until("a reason", lambda: "has a full disk" in self.instance.run_object("waits")["status"].get("message", ""))
        answer = wait_until("no node to take snippets", lambda: (lambda got: got[1] if got[0] == 503 else None)(self.execute()))
        self.assertEqual(answer["error"]["code"], "NO_NODE")
        self.assertIn("have a full disk", answer["error"]["message"])
        self.instance.kill("paddock-node-agent")
        self.instance.env["PADDOCK_NODE_AGENT_MIN_FREE"] = "1"
        self.instance.up()
        self.instance.wait_phase("waits", "Succeeded")
        self.assertNotIn("conditions", self.status())
        wait_until("snippets to be taken again", lambda: self.execute()[0] == 200)


# Says its first line, waits until nothing more can be written beside it, and then says more than waits for room.
PRINTER = """import os, sys, time
print("ready", flush=True)
def room():
    try:
        with open("probe", "ab", buffering=0) as file:  # what it takes it keeps
            return file.write(b"x" * 4096) == 4096
    except OSError:
        return False
while room():
    time.sleep(0.05)
for i in range(64):
    sys.stdout.write("#" * 32768)
    sys.stdout.flush()
sys.exit(int(sys.argv[1]))
"""


def why_no_disk():
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode != 0:
        return "a disk of its own needs root and mounts"
    return None


@unittest.skipIf(why_no_disk(), why_no_disk())
class DiskFilledWhileARunPrints(unittest.TestCase):
    """The data folder of the agent alone is on a small disk, which others fill."""

    def setUp(self):
        self.home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-it-")))
        self.instance = Instance(home=self.home)
        self.instance.env["PADDOCK_NODE_AGENT_MIN_FREE"] = "1"
        self.disk = self.home / "state/instances/test/agent"
        self.disk.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,mode=700", "none", self.disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.disk], check=True)
        self.enterContext(self.instance)
        self.assertEqual(find_file(self.home, "agent.json").parent, self.disk)

    def fill(self):
        with open(self.disk / "filler", "wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(b"x" * 4096):
                pass

    def end_of_a_run_on_a_disk_that_fills(self, code):
        project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), job__py=PRINTER)
        self.instance.run("compute", project, f"python3 job.py {code}", "--detach", "--name", "prints")
        wait_until("its first line", lambda: "ready" in self.instance.run("logs", "prints", check=False).stdout)
        self.fill()
        return self.instance.wait_phase("prints", "Succeeded", "Failed")["status"]

    def test_the_run_ends_by_itself_and_says_what_of_its_output_is_lost(self):
        status = self.end_of_a_run_on_a_disk_that_fills(0)
        self.assertEqual((status["phase"], status["result"]["status"], status["result"]["code"]), ("Succeeded", "OK", "NODE_DISK_FULL"))
        self.assertTrue(status["result"]["truncated"]["stdout"])
        self.assertRegex(status["message"], r"exit code 0: the disk of the node was full: \d+ bytes of the output are lost")
        log = self.instance.run("logs", "prints").stdout
        lost = re.search(r"\[LOST (\d+) bytes: the disk of the node is full\]", log)
        self.assertEqual(log.count("#") + int(lost[1]), 64 * 32768, "all that it said is there or counted")
        (self.disk / "filler").unlink()
        self.instance.run("compute", make_project(self.home / "next", job__py="print(1)\n"), "python3 job.py")

    def test_a_run_that_fails_keeps_its_own_exit_code(self):
        status = self.end_of_a_run_on_a_disk_that_fills(7)
        self.assertEqual((status["phase"], status["reason"], status["result"]["rc"], status["result"]["code"]),
                         ("Failed", "NonZeroExit", 7, "NODE_DISK_FULL"))


if __name__ == "__main__":
    main()
