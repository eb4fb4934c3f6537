"""paddock-controller --check, beside a controller and before its first start."""
import contextlib
import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import unittest

from bare_controller import BareController
from harness import BIN, PATIENCE_S, main, wait_until
from postgres_server import BOUNCER, PROGRAMS, PostgresServer

KEY = "PADDOCK_CONTROLLER_STORE_POSTGRES_URL_FILE"


class Check(BareController):
    def check(self, data=None, **variables):
        """What is not well, by its name; and the whole answer, whose exit code says the same."""
        done = subprocess.run([BIN / "paddock-controller", "--check=json"], stdin=subprocess.DEVNULL, text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**self.env, "PADDOCK_CONTROLLER_DATA_DIR": str(data or self.data), "PADDOCK_CONTROLLER_PORT": "0", **variables})
        told = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if told["ok"] else 1, done.stdout + done.stderr)
        for each in told["checks"]:
            self.assertEqual(each["ok"], not each["code"], each)
            self.assertEqual(bool(each["remedy"]), not each["ok"], each)
        return {each["name"]: each["code"] for each in told["checks"] if not each["ok"]}

    def url_file(self, url):
        path = self.folder / "store-url"
        path.touch(0o600)
        path.write_text(url + "\n")
        return str(path)


class OfFiles(Check):
    def test_before_the_first_start_and_beside_the_controller_all_is_well_and_nothing_is_made(self):
        self.assertEqual(self.check(), {})
        self.assertFalse(self.data.exists())
        self.start()
        before = sorted(path for path in self.data.rglob("*"))
        self.assertEqual(self.check(), {})
        self.assertEqual(sorted(path for path in self.data.rglob("*")), before)
        self.assertEqual(self.check(data=self.folder / "another"), {})

    def test_a_taken_port_and_missing_certificates_are_named_with_their_settings(self):
        self.start()
        port = json.loads((self.data / "controller.json").read_text())["port"]
        faults = self.check(data=self.folder / "another", PADDOCK_CONTROLLER_PORT=str(port),
                            PADDOCK_CONTROLLER_TLS_CERT_FILE="/nothing.pem", PADDOCK_CONTROLLER_TLS_KEY_FILE="/nothing-key.pem")
        self.assertEqual(faults, {"port": "PORT_IN_USE", "TLS": "TLS_CERTIFICATE_INVALID"})
        self.assertEqual(self.check(PADDOCK_CONTROLLER_PORT=str(port)), {}, "its own controller's")

    def ended(self, *words, **variables):
        """How the program ends by itself, soon: as a start that is refused does."""
        return subprocess.run([BIN / "paddock-controller", *words], stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PATIENCE_S,
                              env={**self.env, "PADDOCK_CONTROLLER_DATA_DIR": str(self.data), "PADDOCK_CONTROLLER_PORT": "0", **variables})

    def both(self, code, **variables):
        """A fault that the check tells is one that ends a start, and neither waits."""
        self.assertIn(code, self.check(**variables).values(), variables)
        started = self.ended(**variables)
        self.assertEqual(started.returncode, 1, started.stderr)
        self.assertIn(code, started.stderr)

    def test_a_database_of_another_program_is_refused_as_at_the_start(self):
        self.data.mkdir()
        with contextlib.closing(sqlite3.connect(self.data / "paddock.db")) as theirs:
            theirs.execute("CREATE TABLE customers(a)")
        self.both("STORE_NOT_OURS")

    def test_a_pipe_that_nobody_writes_is_refused_as_at_the_start(self):
        pipe = self.folder / "x.yaml"
        os.mkfifo(pipe)
        self.both("STORE_URL_INVALID", **{KEY: str(pipe)})
        self.both("PROFILES_UNREADABLE", PADDOCK_CONTROLLER_PROFILES_DIR=str(self.folder))
        self.assertEqual(self.check(PADDOCK_CONTROLLER_TLS_CERT_FILE=str(pipe), PADDOCK_CONTROLLER_TLS_KEY_FILE=str(pipe)),
                         {"TLS": "TLS_CERTIFICATE_INVALID"})
        self.assertEqual(self.ended(PADDOCK_CONTROLLER_TLS_CERT_FILE=str(pipe), PADDOCK_CONTROLLER_TLS_KEY_FILE=str(pipe)).returncode, 1)
        for words in (["--config", pipe], ["--config", pipe, "--check"]):
            done = self.ended(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("x.yaml is a pipe", done.stdout + done.stderr)
        shutil.rmtree(self.data, ignore_errors=True)
        self.data.mkdir()
        for name in ("paddock.db", "tokens/admin"):
            (self.data / name).parent.mkdir(exist_ok=True)
            os.mkfifo(self.data / name)
            self.both("STORE_NOT_OURS")
            (self.data / name).unlink()
        (self.data / "tls").mkdir(exist_ok=True)
        shutil.rmtree(self.data / "tls")
        (self.data / "tls").mkdir()
        os.mkfifo(self.data / "tls/ca.pem")
        self.both("CA_DAMAGED")

    def test_a_configuration_from_a_pipe_of_the_shell_is_read(self):
        done = subprocess.run(["bash", "-c", f"exec {BIN}/paddock-controller --check=json --config <(echo 'logLevel: loud')"], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=60, env=self.env)
        self.assertIn("logLevel", done.stdout)
        done = subprocess.run([BIN / "paddock-controller", "--check=json", "--config", "/dev/stdin"], text=True, input="logLevel: loud\n",
                              stdout=subprocess.PIPE, timeout=60, env=self.env)
        self.assertIn("logLevel", done.stdout)

    def test_a_wrong_file_is_not_told(self):
        wrong = self.folder / "shadow"
        wrong.write_text("root:$6$salt$hash:19000:0:99999:7:::\n")
        for words in ([], ["--check"], ["--check=json"]):
            done = self.ended("--config", wrong, *words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("CONFIG_INVALID" if words else f"{wrong}:1: ", done.stdout + done.stderr)
            self.assertNotIn("salt", done.stdout + done.stderr)
        wrong.rename(self.folder / "x.yaml")
        done = self.ended("--check", PADDOCK_CONTROLLER_PROFILES_DIR=str(self.folder))
        self.assertIn("PROFILE_INVALID", done.stdout)
        self.assertNotIn("salt", done.stdout)

    def test_what_ends_a_start_is_a_fault(self):
        self.both("UNIX_SOCKET_PATH_INVALID", PADDOCK_CONTROLLER_UNIX_SOCKET=str(self.folder / "missing/socket"))
        self.both("UNIX_SOCKET_PATH_INVALID", PADDOCK_CONTROLLER_UNIX_SOCKET=str(self.folder / ("s" * 108)))
        os.mkfifo(self.folder / "socket")
        self.both("UNIX_SOCKET_PATH_INVALID", PADDOCK_CONTROLLER_UNIX_SOCKET=str(self.folder / "socket"))
        for folder in ("/proc/paddock", str(self.folder / ("x" * 300))):
            self.assertIn("data folder", self.check(data=folder), folder)
            self.assertEqual(self.ended(PADDOCK_CONTROLLER_DATA_DIR=folder).returncode, 1, folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        self.both("PORT_IN_USE", PADDOCK_CONTROLLER_PORT=port, PADDOCK_CONTROLLER_EXECUTE_PORT=port)
        for name in ("tokens/admin", "tls/server.pem", "controller.json", "paddock.db-wal"):
            shutil.rmtree(self.data, ignore_errors=True)
            (self.data / name).mkdir(parents=True)
            self.both("STORE_NOT_OURS")
        for name in ("tokens", "tls"):
            shutil.rmtree(self.data, ignore_errors=True)
            self.data.mkdir()
            (self.data / name).touch()
            self.assertIn("STORE_UNWRITABLE", self.check().values(), name)
            self.assertEqual(self.ended().returncode, 1, name)
        for make in (pathlib.Path.mkdir, lambda path: path.symlink_to("elsewhere")):
            shutil.rmtree(self.data, ignore_errors=True)
            self.data.mkdir()
            make(self.data / "controller.lock")
            self.assertEqual(self.check(), {"data folder": "STORE_NOT_OURS"})
            self.assertEqual(self.ended().returncode, 1)

    def test_an_answer_that_cannot_be_written_is_no_good_one(self):
        for word in ("--check", "--check=json", "--version", "--help"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([BIN / "paddock-controller", word], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=60, env={**self.env, "PADDOCK_CONTROLLER_DATA_DIR": str(self.data), "PADDOCK_CONTROLLER_PORT": "0"})
            self.assertEqual(done.returncode, 1, word)
            self.assertIn("No space left", done.stderr)

    def test_options_that_libpq_refuses_are_faults_of_the_url(self):
        for options in ("sslmode=hunter2", "service=hunter2", "port=hunter2"):
            self.both("STORE_URL_INVALID", **{KEY: self.url_file(f"postgresql:///paddock?host=/nowhere&{options}")})

    def test_the_text_says_what_to_do(self):
        done = subprocess.run([BIN / "paddock-controller", "--check"], stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE, timeout=120,
                              env={**self.env, "PADDOCK_CONTROLLER_DATA_DIR": str(self.data), "PADDOCK_CONTROLLER_PORT": "0",
                                   KEY: self.url_file("postgresql:///paddock?user=u&password=hunter2&host=/nowhere")})
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^FAULT +database: ")
        self.assertIn("STORE_AWAY", done.stdout)
        self.assertIn("store.postgres.urlFile", done.stdout)
        self.assertIn("remedy: ", done.stdout)
        self.assertNotIn("hunter2", done.stdout)

    def test_doctor_shows_the_same(self):
        config = self.folder / "controller.yaml"
        config.write_text(f"dataDir: {self.data}\nport: 0\nstore:\n  postgres:\n    urlFile: /nothing\n")
        done = self.paddock("doctor", "--controller-config", config, "-o", "json")
        self.assertEqual(done.returncode, 1, done.stderr)
        told = json.loads(done.stdout)["controller"]
        self.assertEqual([each["code"] for each in told["checks"] if not each["ok"]], ["STORE_URL_INVALID"])
        self.assertIsNone(json.loads(self.paddock("doctor", "-o", "json").stdout)["controller"])

    def test_a_configuration_that_is_none_is_a_finding(self):
        self.assertEqual(self.check(PADDOCK_CONTROLLER_PORT="many"), {"configuration": "CONFIG_INVALID"})


@unittest.skipUnless(PROGRAMS, "PostgreSQL is not installed (Debian: postgresql-15)")
class OfADatabase(Check):
    def setUp(self):
        super().setUp()
        self.server = self.enterContext(PostgresServer())

    def of(self, url, **variables):
        return self.check(**{KEY: self.url_file(url)}, **variables)

    def tables(self):
        return self.server.query("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace")

    def test_it_takes_no_lead_and_makes_no_table(self):
        url = self.server.url()
        self.assertEqual(self.of(url), {})
        self.assertEqual(self.tables(), "0")
        self.assertFalse(self.data.exists())
        self.start(**{KEY: self.url_file(url)})
        leader = "SELECT epoch, holder FROM paddock_leader"
        before, tables = self.server.query(leader), self.tables()
        self.assertEqual(self.of(url), {})
        # Another instance is told beforehand what a standby would be refused for.
        self.assertEqual(self.of(url, data=self.folder / "another"), {"files of the leader": "STANDBY_FILES_DIFFER"})
        self.assertEqual((self.server.query(leader), self.tables()), (before, tables))
        if BOUNCER:
            self.assertEqual(self.of(self.server.url(self.server.start_bouncer())), {})

    def test_each_fault_has_its_code(self):
        folder = self.server.folder
        self.server.query("CREATE ROLE guest LOGIN")
        for url, code in [(f"postgresql:///other?user=paddock&host={folder}", "STORE_LOGIN_REFUSED"),
                          (f"postgresql:///paddock?user=nobody&host={folder}", "STORE_LOGIN_REFUSED"),
                          (f"postgresql:///paddock?user=guest&host={folder}", "STORE_LOGIN_REFUSED"),  # it may make no tables
                          ("postgresql:///paddock?host=/nowhere", "STORE_AWAY"),
                          ("postgresql://u:hunter2@db.example/d?sslmode=require", "STORE_TLS_UNVERIFIED"),
                          ("hunter2", "STORE_URL_INVALID")]:
            self.assertEqual(self.of(url), {"database": code}, url)
        url = self.server.url()
        self.server.query("CREATE TABLE theirs (x int)")
        self.assertEqual(self.of(url), {"database": "STORE_NOT_OURS"})
        self.server.query("DROP TABLE theirs")
        self.start(**{KEY: self.url_file(url)})()
        known = self.server.query("SELECT schema_version FROM paddock_leader")
        self.server.query("UPDATE paddock_leader SET schema_version = 99")
        self.assertEqual(self.of(url), {"database": "STORE_SCHEMA_TOO_NEW"})
        self.server.query(f"UPDATE paddock_leader SET schema_version = {known}")
        self.assertEqual(self.of(url), {})

    def test_a_wrong_password_is_told_without_it(self):
        self.server.query("CREATE ROLE known LOGIN PASSWORD 'right'")
        rules = self.server.folder / "data/pg_hba.conf"
        text = rules.read_text()
        rules.write_text("local all known scram-sha-256\n" + text)
        self.server.query("SELECT pg_reload_conf()")
        wrong = f"postgresql:///paddock?user=known&password=hunter2&host={self.server.folder}"
        wait_until("the server to ask for a password", lambda: self.of(wrong) == {"database": "STORE_LOGIN_REFUSED"})

    def test_a_replica_is_no_primary(self):
        folder = self.server.start_standby()
        self.assertEqual(self.of(self.server.url(folder)), {"database": "STORE_READ_ONLY"})
        self.assertEqual(self.of(self.server.url()), {})


if __name__ == "__main__":
    main()
