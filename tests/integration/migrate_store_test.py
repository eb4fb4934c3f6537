"""`paddock-controller --migrate-store`: an instance with runs under way goes to PostgreSQL and back, and is cut off between."""
import contextlib
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import tempfile
import unittest

from bare_controller import BareController
from harness import BIN, Instance, find_file, main, make_project, wait_until
from postgres_server import PROGRAMS, Cable, PostgresServer
from postgres_store_test import write_url

LINES = 200
FILLERS = 40_000
JOB = f"""
import time
for i in range({LINES}):
    print(f"line {{i}}", flush=True)
    time.sleep(0.1)
"""
URL_FILE = "PADDOCK_CONTROLLER_STORE_POSTGRES_URL_FILE"
MOVING = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'paddock-controller moving %' AND xact_start IS NOT NULL"


def start_move(data, url_file, to):
    env = {"PATH": os.environ["PATH"], "PADDOCK_CONTROLLER_DATA_DIR": str(data), URL_FILE: url_file}
    return subprocess.Popen([BIN / "paddock-controller", "--migrate-store", to], env=env, text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def move(data, url_file, to):
    """Its exit code and its records."""
    moving = start_move(data, url_file, to)
    out, _ = moving.communicate(timeout=300)
    return moving.returncode, [json.loads(line) for line in out.splitlines()]


def digests(records):
    return {each["table"]: (each["rows"], each["digest"]) for each in records if "table" in each}


@unittest.skipUnless(PROGRAMS, "PostgreSQL is not installed (Debian: postgresql-15)")
class AnInstanceMoves(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(PostgresServer())
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-"))
        self.project = make_project(self.folder, job__py=JOB)
        self.url_file = write_url(self.folder, self.server.url())
        self.instance = self.enterContext(Instance())
        self.data = find_file(self.instance.home, "controller.json").parent

    def end_controller(self):
        """As its supervisor would, and the runs go on; not by `down`, which ends them."""
        pid = self.instance.pid_of("paddock-controller")
        os.kill(pid, signal.SIGTERM)
        wait_until("the controller to end", lambda: self.instance.pid_of("paddock-controller") is None)

    def move(self, to):
        code, records = move(self.data, self.url_file, to)
        self.assertEqual(code, 0, records)
        return digests(records)

    def seen(self, line):
        wait_until(f"line {line}", lambda: f"line {line}\n" in self.instance.run("logs", "job").stdout)

    def test_there_and_back_with_a_run_under_way(self):
        self.instance.run("compute", self.project, "python3 job.py", "--detach", "--name", "job")
        self.seen(3)
        self.assertEqual(self.instance.post_run("before", {"type": "code", "code": "print(1)"})[0], 201)
        before = self.instance.wait_phase("before", "Succeeded")
        self.end_controller()
        there = self.move("postgres")
        self.assertFalse((self.data / "paddock.db").exists())
        self.instance.env[URL_FILE] = self.url_file
        self.instance.run("up")
        self.assertEqual(self.instance.run_object("before"), before, "with its number and all else")
        self.seen(20)
        self.assertEqual(self.instance.post_run("between", {"type": "code", "code": "print(1)"})[0], 201)
        self.instance.wait_phase("between", "Succeeded")
        self.end_controller()
        back = self.move("sqlite")
        self.assertEqual(there.keys(), back.keys())
        del self.instance.env[URL_FILE]
        self.instance.run("up")
        self.assertEqual(self.instance.run_object("before"), before)
        self.assertEqual(self.instance.wait_phase("job", "Succeeded", "Failed")["status"]["phase"], "Succeeded")
        log = self.instance.run("logs", "job").stdout.splitlines()
        self.assertEqual([l for l in log if l.startswith("line")], [f"line {i}" for i in range(LINES)])
        self.assertEqual(self.instance.run("audit", "verify").returncode, 0)
        record = move(self.data, self.url_file, "postgres")[1][-1]
        self.assertEqual(record["reason"], "LOCK_HELD", "while the controller uses it")

    def test_into_the_folder_that_is_its_own_alone(self):
        self.end_controller()
        self.move("postgres")
        other = pathlib.Path(self.folder) / "other"
        code, records = move(other, self.url_file, "sqlite")
        self.assertEqual((code, records[-1]["reason"]), (1, "CONFIG_INVALID"), "it is not there")
        other.mkdir(mode=0o700)
        code, records = move(other, self.url_file, "sqlite")
        self.assertEqual((code, records[-1]["reason"]), (1, "STANDBY_FILES_DIFFER"))
        self.assertIn("tokens/admin", records[-1]["error"])
        self.assertEqual(os.listdir(other), [], "nothing was written")
        self.move("sqlite")
        code, records = move(other, self.url_file, "sqlite")
        self.assertEqual((code, records[-1]["reason"]), (1, "STORE_MOVED_AWAY"))
        self.assertIn(str(self.data / "paddock.db"), records[-1]["error"], "where it is")
        self.instance.run("up")


class NarrowCable(Cable):
    """Is cut once so much of the rows has gone along: whoever moves them is in the middle then, and stays there."""
    def __init__(self, server):
        super().__init__(server)
        self.left = FILLERS * 500 // 4

    def _pass(self, source, target):
        super()._pass(Counted(source, self), target)


class Counted:
    """A socket whose bytes count for its cable."""
    def __init__(self, end, cable):
        self.end, self.cable = end, cable

    def recv(self, most):
        data = self.end.recv(most)
        before = self.cable.left
        self.cable.left -= len(data)
        if before >= 0 > self.cable.left:  # once
            self.cable.cut()
        return data

    def shutdown(self, how):
        self.end.shutdown(how)


@unittest.skipUnless(PROGRAMS, "PostgreSQL is not installed (Debian: postgresql-15)")
class AMoveIsCutOff(BareController):

    def setUp(self):
        super().setUp()
        self.server = self.enterContext(PostgresServer())
        self.url_file = write_url(self.folder, self.server.url())

    def kill_in_the_middle(self, to):
        """While its rows are on their way, of which a part alone gets there: its transaction is seen at the database."""
        with NarrowCable(self.server) as cable:
            moving = start_move(self.data, write_url(cable.folder, self.server.url(cable.folder)), to)
            wait_until("the move to be in the middle", lambda: moving.poll() is not None or not cable.whole.is_set())
            self.assertIsNone(moving.poll(), "it ended before it was killed")
            self.assertEqual(self.server.query(MOVING), "1")
            moving.kill()
            moving.wait()
            moving.stdout.close()
        wait_until("its transaction to be over", lambda: self.server.query(MOVING) == "0")

    def test_killed_in_the_middle_it_is_where_it_was(self):
        self.start()()
        self.fill()
        self.kill_in_the_middle("postgres")
        self.start()()  # where it was
        code, records = move(self.data, self.url_file, "postgres")
        self.assertEqual(code, 0, records)
        self.kill_in_the_middle("sqlite")
        self.assertFalse((self.data / "paddock.db").exists())
        self.start(**{URL_FILE: self.url_file})()
        code, records = move(self.data, self.url_file, "sqlite")
        self.assertEqual(code, 0, records)
        with contextlib.closing(sqlite3.connect(self.data / "paddock.db")) as db:
            self.assertEqual(db.execute("SELECT count(*) FROM settings WHERE key LIKE 'filler-%'").fetchone(), (FILLERS,))
        self.start()

    def fill(self):
        """Enough rows for the move to be cut off among them."""
        with contextlib.closing(sqlite3.connect(self.data / "paddock.db")) as db, db:
            db.executemany("INSERT INTO settings VALUES (?, ?)", ((f"filler-{i}", "x" * 500) for i in range(FILLERS)))


if __name__ == "__main__":
    main()
