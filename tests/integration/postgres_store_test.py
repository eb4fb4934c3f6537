"""A whole instance whose store is a PostgreSQL database: killed controllers, a database that restarts, a former leader."""
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

from bare_controller import BareController
from harness import BIN, Instance, ended, held_port, main, make_project, wait_until
from postgres_server import BOUNCER, PROGRAMS, PostgresServer

LINES = 60
JOB = f"""
import time
for i in range({LINES}):
    print(f"line {{i}}", flush=True)
    time.sleep(0.1)
"""


def write_url(folder, url):
    path = pathlib.Path(folder) / "store-url"
    path.touch(0o600)
    path.write_text(url + "\n")
    return str(path)


@unittest.skipUnless(PROGRAMS, "PostgreSQL is not installed (Debian: postgresql-15)")
class OnPostgres(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(PostgresServer())
        folder = tempfile.TemporaryDirectory(prefix="paddock-project-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.project = make_project(folder.name, job__py=JOB)

    def instance(self, url=None):
        made = Instance()
        made.env["PADDOCK_CONTROLLER_STORE_POSTGRES_URL_FILE"] = write_url(self.folder, url or self.server.url())
        # Renewed so seldom that no renewal is what waits where a test holds commits.
        made.env["PADDOCK_CONTROLLER_STORE_POSTGRES_LEASE"] = "5m"
        return self.enterContext(made)

    def seen(self, instance, line):
        wait_until(f"line {line}", lambda: f"line {line}\n" in instance.run("logs", "job").stdout)

    def submit_all(self, instance, names):
        for name in names:
            status, body = instance.post_run(name, {"type": "code", "code": "print(1)"})
            self.assertEqual(status, 201, body)

    def check_all(self, instance, names):
        for name in names:
            self.assertEqual(instance.wait_phase(name, "Succeeded", "Failed", "Canceled")["status"]["phase"], "Succeeded", name)

    def test_neither_a_killed_controller_nor_a_restarted_database_loses_anything(self):
        instance = self.instance()
        self.assertFalse(list(instance.home.rglob("paddock.db")), "there is no file beside the database")
        instance.run("compute", self.project, "python3 job.py", "--detach", "--name", "job")
        self.seen(instance, 3)
        before = [f"before-{i}" for i in range(5)]
        self.submit_all(instance, before)
        instance.kill("paddock-controller")
        instance.run("up")
        self.seen(instance, 10)
        self.server.stop(signal.SIGQUIT)
        self.server.start()
        wait_until("the controller to write again", lambda: instance.post_run(
            "middle", {"type": "code", "code": "print(1)"})[0] in (201, 409))
        after = [f"after-{i}" for i in range(5)]
        self.submit_all(instance, after)
        self.check_all(instance, ["job", "middle", *before, *after])
        log = instance.run("logs", "job").stdout.splitlines()
        self.assertEqual([l for l in log if l.startswith("line")], [f"line {i}" for i in range(LINES)])
        self.assertIn("audit log is whole", self.verified(instance))

    def verified(self, instance):
        done = instance.run("audit", "verify", check=False)
        return "audit log is whole" if done.returncode == 0 else done.stdout + done.stderr

    def hold_commits(self):
        """From now on each commit waits for a standby that does not come; its locks are held until it is acknowledged."""
        self.server.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        self.server.query("SELECT pg_reload_conf()")

    def let_commits_go(self):
        self.server.query("ALTER SYSTEM RESET synchronous_standby_names")
        self.server.query("SELECT pg_reload_conf()")

    def committing(self):
        """The server process that waits with the commit of an object."""
        return self.server.query("SELECT a.pid FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid WHERE wait_event = 'SyncRep' "
                                 "AND l.relation = 'objects'::regclass AND l.mode = 'RowExclusiveLock'")

    def post_while_commits_wait(self, instance, name):
        """The future of its answer, once its commit waits."""
        pool = concurrent.futures.ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        self.hold_commits()
        answer = pool.submit(instance.post_run, name, {"type": "code", "code": "print(1)"})
        wait_until("its commit to wait", self.committing)
        return answer

    def test_a_session_that_is_ended_in_its_commit_is_looked_up(self):
        instance = self.instance()
        answer = self.post_while_commits_wait(instance, "kept")
        self.server.query(f"SELECT pg_terminate_backend({self.committing()})")
        wait_until("the look-up to wait for the standby too", lambda: self.server.query(
            "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'paddock-controller looking'"))
        self.assertFalse(answer.done(), "a standby that took over would not have it")
        self.let_commits_go()
        status, body = answer.result()
        self.assertEqual(status, 201, body)
        self.check_all(instance, ["kept"])

    def test_what_no_synchronous_standby_has_is_not_acknowledged(self):
        instance = self.instance()
        answer = self.post_while_commits_wait(instance, "unknown")
        self.server.query(f"SELECT pg_terminate_backend({self.committing()})")
        status, body = answer.result()
        self.assertEqual((status, body["error"]["code"]), (503, "STORE_OUTCOME_UNKNOWN"), body)
        self.let_commits_go()
        wait_until("the controller to write again", lambda: instance.post_run(
            "after", {"type": "code", "code": "print(1)"})[0] in (201, 409))
        self.assertEqual(instance.post_run("unknown", {"type": "code", "code": "print(1)"})[0], 409, "it had been kept")

    def test_a_database_that_goes_in_a_commit_and_stays_away_leaves_it_unknown_and_both_are_said(self):
        instance = self.instance()
        answer = self.post_while_commits_wait(instance, "unknown")
        self.server.stop(signal.SIGQUIT)
        status, body = answer.result()
        self.assertEqual((status, body["error"]["code"]), (503, "STORE_OUTCOME_UNKNOWN"), body)
        self.server.start()
        self.let_commits_go()
        wait_until("the controller to write again", lambda: instance.post_run(
            "after", {"type": "code", "code": "print(1)"})[0] in (201, 409))
        self.assertEqual(instance.post_run("unknown", {"type": "code", "code": "print(1)"})[0], 409, "it had been kept")
        self.check_all(instance, ["unknown", "after"])

    @unittest.skipUnless(BOUNCER, "pgbouncer is not installed")
    def test_behind_a_pooler_that_gives_each_transaction_another_session(self):
        instance = self.instance(self.server.url(self.server.start_bouncer()))
        names = [f"run-{i}" for i in range(10)]
        self.submit_all(instance, names)
        self.check_all(instance, names)

    def test_its_own_tools_back_it_up(self):
        """The dump of a store in use is one that a controller goes on with, in a new database."""
        instance = self.instance()
        refused = instance.run("admin", "backup", "one", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("STORE_BACKED_UP_ELSEWHERE", refused.stdout + refused.stderr)
        names = [f"run-{i}" for i in range(5)]
        self.submit_all(instance, names)
        self.check_all(instance, names)
        dump = self.server.tool("pg_dump", "paddock")
        self.submit_all(instance, ["later"])
        instance.run("down")
        self.server.query("CREATE DATABASE restored", "postgres")
        self.server.tool("psql", "restored", "-q", "-v", "ON_ERROR_STOP=1", given=dump)
        write_url(self.folder, self.server.url(database="restored"))
        instance.run("up")
        self.check_all(instance, names)
        self.assertNotEqual(instance.run("get", "run", "later", check=False).returncode, 0, "it is not of the dump")
        instance.run("audit", "verify")
        self.submit_all(instance, ["after"])
        self.check_all(instance, ["after"])

    def test_a_primary_that_restarts_is_waited_for_where_the_url_names_its_replica_too(self):
        replica = self.server.start_standby()
        instance = self.instance(self.server.url(f"{self.server.folder},{replica}"))
        self.submit_all(instance, ["before"])
        self.server.stop(signal.SIGQUIT)
        status, said = instance.post_run("during", {"type": "code", "code": "print(1)"})
        self.assertEqual(status, 503, said)  # of which a client sends it again
        self.assertIn("STORE_AWAY", json.dumps(said))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(instance.run, "run", "--detach", "--name", "waiting", "--", "true", check=False)
            self.server.start()
            self.assertEqual(waiting.result().returncode, 0, waiting.result().stderr)
        self.check_all(instance, ["before", "waiting"])


@unittest.skipUnless(PROGRAMS, "PostgreSQL is not installed (Debian: postgresql-15)")
class OneLeads(BareController):
    def setUp(self):
        super().setUp()
        self.server = self.enterContext(PostgresServer())
        self.variables = {"PADDOCK_CONTROLLER_STORE_POSTGRES_URL_FILE": write_url(self.folder, self.server.url())}

    def refused(self, data, **variables):
        """The last record of a controller that does not start."""
        done = subprocess.run([BIN / "paddock-controller"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=120, env={**self.env, "PADDOCK_CONTROLLER_DATA_DIR": str(data),
                                                           "PADDOCK_CONTROLLER_PORT": "0", **self.variables, **variables})
        self.assertEqual(done.returncode, 1, done.stdout)
        return json.loads(done.stdout.splitlines()[-1])

    def test_a_former_leader_ends_itself(self):
        self.start(**self.variables)
        pid = json.loads((self.data / "controller.json").read_text())["pid"]
        self.server.query("UPDATE paddock_leader SET epoch = epoch + 1")
        wait_until("the former leader to end", lambda: ended(pid))
        last = json.loads((self.folder / "log").read_text().splitlines()[-1])
        self.assertEqual(last["reason"], "STORE_FENCED")

    def certify(self, name):
        """A new authority and a certificate of it for `localhost`: paths of the three files."""
        ca, ca_key, certificate, key, request = (self.folder / f"{name}-{part}.pem" for part in ("ca", "ca-key", "cert", "key", "request"))
        extensions = self.folder / "extensions"
        extensions.write_text("subjectAltName = DNS:localhost\n")
        for words in (["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-days", "2", "-keyout", ca_key, "-out", ca],
                      ["req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", key, "-out", request],
                      ["x509", "-req", "-in", request, "-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-days", "2", "-extfile", extensions,
                       "-out", certificate]):
            subprocess.run(["openssl", *words], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return ca, certificate, key

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_over_tls_the_certificate_is_that_of_the_authority_and_of_the_host_or_nothing_is_sent(self):
        ca, certificate, key = self.certify("right")
        other, _, _ = self.certify("wrong")
        with held_port() as port:
            self.server.serve_tls(port, certificate, key)
            name = "PADDOCK_CONTROLLER_STORE_POSTGRES_URL_FILE"
            for host, authority in ("localhost", other), ("127.0.0.1", ca), ("localhost", "/nothing.pem"):
                record = self.refused(self.folder / "new", **{name: write_url(self.folder, self.server.tls_url(host, authority))})
                self.assertEqual(record["reason"], "STORE_TLS_UNVERIFIED", record)
            self.start(**{name: write_url(self.folder, self.server.tls_url("localhost", ca))})
            self.assertEqual(self.server.query("SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                                               "WHERE application_name LIKE 'paddock-controller epoch%'"), "t")

    def test_what_cannot_be_used_is_named(self):
        (self.folder / "old").mkdir()
        (self.folder / "old/paddock.db").touch()
        self.assertEqual(self.refused(self.folder / "old")["reason"], "STORE_CHOSEN_TWICE")
        key = "PADDOCK_CONTROLLER_STORE_POSTGRES_URL_FILE"
        for url, reason in [("postgresql:///other?user=paddock&host=" + str(self.server.folder), "STORE_LOGIN_REFUSED"),
                            ("postgresql://u:hunter2@db.example/d?sslmode=require", "STORE_TLS_UNVERIFIED"),
                            ("postgresql:///paddock?host=/nowhere", "STORE_AWAY"), ("hunter2", "STORE_URL_INVALID")]:
            record = self.refused(self.folder / "new", **{key: write_url(self.folder, url)})
            self.assertEqual(record["reason"], reason)
            self.assertNotIn("hunter2", json.dumps(record))
        os.chmod(self.folder / "store-url", 0o644)
        self.assertEqual(self.refused(self.folder / "new")["reason"], "STORE_URL_INVALID")


if __name__ == "__main__":
    main()
