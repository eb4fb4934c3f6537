"""The job killed at random moments: client, agent or controller with SIGKILL; its outcome stays true."""
import os
import pathlib
import random
import signal
import tempfile
import unittest

from harness import LONG_LEASE, Instance, main, make_project, parent_of, paths_below, pids_running, send, wait_until

LINES = 40
# Its arguments: the seconds between two lines, and the line behind which it waits to be told to go on.
JOB = f"""
import os, signal, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
pause = float(sys.argv[1]) if len(sys.argv) > 1 else 0.05
last = int(sys.argv[2]) if len(sys.argv) > 2 else {LINES}
os.makedirs("out", exist_ok=True)
for i in range({LINES}):
    print(f"line {{i}}", flush=True)
    with open("out/count.txt", "a") as f:
        f.write(f"{{i}}\\n")
    time.sleep(pause)
    if i == last:
        signal.sigwait([signal.SIGUSR1])
"""
SEED = int(os.environ.get("PADDOCK_TEST_SEED", "20261"))


class Crashes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        instance = Instance()
        instance.env.update(LONG_LEASE)
        cls.instance = cls.enterClassContext(instance)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="paddock-project-")
        self.addCleanup(folder.cleanup)
        self.project = make_project(folder.name, job__py=JOB)
        self.random = random.Random(f"{SEED}-{self.id()}")

    def check_outcome(self, instance, name):
        run = instance.wait_phase(name, "Succeeded", "Failed", "Canceled")
        log = instance.run("logs", name).stdout.splitlines()
        self.assertEqual(run["status"]["phase"], "Succeeded", run["status"].get("message"))
        self.assertEqual([l for l in log if l.startswith("line")], [f"line {i}" for i in range(LINES)])
        target = pathlib.Path(instance.home / f"artifacts-{name}")
        instance.run("artifacts", name, "--output", target)
        self.assertEqual((target / "out/count.txt").read_text(), "".join(f"{i}\n" for i in range(LINES)))

    def crash_at_random_line(self, instance, name, victims):
        """Kills each victim once, each after a random line has been seen, and starts it again."""
        for victim in victims:
            line = self.random.randrange(LINES)
            wait_until(f"line {line}", lambda: f"line {line}\n" in instance.run("logs", name).stdout
                       or instance.run_object(name)["status"]["phase"] not in ("Pending", "Scheduled", "Preparing", "Running"))
            instance.kill(victim)
            instance.run("up")

    def submit(self, instance, name, words=""):
        instance.run("compute", self.project, f"python3 job.py {words}", "--artifact-dir", "out", "--detach", "--name", name)

    def test_the_agent_is_killed_while_the_job_runs(self):
        for round_number in range(3):
            name = f"agent-{round_number}"
            self.submit(self.instance, name)
            self.crash_at_random_line(self.instance, name, ["paddock-node-agent"])
            self.check_outcome(self.instance, name)

    def test_the_controller_is_killed_while_the_job_runs(self):
        for round_number in range(3):
            name = f"controller-{round_number}"
            self.submit(self.instance, name)
            self.crash_at_random_line(self.instance, name, ["paddock-controller"])
            self.check_outcome(self.instance, name)

    def test_both_are_killed_in_random_order(self):
        for round_number in range(2):
            victims = ["paddock-controller", "paddock-node-agent"]
            self.random.shuffle(victims)
            name = f"both-{round_number}"
            self.submit(self.instance, name)
            self.crash_at_random_line(self.instance, name, victims)
            self.check_outcome(self.instance, name)

    def test_the_client_is_killed_and_the_job_goes_on(self):
        client = self.instance.start("compute", self.project, "python3 job.py", "--artifact-dir", "out", "--name", "client")
        wait_until("first output", lambda: client.stdout.readline().startswith("line"))
        client.kill()
        client.communicate()
        self.check_outcome(self.instance, "client")

    def test_a_killed_launcher_is_reported_and_never_run_twice(self):
        wait_until("no job of another test to be left", lambda: self.instance.launcher_of("job.py") is None)
        self.submit(self.instance, "launcher", "0.05 5")
        wait_until("line 3", lambda: "line 3\n" in self.instance.run("logs", "launcher").stdout)
        self.instance.kill_pid(self.instance.launcher_of("job.py"), "the run's launcher")
        run = self.instance.wait_phase("launcher", "Failed", "Succeeded", "Canceled")
        self.assertEqual((run["status"]["phase"], run["status"]["reason"]), ("Failed", "LAUNCHER_LOST"))
        log = [l for l in self.instance.run("logs", "launcher").stdout.splitlines() if l.startswith("line")]
        self.assertEqual(log, [f"line {i}" for i in range(len(log))])

    def test_a_killed_launch_server_ends_no_run(self):
        with Instance() as instance:  # whose server no other test has ended
            wait_until("the launch server to listen", lambda: list(paths_below(instance.home, "sandbox/socket")))
            mark = f"served-{os.getpid()}"
            self.submit(instance, "served", f"0.05 5 {mark}")  # it waits, so that its launcher is found
            wait_until("line 3", lambda: "line 3\n" in instance.run("logs", "served").stdout)
            launcher = instance.launcher_of(mark)
            server = parent_of(launcher)
            self.assertIn(server, instance.processes(), "the run has a launcher of its own")
            self.assertNotEqual(server, instance.pid_of("paddock-node-agent"), "the run has a launcher of its own")
            instance.kill_pid(server, "the launch server")
            for pid in pids_running(mark):
                send(signal.SIGUSR1, pid)
            self.check_outcome(instance, "served")
            self.submit(instance, "after")
            self.check_outcome(instance, "after")

    def test_a_cancel_given_while_the_agent_is_dead_holds(self):
        self.submit(self.instance, "held", "0.05 5")
        self.instance.wait_phase("held", "Running")
        self.instance.kill("paddock-node-agent")
        self.instance.run("cancel", "held")
        self.instance.run("up")
        run = self.instance.wait_phase("held", "Canceled", "Succeeded", "Failed")
        self.assertEqual(run["status"]["phase"], "Canceled")


if __name__ == "__main__":
    main()
