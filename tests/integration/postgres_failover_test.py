"""Who leads on one PostgreSQL database: a standby takes over, once and whole; an agent and the command line follow."""
import concurrent.futures
import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
import time
import unittest

from controller_pair import LEASE, LEASE_ENDS, RUNS, ControllerPair, Stream, Watch, whole_lines
from harness import BIN, PATIENCE_S, held_port, in_time, main, make_project, wait_until
from held_bucket import HeldBucket
from postgres_server import Cable
from s3_servers import S3rver

LINES = 150
LOST_AFTER = 10  # seconds without a word of a node's, where a test says so
JOB = f"""
import time
for i in range({LINES}):
    print(f"line {{i}}", flush=True)
    time.sleep(0.1)
"""


class Lines:
    """What a process says, line by line, each with when it came."""

    def __init__(self, process):
        self.told, self.changed = [], threading.Condition()
        threading.Thread(target=self._read, args=(process.stdout,), daemon=True).start()

    def _read(self, stream):
        with contextlib.suppress(ValueError):  # it is closed here
            for line in stream:
                with self.changed:
                    self.told.append((time.monotonic(), line.strip()))
                    self.changed.notify_all()

    def count(self):
        with self.changed:
            return len(self.told)

    def await_more(self, count, words=""):
        """When one of those behind the first `count` came that has the words."""
        find = lambda: next((when for when, line in self.told[count:] if words in line), None)
        with self.changed:
            assert self.changed.wait_for(lambda: find() is not None, 300), (words, self.told[-5:])
            return find()


