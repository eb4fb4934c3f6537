"""Processes that stand still (stopped, frozen, a host that sleeps) and go on: nobody's silence is counted meanwhile.
An agent that is stopped for good says so."""
import concurrent.futures
import functools
import os
import signal
import tempfile
import time
import traceback
import unittest

from harness import (PATIENCE_S, Instance, ancestors, command_of, contents_below, ended, main, make_project, pids_running, send,
                     wait_until)
from session_client import SessionApi, SessionTest

# Ends by itself once it is told to, from outside.
TOLD = """import signal, sys
signal.signal(signal.SIGUSR1, lambda *_: (print("done", flush=True), sys.exit(0)))
print("started", flush=True)
while True: signal.pause()
"""
QUICK = "print('done')\n"


def stand_still(pids):
    """For longer than a node may be silent. It is time itself that must not count, so nothing else can be waited for."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    until = time.monotonic() + 8
    yield
    while time.monotonic() < until:
        time.sleep(0.1)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def sandbox_of(pid):
    """The first process of a command's sandbox, and the launcher that started that."""
    return [each for each in ancestors(pid) if b"".join(command_of(each)[:1]).endswith(b"paddock-sandbox")][:2]


def again_if_lost(test):
    """A node whose agent this machine gives no processor for so long is lost, and rightly: then all is tried again. A controller that
    counts what it should not loses it each time."""
    @functools.wraps(test)
    def tried(self):
        for last in (False, False, True):
            try:
                return test(self)
            except AssertionError:
                if last or not self.has_lost_a_run():
                    raise
                traceback.print_exc()  # so that nobody has to guess why it took so long
            self.doCleanups()
            self.setUp()
    return tried


class StandStillCase(unittest.TestCase):
    lease, lost_after = "10m", "11m"  # longer than any machine makes an agent wait

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-"))
        self.project = make_project(folder, told__py=TOLD, quick__py=QUICK)
        self.instance = Instance()
        self.instance.env["PADDOCK_CONTROLLER_NODES_LEASE"] = self.lease
        self.instance.env["PADDOCK_CONTROLLER_NODES_LOST_AFTER"] = self.lost_after
        self.enterContext(self.instance)

    def submit(self, name, script="told.py", options=()):
        self.instance.run("compute", self.project, f"python3 {script} {name}-{os.getpid()}", "--detach", "--name", name, *options)
        if script == "told.py":
            started = lambda: "started" in self.instance.run("logs", name).stdout
            wait_until("the command to start, or its end", lambda: started() or self.instance.run_object(name)["status"]["phase"] == "Failed")
            self.assertTrue(started(), name)

    def has_lost_a_run(self):
        return any(run["status"].get("reason") == "NODE_LOST" for run in self.instance.get("runs")["items"])

    def ended_well(self, name):
        self.assertEqual(self.instance.wait_phase(name, "Succeeded", "Failed")["status"]["phase"], "Succeeded")

    def tell(self, name):
        pids = pids_running(f"{name}-{os.getpid()}")
        for pid in pids:
            send(signal.SIGUSR1, pid)
        wait_until("the command to end", lambda: all(ended(pid) for pid in pids))

    def log_of(self, program):
        return "".join(text.decode(errors="replace") for path, text in contents_below(self.instance.home, ending="latest.log")
                       if program in str(path))

    def stand_still(self, *programs):
        return stand_still([self.instance.pid_of(program) for program in programs])


class StandStill(StandStillCase):
    lease, lost_after = "4s", "5s"

    @again_if_lost
    def test_a_controller_that_stood_still_gives_up_no_run_and_believes_what_ended_meanwhile(self):
        self.submit("goes-on")
        self.submit("ends")
        for _ in self.stand_still("paddock-controller"):
            self.tell("ends")
        wait_until("the controller to notice", lambda: "leases begin anew" in self.log_of("controller"))
        self.ended_well("ends")
        run = self.instance.run_object("goes-on")
        self.assertEqual((run["status"]["phase"], run["status"]["attempt"]), ("Running", 1))
        self.tell("goes-on")
        self.ended_well("goes-on")

    @again_if_lost
    def test_all_that_stands_still_together_goes_on_together_whoever_wakes_first(self):
        self.submit("sleeps")
        for programs in (("paddock-controller", "paddock-node-agent"), ("paddock-node-agent", "paddock-controller")):
            for _ in self.stand_still(*programs):
                pass
            self.submit("after-" + programs[0], "quick.py")
            self.ended_well("after-" + programs[0])
            self.assertEqual(self.instance.run_object("sleeps")["status"]["phase"], "Running")
        self.tell("sleeps")
        self.ended_well("sleeps")


