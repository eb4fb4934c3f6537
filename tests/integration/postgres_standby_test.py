"""Two controllers on one PostgreSQL database: one leads, the other takes over; an agent and the command line follow."""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from harness import BIN, held_port, main, make_project, wait_until
from postgres_server import PROGRAMS, Cable, PostgresServer

LINES = 150
JOB = f"""
import time
for i in range({LINES}):
    print(f"line {{i}}", flush=True)
    time.sleep(0.1)
"""
RUNS = "/apis/paddock.dev/v1alpha1/namespaces/default/runs"
# What an operator copies to a standby (docs/operations.md).
SHARED = ["tls/ca.pem", "tls/ca-key.pem", "tokens"]


class Controller:
    def __init__(self, pair, name, port):
        self.folder, self.port, self.pair = pair.folder / name, port, pair
        self.url = f"https://127.0.0.1:{port}"
        self.store_url = pair.server.url()
        self.process = None

    def start(self):
        url = self.pair.folder / f"{self.folder.name}-store-url"
        url.touch(0o600)
        url.write_text(self.store_url + "\n")
        variables = {"DATA_DIR": str(self.folder), "PORT": str(self.port), "STORE_POSTGRES_ADVERTISED_URL": self.url,
                     "STORE_POSTGRES_URL_FILE": str(url)}
        with open(self.pair.folder / f"{self.folder.name}.log", "a") as log:
            self.process = subprocess.Popen([BIN / "paddock-controller"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={
                **self.pair.env, **{"PADDOCK_CONTROLLER_" + key: value for key, value in variables.items()}})

    def end(self, how=signal.SIGTERM):
        """Its exit status."""
        if self.process is None:
            return None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
        status, self.process = self.process.wait(60), None
        return status

    def records(self):
        return [json.loads(line) for line in (self.pair.folder / f"{self.folder.name}.log").read_text().splitlines()]

    def ask(self, path, method="GET", body=None, patience=3):
        """Status, headers and text; None where nobody answers."""
        tls = ssl.create_default_context(cafile=str(self.pair.ca))
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=tls, timeout=patience)
        try:
            connection.request(method, path, body and json.dumps(body), {"Authorization": f"Bearer {self.pair.token}",
                                                                         "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def is_ready(self):
        answer = self.ask("/readyz")
        return answer is not None and answer[0] == 200

    def refuses(self):
        """The leader's URL, once it says that it does not lead."""
        answer = self.ask("/readyz")
        if answer is None or answer[0] != 503 or "NOT_LEADER" not in answer[2]:
            return None
        return answer[1]["paddock-leader"]

    def post(self, name, patience=3):
        """Whether a run was acknowledged; here twice is a conflict, which says the same."""
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Run", "metadata": {"name": name}, "spec": {"type": "code", "code": "print(1)"}}
        answer = self.ask(RUNS, "POST", body, patience)
        return answer is not None and answer[0] in (201, 409)


class Watch:
    """What a controller tells of runs, from a resource version on, until it ends."""

    def __init__(self, controller, version):
        tls = ssl.create_default_context(cafile=str(controller.pair.ca))
        self.connection = http.client.HTTPSConnection("127.0.0.1", controller.port, context=tls, timeout=60)
        self.connection.request("GET", f"{RUNS}?watch=true&resourceVersion={version}", None, {"Authorization": f"Bearer {controller.pair.token}"})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        self.events = []
        self.over = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError, AttributeError):  # it is cut, or closed here
            while line := self.answer.readline():
                self.events.append(json.loads(line))
        self.over.set()

    def close(self):
        self.connection.close()

    def versions(self):
        return [int(each["object"]["metadata"]["resourceVersion"]) for each in self.events if each["type"] != "DELETED"]

    def has(self, name):
        return any(each["object"]["metadata"]["name"] == name for each in self.events)


@unittest.skipUnless(PROGRAMS, "PostgreSQL is not installed (Debian: postgresql-15)")
class TwoControllers(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(PostgresServer())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-pair-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.env = {"PATH": os.environ["PATH"], "PADDOCK_HOME": str(self.folder / "home"), "NO_COLOR": "1"}
        self.one, self.two = (Controller(self, name, self.enterContext(held_port())) for name in ("one", "two"))
        self.ca = self.one.folder / "tls/ca.pem"
        self.begin(self.one)
        wait_until("the first to lead", lambda: self.ca.exists() and (self.one.folder / "tokens/admin").exists())
        self.token = (self.one.folder / "tokens/admin").read_text().strip()
        wait_until("the first to be ready", self.one.is_ready)
        self.share(self.two.folder)
        self.project = make_project(self.folder / "project", job__py=JOB, quick__py="print('once')\n")

    def begin(self, controller):
        controller.start()
        self.addCleanup(controller.end, signal.SIGKILL)

    def share(self, folder):
        for name in SHARED:
            source = self.one.folder / name
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
        (folder / "blobs").symlink_to(self.one.folder / "blobs")  # as a file system that both hosts mount

    def begin_standby(self):
        self.begin(self.two)
        self.assertEqual(wait_until("the second to wait", self.two.refuses), self.one.url)

    def servers(self):
        return f"{self.one.url},{self.two.url}"

    def begin_agent(self):
        config = self.folder / "agent.yaml"
        config.write_text(json.dumps({"server": self.servers(), "caFile": str(self.ca), "name": "node-1", "dataDir": str(self.folder / "agent"),
                                      "enrollTokenFile": str(self.one.folder / "tokens/enroll")}))
        with open(self.folder / "agent.log", "a") as log:
            agent = subprocess.Popen([BIN / "paddock-node-agent", "--config", config], env=self.env, stdin=subprocess.DEVNULL,
                                     stdout=log, stderr=log)
        self.addCleanup(agent.wait, 60)
        self.addCleanup(agent.terminate)
        wait_until("the node to be ready", lambda: self.json("get", "node", "node-1").get("status", {}).get("ready"))

    def paddock(self, *words, check=True):
        done = subprocess.run([BIN / "paddock", *map(str, words)], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=300,
                              env={**self.env, "PADDOCK_SERVER": self.servers(), "PADDOCK_TOKEN": self.token, "PADDOCK_CA_FILE": str(self.ca)})
        if check:
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def json(self, *words):
        done = self.paddock(*words, "-o", "json", check=False)
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def begin_job(self):
        self.paddock("compute", self.project, "python3 job.py", "--detach", "--name", "job")
        self.seen(5)

    def seen(self, line):
        wait_until(f"line {line}", lambda: f"line {line}\n" in self.paddock("logs", "job", check=False).stdout)

    def check_job(self):
        """It went through, once, and each of its lines is there once."""
        self.check_run("job")
        log = self.paddock("logs", "job").stdout.splitlines()
        self.assertEqual([each for each in log if each.startswith("line")], [f"line {i}" for i in range(LINES)])

    def check_run(self, name):
        phase = lambda: self.json("get", "run", name).get("status", {}).get("phase")
        self.assertEqual(wait_until(f"{name} to end", lambda: phase() if phase() in ("Succeeded", "Failed", "Canceled") else None), "Succeeded")
        self.assertEqual(self.json("get", "run", name)["status"]["attempt"], 1, name)

    def epoch(self):
        return int(self.server.query("SELECT epoch FROM paddock_leader"))

    def check_audit(self):
        self.paddock("audit", "verify")

    def test_a_killed_leader_is_replaced_and_nothing_is_lost_or_doubled(self):
        self.begin_standby()
        self.begin_agent()
        self.begin_job()
        self.paddock("compute", self.project, "python3 quick.py", "--detach", "--name", "before")
        watch = subprocess.Popen([BIN / "paddock", "logs", "job", "-f"], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, env={**self.env, "PADDOCK_SERVER": self.servers(), "PADDOCK_TOKEN": self.token,
                                                                 "PADDOCK_CA_FILE": str(self.ca)})
        self.addCleanup(watch.kill)
        self.one.end(signal.SIGKILL)
        # Nobody leads yet: the command waits and finds the one that does.
        self.paddock("compute", self.project, "python3 quick.py", "--detach", "--name", "after")
        self.assertTrue(self.two.is_ready())
        for name in ("before", "after"):
            self.check_run(name)
        self.check_job()
        said, _ = watch.communicate(timeout=120)
        self.assertEqual([each for each in said.splitlines() if each.startswith("line")], [f"line {i}" for i in range(LINES)])
        self.check_audit()
        self.begin(self.one)
        self.assertEqual(wait_until("the former leader to wait", self.one.refuses), self.two.url)

    def test_a_leader_that_was_stopped_writes_nothing_when_it_goes_on(self):
        self.begin_standby()
        self.begin_agent()
        self.begin_job()
        self.one.process.send_signal(signal.SIGSTOP)
        wait_until("the second to lead", self.two.is_ready)
        self.assertTrue(self.two.post("new"))
        epoch = self.epoch()
        former = self.server.query("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'paddock-controller epoch %' "
                                   f"AND application_name NOT LIKE 'paddock-controller epoch {epoch}%'")
        self.assertEqual(former, "0", "what was left of its sessions is ended")
        self.check_job()  # meanwhile the agent has found the other one
        self.one.process.send_signal(signal.SIGCONT)
        self.assertFalse(self.one.post("late", patience=30), "it is refused, or not answered any more")
        self.assertEqual(self.one.process.wait(60), 1)
        self.assertEqual(self.one.records()[-1]["reason"], "STORE_FENCED")
        self.assertEqual(self.epoch(), epoch)
        self.assertIn("RUN_NOT_FOUND", self.paddock("get", "run", "late", check=False).stderr)
        self.check_run("new")
        self.check_audit()

    def test_a_leader_that_is_ended_hands_over_at_once_and_back(self):
        self.begin_standby()
        leaders = [(self.one, self.two), (self.two, self.one)]
        for number, (leader, next_one) in enumerate(leaders):
            before = self.epoch()
            self.assertEqual(leader.end(), 0)
            wait_until("the next one to lead", next_one.is_ready)
            self.assertEqual(self.epoch(), before + 1)
            self.assertTrue(next_one.post(f"run-{number}"))
            self.begin(leader)
            self.assertEqual(wait_until("the former one to wait", leader.refuses), next_one.url)
        self.assertEqual(self.two.end(), 0, "a standby ends when it is told to")
        self.assertTrue(self.one.post("last"))

    def test_a_standby_is_alive_and_says_who_leads(self):
        self.begin_standby()
        self.assertEqual(self.two.ask("/livez")[0], 200)
        self.assertEqual(self.two.ask("/healthz")[0], 200)
        status, headers, text = self.two.ask(RUNS, "POST", {})
        refusal = json.loads(text)["error"]
        self.assertEqual((status, refusal["code"], refusal["details"]["leader"]), (503, "NOT_LEADER", self.one.url))
        self.assertEqual(headers["retry-after"], "1")

    def version(self, controller):
        return int(json.loads(controller.ask(RUNS)[2])["metadata"]["resourceVersion"])

    def check_told(self, watch, changes):
        """Those and no others, as far as they go: a run may change meanwhile."""
        wait_until("the watch to tell the last change", lambda: max(watch.versions(), default=0) >= changes[-1])
        self.assertEqual([each for each in watch.versions() if each <= changes[-1]], changes)

    def answers(self):
        answer = self.two.ask(RUNS)
        return answer and answer[0] == 200

    def test_a_standby_answers_reads_and_watches(self):
        self.begin_standby()
        wait_until("the standby to answer reads", self.answers)
        self.assertTrue(self.one.post("before"))
        before = self.version(self.two)
        watch = Watch(self.two, before)
        self.addCleanup(watch.close)
        self.assertTrue(self.one.post("first"))
        self.assertEqual(self.two.ask(f"{RUNS}/first")[0], 200, "what was acknowledged is there at once")
        self.assertGreater(self.version(self.two), before)
        wait_until("the watch to tell it", lambda: watch.has("first"))
        self.assertEqual(self.one.ask(f"{RUNS}/first", "DELETE")[0], 200)
        self.assertEqual(self.two.ask(f"{RUNS}/first")[0], 404)
        wait_until("the watch to tell that it is gone", lambda: watch.events[-1]["type"] == "DELETED")
        self.assertEqual([each["type"] for each in watch.events if each["object"]["metadata"]["name"] == "first"][0], "ADDED")
        # Each change, also of what came and went between two looks.
        runs = "SELECT coalesce(string_agg(resource_version::text, ' ' ORDER BY resource_version), '') FROM changes WHERE kind = 'Run' AND op <> 'delete'"
        self.check_told(watch, [int(each) for each in self.server.query(f"{runs} AND resource_version > {before}").split()])
        self.assertEqual(self.two.refuses(), self.one.url, "/readyz still says who leads")

    def test_a_token_that_is_revoked_reads_nothing_from_a_standby(self):
        self.begin_standby()
        wait_until("the standby to answer reads", self.answers)
        admin = self.token
        made = json.loads(self.one.ask("/admin/tokens", "POST", {"subject": "reader", "scopes": ["runs:read"]})[2])
        self.token = made["token"]
        self.assertEqual(self.two.ask(RUNS)[0], 200)
        self.token = admin
        self.assertEqual(self.one.ask(f"/admin/tokens/{made['id']}", "DELETE")[0], 200)
        self.token = made["token"]
        self.assertEqual(self.two.ask(RUNS)[0], 503, "the leader is to say why not")
        self.assertEqual(self.one.ask(RUNS)[0], 401)

    def test_a_watch_misses_and_repeats_nothing_across_a_change_of_leader(self):
        self.begin_standby()
        wait_until("the standby to answer reads", self.answers)
        self.assertTrue(self.one.post("before"))  # 0 would ask for what is there, too
        begun = self.version(self.two)
        held = Watch(self.two, begun)
        self.addCleanup(held.close)
        names = [f"run-{number}" for number in range(12)]
        for name in names[:6]:
            self.assertTrue(self.one.post(name))
        self.one.end(signal.SIGKILL)
        for name in names[6:]:
            wait_until("the second to take it", lambda name=name: self.two.post(name))
        wait_until("the watch to tell the last", lambda: held.has(names[-1]))
        self.assertFalse(held.over.is_set(), "it was never cut")
        asked_again = Watch(self.two, begun)
        self.addCleanup(asked_again.close)
        wait_until("another one to tell the last", lambda: asked_again.has(names[-1]))
        runs = "SELECT string_agg(resource_version::text, ' ' ORDER BY resource_version) FROM changes WHERE kind = 'Run'"
        changes = [int(each) for each in self.server.query(f"{runs} AND resource_version > {begun}").split()]
        for watch in (held, asked_again):
            self.check_told(watch, changes)
            self.assertEqual([each["object"]["metadata"]["name"] for each in watch.events if each["type"] == "ADDED"], names)

    def test_a_standby_that_lost_the_database_tells_nothing_old(self):
        cable = self.enterContext(Cable(self.server))
        self.two.store_url = self.server.url(cable.folder)
        self.begin_standby()
        wait_until("the standby to answer reads", self.answers)
        self.assertTrue(self.one.post("before"))
        watch = Watch(self.two, self.version(self.two))
        self.addCleanup(watch.close)
        cable.cut()
        self.assertTrue(self.one.post("unseen"))
        self.assertTrue(watch.over.wait(120), "it is told to begin anew")
        self.assertEqual(watch.events[-1]["object"]["code"], 410)
        cable.mend()
        wait_until("the standby to answer reads again", self.answers)
        self.assertEqual(self.two.ask(f"{RUNS}/unseen")[0], 200)

    def test_a_data_folder_of_its_own_takes_nothing_over(self):
        shutil.rmtree(self.two.folder)
        self.begin(self.two)
        self.assertEqual(self.two.process.wait(60), 1)
        last = self.two.records()[-1]
        self.assertEqual(last["reason"], "STANDBY_FILES_DIFFER")
        self.assertIn("tokens/admin", last["error"])
        self.assertTrue(self.one.post("undisturbed"), "the token is not revoked")

    def test_a_database_that_takes_no_writes_yet_is_waited_for(self):
        """As a replica that can be read, and is promoted a little later than the leader is lost."""
        self.begin_standby()
        self.server.query("ALTER DATABASE paddock SET default_transaction_read_only = on")  # for sessions that begin from now on
        self.one.end(signal.SIGKILL)
        wait_until("the second to try", lambda: any(each.get("reason") == "STORE_READ_ONLY" for each in self.two.records()))
        self.assertTrue(self.two.refuses(), "it goes on as a standby")
        self.server.query("ALTER DATABASE paddock RESET default_transaction_read_only", "postgres")
        wait_until("the second to lead", self.two.is_ready)
        self.assertTrue(self.two.post("after"))

    def test_how_long_a_failover_takes(self):
        """PADDOCK_FAILOVERS=50 measures as many of each kind: from what befalls the leader to the first write that is acknowledged."""
        cables = {}
        for controller in (self.one, self.two):
            cable = cables[controller] = self.enterContext(Cable(self.server))
            controller.store_url = self.server.url(cable.folder)
        self.one.end()
        self.begin(self.one)
        wait_until("the first to lead again", self.one.is_ready)
        self.begin_standby()
        faults = {"SIGKILL": lambda leader: leader.process.kill(),
                  "SIGSTOP": lambda leader: leader.process.send_signal(signal.SIGSTOP),
                  "cable cut": lambda leader: cables[leader].cut()}
        leader, standby, count = self.one, self.two, 0
        for kind, befall in faults.items():
            took = []
            for _ in range(int(os.environ.get("PADDOCK_FAILOVERS", "1"))):
                self.assertTrue(leader.post(f"run-{(count := count + 1)}"))
                begun = time.monotonic()
                befall(leader)
                wait_until("a write to be taken", lambda: standby.post(f"run-{count + 1}"))
                took.append(time.monotonic() - begun)
                count += 1
                cables[leader].mend()
                leader.end(signal.SIGKILL)
                self.begin(leader)
                wait_until("the former one to wait", leader.refuses)
                leader, standby = standby, leader
            took.sort()
            print(f"from {kind} to the first acknowledged write, s: p50 {took[len(took) // 2]:.2f}, most of {len(took)} {took[-1]:.2f}", flush=True)
        self.assertEqual(len(self.json("get", "runs")["items"]), count, "nothing that was acknowledged is lost")


if __name__ == "__main__":
    main()
