"""A host with a wrong clock: certificates that are not of its time, and a controller whose time is another."""
import datetime
import email.utils
import json
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

from bare_controller import BareController
from harness import BIN, SOURCE, main, wait_until

sys.path.insert(0, str(SOURCE / "clients/python"))
from paddock import Client, PaddockError  # noqa: E402

BEHIND = r"this host's clock is (59|60)m behind that of the controller"  # less what an answer takes
DAY = datetime.timedelta(days=1)
EXTENSIONS = "[server]\nsubjectAltName=IP:127.0.0.1\n[ca]\ndatabase={0}/index\nserial={0}/serial\nnew_certs_dir={0}\n" \
             "default_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n"


class OtherTime:
    """A way to the controller on which its answers are dated otherwise; the date is as long as it was."""

    def __init__(self, port, shift_s):
        self.port, self.shift_s = port, shift_s
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.relay, args=(near,), daemon=True).start()

    def relay(self, near):
        with near, socket.create_connection(("127.0.0.1", self.port)) as far:
            while True:
                for each in select.select([near, far], [], [])[0]:
                    try:
                        data = each.recv(1 << 16)
                        if not data:
                            return
                        (far if each is near else near).sendall(self.redate(data) if each is far else data)
                    except OSError:
                        return

    def redate(self, data):
        date = email.utils.formatdate(time.time() + self.shift_s, usegmt=True)
        return re.sub(rb"(?m)^Date: .{29}\r$", f"Date: {date}\r".encode(), data)


class Certificates(BareController):
    def make_certificate(self, start, end):
        """Makes a certificate of a CA that is good now, for this time alone; returns what tells the controller of it."""
        tls = self.folder / "own-tls"
        tls.mkdir()
        (tls / "config").write_text(EXTENSIONS.format(tls))
        (tls / "index").touch()
        (tls / "serial").write_text("01\n")

        def openssl(*words):
            subprocess.run(["openssl", *map(str, words)], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        openssl("req", "-x509", *key, "-keyout", tls / "ca-key.pem", "-out", tls / "ca.pem", "-days", "30", "-subj", "/CN=test ca")
        openssl("req", *key, "-keyout", tls / "key.pem", "-out", tls / "request.pem", "-subj", "/CN=paddock")
        openssl("ca", "-batch", "-config", tls / "config", "-name", "ca", "-extensions", "server", "-cert", tls / "ca.pem",
                "-keyfile", tls / "ca-key.pem", "-in", tls / "request.pem", "-out", tls / "cert.pem", "-notext",
                "-startdate", start.strftime("%Y%m%d%H%M%SZ"), "-enddate", end.strftime("%Y%m%d%H%M%SZ"))
        self.ca = tls / "ca.pem"
        return {"PADDOCK_CONTROLLER_TLS_CERT_FILE": str(tls / "cert.pem"), "PADDOCK_CONTROLLER_TLS_KEY_FILE": str(tls / "key.pem")}

    def join_it(self):
        return self.join("gpu-1", "--server", self.url, "--ca-file", self.ca, "--token-file", self.data / "tokens/enroll")

    def assert_refused_by(self, words):
        done = self.join_it()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("[CERTIFICATE_NOT_VALID_NOW]", done.stderr)
        for each in (words, "timedatectl set-ntp true", "renew the certificate", "date -u"):
            self.assertIn(each, done.stderr)
        self.assertNotIn("--ca-file", done.stderr, "the CA is the right one")
        self.assertRegex(done.stderr, r"clock, which says \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
        self.assertFalse(self.has_joined("gpu-1"))
        doctor = self.paddock("doctor", "--server", self.url, "--ca-file", self.ca, "--token-file", self.data / "tokens/admin",
                              "-o", "json")
        with self.assertRaises(PaddockError) as refused:
            Client(self.url, "token", str(self.ca)).runs.get("x")
        self.assertEqual(refused.exception.code, "CERTIFICATE_NOT_VALID_NOW")
        clock = {each["name"]: each for each in json.loads(doctor.stdout)["host"]}["clock"]
        self.assertFalse(clock["ok"])
        self.assertIn(words, clock["details"])
        self.assertIn("timedatectl set-ntp true", clock["remedy"])

    def test_one_that_is_valid_from_tomorrow(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        self.start(**self.make_certificate(now + DAY, now + 9 * DAY))
        self.assert_refused_by("is not valid yet by this host's clock")

    def test_one_that_has_expired(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        self.start(**self.make_certificate(now - 9 * DAY, now - DAY))
        self.assert_refused_by("has expired by this host's clock")

    def test_one_that_is_valid_is_none_of_these(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        self.start(**self.make_certificate(now - DAY, now + DAY))
        done = self.join_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("CLOCK_WRONG", done.stderr)


class Clocks(BareController):
    def start_with(self, shift_s):
        self.start(PADDOCK_CONTROLLER_PLAIN_HTTP_ON_LOOPBACK="true")
        self.other = OtherTime(int(self.url.rsplit(":", 1)[1]), shift_s)
        self.addCleanup(self.other.listener.close)

    def join_it(self):
        done = self.join("gpu-1", "--server", self.other.url, "--token-file", self.data / "tokens/enroll")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def clock_found(self):
        doctor = self.paddock("doctor", "--server", self.other.url, "--token-file", self.data / "tokens/admin", "-o", "json")
        return {each["name"]: each for each in json.loads(doctor.stdout)["host"]}["clock"]

    def test_a_host_that_is_behind_joins_and_is_told_by_everybody(self):
        self.start_with(3600)
        said = self.join_it()
        self.assertRegex(said, BEHIND)
        for words in ("[CLOCK_WRONG]", "timedatectl set-ntp true"):
            self.assertIn(words, said)
        found = self.clock_found()
        self.assertFalse(found["ok"])
        self.assertRegex(found["details"], BEHIND)

        log = self.folder / "agent.log"
        with open(log, "w") as out:
            agent = subprocess.Popen([BIN / "paddock-node-agent", "--config", self.folder / "gpu-1/node-agent.yaml"],
                                     env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        try:
            ready = ("get", "node", "gpu-1", "--server", self.url, "--token-file", self.data / "tokens/admin", "-o", "json")
            wait_until("the node to be ready all the same", lambda: '"ready": true' in self.paddock(*ready).stdout)
            wait_until("the agent to say so", lambda: "CLOCK_WRONG" in log.read_text())
        finally:
            agent.send_signal(signal.SIGTERM)
            agent.wait(60)
        told = [json.loads(line) for line in log.read_text().splitlines() if "CLOCK_WRONG" in line]
        self.assertEqual(len(told), 1, "once, whatever number of answers came")
        self.assertRegex(told[0]["message"], BEHIND)

    def test_a_host_that_is_ahead_is_told_too(self):
        self.start_with(-175)  # less what an answer takes
        self.assertRegex(self.join_it(), r"2m\S* ahead of")

    def test_a_few_seconds_are_nobodys_business(self):
        self.start_with(10)
        self.assertNotIn("CLOCK_WRONG", self.join_it())
        self.assertTrue(self.clock_found()["ok"])


if __name__ == "__main__":
    main()
