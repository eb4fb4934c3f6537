"""Three controllers as the chart configures them: one PostgreSQL database, one bucket, and the files that
`paddock-controller --make-shared-files` makes. Those that lead are killed one after another."""
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
import unittest

import chart
from chart import AGENT, SEVERAL, of_kind, render
from controller_pair import LEASE_ENDS, PATIENT_LEASE
from harness import BIN, PATIENCE_S, held_port, main, make_project, wait_until
from postgres_server import PROGRAMS, PostgresServer
from s3_servers import S3rver

JOB = "import os\nos.makedirs('out', exist_ok=True)\nopen('out/answer.txt', 'w').write(open('input.txt').read() * 2)\n"


class Pod:
    """A controller with the chart's configuration; only addresses and folders are this machine's."""

    def __init__(self, test, number, port):
        self.test, self.port = test, port
        self.folder = test.folder / f"pod-{number}"
        self.url = f"https://localhost:{port}"
        self.process = None

    def start(self):
        own = {"DATA_DIR": self.folder, "HOST": "127.0.0.1", "PORT": self.port, "STORE_POSTGRES_URL_FILE": self.test.folder / "url",
               "STORE_POSTGRES_ADVERTISED_URL": self.url, "STORE_POSTGRES_LEASE": PATIENT_LEASE, "STORE_POSTGRES_SHARED_DIR": self.test.shared,
               "BLOBS_S3_CREDENTIALS_FILE": self.test.folder / "keys"}
        with open(self.test.folder / f"{self.folder.name}.log", "a") as log:
            self.process = subprocess.Popen([BIN / "paddock-controller", "--config", self.test.config], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, env={"PATH": os.environ["PATH"], **{f"PADDOCK_CONTROLLER_{key}": str(value)
                                                                                            for key, value in own.items()}})

    def end(self, how=signal.SIGKILL):
        if self.process:
            self.process.send_signal(how)
            self.process.wait(PATIENCE_S)
            self.process = None

    def status(self, path):
        tls = ssl.create_default_context(cafile=str(self.test.shared / "ca.pem"))
        connection = http.client.HTTPSConnection("localhost", self.port, context=tls, timeout=60)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.test.token}"})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()


@unittest.skipUnless(PROGRAMS, "PostgreSQL is not installed (Debian: postgresql-15)")
@unittest.skipIf(S3rver.missing(), f"s3rver: {S3rver.missing()}")
@unittest.skipUnless(chart.tool("helm")[0], f"no Helm: {chart.tool('helm')[1]}")
class ThreeControllers(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-three-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.database = self.enterContext(PostgresServer())
        self.bucket = S3rver()
        self.addCleanup(self.bucket.close)
        self.bucket.up()
        self.shared = self.folder / "shared"
        self.make_shared_files(self.shared)
        self.token = (self.shared / "admin-token").read_text().strip()
        self.write("url", self.database.url() + "\n")
        self.write("keys", self.bucket.credentials)
        where = {"endpoint": self.bucket.endpoint, "bucket": self.bucket.bucket, "prefix": "paddock/"}
        objects = render(AGENT, SEVERAL, {"controller": {"config": {"blobs": {"s3": where}}}})
        self.config = self.write("controller.yaml", of_kind(objects, "ConfigMap", "paddock-controller")["data"]["controller.yaml"])
        self.pods = [Pod(self, i, self.enterContext(held_port())) for i in range(of_kind(objects, "StatefulSet")["spec"]["replicas"])]
        for pod in self.pods:
            pod.start()
            self.addCleanup(pod.end)

    def make_shared_files(self, folder):
        return subprocess.run([BIN / "paddock-controller", "--make-shared-files", folder], check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)

    def write(self, name, text):
        path = self.folder / name
        path.touch(0o600)
        path.write_text(text)
        return path

    def leader(self):
        """The only one that is ready, once there is one; two may have been so one after the other."""
        ready = [pod for pod in self.pods if pod.status("/readyz") == 200]
        return ready[0] if len(ready) == 1 else None

    def readers(self):
        return [pod for pod in self.pods if pod.status("/apis/paddock.dev/v1alpha1/namespaces/default/runs") == 200]

    def paddock(self, *words):
        done = subprocess.run([BIN / "paddock", *map(str, words)], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=300, check=False,
                              env={"PATH": os.environ["PATH"], "PADDOCK_HOME": str(self.folder / "home"), "NO_COLOR": "1", "PADDOCK_TOKEN": self.token,
                                   "PADDOCK_SERVER": ",".join(pod.url for pod in self.pods), "PADDOCK_CA_FILE": str(self.shared / "ca.pem")})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def begin_agent(self):
        config = self.write("agent.yaml", json.dumps({
            "server": ",".join(pod.url for pod in self.pods), "caFile": str(self.shared / "ca.pem"), "name": "node-1",
            "dataDir": str(self.folder / "agent"), "enrollTokenFile": str(self.shared / "enroll-token")}))
        with open(self.folder / "agent.log", "a") as log:
            agent = subprocess.Popen([BIN / "paddock-node-agent", "--config", config], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                     env={"PATH": os.environ["PATH"]})
        self.addCleanup(agent.wait, PATIENCE_S)
        self.addCleanup(agent.terminate)
        wait_until("the node to be ready", lambda: json.loads(self.paddock("get", "nodes", "-o", "json"))["items"][:1] and
                   json.loads(self.paddock("get", "node", "node-1", "-o", "json"))["status"].get("ready"))

    def run_job(self, number):
        project = make_project(self.folder / f"project-{number}", job__py=JOB, input__txt=f"{number} ")
        name = f"job-{number}"
        self.paddock("compute", project, "python3 job.py", "--artifact-dir", "out", "--name", name)
        return name

    def check_job(self, number):
        target = self.folder / f"artifacts-{number}-{os.urandom(4).hex()}"
        self.paddock("artifacts", f"job-{number}", "--output", target)
        self.assertEqual((target / "out/answer.txt").read_text(), f"{number} " * 2)

    def test_one_leads_all_answer_and_any_of_them_takes_over(self):
        wait_until("one to lead", self.leader)
        wait_until("all of them to answer reads", lambda: len(self.readers()) == 3)
        self.begin_agent()
        self.run_job(0)
        led = []
        for number in (1, 2):
            leader = wait_until("one to lead", self.leader)
            led.append(leader)
            leader.end()
            self.database.query(LEASE_ENDS)
            wait_until("another one to lead", lambda: self.leader() is not None)
            self.run_job(number)
            leader.start()
            wait_until("all of them to answer reads", lambda: len(self.readers()) == 3)
        for number in range(3):
            self.check_job(number)
        self.paddock("audit", "verify")
        self.assertEqual(len(json.loads(self.paddock("get", "nodes", "-o", "json"))["items"]), 1)
        self.assertEqual(self.make_shared_files(self.shared).returncode, 1, "what is there is not replaced")

    def test_a_file_that_is_missing_there_is_named(self):
        wait_until("one to lead", self.leader)
        wait_until("all of them to answer reads", lambda: len(self.readers()) == 3)
        with contextlib.ExitStack() as late:
            pod = Pod(self, 9, late.enter_context(held_port()))
            (self.shared / "secrets.key").unlink()
            pod.start()
            self.addCleanup(pod.end)
            self.assertEqual(pod.process.wait(PATIENCE_S), 1)
        last = json.loads((self.folder / "pod-9.log").read_text().splitlines()[-1])
        self.assertEqual(last["reason"], "CONFIG_INVALID")
        self.assertIn("secrets.key", last["error"])


if __name__ == "__main__":
    main()
