"""paddock-controller --check, beside a controller and before its first start."""
import json
import subprocess
import unittest

from bare_controller import BareController
from harness import BIN, main, wait_until
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
        self.server.query("UPDATE paddock_leader SET schema_version = 99")
        self.assertEqual(self.of(url), {"database": "STORE_SCHEMA_TOO_NEW"})
        self.server.query("UPDATE paddock_leader SET schema_version = 1")
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