class PartsStandStill(StandStillCase):
    def processes_of(self, name):
        return sandbox_of(pids_running(f"{name}-{os.getpid()}")[0])

    def test_a_launcher_that_stands_still_keeps_no_run_beyond_its_time(self):
        for seconds in (15, 90):  # longer where the machine needs it for the command to start
            name = f"overdue-{seconds}"
            mark = f"{name}-{os.getpid()}"
            self.instance.run("compute", self.project, f"python3 told.py {mark}", "--detach", "--name", name, "--timeout", f"{seconds}s")
            wait_until("the command to start, or its time to be over", lambda: "started" in self.instance.run("logs", name).stdout or
                       self.instance.run_object(name)["status"]["phase"] == "Failed")
            started = pids_running(mark)
            if started:
                break
        init, launcher = sandbox_of(started[0])
        os.kill(launcher, signal.SIGSTOP)
        status = self.instance.wait_phase(name, "Failed", "Succeeded")["status"]
        self.assertEqual((status["phase"], status["reason"]), ("Failed", "Timeout"))
        self.assertEqual(status["result"]["status"], "TIMEOUT", "the launcher itself said so, once it was woken")
        wait_until("the command to be gone", lambda: ended(init))

    def test_a_run_is_canceled_though_its_launcher_stands_still(self):
        self.submit("canceled")
        os.kill(self.processes_of("canceled")[1], signal.SIGSTOP)
        self.instance.run("cancel", "canceled")
        status = self.instance.wait_phase("canceled", "Canceled", "Failed")["status"]
        self.assertEqual((status["phase"], status["reason"]), ("Canceled", "Canceled"))

    def test_a_command_in_a_run_that_stands_still_is_told_so(self):
        self.submit("frozen")
        init = self.processes_of("frozen")[0]
        os.kill(init, signal.SIGSTOP)
        refused = self.instance.run("exec", "frozen", "--timeout", "1s", "--", "touch", "begun", check=False)
        self.assertIn("NO_ANSWER", refused.stderr)
        os.kill(init, signal.SIGCONT)
        wait_until("it to take commands again", lambda: self.instance.run("exec", "frozen", "--", "true", check=False).returncode == 0)
        self.assertNotEqual(self.instance.run("exec", "frozen", "--", "cat", "begun", check=False).returncode, 0)
        self.tell("frozen")
        self.instance.wait_phase("frozen", "Succeeded")


class Stopped(StandStillCase):
    """What an agent has begun goes on for a lease, which the next one's start must not take on any machine."""

    def test_an_agent_that_is_stopped_says_so_at_once_and_what_it_had_not_begun_waits_for_another(self):
        self.submit("begun")
        node = self.instance.get("nodes")["items"][0]
        slots = node["status"]["capacity"]["maxRuns"]
        agent = self.instance.pid_of("paddock-node-agent")
        os.kill(agent, signal.SIGTERM)
        wait_until("the agent to end", lambda: ended(agent))
        status = self.instance.get("nodes")["items"][0]["status"]
        self.assertEqual((status["ready"], status["reason"]), (False, "AGENT_STOPPED"), slots)
        self.submit("late", "quick.py")
        wait_until("a reason", lambda: "is not ready" in self.instance.run_object("late")["status"].get("message", ""))
        self.assertEqual(self.instance.run_object("begun")["status"]["phase"], "Running")
        self.instance.up()
        self.instance.wait_phase("late", "Succeeded")
        self.tell("begun")
        self.instance.wait_phase("begun", "Succeeded")


# Takes its grace before it ends, and says so in a file if another one of the session runs.
STUBBORN = """import fcntl, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
lock = open("lock", "a")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    open("beside", "w").close()
time.sleep(int(sys.argv[1]))
"""


