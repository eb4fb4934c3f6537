"""Signals for the command of a run (`paddock signal`): who hears them, what is recorded, and what is refused."""
import json

from exec_runs import ExecTest
from harness import main, wait_until

HEARS = "trap 'echo HEARD' USR1; echo READY; while [ ! -e go ]; do sleep 0.05; done; echo DONE"


class Signal(ExecTest):
    def signal(self, *words, code=0):
        done = self.instance.run("signal", *words, check=False)
        self.assertEqual(done.returncode, code, done)
        return done.stderr

    def heard(self, name):
        return self.instance.run("logs", name).stdout.count("HEARD")

    def signals(self, name):
        _, log = self.call("GET", "/audit?type=run.signal&limit=500")
        return [(each["subject"], each["details"]["signal"]) for each in log["items"] if each["object"] == f"runs/{name}"]

    def test_the_program_of_this_run_hears_it_and_that_is_recorded(self):
        self.begin("hears", HEARS)
        self.begin("beside", HEARS)
        self.assertEqual(self.signal("hears", "USR1"), "run hears was sent USR1\n")
        wait_until("it to be heard", lambda: self.heard("hears") == 1)
        self.signal("run/hears", "sigusr1")
        wait_until("it to be heard again", lambda: self.heard("hears") == 2)
        path = "/namespaces/default/runs/hears/signal"
        self.assertEqual(self.call("POST", path, {"signal": "WINCH"}), (200, {"run": "hears", "signal": "WINCH"}))
        self.assertEqual(self.signals("hears"), [("admin", each) for each in ("USR1", "USR1", "WINCH")])
        self.assertEqual((self.heard("beside"), self.signals("beside")), (0, []))
        for name in ("hears", "beside"):
            self.end(name)
        self.assertEqual((self.heard("hears"), self.heard("beside")), (2, 0))
        self.assertIn("the run is Succeeded: its command has ended, and hears no signal [RUN_NOT_RUNNING]", self.signal("hears", "USR1", code=1))
        self.assertEqual(len(self.signals("hears")), 3, "what is refused is not sent")

    def test_a_program_that_handles_none_ends_by_it(self):
        self.begin("ends", "echo READY; exec sleep 600")
        self.signal("ends", "USR2")
        self.assertEqual(self.instance.wait_phase("ends", "Failed")["status"]["result"]["rc"], 128 + 12)

    def test_what_is_wrong_is_said(self):
        self.begin("wrong", HEARS)
        path = "/namespaces/default/runs/wrong/signal"
        for word, more in (("KILL", "paddock cancel --now"), ("9", "paddock cancel --now"), ("-", ""), ("ALRM", ""), ("10", "")):
            said = self.signal("wrong", word, code=2)
            self.assertIn("none of HUP, INT, TERM, USR1, USR2, WINCH and CONT", said)
            self.assertIn(more, said)
        for body, code in (({"signal": "KILL"}, "INVALID_FIELD"), ({"signal": "usr1"}, "INVALID_FIELD"), ({"signal": 10}, "INVALID_FIELD"), ({}, "INVALID_FIELD"),
                           ({"signal": "USR1", "pid": 1}, "UNKNOWN_FIELD")):
            status, answer = self.call("POST", path, body)
            self.assertEqual((status, answer["error"]["code"]), (400, code), answer)
        self.assertIn("RUN_NOT_FOUND", self.signal("none", "USR1", code=127))
        self.signal("wrong", code=2)
        for words in (("kill", "-s", "USR1", "wrong"), ("kill", "-USR1", "wrong")):
            done = self.instance.run(*words, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("`paddock cancel` or, for a signal, `paddock signal`", done.stderr)
        reader = self.instance.run("admin", "token", "create", "reads", "--scope", "runs:read").stdout.strip()
        status, answer = self.call("POST", path, {"signal": "USR1"}, token=reader)
        self.assertEqual((status, answer["error"]["code"]), (403, "SCOPE_MISSING"))
        elsewhere = self.instance.run("admin", "token", "create", "elsewhere", "-n", "team", "--scope", "runs:write").stdout.strip()
        self.assertIn(self.call("POST", path, {"signal": "USR1"}, token=elsewhere)[0], (403, 404))
        self.assertEqual((self.heard("wrong"), self.signals("wrong")), (0, []))
        self.end("wrong")

    def test_a_run_that_waits_and_an_array_hear_none(self):
        node = self.instance.run("get", "nodes", "-o", "jsonpath={.items[0].metadata.name}").stdout
        self.instance.run("cordon", node)
        self.addCleanup(self.instance.run, "uncordon", node)
        self.instance.run("run", "--detach", "--name", "waits", "--", "true")
        self.assertIn("the run is Pending: its command has not begun, and hears no signal yet [RUN_NOT_RUNNING]", self.signal("waits", "USR1", code=1))
        self.instance.run("run", "--detach", "--name", "many", "--array", "2", "--", "true")
        self.assertIn("many is an array and has no command of its own; ask many-0", self.signal("many", "USR1", code=1))
        self.assertEqual(self.signals("waits") + self.signals("many"), [])
        for name in ("waits", "many"):
            self.instance.run("cancel", name)

    def test_a_node_that_is_away_is_said(self):
        self.begin("away", HEARS)
        self.instance.kill("paddock-node-agent")
        self.addCleanup(self.instance.run, "up")
        status, answer = self.call("POST", "/namespaces/default/runs/away/signal", {"signal": "USR1"})
        self.assertIn((status, answer["error"]["code"]), ((503, "NO_NODE"), (429, "NODES_BUSY")), json.dumps(answer))
        self.assertTrue(answer["error"]["retryable"])
        self.instance.run("up")
        wait_until("the agent to have the run again", lambda: self.call(
            "POST", "/namespaces/default/runs/away/signal", {"signal": "USR1"})[0] == 200)
        wait_until("it to be heard", lambda: self.heard("away") == 1)
        self.end("away")


if __name__ == "__main__":
    main()
