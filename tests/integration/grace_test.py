"""Runs that save their work when they are told to end: by their time, a cancel, a drain; and those who are not let."""
import signal
import tempfile
import unittest

from away_test import line_with
from harness import PATIENCE_S, Instance, ended, main, make_project, pids_running, wait_until, with_more_time

# Saves for as long as its argument says once it is told to end, or never ends by itself.
SAVER = """import os, signal, sys, time
os.makedirs("out", exist_ok=True)
def save(*_):
    print("saving", flush=True)
    time.sleep(float(sys.argv[1]))
    open("out/ckpt.json", "w").write("whole")
    print("saved", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
print("begun", flush=True)
while True: time.sleep(0.05)
"""
SHORT, NEVER = "3", "3600"


class Grace(unittest.TestCase):
    def setUp(self):
        project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), save__py=SAVER)
        self.instance = self.enterContext(Instance())
        self.instance.run("compute", project, "python3 save.py 0", "--timeout", "1s", "--name", "seeded", check=False)
        self.workspace = self.instance.run_object("seeded")["spec"]["workspace"]

    def submit(self, name, saves_for, grace="1h", **more):
        spec = {"type": "compute", "command": ["python3", "save.py", saves_for], "workspace": self.workspace,
                "artifacts": {"dirs": ["out"]}}
        if grace:
            spec["terminationGrace"] = grace
        status, answer = self.instance.post_run(name, spec | more)
        self.assertEqual(status, 201, answer)

    def saved(self, name):
        run = self.instance.wait_phase(name, "Failed", "Canceled")["status"]
        return run["result"]["status"], [each["path"] for each in run.get("artifacts", [])]

    def begun_in_time(self, how, field, first, *more):
        """The run that this limit ended once its command could hear of it; the first one has been submitted."""
        def attempt(limit):
            name = f"{how}-{limit}"
            if limit != first:
                self.submit(name, SHORT, "5m", **{field: limit})
            self.instance.wait_phase(name, "Failed", "Canceled")
            return name if "begun" in self.instance.run("logs", name, check=False).stdout else None
        return with_more_time(attempt, first, *more)

    def test_what_is_saved_when_the_time_is_up_or_after_a_cancel_comes_back(self):
        self.submit("late-2s", SHORT, "5m", timeout="2s")
        self.submit("overdue-5s", SHORT, "5m", deadline="5s")
        self.submit("canceled", SHORT, "5m")
        self.instance.wait_log("canceled", "begun")
        self.instance.run("cancel", "canceled")
        self.assertEqual(self.saved("canceled"), ("CANCELED", ["out/ckpt.json"]))
        late = self.begun_in_time("late", "timeout", "2s", "20s", "2m")
        self.assertEqual(self.saved(late), ("TIMEOUT", ["out/ckpt.json"]))
        overdue = self.begun_in_time("overdue", "deadline", "5s", "50s", "3m")
        self.assertEqual(self.saved(overdue), ("CANCELED", ["out/ckpt.json"]))
        self.assertEqual(self.instance.run_object(overdue)["status"]["reason"], "DEADLINE_EXCEEDED")

    def test_an_agent_that_is_killed_in_a_grace_changes_nothing(self):
        self.submit("mine", SHORT, "5m")
        self.instance.wait_log("mine", "begun")
        self.instance.run("cancel", "mine")
        self.instance.wait_log("mine", "saving")
        self.instance.kill("paddock-node-agent")
        self.instance.kill("paddock-controller")
        self.instance.up()
        self.assertEqual(self.saved("mine"), ("CANCELED", ["out/ckpt.json"]))

    def test_a_cancel_that_says_so_kills_in_the_middle_of_a_grace(self):
        self.submit("stays", NEVER, "5m")
        self.instance.wait_log("stays", "begun")
        pids = pids_running("save.py")
        self.assertTrue(pids)
        self.instance.run("cancel", "stays")
        self.instance.wait_log("stays", "saving")
        self.instance.run("cancel", "stays")  # asked again, it does not begin again, nor end
        self.assertFalse(all(ended(pid) for pid in pids))
        self.instance.run("cancel", "stays", "--now")
        self.assertEqual(self.saved("stays"), ("CANCELED", []))
        wait_until("it to be gone", lambda: all(ended(pid) for pid in pids))

    def test_no_grace_at_all_kills_at_once(self):
        self.submit("abrupt", SHORT, "0s")
        self.instance.wait_log("abrupt", "begun")
        self.instance.run("cancel", "abrupt")
        self.assertEqual(self.saved("abrupt"), ("CANCELED", []))
        self.assertNotIn("saving", self.instance.run("logs", "abrupt").stdout)

    def test_a_drain_gives_the_grace_and_no_more_than_its_own(self):
        node = self.instance.get("nodes")["items"][0]["metadata"]["name"]

        def drain(grace):
            saves, stays = f"saves-{grace}", f"stays-{grace}"
            self.submit(saves, SHORT, "5m")
            self.submit(stays, NEVER, "5m")
            for name in (saves, stays):
                self.instance.wait_log(name, "begun")
            self.assertIn("is empty", self.instance.run("drain", node, "--grace", grace).stderr)
            self.assertEqual(self.saved(stays), ("CANCELED", []))
            self.assertEqual(self.instance.run_object(stays)["status"]["reason"], "NODE_DRAINED")
            self.instance.run("uncordon", node)
            self.assertEqual(self.saved(saves)[0], "CANCELED")
            return self.saved(saves)[1]
        self.assertEqual(with_more_time(drain, "8s", "80s"), ["out/ckpt.json"])

    def test_what_an_attempt_saved_stays_while_the_next_one_waits(self):
        node = self.instance.get("nodes")["items"][0]["metadata"]["name"]
        self.submit("again", SHORT, "5m", retry={"maxAttempts": 2, "backoff": "1s", "on": ["Evicted"]})
        self.instance.wait_log("again", "begun")
        self.instance.run("drain", node, "--grace", "3m")
        status = self.instance.wait_phase("again", "Pending")["status"]
        self.assertEqual([each["path"] for each in status["artifacts"]], ["out/ckpt.json"])
        self.instance.run("cancel", "again")
        self.assertEqual(self.instance.wait_phase("again", "Canceled")["status"]["artifacts"], status["artifacts"])
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.instance.run("artifacts", "again", "--output", folder)
        with open(f"{folder}/out/ckpt.json", encoding="utf-8") as saved:
            self.assertEqual(saved.read(), "whole")

    def test_more_than_the_operator_allows_is_refused_with_what_would_pass(self):
        status, answer = self.instance.post_run("greedy", {
            "type": "compute", "command": ["python3", "save.py", "1"], "workspace": self.workspace,
            "terminationGrace": "6m"})
        self.assertEqual((status, answer["error"]["code"]), (400, "GRACE_OVER_CEILING"), answer)
        self.assertIn("spec.terminationGrace", str(answer))
        self.assertIn("at most 5m", answer["message"])

    def test_a_second_ctrl_c_kills_and_waits_for_the_end(self):
        self.submit("other", NEVER, "5m")
        self.instance.run("cancel", "other", "--now")
        project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), save__py=SAVER)
        watching = self.instance.start("compute", project, "python3 save.py 3600", "--name", "mine")
        self.addCleanup(watching.kill)
        wait_until("the run", lambda: "begun" in self.instance.run("logs", "mine", check=False).stdout)
        for said in ("canceling run mine", "killing run mine"):  # two that come at once are one
            watching.send_signal(signal.SIGINT)
            line_with(watching.stderr, said)
        watching.communicate(timeout=PATIENCE_S)
        self.assertEqual(self.instance.wait_phase("mine", "Canceled")["status"]["result"]["status"], "CANCELED")


if __name__ == "__main__":
    main()