class Orphans(SessionTest):
    """Commands end with the controller that was asked for them."""

    def ends_of(self, uid):
        types = [each["type"] for each in self.api.audit(uid)]
        return [each for each in types if each.startswith("command.") and each != "command.start"]

    def come_back(self, same_port=False):
        if same_port:
            self.instance.run("up")
        else:
            self.instance.up()
        type(self).api = SessionApi(self.instance)  # for the other tests too
        self.addCleanup(self.api.close)

    def start_command(self, name, mark, command="python3 -c 'import time; time.sleep(300)'", **fields):
        pool = self.enterContext(concurrent.futures.ThreadPoolExecutor())
        call = pool.submit(self.api.run, name, f"{command} {mark}", **fields)
        wait_until("the command to run", lambda: pids_running(mark) or call.done())
        self.assertTrue(pids_running(mark), call.done() and call.result())
        return call

    def test_a_command_ends_when_its_controller_is_gone_for_good_or_comes_back(self):
        for comes_back in (True, False):
            name = self.session({"limits": {"timeoutMs": 600_000}})
            mark = f"orphan-{comes_back}-{os.getpid()}"
            call = self.start_command(name, mark)
            pids = pids_running(mark)
            self.instance.kill("paddock-controller")
            if comes_back:
                self.come_back()
            wait_until("the command to end", lambda: all(ended(pid) for pid in pids))
            self.assertIsNotNone(call.exception(timeout=PATIENCE_S), "the caller's connection broke")
            if not comes_back:
                self.come_back()
            uid = self.object(name)["metadata"]["uid"]
            begun = wait_until("the end to be recorded", lambda: self.ends_of(uid))
            self.assertIn("command.lost", begun)

    def test_a_command_whose_launcher_stands_still_ends_in_time_and_when_it_is_told_to(self):
        pool = self.enterContext(concurrent.futures.ThreadPoolExecutor())
        for how, times in (("time", (10_000, 60_000)), ("cancel", (600_000,))):
            for milliseconds in times:  # longer where the machine needs it for the command to start
                name = self.session({"limits": {"timeoutMs": milliseconds}})
                mark = f"still-{milliseconds}-{os.getpid()}"
                call = pool.submit(self.api.run, name, f"python3 -c 'import time; time.sleep(300)' {mark}", commandId="c1")
                started = wait_until("the command to run, or its time to be over", lambda: pids_running(mark) or call.done())
                if not call.done():
                    break
            self.assertFalse(call.done(), call.done() and call.result())
            init, launcher = sandbox_of(started[0])
            os.kill(launcher, signal.SIGSTOP)
            if how == "cancel":
                self.assertEqual(self.api.cancel(name, "c1")[0], 202)
            status, answer = call.result()
            self.assertEqual((status, answer.get("exitCode")), (200, 124 if how == "time" else 143), answer)
            wait_until("it to be gone", lambda: ended(init))
            wait_until("the session to go on", lambda: self.api.run(name, "echo here")[1].get("stdout") == "here\n")

    def test_a_command_outlives_that_controller_and_agent_stand_still_whoever_wakes_first(self):
        name = self.session({"limits": {"timeoutMs": 600_000}})
        mark = f"outlives-{os.getpid()}"
        self.api.file("PUT", name, "told.py", TOLD.replace('"started"', '"started", file=open("started", "w")').encode())
        call = self.start_command(name, mark, "python3 told.py")
        wait_until("its handler", lambda: self.api.file("GET", name, "started")[1:] == (b"started\n",))
        for programs in (("paddock-controller", "paddock-node-agent"), ("paddock-node-agent", "paddock-controller")):
            for _ in stand_still([self.instance.pid_of(program) for program in programs]):
                pass
            self.assertEqual(self.api.run(name, "echo here")[1].get("stdout"), "here\n")
            self.assertFalse(call.done())
        for pid in pids_running(mark):
            send(signal.SIGUSR1, pid)
        status, answer = call.result()
        self.assertEqual((status, answer.get("exitCode"), answer.get("stdout")), (200, 0, "done\n"), answer)

    # Its agent stands still, so its lanes are surely not open when the command comes to the new controller.
    def test_a_command_that_comes_before_the_node_does_awaits_it(self):
        name = self.session()
        agent = self.instance.pid_of("paddock-node-agent")
        self.addCleanup(lambda: ended(agent) or os.kill(agent, signal.SIGCONT))
        pool = self.enterContext(concurrent.futures.ThreadPoolExecutor())
        uid = self.object(name)["metadata"]["uid"]
        starts = lambda: [each["type"] for each in self.api.audit(uid)].count("command.start")
        for _ in range(3):  # a command waits for seconds, which a busy machine may let pass before the agent goes on
            os.kill(agent, signal.SIGSTOP)
            self.instance.kill("paddock-controller")
            self.come_back(same_port=True)
            before = starts()
            call = pool.submit(self.api.run, name, "echo here")
            wait_until("the command to wait", lambda: call.done() or starts() > before)
            os.kill(agent, signal.SIGCONT)
            status, answer = call.result()
            if status == 200:
                break
        self.assertEqual((status, answer.get("stdout")), (200, "here\n"), answer)

    def test_an_instance_that_is_up_does_what_it_is_asked_at_once(self):
        project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), quick__py=QUICK)
        asked = (["execute", project / "quick.py"], ["compute", project, "python3 quick.py"], ["sandbox", "exec", "NEW", "python3 -c \"print('done')\""])
        for ended_by in (lambda: self.instance.kill("paddock-controller"), lambda: self.instance.kill("paddock-node-agent"),
                         lambda: self.instance.run("down")):
            for words in asked:
                ended_by()
                self.come_back()
                if "NEW" in words:
                    words = ["sandbox", "exec", self.instance.run("sandbox", "create", "--timeout", "10m").stdout.strip(), words[-1]]
                self.assertIn("done", self.instance.run(*words).stdout)

    # The caller whose connection broke sends the same again, at once.
    def test_a_command_that_is_sent_again_to_the_next_controller_is_never_beside_itself(self):
        name = self.session({"limits": {"timeoutMs": 600_000}}, terminationGrace="3s")
        mark = f"again-{os.getpid()}"
        self.api.file("PUT", name, "stubborn.py", STUBBORN.encode())
        self.start_command(name, mark, "python3 stubborn.py 300", commandId="c1")
        wait_until("its lock", lambda: self.api.file("GET", name, "lock")[0] == 200)
        self.instance.kill("paddock-controller")
        self.come_back()
        status, answer = self.api.run(name, "python3 stubborn.py 0", commandId="c1")
        self.assertEqual((status, answer["exitCode"]), (200, 0), answer)
        self.assertEqual(self.api.file("GET", name, "beside")[0], 404, "two ran at the same time")


if __name__ == "__main__":
    main()
