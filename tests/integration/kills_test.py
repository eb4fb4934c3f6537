"""Both daemons die as by SIGKILL, at each of their crash points and at any moment: a command starts at most once per
attempt, what was acknowledged stays, every run ends.

PADDOCK_KILLS says how many daemons are killed at random; PADDOCK_TEST_SEED which.
"""
import collections
import http.client
import json
import os
import random
import re
import time
import unittest

from harness import BIN, LONG_LEASE, SOURCE, Instance, ended, find_file, main, make_project, paths_below, wait_until

KILLS = int(os.environ.get("PADDOCK_KILLS", "60"))
SEED = os.environ.get("PADDOCK_TEST_SEED", "20261")
CONTROLLER, AGENT = "paddock-controller", "paddock-node-agent"
LINES = 5
JOB = f"""
import os, sys
with open("/tally/starts", "a") as starts:
    starts.write(sys.argv[1] + "\\n")
os.makedirs("out", exist_ok=True)
for i in range({LINES}):
    print(f"line {{i}}", flush=True)
with open("out/name.txt", "w") as out:
    out.write(sys.argv[1])
"""
RUNS = "/apis/paddock.dev/v1alpha1/namespaces/default/runs"
UNSURE = "launch-intended"  # nobody knows whether the command started, so nobody starts it
OVER = ("Succeeded", "Failed", "Canceled")


