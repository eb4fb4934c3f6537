"""An agent and a controller one release apart, both ways: runs, their output, what they bring back, cancels, sessions, and a
run that outlives the change from one release to the other."""
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", ".")).resolve()
sys.path.insert(0, str(SOURCE / "tests/integration"))
import harness  # noqa: E402
from harness import Instance, main, make_project, pids_running, wait_until  # noqa: E402
from session_client import SessionApi  # noqa: E402

OURS = harness.BIN
PREVIOUS = SOURCE / "build/previous"
AGENT = ("paddock-node-agent", "paddock-sandbox")
JOB = """import pathlib, sys
pathlib.Path("artifacts").mkdir(exist_ok=True)
pathlib.Path("artifacts/result.txt").write_text("42")
print("a word", flush=True)
print("another", file=sys.stderr)
"""
# Until it is cancelled.
WAITS = """import pathlib, sys, time
print("started", flush=True)
while True: time.sleep(0.05)
"""


def why_not():
    if (PREVIOUS / "built").exists():
        return None
    why = PREVIOUS / "why"
    return why.read_text().strip() if why.exists() else "scripts/previous-release was not run"


def mixed(folder, controller, agent):
    """The programs of one release, with the agent and its launcher of another."""
    shutil.copytree(controller, folder)
    for program in AGENT:
        (folder / program).unlink()
        shutil.copy2(agent / program, folder / program)
    return folder


@unittest.skipIf(why_not(), why_not())
class Apart(unittest.TestCase):
    """Which one is older says the class; its command line is the controller's."""
    CONTROLLER = AGENT = None

    @classmethod
    def setUpClass(cls):
        if cls.CONTROLLER is None:
            raise unittest.SkipTest("the others are tests")
        home = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-skew-")))
        harness.BIN = mixed(home / "bin", cls.CONTROLLER, cls.AGENT)
        cls.addClassCleanup(setattr, harness, "BIN", OURS)
        cls.instance = cls.enterClassContext(Instance(home=home))
        cls.project = make_project(home / "project", job__py=JOB, waits__py=WAITS,
                                   fails__py="raise SystemExit(3)\n")

    def test_a_run_its_output_and_what_it_brings_back(self):
        done = self.instance.run("compute", self.project, "python3 job.py", "--name", "job", "--artifact-dir", "artifacts")
        self.assertIn("a word", done.stdout)
        log = self.instance.run("logs", "job")
        self.assertIn("a word", log.stdout + log.stderr)
        self.assertIn("another", log.stdout + log.stderr)
        run = self.instance.run_object("job")
        self.assertEqual((run["status"]["phase"], run["status"]["result"]["rc"]), ("Succeeded", 0))
        self.assertEqual([each["path"] for each in run["status"]["artifacts"]], ["artifacts/result.txt"])

    def test_a_run_that_fails(self):
        failed = self.instance.run("compute", self.project, "python3 fails.py", "--name", "fails", check=False)
        self.assertEqual(failed.returncode, 3)
        status = self.instance.run_object("fails")["status"]
        self.assertEqual((status["phase"], status["reason"]), ("Failed", "NonZeroExit"))

    def test_a_cancel(self):
        mark = f"cancel-{os.getpid()}"
        self.instance.run("compute", self.project, f"python3 waits.py {mark}", "--detach", "--name", "canceled")
        wait_until("it to run", lambda: pids_running(mark))
        self.instance.run("cancel", "canceled")
        self.instance.wait_phase("canceled", "Canceled")
        wait_until("its processes to be gone", lambda: not pids_running(mark))

    def test_a_session_its_files_and_commands(self):
        api = SessionApi(self.instance)
        self.addCleanup(api.close)
        status, made = wait_until("a node to take sessions", lambda: (lambda got: got if got[0] == 201 else None)(
            api.create({"limits": {"timeoutMs": 600_000}})))
        name = made["metadata"]["name"]
        self.assertIn(api.file("PUT", name, "word.txt", b"hello")[0], (200, 201, 204))
        status, answer = api.run(name, "cat word.txt")
        self.assertEqual((status, answer["stdout"]), (200, "hello"), answer)
        self.assertLess(api.destroy(name)[0], 300)

    def test_short_code(self):
        api = SessionApi(self.instance)
        self.addCleanup(api.close)
        status, answer = wait_until("a node to take code", lambda: (lambda got: got if got[0] == 200 else None)(
            api.ask("POST", "/execute", {"code": "print(6 * 7)"})))
        self.assertIn("42", str(answer), (status, answer))


class OlderAgent(Apart):
    CONTROLLER, AGENT = OURS, PREVIOUS / "bin"


class OlderController(Apart):
    CONTROLLER, AGENT = PREVIOUS / "bin", OURS


@unittest.skipIf(why_not(), why_not())
class Upgrade(unittest.TestCase):
    def test_a_run_outlives_it_controller_first_and_then_the_agent(self):
        home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-skew-")))
        self.addCleanup(setattr, harness, "BIN", OURS)
        steps = [PREVIOUS / "bin", mixed(home / "bin", OURS, PREVIOUS / "bin"), OURS]
        harness.BIN = steps[0]
        instance = self.enterContext(Instance(home=home))
        project = make_project(home / "project", waits__py=WAITS, job__py=JOB)
        mark = f"outlives-{os.getpid()}"
        instance.run("compute", project, f"python3 waits.py {mark}", "--detach", "--name", "outlives")
        pids = wait_until("it to run", lambda: pids_running(mark))
        for programs in steps[1:]:
            instance.kill("paddock-controller")
            instance.kill("paddock-node-agent")
            harness.BIN = programs
            instance.up()
            instance.run("compute", project, "python3 job.py")
            self.assertEqual(instance.run_object("outlives")["status"]["phase"], "Running")
            self.assertLessEqual(set(pids[:1]), set(pids_running(mark)), "the same command")
        instance.run("cancel", "outlives")
        instance.wait_phase("outlives", "Canceled")
        self.assertIn("started", instance.run("logs", "outlives").stdout)


if __name__ == "__main__":
    main()