class Failover(ControllerPair):
    def setUp(self):
        super().setUp()
        self.project = make_project(self.folder / "project", job__py=JOB, quick__py="print('once')\n", quiet__py=f"import time\ntime.sleep({2 * LOST_AFTER * self.times})\n")

    def servers(self):
        return f"{self.one.url},{self.two.url}"

    def begin_agent(self):
        config = self.folder / "agent.yaml"
        config.write_text(json.dumps({"server": self.servers(), "caFile": str(self.ca), "name": "node-1", "dataDir": str(self.folder / "agent"),
                                      "enrollTokenFile": str(self.one.folder / "tokens/enroll")}))
        with open(self.folder / "agent.log", "a") as log:
            agent = subprocess.Popen([BIN / "paddock-node-agent", "--config", config], env=self.env, stdin=subprocess.DEVNULL,
                                     stdout=log, stderr=log)
        self.addCleanup(agent.wait, PATIENCE_S)
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

    def follower(self, *options):
        return self.begun("logs", "job", "-f", *options)

    def begun(self, *words):
        follower = subprocess.Popen([BIN / "paddock", *words], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, env={**self.env, "PADDOCK_SERVER": self.servers(), "PADDOCK_TOKEN": self.token,
                                                                    "PADDOCK_CA_FILE": str(self.ca)})
        self.addCleanup(follower.stdout.close)
        self.addCleanup(follower.wait, PATIENCE_S)
        self.addCleanup(follower.kill)
        return follower

    def check_job(self):
        """It went through, once, and each of its lines is there once."""
        self.check_run("job")
        log = self.paddock("logs", "job").stdout.splitlines()
        self.assertEqual([each for each in log if each.startswith("line")], [f"line {i}" for i in range(LINES)])

    def check_run(self, name):
        phase = lambda: self.json("get", "run", name).get("status", {}).get("phase")
        self.assertEqual(wait_until(f"{name} to end", lambda: phase() if phase() in ("Succeeded", "Failed", "Canceled") else None), "Succeeded")
        self.assertEqual(self.json("get", "run", name)["status"]["attempt"], 1, name)

    def check_audit(self):
        self.paddock("audit", "verify")

    def test_a_killed_leader_is_replaced_and_nothing_is_lost_or_doubled(self):
        self.begin_standby()
        self.begin_agent()
        self.begin_job()
        self.paddock("compute", self.project, "python3 quick.py", "--detach", "--name", "before")
        watch, ending = (self.follower(), self.follower("--tail", "2"))
        first = int(ending.stdout.readline().split()[1])
        self.lose(self.one)
        # Nobody leads yet: the command waits and finds the one that does.
        self.paddock("compute", self.project, "python3 quick.py", "--detach", "--name", "after")
        self.assertTrue(self.two.is_ready())
        for name in ("before", "after"):
            self.check_run(name)
        self.check_job()
        for follower, begin in ((watch, 0), (ending, first + 1)):
            self.assertEqual(follower.stdout.read().splitlines(), [f"line {i}" for i in range(begin, LINES)])
            self.assertEqual(follower.wait(PATIENCE_S), 0)
        self.check_audit()
        self.begin(self.one)
        self.assertEqual(wait_until("the former leader to wait", self.one.refuses), self.two.url)

    def test_commands_that_were_not_begun_wait_for_the_next_leader(self):
        self.begin_standby()
        self.begin_agent()
        session = self.paddock("sandbox", "create").stdout.split()[0]
        self.paddock("run", "--detach", "--name", "live", "--", "sleep", "300")
        wait_until("it to run", lambda: self.json("get", "run", "live").get("status", {}).get("phase") == "Running")
        epoch = self.epoch()
        self.one.end(signal.SIGKILL)
        commands = [("sandbox", "exec", session, "--", "echo", "hello"), ("sandbox", "files", session), ("exec", "live", "--", "echo", "hello"),
                    ("files", "live"), ("cp", self.project / "quick.py", "live:/workspace/copied")]
        with concurrent.futures.ThreadPoolExecutor(len(commands)) as pool:  # all of them while nobody leads
            begun = pool.map(lambda words: self.paddock(*words, check=False), commands)
            self.end_lease(epoch)
            for words, done in zip(commands, begun, strict=True):
                self.assertEqual(done.returncode, 0, (words, done.stderr))
                if "echo" in words:
                    self.assertEqual(done.stdout, "hello\n")
        self.assertTrue(self.two.is_ready())

    def execute(self, controller):
        """Whether a snippet was run, at the first try or later."""
        answer = controller.ask("/execute", "POST", {"code": "print(6 * 7)"}, patience=30)
        return answer is not None and answer[0] == 200 and "42" in answer[2]

    def check_that_all_moves_over(self, kind, befall):
        """What waits at the leader, and what is begun after it is lost, goes on at the next one."""
        self.begin_standby()
        self.begin_agent()
        session = self.paddock("sandbox", "create").stdout.split()[0]
        self.paddock("sandbox", "exec", session, "--", "true")
        wait_until("a snippet to run", lambda: self.execute(self.one))
        self.begin_job()
        log, watch = Lines(self.begun("logs", "job", "-f")), Lines(self.begun("get", "runs", "-w"))
        log.await_more(0, "line 5")
        watch.await_more(0, "job")
        epoch, begun = self.epoch(), time.monotonic()
        befall(self.one)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            def ended(call):
                result = call()
                return result, time.monotonic() - begun
            command = pool.submit(ended, lambda: self.paddock("sandbox", "exec", session, "--", "echo", "hello", check=False))
            self.end_lease(epoch)
            wait_until("the second to lead", self.two.is_ready)
            leads = time.monotonic() - begun
            seen = log.count()
            snippet = pool.submit(ended, lambda: wait_until("a snippet to run", lambda: self.execute(self.two)))
            self.assertTrue(self.two.post("new"))
            took = {"logs -f": log.await_more(seen) - begun, "get -w": watch.await_more(0, "new") - begun}
            done, took["exec"] = command.result()
            took["execute"] = snippet.result()[1]
        print(f"from {kind} until the next one leads {leads:.1f} s, until at it " + ", ".join(f"{name} {each:.1f}" for name, each in took.items()), flush=True)
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n"), done.stderr)

    def test_all_that_waits_for_a_leader_that_is_killed_moves_over(self):
        self.check_that_all_moves_over("SIGKILL", lambda leader: leader.end(signal.SIGKILL))
        self.check_job()

    def test_all_that_waits_for_a_leader_that_is_stopped_moves_over(self):
        """It closes no connection, and is stopped until the end of the test."""
        self.check_that_all_moves_over("SIGSTOP", lambda leader: leader.process.send_signal(signal.SIGSTOP))
        said = [json.loads(line) for line in whole_lines(self.folder / "agent.log")]
        told = [each["error"] for each in said if "another controller leads" in each.get("error", "")]
        self.assertTrue(told, "the agent gave up what it held for that, and for no time of its own")
        self.check_job()
        self.assertIsNone(self.one.process.poll(), "it is there all the while")

    def test_a_leader_that_was_stopped_writes_nothing_when_it_goes_on(self):
        self.begin_standby()
        self.begin_agent()
        self.begin_job()
        self.lose(self.one, signal.SIGSTOP)
        wait_until("the second to lead", self.two.is_ready)
        self.assertTrue(self.two.post("new"))
        epoch = self.epoch()
        former = self.server.query("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'paddock-controller epoch %' "
                                   f"AND application_name NOT LIKE 'paddock-controller epoch {epoch}%'")
        self.assertEqual(former, "0", "what was left of its sessions is ended")
        self.check_job()  # meanwhile the agent has found the other one
        self.one.process.send_signal(signal.SIGCONT)
        self.assertFalse(self.one.post("late", patience=30), "it is refused, or not answered any more")
        self.assertEqual(self.one.process.wait(PATIENCE_S), 1)
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

    def begin_with_short_silences(self, lost_after):
        """The first anew: they are what the test is about."""
        self.env.update({LEASE: f"{3 * self.times}s", "PADDOCK_CONTROLLER_NODES_LEASE": f"{4 * self.times}s",
                         "PADDOCK_CONTROLLER_NODES_LOST_AFTER": f"{lost_after * self.times}s"})
        self.one.end()
        self.begin(self.one)
        wait_until("the first to lead again", self.one.is_ready)

    @in_time
    def test_who_is_cut_off_for_long_costs_no_run(self):
        """It lives and answers, so that nothing but its answers tells its agents and clients to ask the other one."""
        cable = self.enterContext(Cable(self.server))
        self.one.store_url = self.server.url(cable.folder)
        self.begin_with_short_silences(LOST_AFTER)
        self.begin_standby()
        self.begin_agent()
        for name in ("quiet-0", "quiet-1"):
            self.paddock("compute", self.project, "python3 quiet.py", "--detach", "--name", name)
        for name in ("quiet-0", "quiet-1"):
            wait_until(f"{name} to run", lambda name=name: self.json("get", "run", name).get("status", {}).get("phase") == "Running")
        self.paddock("compute", self.project, "python3 job.py", "--detach", "--name", "job")
        self.seen(5)
        watch = Watch(self.one, json.loads(self.one.ask(RUNS)[2])["metadata"]["resourceVersion"])
        streams = [Stream(self.one, f"{RUNS}/job/{part}") for part in ("log?follow=true", "events")]
        for each in (watch, *streams):
            self.addCleanup(each.close)
        follower = self.follower()
        began = time.monotonic()
        cable.cut()
        wait_until("the second to lead", self.two.is_ready)
        # The former one is first among the addresses all the while.
        self.paddock("compute", self.project, "python3 quick.py", "--detach", "--name", "after")
        self.assertEqual(wait_until("the former one to lead no more", self.one.refuses), "elsewhere")
        self.assertEqual(self.one.ask(RUNS, "POST", {})[0], 503)
        self.assertTrue(watch.over.wait(PATIENCE_S), "it is told to ask elsewhere")
        self.assertEqual((watch.events[-1]["type"], watch.events[-1]["object"]["error"]["code"]), ("ERROR", "NOT_LEADER"))
        for stream in streams:
            self.assertTrue(stream.over.wait(PATIENCE_S), "it ends")
            self.assertFalse(stream.whole, "what was broken off does not look whole")
        self.check_run("after")
        self.check_job()
        self.assertEqual(follower.stdout.read().splitlines(), [f"line {i}" for i in range(LINES)])
        self.assertEqual(follower.wait(PATIENCE_S), 0)
        wait_until("an agent that had gone on asking the former one to be lost", lambda: time.monotonic() - began > LOST_AFTER * self.times)
        for name in ("quiet-0", "quiet-1"):
            self.check_run(name)
        self.assertTrue(self.json("get", "node", "node-1")["status"]["ready"])
        cable.mend()
        self.assertEqual(self.one.process.wait(PATIENCE_S), 1)
        self.assertEqual(self.one.records()[-1]["reason"], "STORE_FENCED")
        self.check_audit()

    @in_time
    def test_a_database_that_was_away_for_long_costs_no_run(self):
        """Nobody else takes the lead, and meanwhile the leader can hear no agent."""
        self.begin_with_short_silences(12)
        self.begin_agent()
        self.paddock("compute", self.project, "python3 quiet.py", "--detach", "--name", "quiet")
        wait_until("it to run", lambda: self.json("get", "run", "quiet").get("status", {}).get("phase") == "Running")
        self.server.stop()
        time.sleep(14 * self.times)  # so long an agent that is not heard is lost
        self.assertEqual(wait_until("it to lead no more", self.one.refuses), "elsewhere")
        self.server.start()
        self.check_run("quiet")
        self.assertEqual(self.epoch(), 2)

    def test_a_data_folder_of_its_own_takes_nothing_over(self):
        shutil.rmtree(self.two.folder)
        self.begin(self.two)
        self.assertEqual(self.two.process.wait(PATIENCE_S), 1)
        last = self.two.records()[-1]
        self.assertEqual(last["reason"], "STANDBY_FILES_DIFFER")
        self.assertIn("tokens/admin", last["error"])
        self.assertTrue(self.one.post("undisturbed"), "the token is not revoked")

    def test_a_copy_of_the_leaders_data_folder_is_a_standby(self):
        shutil.rmtree(self.two.folder)
        shutil.copytree(self.one.folder, self.two.folder, symlinks=True, ignore=shutil.ignore_patterns("controller.*", "blobs"))
        (self.two.folder / "blobs").symlink_to(self.one.folder / "blobs")
        epoch = self.epoch()
        self.begin_standby()
        self.assertTrue(self.one.post("undisturbed"))
        self.assertEqual(self.epoch(), epoch)
        self.lose(self.one)
        wait_until("the copy to lead", self.two.is_ready)
        self.begin(self.one)
        self.assertEqual(wait_until("the former leader to wait", self.one.refuses), self.two.url)
        self.assertEqual(self.epoch(), epoch + 1)

    def test_a_database_that_takes_no_writes_yet_is_waited_for(self):
        """As a replica that can be read, and is promoted a little later than the leader is lost."""
        self.begin_standby()
        self.server.query("ALTER DATABASE paddock SET default_transaction_read_only = on")  # for sessions that begin from now on
        self.lose(self.one)
        wait_until("the second to try", lambda: any(each.get("reason") == "STORE_READ_ONLY" for each in self.two.records()))
        self.assertTrue(self.two.refuses(), "it goes on as a standby")
        self.server.query("ALTER DATABASE paddock RESET default_transaction_read_only", "postgres")
        wait_until("the second to lead", self.two.is_ready)
        self.assertTrue(self.two.post("after"))

    def take_overs_that_wait(self):
        """Sessions whose commit waits for a synchronous replica."""
        return self.server.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name LIKE 'paddock-controller%'")

    def test_nobody_leads_without_the_replica_that_commits_wait_for(self):
        """Whoever led could acknowledge nothing. One that would take over holds the leader's row meanwhile, even once it is gone."""
        self.begin_standby()
        self.server.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        self.server.query("SELECT pg_reload_conf()")
        self.lose(self.one)
        self.server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'paddock-controller%'")
        wait_until("taking over to wait", lambda: self.take_overs_that_wait() != "0")
        self.assertFalse(self.two.is_ready())
        self.assertFalse(self.two.post("unheard", patience=10))
        self.two.end(signal.SIGKILL)
        self.begin(self.one)
        self.assertNotEqual(self.take_overs_that_wait(), "0", "its session goes on")
        self.assertFalse(self.one.is_ready())
        self.server.query("ALTER SYSTEM RESET synchronous_standby_names")
        self.server.query("SELECT pg_reload_conf()")
        wait_until("it to have taken over", lambda: self.take_overs_that_wait() == "0")
        self.end_lease(self.epoch())
        wait_until("the other one to lead", self.one.is_ready)
        self.assertTrue(self.one.post("after"))

    def wait_until_it_tries(self, reason):
        wait_until("the second to try", lambda: any(each.get("reason") == reason for each in self.two.records()))
        self.assertTrue(self.two.refuses(), "it goes on as a standby")

    def test_a_database_that_is_full_is_waited_for(self):
        self.begin_standby()
        self.server.query("CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$")
        fill = "CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON {} FOR EACH ROW EXECUTE FUNCTION no_room()"
        self.server.query(f"{LEASE_ENDS}; {fill.format('paddock_leader')}")
        self.one.end(signal.SIGKILL)
        self.wait_until_it_tries("STORE_FULL")
        before, began = self.epoch(), time.monotonic()
        self.server.query(f"DROP TRIGGER no_room ON paddock_leader; {fill.format('settings')}")  # where it tells its files
        wait_until("three tries", lambda: self.epoch() >= before + 3)
        self.assertGreater(time.monotonic() - began, 2, "each try is an epoch")
        self.assertTrue(self.two.refuses(), "it goes on as a standby")
        self.server.query("DROP TRIGGER no_room ON settings")
        wait_until("the second to lead", self.two.is_ready)
        self.assertTrue(self.two.post("after"))

    def use_bucket(self, endpoint, credentials="[default]\naws_access_key_id = a\naws_secret_access_key = b\n"):
        keys = self.folder / "keys"
        keys.touch(0o600)
        keys.write_text(credentials)
        settings = {"ENDPOINT": endpoint, "BUCKET": S3rver.bucket, "PREFIX": "p/", "CREDENTIALS_FILE": str(keys), "TIMEOUT": "5m"}
        self.env.update({f"PADDOCK_CONTROLLER_BLOBS_S3_{name}": value for name, value in settings.items()})

    @unittest.skipIf(S3rver.missing(), f"s3rver: {S3rver.missing()}")
    def test_a_leader_serves_before_it_knows_what_is_in_the_bucket(self):
        server = S3rver()
        self.addCleanup(server.close)
        server.up()
        bucket = self.enterContext(HeldBucket(server.port))
        self.use_bucket(bucket.endpoint, server.credentials)
        self.one.end()
        self.begin(self.one)
        wait_until("the first to lead again", self.one.is_ready)
        shutil.copy(self.one.folder / "bucket-id", self.two.folder)
        (self.two.folder / "blobs").unlink()
        self.begin_standby()
        self.begin_agent()
        self.paddock("compute", self.project, "python3 quick.py", "--name", "before")
        there = server.objects()
        bucket.hold()
        self.lose(self.one)
        wait_until("the second to lead", self.two.is_ready)
        self.assertTrue(self.two.post("new"))
        self.assertTrue(bucket.held.wait(PATIENCE_S), "it asks what is there")
        self.assertIs(self.status()["filesCounted"], False)
        self.paddock("compute", self.project, "python3 quick.py", "--name", "during")
        for name in ("before", "new", "during"):
            self.check_run(name)
        self.assertEqual(set(there) - set(server.objects()), set(), "nothing that is there is removed")
        bucket.let_go.set()
        wait_until("it to know what is there", lambda: "filesCounted" not in self.status())

    def status(self):
        return json.loads(self.two.ask("/status")[2])

    def test_a_bucket_that_is_away_is_waited_for(self):
        port = self.enterContext(held_port())  # nobody listens there
        self.use_bucket(f"http://127.0.0.1:{port}")
        shutil.copy(self.one.folder / "blobs/instance-id", self.two.folder / "bucket-id")
        self.begin_standby()
        self.lose(self.one)
        self.wait_until_it_tries("BUCKET_UNREACHABLE")

    @in_time
    def test_how_long_a_failover_takes(self):
        """PADDOCK_FAILOVERS=50 measures as many of each kind: from what befalls the leader to the first write that is acknowledged."""
        cables = {}
        for controller in (self.one, self.two):
            cable = cables[controller] = self.enterContext(Cable(self.server))
            controller.store_url = self.server.url(cable.folder)
        self.begin_with_short_silences(LOST_AFTER)
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