def crash_points():
    """Every named place in the sources, with the daemon that passes it."""
    found = {}
    for folder, daemon in (("controller", CONTROLLER), ("node-agent", AGENT)):
        for path in sorted((SOURCE / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                for name in re.findall(r'PADDOCK_CRASH_POINT\("([\w-]+)"\)', path.read_text()):
                    found[name] = daemon
    return found


def have_crash_points():
    return all(b"PADDOCK_CRASH_AT" in (BIN / daemon).read_bytes() for daemon in (CONTROLLER, AGENT))


class Api:
    """The instance's API, one connection per request: its controller dies in between."""

    def __init__(self, instance):
        self.description = find_file(instance.home, "controller.json")
        self.token = instance.admin_token()
        self.tls = instance.trust()

    def ask(self, method, path, body=None):
        """Status and body; None and None when there is no whole answer."""
        connection = None
        try:
            port = json.loads(self.description.read_text())["port"]
            connection = http.client.HTTPSConnection("127.0.0.1", port, context=self.tls, timeout=60)
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            whole = answer.getheader("Content-Type", "").startswith("application/json")
            return answer.status, json.loads(text) if whole else text.decode()
        except (OSError, http.client.HTTPException, ValueError):
            return None, None
        finally:
            if connection is not None:
                connection.close()


class Killed(unittest.TestCase):
    def setUp(self):
        self.instance = Instance()
        self.tally = self.instance.home / "tally"
        self.tally.mkdir()
        self.tally.chmod(0o777)
        (self.tally / "starts").touch()
        (self.tally / "starts").chmod(0o666)
        self.instance.env["PADDOCK_CONTROLLER_CEILINGS_HOST_MOUNTS"] = json.dumps([str(self.tally)])
        self.instance.env.update(LONG_LEASE)
        self.enterContext(self.instance)
        project = make_project(self.instance.home / "project", job__py=JOB)
        self.instance.run("compute", project, "python3 job.py upload", "--name", "upload", check=False)
        self.workspace = self.instance.run_object("upload")["spec"]["workspace"]
        self.api = Api(self.instance)
        self.held = next(paths_below(self.instance.home, "agent/runs"))

    def body(self, name):
        spec = {"type": "compute", "command": ["python3", "job.py", name], "workspace": self.workspace,
                "artifacts": {"dirs": ["out"]},
                "sandbox": {"hostMounts": [{"hostPath": str(self.tally), "sandboxPath": "/tally", "mode": "rw"}]}}
        return {"apiVersion": "paddock.dev/v1alpha1", "kind": "Run", "metadata": {"name": name}, "spec": spec}

    def submit(self, name):
        """Whether the run is acknowledged: made now, or by a request whose answer was lost."""
        status, answer = self.api.ask("POST", RUNS, self.body(name))
        self.assertIn(status, (None, 201, 409), answer)
        return status is not None

    def submit_surely(self, name):
        wait_until(f"{name} to be taken", lambda: self.submit(name))

    def run_object(self, name):
        """The run, or None while nobody answers. One that is acknowledged is there."""
        status, answer = self.api.ask("GET", f"{RUNS}/{name}")
        if status is not None:
            self.assertEqual(status, 200, f"{name} was acknowledged and is lost: {answer}")
        return answer

    def over(self, name):
        run = self.run_object(name)
        return run if run and run["status"]["phase"] in OVER else None

    def starts(self):
        return (self.tally / "starts").read_text().split()

    def check_ended(self, name):
        """Its phase, once it is over: its command ran once and all that it left is there; or the agent died behind its
        intent to start it, and nobody started it."""
        status = wait_until(f"{name} to end", lambda: self.over(name))["status"]
        said = f"{name}: {status.get('reason')}: {status.get('message')}"
        if status["phase"] == "Failed":
            self.assertEqual(status["reason"], "LAUNCHER_LOST", said)
            self.assertEqual(self.starts().count(name), 0, said)
            return "Failed"
        self.assertEqual(status["phase"], "Succeeded", said)
        self.assertEqual(self.starts().count(name), 1, said)
        code, log = self.api.ask("GET", f"{RUNS}/{name}/log")
        self.assertEqual(code, 200, log)
        self.assertEqual([line for line in log.splitlines() if line.startswith("line")],
                         [f"line {i}" for i in range(LINES)])
        self.assertEqual(self.api.ask("GET", f"{RUNS}/{name}/artifacts/out/name.txt"), (200, name))
        return "Succeeded"

    def delete(self, name):
        status, answer = self.api.ask("DELETE", f"{RUNS}/{name}")
        self.assertIn(status, (None, 200, 404), answer)
        return status is not None

    def wait_for_rest(self):
        """Until the node has forgotten all runs that ended: from then on only a new one passes a crash point of runs."""
        wait_until("the node to hold no run", lambda: not any(self.held.glob("*/*")))

    def restart(self, daemon, crash_at=None):
        """Kills it, if it lives, and starts it again, perhaps to die at a place. Its pid, or None: it died already."""
        pid = self.instance.pid_of(daemon)
        if pid is not None:
            self.instance.kill_pid(pid, daemon)
        if crash_at is None:
            self.instance.run("up")
            return self.instance.pid_of(daemon)
        self.instance.env["PADDOCK_CRASH_AT"] = crash_at
        try:
            self.instance.run("up", check=False)  # it may die before it is up
        finally:
            del self.instance.env["PADDOCK_CRASH_AT"]
        return self.instance.pid_of(daemon)


class AtNamedPoints(Killed):
    def setUp(self):
        if not have_crash_points():
            self.skipTest("these programs have no crash points: they are a release")
        super().setUp()

    def test_each_daemon_at_each_of_its_points(self):
        points = crash_points()
        self.assertGreaterEqual(len(points), 10)
        for point, daemon in sorted(points.items()):
            with self.subTest(point=point, daemon=daemon):
                self.die_at(point, daemon)

    def die_at(self, point, daemon):
        name = f"at-{point}"
        self.wait_for_rest()
        pid = self.restart(daemon, point)

        def dead():
            return pid is None or ended(pid)

        # A whole life of a run, up to the moment when the daemon is gone.
        acknowledged = not dead() and self.submit(name)
        wait_until(f"{daemon} to die, or {name} to end", lambda: dead() or acknowledged and self.over(name))
        asked_to_go = not dead()
        if asked_to_go:
            self.delete(name)
        wait_until(f"{daemon} to die at {point}", dead)
        self.instance.run("up")
        if not asked_to_go:
            if not acknowledged:
                self.submit_surely(name)
            self.assertEqual(self.check_ended(name), "Failed" if point == UNSURE else "Succeeded")
        wait_until(f"{name} to go", lambda: self.delete(name))
        self.assertEqual(self.api.ask("GET", f"{RUNS}/{name}")[0], 404)
        self.assertEqual(self.starts().count(name), 0 if point == UNSURE else 1)


class AtRandom(Killed):
    def test_daemons_again_and_again(self):
        chance = random.Random(f"{SEED}-{self.id()}")
        points = sorted(crash_points().items()) if have_crash_points() else []
        known = []
        self.phases = collections.Counter()
        began = time.monotonic()
        for number in range(KILLS):
            name = f"r-{number}"
            if points and chance.random() < 0.5:
                self.kill_at_point(name, *chance.choice(points), chance.randint(1, 4))
            else:
                self.kill_at_once(name, chance.sample([CONTROLLER, AGENT], chance.randint(1, 2)), chance.randrange(12))
            known.append(name)
            if len(known) == 20:
                self.settle(known)
                print(f"{number + 1} kills in {time.monotonic() - began:.0f} s: {dict(self.phases)}", flush=True)
        self.settle(known)

    def kill_at_point(self, name, point, daemon, passes):
        pid = self.restart(daemon, f"{point}:{passes}")
        acknowledged = pid is not None and self.submit(name)
        if acknowledged:
            wait_until(f"{daemon} to die, or {name} to end", lambda: ended(pid) or self.over(name))
        self.restart(daemon)
        if not acknowledged:
            self.submit_surely(name)

    def kill_at_once(self, name, daemons, looks):
        self.submit_surely(name)
        for _ in range(looks):  # any moment will do
            self.run_object(name)
        for daemon in daemons:
            self.instance.kill(daemon)
        self.instance.run("up")

    def settle(self, known):
        for name in known:
            self.phases[self.check_ended(name)] += 1
            wait_until(f"{name} to go", lambda: self.delete(name))
        known.clear()


if __name__ == "__main__":
    main()
