"""A whole instance whose store is a PostgreSQL database: killed controllers, a database that restarts, a former leader."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from bare_controller import BareController
from harness import BIN, Instance, ended, main, make_project, wait_until
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

    @unittest.skipUnless(BOUNCER, "pgbouncer is not installed")
    def test_behind_a_pooler_that_gives_each_transaction_another_session(self):
        instance = self.instance(self.server.url(self.server.start_bouncer()))
        names = [f"run-{i}" for i in range(10)]
        self.submit_all(instance, names)
        self.check_all(instance, names)

    def test_its_own_tools_back_it_up(self):
        instance = self.instance()
        refused = instance.run("admin", "backup", "one", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("STORE_BACKED_UP_ELSEWHERE", refused.stdout + refused.stderr)


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
