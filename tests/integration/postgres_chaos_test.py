"""What befalls a database under load, as public benchmarks of queues do it: a tally outside counts what was acknowledged, and looks
for each of these afterwards. Restarts, kills and fail-overs of controllers are in postgres_store_test and postgres_failover_test."""
import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import unittest

from controller_pair import RUNS, Controller, ControllerPair
from harness import BIN, PATIENCE_S, held_port, main, wait_until
from postgres_server import PROGRAMS

KUBECTL = shutil.which("kubectl")


class Load:
    """Creates runs at whichever controller takes them, a thread each, and keeps what was acknowledged: a 201 for a name that is new."""

    def __init__(self, pair, threads=3):
        self.pair, self.acknowledged, self.refusals = pair, set(), set()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._post, args=(number,)) for number in range(threads)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exc):
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _post(self, number):
        count = 0
        while not self._over.is_set():
            count += 1
            body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Run", "metadata": {"name": f"load-{number}-{count}"},
                    "spec": {"type": "code", "code": "print(1)"}}
            for controller in self.pair.controllers():
                answer = controller.ask(RUNS, "POST", body, patience=20)
                with self._lock:
                    if answer is not None and answer[0] == 201:
                        self.acknowledged.add(body["metadata"]["name"])
                        break
                    if answer is not None:
                        self.refusals.add(json.loads(answer[2])["error"]["code"])

    def goes_on(self, words):
        """A few more than there are by now."""
        before = len(self.acknowledged)
        wait_until(words, lambda: len(self.acknowledged) > before + 5)


