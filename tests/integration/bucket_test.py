"""A whole instance whose files lie in a bucket, with each of two servers that speak S3: jobs with inputs and artifacts, programs that
are killed in the middle, a bucket that goes away, and causes that a start names."""
import contextlib
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from harness import BIN, Instance, find_file, held_port, main, make_project, wait_until
from s3_servers import S3rver, Swift

# Its argument: how many files it leaves. Each is the input with its number.
JOB = """
import os, sys
os.makedirs("out", exist_ok=True)
content = open("input.bin", "rb").read()
for i in range(int(sys.argv[1])):
    with open(f"out/{i}.bin", "wb") as f:
        f.write(f"{i}".encode() + content)
"""
PREFIX = "a/prefix/"


class Bucket:
    """For each server: a class of tests below."""
    server_type = None

    @classmethod
    def setUpClass(cls):
        if why := cls.server_type.missing():
            raise unittest.SkipTest(f"{cls.server_type.name}: {why}")

    def setUp(self):
        self.server = self.server_type()
        self.addCleanup(self.server.close)
        self.server.up()
        self.project = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")))
        self.instance = Instance()
        self.keys = self.instance.home / "bucket-keys"
        self.write_keys(self.server.credentials)
        self.use(ENDPOINT=self.server.endpoint, BUCKET=self.server.bucket, PREFIX=PREFIX, CREDENTIALS_FILE=self.keys, TIMEOUT="60s")

    def write_keys(self, text):
        self.keys.write_text(text)
        self.keys.chmod(0o600)

    def use(self, **settings):
        self.instance.env.update({f"PADDOCK_CONTROLLER_BLOBS_S3_{name}": str(value) for name, value in settings.items()})

    def fill(self, size, files=0):
        content = random.Random(size).randbytes(size)
        make_project(self.project, job__py=JOB, **{f"notes/{i}__txt": f"note {i} {size}" for i in range(files)})
        (self.project / "input.bin").write_bytes(content)
        return content

    def submit(self, name, count):
        return ["compute", self.project, f"python3 job.py {count}", "--artifact-dir", "out", "--detach", "--name", name]

    def check_artifacts(self, name, content, count):
        run = self.instance.wait_phase(name, "Succeeded", "Failed", "Canceled")
        self.assertEqual(run["status"]["phase"], "Succeeded", run["status"])
        target = self.instance.home / f"artifacts-{name}-{random.random()}"
        self.instance.run("artifacts", name, "--output", target)
        for i in range(count):
            self.assertEqual((target / f"out/{i}.bin").read_bytes(), f"{i}".encode() + content)

    def forget_cache(self):
        shutil.rmtree(find_file(self.instance.home, "bucket-id").parent / "bucket-cache")

    def test_the_store_by_itself(self):
        program = BIN.parent / "tests/controller_bucket_test"
        if not program.exists():
            self.skipTest("controller_bucket_test was not built")
        done = subprocess.run([program, "--gtest_filter=LiveServer.*", "--gtest_brief=0"], text=True, capture_output=True, check=False,
                              timeout=900, env={**os.environ, "PADDOCK_TEST_S3_ENDPOINT": self.server.endpoint,
                                                "PADDOCK_TEST_S3_BUCKET": self.server.bucket, "PADDOCK_TEST_S3_KEYS": str(self.keys)})
        self.assertEqual(done.returncode, 0, done.stdout[-5000:] + done.stderr[-3000:])
        self.assertIn("[       OK ] LiveServer.KeepsFindsAndRemovesBlobs", done.stdout)

    def test_a_job_reads_its_inputs_from_the_bucket_and_leaves_its_artifacts_there(self):
        content = self.fill(300_000, files=40)
        with self.instance:
            self.instance.run(*self.submit("one", 3))
            self.check_artifacts("one", content, 3)
            stored = self.server.objects()
            self.assertIn(content, stored.values())
            self.assertGreaterEqual(len([key for key in stored if key.startswith(f"{PREFIX}blobs/")]), 40 + 2 + 3)
            self.instance.kill("paddock-controller")
            self.forget_cache()
            self.instance.run("up")
            self.check_artifacts("one", content, 3)
            self.instance.run(*self.submit("again", 3))
            self.check_artifacts("again", content, 3)

    def test_a_large_file_goes_in_parts(self):
        content = self.fill(70 << 20)
        with self.instance:
            self.instance.run(*self.submit("large", 1))
            self.check_artifacts("large", content, 1)
            self.instance.kill("paddock-controller")
            self.forget_cache()
            self.instance.run("up")
            self.check_artifacts("large", content, 1)

    def test_nothing_is_lost_when_the_controller_is_killed_in_the_middle_of_uploads(self):
        content = self.fill(1 << 20, files=100)
        with self.instance:
            sent = len(self.server.objects())
            upload = self.instance.start(*self.submit("killed", 12))
            wait_until("some files to be there", lambda: len(self.server.objects()) > sent + 5 or upload.poll() is not None)
            self.instance.kill("paddock-controller")
            self.instance.run("up")
            upload.communicate()
            if upload.returncode != 0:  # a client may give up; what it does again must do
                self.instance.run(*self.submit("killed", 12))
            sent = len(self.server.objects())
            wait_until("some artifacts to be there", lambda: len(self.server.objects()) > sent
                       or self.instance.run_object("killed")["status"]["phase"] == "Succeeded")
            self.instance.kill("paddock-controller")
            self.forget_cache()
            self.instance.run("up")
            self.check_artifacts("killed", content, 12)

    def test_a_bucket_that_is_away_is_said_and_waited_for(self):
        content = self.fill(200_000)
        with self.instance:
            self.instance.run(*self.submit("before", 1))
            self.check_artifacts("before", content, 1)
            self.server.stop()
            content = self.fill(200_001)
            refused = self.instance.run(*self.submit("away", 1), check=False)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("BUCKET_UNREACHABLE", refused.stderr)
            self.server.up()
            self.instance.run(*self.submit("after", 1))
            self.check_artifacts("after", content, 1)

    def test_a_start_names_what_is_wrong(self):
        for reason, change in (("BUCKET_NOT_FOUND", {"BUCKET": "another-bucket"}),
                               ("BUCKET_UNREACHABLE", {"ENDPOINT": "http://127.0.0.1:1"})):
            with self.subTest(reason):
                self.check_refused(reason, change)
        wrong = "secret_access_key" if self.server.checks_signatures else "access_key_id"
        self.write_keys(self.server.credentials.replace(f"{wrong} = ", f"{wrong} = not"))
        self.check_refused("BUCKET_DENIED", {})

    def check_refused(self, reason, change):
        instance = Instance()
        self.addCleanup(shutil.rmtree, instance.home, ignore_errors=True)
        instance.env.update({k: v for k, v in self.instance.env.items() if k.startswith("PADDOCK_CONTROLLER_")})
        instance.env.update({f"PADDOCK_CONTROLLER_BLOBS_S3_{k}": v for k, v in change.items()})
        with contextlib.ExitStack() as ports:
            done = instance.run("up", "--port", ports.enter_context(held_port()), check=False)
        instance.run("down", check=False)
        self.assertNotEqual(done.returncode, 0)
        logs = "".join(path.read_text() for path in instance.home.rglob("*.log"))
        self.assertIn(reason, done.stderr + logs)
        self.assertNotIn(self.server.secret, done.stderr + logs)


class WithS3rver(Bucket, unittest.TestCase):
    server_type = S3rver


class WithSwift(Bucket, unittest.TestCase):
    server_type = Swift


if __name__ == "__main__":
    main()
