"""Runs that are deleted before they have ended: canceled, kept until their node has let go, and gone then, whoever is killed
meanwhile."""
import json
import os
import re
import signal
import tempfile
import unittest

from harness import Instance, ended, main, make_project, pids_running, send, wait_until

# Is told to end by SIGTERM, and ends once SIGUSR1 came too.
SLOW = """import signal, sys
signal.signal(signal.SIGTERM, lambda *_: print("asked to end", flush=True))
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(0))
print("begun", flush=True)
while True: signal.pause()
"""


class Deletion(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-"))
        project = make_project(folder, slow__py=SLOW, quick__py="print('hi')\n")
        self.instance = self.enterContext(Instance())
        self.instance.run("compute", project, "python3 quick.py", "--name", "seen")
        self.workspace = self.instance.run_object("seen")["spec"]["workspace"]

    def begin(self, name):
        self.mark = f"{name}-{os.getpid()}"
        status, answer = self.instance.post_run(name, {
            "type": "compute", "command": ["python3", "slow.py", self.mark], "workspace": self.workspace,
            "terminationGrace": "5m"})
        self.assertEqual(status, 201, answer)
        self.instance.wait_log(name, "begun")
        return list(pids_running(self.mark))

    def is_gone(self, name):
        done = self.instance.run("get", "run", name, check=False)
        return done.returncode != 0 and "RUN_NOT_FOUND" in done.stderr

    def audited(self, name):
        lines = self.instance.run("audit", "-o", "json").stdout.splitlines()
        return sorted(event["type"] for event in map(json.loads, lines)
                      if event.get("object") == f"runs/{name}" and event["type"] in ("run.cancel", "object.delete"))

    def test_its_record_stays_until_the_node_has_let_go_through_kills_of_both_daemons(self):
        pids = self.begin("slow")
        asked = self.instance.run("delete", "run", "slow", "--no-wait")
        self.assertIn("run.paddock.dev/slow deleted", asked.stdout)
        self.instance.wait_log("slow", "asked to end")
        marked = self.instance.run_object("slow")
        self.assertEqual(marked["status"]["phase"], "Running")
        for program in ("paddock-controller", "paddock-node-agent"):
            self.instance.kill(program)
            self.instance.up()
        self.assertEqual(self.instance.run_object("slow")["metadata"]["deletionTimestamp"], marked["metadata"]["deletionTimestamp"])
        waits = self.instance.start("delete", "run", "slow")  # asked again: waits until it is gone
        self.assertIn("is being deleted: node", waits.stderr.readline())
        self.assertFalse(any(ended(pid) for pid in pids))
        for pid in pids_running(self.mark):
            send(signal.SIGUSR1, pid)
        out, err = waits.communicate(timeout=300)
        self.assertEqual(waits.returncode, 0, err)
        self.assertIn("deleted", out)
        self.assertTrue(self.is_gone("slow"))
        self.assertEqual(self.audited("slow"), ["object.delete", "run.cancel"])
        wait_until("the room it had", lambda: re.search(r"(?m)^\S+ +Ready +0/", self.instance.run("top").stdout))

    def test_now_kills_and_force_waits_for_nobody(self):
        pids = self.begin("now")
        self.instance.run("delete", "run", "now", "--now")
        self.assertTrue(self.is_gone("now"))
        self.assertTrue(all(ended(pid) for pid in pids))
        pids = self.begin("forced")
        done = self.instance.run("delete", "run", "forced", "--force")
        self.assertTrue(done.stderr.startswith("warning: "), done.stderr)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(self.is_gone("forced"))
        wait_until("its node to end it", lambda: all(ended(pid) for pid in pids))
        self.assertEqual(self.audited("forced"), ["object.delete", "run.cancel"])

    def test_all_of_a_namespace_go(self):
        self.begin("one")
        done = self.instance.run("delete", "runs", "--all", "--now")
        self.assertEqual(len(done.stdout.splitlines()), 2, done.stdout)  # the other one had ended
        self.assertIn("no runs found", self.instance.run("get", "runs").stderr)
        self.assertIn("none", [line.split()[-1] for line in self.instance.run("status").stdout.splitlines() if line.startswith("runs")])


if __name__ == "__main__":
    main()