class Chaos(ControllerPair):
    def controllers(self):
        return (self.one, self.two)

    def begin_both(self):
        self.begin_standby()
        wait_until("the standby to answer reads", lambda: (self.two.ask(RUNS) or [0])[0] == 200)

    def leader(self):
        return next((each for each in self.controllers() if each.is_ready()), None)

    def check_nothing_lost(self, load):
        leader = wait_until("one to lead", self.leader)
        there, after = [], ""
        while True:
            page = json.loads(leader.ask(f"{RUNS}?limit=500{after and '&continue='}{after}")[2])
            there += [each["metadata"]["name"] for each in page["items"]]
            after = page["metadata"].get("continue")
            if not after:
                break
        self.assertEqual(len(there), len(set(there)), "nothing is there twice")
        self.assertEqual(load.acknowledged - set(there), set(), "what was acknowledged is there")
        env = {**self.env, "PADDOCK_SERVER": leader.url, "PADDOCK_TOKEN": self.token, "PADDOCK_CA_FILE": str(self.ca)}
        verified = subprocess.run([BIN / "paddock", "audit", "verify"], env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=300)
        self.assertEqual(verified.returncode, 0, verified.stdout)

    def test_sessions_at_the_database_are_killed_over_and_over(self):
        self.begin_both()
        with Load(self) as load:
            for _ in range(15):
                self.server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'paddock-controller%'")
                load.goes_on("writes to go on")
        self.check_nothing_lost(load)
        self.assertLessEqual(load.refusals, {"STORE_AWAY", "STORE_BUSY", "STORE_OUTCOME_UNKNOWN", "NOT_LEADER", "STORE_FENCED",
                                              "RUN_ALREADY_EXISTS"})  # the last where the first answer was lost

    def test_a_database_without_a_connection_left_is_waited_for(self):
        self.begin_both()
        with contextlib.ExitStack() as holders, Load(self) as load:
            load.goes_on("writes")
            self.take_all_connections(holders)
            wait_until("a controller to say so", lambda: any("53300" in log.read_text() for log in self.folder.glob("*.log")))
            self.assertTrue(all(each.process.poll() is None for each in self.controllers()), "and none ends")
            holders.close()
            load.goes_on("writes to go on")
        self.check_nothing_lost(load)

    def take_all_connections(self, holders):
        """What others hold is all there is: as fast as our sessions are ended, theirs are there."""
        left = int(self.server.query("SHOW max_connections"))
        for _ in range(left):
            holder = subprocess.Popen([PROGRAMS / "psql", "-h", self.server.folder, "-U", "paddock", "-d", "paddock", "-qtA"], text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            holders.callback(holder.wait, PATIENCE_S)
            holders.callback(holder.stdin.close)
            holders.callback(holder.stdout.close)
            holder.stdin.write("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'paddock-controller%';\n\\echo here\n")
            holder.stdin.flush()
            for line in holder.stdout:
                if "too many" in line or "reserved" in line:
                    return
                if line == "here\n":
                    break

    def hold_the_leaders_row(self, name):
        """By a session that is idle in its transaction, and calls itself so."""
        holder = subprocess.Popen([PROGRAMS / "psql", "-h", self.server.folder, "-U", "paddock", "-d", "paddock", "-qtA"], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "PGAPPNAME": name})
        self.addCleanup(holder.wait, PATIENCE_S)
        self.addCleanup(holder.stdout.close)
        self.addCleanup(holder.stdin.close)
        holder.stdin.write("BEGIN; SELECT epoch FROM paddock_leader FOR UPDATE; \\echo here\n")
        holder.stdin.flush()
        while holder.stdout.readline() != "here\n":
            pass
        return holder

    def test_what_the_former_leader_left_in_a_transaction_holds_nobody_up(self):
        self.begin_both()
        epoch = self.epoch()
        self.two.process.send_signal(signal.SIGSTOP)  # so that it does not lead before the row is held
        self.lose(self.one, signal.SIGSTOP)  # so that it does not end it itself
        holder = self.hold_the_leaders_row(f"paddock-controller epoch {epoch}")
        self.two.process.send_signal(signal.SIGCONT)
        wait_until("the second to lead", self.two.is_ready)
        self.assertTrue(self.two.post("after"))
        holder.stdin.write("SELECT 1;\n")
        with contextlib.suppress(BrokenPipeError):
            holder.stdin.flush()
        self.assertIn("terminat", holder.stdout.read(), "its session was ended")
        self.one.process.send_signal(signal.SIGCONT)
        self.assertEqual(self.one.process.wait(PATIENCE_S), 1)

    def test_what_somebody_else_leaves_idle_in_a_transaction_is_waited_for(self):
        """It is not ours to end."""
        self.begin_both()
        with Load(self) as load:
            load.goes_on("writes")
            holder = self.hold_the_leaders_row("somebody")
            wait_until("writes to be refused", lambda: load.refusals & {"STORE_BUSY", "NOT_LEADER"})
            self.assertTrue(all(each.process.poll() is None for each in self.controllers()))
            holder.stdin.write("COMMIT; \\echo done\n")
            holder.stdin.flush()
            self.assertEqual(holder.stdout.readline(), "done\n", "nobody ended it")
            load.goes_on("writes to go on")
        self.check_nothing_lost(load)

    def test_a_replica_that_is_promoted_has_all_that_was_acknowledged(self):
        replica = self.server.start_standby()
        both = self.server.url(f"{self.server.folder},{replica}")
        self.one.end()
        for controller in self.controllers():
            controller.store_url = both
        self.begin(self.one)
        wait_until("the first to lead again", self.one.is_ready)
        self.begin_both()
        with Load(self) as load:
            load.goes_on("writes")
            self.server.stop(signal.SIGQUIT)
            self.server.promote_standby()
            load.goes_on("writes to go on at the replica")
        self.server.folder = replica  # where it is asked from now on
        self.check_nothing_lost(load)
        acknowledged = len(load.acknowledged)
        print(f"{acknowledged} acknowledged, none lost", flush=True)

    @unittest.skipUnless(KUBECTL, "there is no kubectl")
    def test_a_watch_of_kubectl_goes_on_over_ten_changes_of_leader(self):
        """At a controller that never leads, as a balancer before standbys would find it."""
        three = Controller(self, "three", self.enterContext(held_port()))
        self.share(three.folder)
        self.begin_both()
        self.begin(three)
        wait_until("the third to answer reads", lambda: (three.ask(RUNS) or [0])[0] == 200)
        self.keep_from_leading(three)
        watch = self.kubectl_watch(three)
        self.assertTrue(self.one.post("run-0"))
        leader, other = self.one, self.two
        for number in range(1, 11):
            self.lose(leader)
            wait_until("another one to take it", lambda number=number, to=other: to.post(f"run-{number}"))
            self.begin(leader)
            wait_until("the former one to wait", leader.refuses)
            leader, other = other, leader
        runs = "SELECT string_agg(resource_version::text, ' ' ORDER BY resource_version) FROM changes WHERE kind = 'Run'"
        wait_until("kubectl to tell the last", lambda: "run-10" in watch.text())
        changes = [int(each) for each in self.server.query(f"{runs} AND resource_version >= {watch.versions()[0]}").split()]
        wait_until("kubectl to tell all", lambda: len(watch.versions()) >= len(changes))
        self.assertEqual(watch.versions()[:len(changes)], changes, "each once, in their order")
        self.assertIsNone(watch.process.poll(), "it was never cut")

    def keep_from_leading(self, controller):
        holder = (controller.folder / "store-holder").read_text().strip()
        self.server.query("CREATE FUNCTION not_you() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                          f"IF position('{holder}' in NEW.holder) > 0 THEN RAISE disk_full; END IF; RETURN NEW; END $$; "
                          "CREATE TRIGGER not_you BEFORE UPDATE ON paddock_leader FOR EACH ROW EXECUTE FUNCTION not_you()")

    def kubectl_watch(self, controller):
        config = self.folder / "kubeconfig"
        config.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": controller.url, "certificate-authority": str(self.ca)}}],
            "users": [{"name": "u", "user": {"token": self.token}}]}))
        watch = KubectlWatch(config, self.folder / "kubectl")
        self.addCleanup(watch.end)
        numbers = itertools.count()  # it tells what is changed once it has begun
        wait_until("kubectl to watch", lambda: self.one.post(f"seen-{next(numbers)}") and watch.versions())
        return watch


class KubectlWatch:
    def __init__(self, config, out):
        self.out = out
        with open(out, "wb") as file:
            self.process = subprocess.Popen([KUBECTL, "--kubeconfig", config, "get", "runs", "--watch-only", "-o", "json"], stdin=subprocess.DEVNULL,
                                            stdout=file, stderr=subprocess.STDOUT, env={"PATH": os.environ["PATH"], "HOME": str(out.parent)})

    def text(self):
        return self.out.read_text()

    def versions(self):
        return [int(each) for each in re.findall(r'"resourceVersion": "(\d+)"', self.text())]

    def end(self):
        self.process.kill()
        self.process.wait()


if __name__ == "__main__":
    main()
