"""A disk that takes nothing for longer than a node may be silent, and then goes on (fsfreeze of an ext4 on a loop device: writes and
syncs wait, as on storage that stalls). Nobody is given up for it, nothing is done twice, and what can be told meanwhile is told."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from ext4_disk_test import WHY_NOT, make_disk
from harness import Instance, ended, in_time, main, make_project, pids_running, send, wait_until

TOLD = """import signal, sys
signal.signal(signal.SIGUSR1, lambda *_: (print("done", flush=True), sys.exit(0)))
print("started", flush=True)
while True: signal.pause()
"""
LEASE_S, LOST_S, STALL_S = 4, 5, 8
TOLD_S = 60  # until a stall is told, on a busy host; 6 to 11 s on an idle one


def only_waits_in_the_kernel(pid):
    """Whether it has ended, but for threads that wait in the kernel for the disk: nothing can end these sooner."""
    states = set()
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):
            states.add(task.read_text().rsplit(")", 1)[1].split()[0])
    return states <= set("DZX")


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Stalls(unittest.TestCase):
    times = 1

    def setUp(self):
        self.project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), told__py=TOLD,
                                    quick__py="print('done')\n")
        self.instance = Instance()
        self.instance.env.update(PADDOCK_CONTROLLER_NODES_LEASE=f"{LEASE_S * self.times}s",
                                 PADDOCK_CONTROLLER_NODES_LOST_AFTER=f"{LOST_S * self.times}s",
                                 PADDOCK_NODE_AGENT_MIN_FREE="1", PADDOCK_CONTROLLER_BLOBS_MIN_FREE="1")
        self.addCleanup(self.instance.__exit__, None, None, None)

    def up_with_a_disk_at(self, folder):
        self.disk = self.instance.home / "data" / folder
        self.disk.mkdir(parents=True)
        make_disk(self.instance.home / "image", self.disk)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.disk], check=True)
        self.instance.up("--data-dir", self.instance.home / "data")

    @contextlib.contextmanager
    def stalled(self):
        """It is time itself that must not count, so nothing else can be waited for."""
        subprocess.run(["fsfreeze", "--freeze", self.disk], check=True)
        until = time.monotonic() + STALL_S * self.times
        try:
            yield
            while time.monotonic() < until:
                time.sleep(0.1)
        finally:
            subprocess.run(["fsfreeze", "--unfreeze", self.disk], check=True)

    def submit(self, name, script="told.py"):
        self.instance.run("compute", self.project, f"python3 {script} {name}-{os.getpid()}", "--detach", "--name", name)
        if script == "told.py":
            wait_until("the command to start", lambda: "started" in self.instance.run("logs", name).stdout)

    def node(self):
        return self.instance.get("nodes")["items"][0]

    def node_says(self):
        return [(each["status"], each["reason"]) for each in self.node()["status"].get("conditions", []) if each["type"] == "HostFault"]

    def tell(self, name):
        for pid in pids_running(f"{name}-{os.getpid()}"):
            send(signal.SIGUSR1, pid)

    def assert_goes_on(self, name):
        status = self.instance.run_object(name)["status"]
        self.assertEqual((status["phase"], status["attempt"]), ("Running", 1), status)

    def assert_succeeded_once(self, name):
        status = self.instance.wait_phase(name, "Succeeded", "Failed")["status"]
        self.assertEqual((status["phase"], status["attempt"]), ("Succeeded", 1), status)
        self.assertEqual(self.instance.run("logs", name).stdout.splitlines()[-1], "done")

    @in_time
    def test_under_the_controller(self):
        self.up_with_a_disk_at("controller")
        self.submit("goes-on")
        self.submit("ends")
        with self.stalled():
            self.tell("ends")
            wait_until("the command to end", lambda: all(ended(pid) for pid in pids_running(f"ends-{os.getpid()}")))
            listed = json.loads(self.instance.run("get", "runs", "-o", "json", timeout=TOLD_S).stdout)
            self.assertEqual({each["metadata"]["name"] for each in listed["items"]}, {"goes-on", "ends"})
            asked = self.instance.start("compute", self.project, "python3 quick.py", "--detach", "--name", "asked")
        self.assertEqual(asked.wait(timeout=180), 0, asked.communicate()[1])
        self.assert_succeeded_once("ends")
        self.assert_succeeded_once("asked")
        self.assert_goes_on("goes-on")
        self.tell("goes-on")
        self.assert_succeeded_once("goes-on")
        self.assertEqual(len(self.instance.get("runs")["items"]), 3)

    @in_time
    def test_under_the_agent(self):
        self.up_with_a_disk_at("agent")
        self.submit("goes-on")
        self.submit("ends")
        with self.stalled():
            self.tell("ends")
            self.submit("after", "quick.py")  # which the agent cannot take on before the disk goes on
            wait_until("the node to say so", lambda: self.node_says() == [("True", "NODE_DISK_STALLED")], TOLD_S)
            self.assertIn("NODE_DISK_STALLED", self.instance.run("describe", "node", self.node()["metadata"]["name"]).stdout)
            self.submit("elsewhere", "quick.py")
            wait_until("it to be told why it waits", lambda: "faulty" in self.instance.run("describe", "run", "elsewhere").stdout)
        self.assert_succeeded_once("ends")
        self.assert_goes_on("goes-on")
        self.assert_succeeded_once("after")
        self.assert_succeeded_once("elsewhere")
        wait_until("the node to be well", lambda: self.node_says() == [])
        self.tell("goes-on")
        self.assert_succeeded_once("goes-on")

    def test_an_agent_that_is_stopped_over_it_says_so_and_goes_as_far_as_the_disk_lets_it(self):
        # What it has begun goes on for a lease, which the next one's start must not take on any machine.
        self.instance.env.update(PADDOCK_CONTROLLER_NODES_LEASE="10m", PADDOCK_CONTROLLER_NODES_LOST_AFTER="11m")
        self.up_with_a_disk_at("agent")
        self.submit("goes-on")
        agent = self.instance.pid_of("paddock-node-agent")
        with self.stalled():
            self.submit("after", "quick.py")
            wait_until("it to hang", lambda: self.node_says() == [("True", "NODE_DISK_STALLED")], TOLD_S)
            os.kill(agent, signal.SIGTERM)
            wait_until("the node to say so", lambda: self.node()["status"].get("reason") == "AGENT_STOPPED", TOLD_S)
            wait_until("it to end as far as it can", lambda: only_waits_in_the_kernel(agent), TOLD_S)
        wait_until("it to be gone", lambda: ended(agent))
        self.instance.up()
        self.assert_goes_on("goes-on")
        self.assert_succeeded_once("after")
        self.tell("goes-on")
        self.assert_succeeded_once("goes-on")

    @in_time
    def test_a_controller_that_is_stopped_over_it_goes_as_far_as_the_disk_lets_it(self):
        self.up_with_a_disk_at("controller")
        self.submit("goes-on")
        controller = self.instance.pid_of("paddock-controller")
        with self.stalled():
            asked = self.instance.start("compute", self.project, "python3 quick.py", "--detach", "--patience", "0s")
            os.kill(controller, signal.SIGTERM)
            wait_until("it to end as far as it can", lambda: only_waits_in_the_kernel(controller), TOLD_S)
        wait_until("it to be gone", lambda: ended(controller))
        asked.communicate()
        self.instance.up()
        self.assert_goes_on("goes-on")


if __name__ == "__main__":
    main()
