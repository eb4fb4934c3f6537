"""Two servers that speak S3 and were not written for each other, for tests of blobs in a bucket: s3rver (JavaScript; `scripts/s3-server`
puts it into build/) and OpenStack Swift with its S3 interface (Debian: `scripts/install-deps servers`). Swift looks at signatures and at the digests of bodies; s3rver at the name of the key alone."""
import contextlib
import datetime
import hashlib
import hmac
import http.client
import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile

from harness import SOURCE, held_port, wait_until

S3RVER = SOURCE / "build/s3rver/node_modules/s3rver/bin/s3rver.js"
SWIFT = ("swift-proxy-server", "swift-account-server", "swift-container-server", "swift-object-server")
# Its arguments: a folder, and a kind with its port for each ring: one disk, one copy.
RINGS = """
import sys
from swift.common.ring import RingBuilder
for kind, port in zip(sys.argv[2::2], sys.argv[3::2]):
    builder = RingBuilder(4, 1, 0)
    builder.add_dev({"region": 1, "zone": 1, "ip": "127.0.0.1", "port": int(port), "replication_ip": "127.0.0.1",
                     "replication_port": int(port), "device": "d1", "weight": 100.0, "meta": ""})
    builder.rebalance()
    builder.get_ring().save(f"{sys.argv[1]}/{kind}.ring.gz")
"""


class Server:
    """A program, or a few, with a bucket; `credentials` is the content of blobs.s3.credentialsFile."""
    bucket = "a-bucket"
    access, secret = "", ""
    checks_signatures = True

    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="paddock-s3-"))
        self.held = contextlib.ExitStack()
        self.port = self.held.enter_context(held_port())
        self.programs = []

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def credentials(self):
        return f"[default]\naws_access_key_id = {self.access}\naws_secret_access_key = {self.secret}\n"

    def start(self, *command, port):
        with open(self.home / f"{port}.log", "ab") as log:
            self.programs.append(subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.home))

    def wait_for(self, *ports):
        for port in ports:
            wait_until(f"{self.name} to listen", lambda: self.listens(port))

    @staticmethod
    def listens(port):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
            return True
        return False

    def stop(self):
        for program in self.programs:
            program.kill()
            program.wait()
        self.programs = []

    def close(self):
        self.stop()
        self.held.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def print_logs(self):
        for log in sorted(self.home.glob("*.log")):
            print(f"--- {log.name}\n" + log.read_text(errors="replace")[-4000:], file=sys.stderr)


class S3rver(Server):
    name = "s3rver"
    access, secret = "S3RVER", "S3RVER"
    checks_signatures = False

    @staticmethod
    def missing():
        if shutil.which("node") is None:
            return "there is no node"
        return None if S3RVER.exists() else "s3rver is not there: run scripts/s3-server"

    def up(self):
        legacy = "--openssl-legacy-provider"  # for the tokens of its lists
        self.start("node", legacy, S3RVER, "-d", self.home / "data", "-a", "127.0.0.1", "-p", self.port, "--configure-bucket",
                   self.bucket, port=self.port)
        self.wait_for(self.port)

    def objects(self):
        """Contents by key."""
        root = self.home / "data" / self.bucket
        ending = "._S3rver_object"
        return {str(path.relative_to(root))[:-len(ending)]: path.read_bytes() for path in root.rglob(f"*{ending}")
                if "_S3rver_uploads" not in str(path)}


class Swift(Server):
    name = "Swift"
    access, secret = "test:tester", "testing"

    @staticmethod
    def missing():
        absent = [each for each in SWIFT if shutil.which(each) is None]
        if not os.path.exists("/etc/swift/swift.conf"):
            absent.append("/etc/swift/swift.conf")
        return f"there is no {', '.join(absent)}: run scripts/install-deps servers" if absent else None

    def configure(self, kind, port, rest):
        (self.home / f"{kind}.conf").write_text(
            f"[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = {port}\nworkers = 0\nuser = {self.user()}\nswift_dir = {self.home}\n"
            f"devices = {self.home}/devices\nmount_check = false\nlog_level = WARNING\nfallocate_reserve = 0\n{rest}")

    @staticmethod
    def user():
        return pwd.getpwuid(os.getuid()).pw_name

    def prepare(self):
        shutil.copy("/etc/swift/swift.conf", self.home)
        (self.home / "devices/d1").mkdir(parents=True)
        self.parts = {kind: self.held.enter_context(held_port()) for kind in ("account", "container", "object")}
        words = [str(word) for part in self.parts.items() for word in part]
        subprocess.run(["/usr/bin/python3", "-c", RINGS, self.home, *words], check=True)
        for kind, port in self.parts.items():
            self.configure(kind, port, f"[pipeline:main]\npipeline = {kind}-server\n"
                                       f"[app:{kind}-server]\nuse = egg:swift#{kind}\n")
        self.configure("proxy", self.port, "\n".join((
            "[pipeline:main]", "pipeline = catch_errors gatekeeper cache bulk s3api tempauth slo proxy-server",
            "[app:proxy-server]", "use = egg:swift#proxy", "account_autocreate = true",
            # It insists on being told of a memory cache, and works without one that answers.
            "[filter:cache]", "use = egg:swift#memcache", "memcache_servers = 127.0.0.1:1",
            "[filter:tempauth]", "use = egg:swift#tempauth", "user_test_tester = testing .admin",
            "[filter:s3api]", "use = egg:swift#s3api", "location = us-east-1",
            *(line for each in ("catch_errors", "gatekeeper", "bulk", "slo") for line in (f"[filter:{each}]", f"use = egg:swift#{each}")))))

    def up(self):
        new = not hasattr(self, "parts")
        if new:
            self.prepare()
        for kind, port in self.parts.items():
            self.start(f"swift-{kind}-server", self.home / f"{kind}.conf", "-v", port=port)
        self.start("swift-proxy-server", self.home / "proxy.conf", "-v", port=self.port)
        self.wait_for(*self.parts.values(), self.port)
        if new:
            signed(self, "PUT", f"/{self.bucket}")

    def objects(self):
        """Contents by key; the order of a large one's parts is Swift's."""
        listed = signed(self, "GET", f"/{self.bucket}", "list-type=2").decode()
        return {key: signed(self, "GET", f"/{self.bucket}/{key}") for key in re.findall("<Key>([^<]+)</Key>", listed)}


def signed(server, method, path, query=""):
    """One request, signed by Signature Version 4; its body. The query is sorted and encoded."""
    def mac(key, text):
        return hmac.new(key, text.encode(), hashlib.sha256).digest()
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{now[:8]}/us-east-1/s3/aws4_request"
    host, empty = f"127.0.0.1:{server.port}", hashlib.sha256(b"").hexdigest()
    names = "host;x-amz-content-sha256;x-amz-date"
    asked = f"{method}\n{path}\n{query}\nhost:{host}\nx-amz-content-sha256:{empty}\nx-amz-date:{now}\n\n{names}\n{empty}"
    text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(asked.encode()).hexdigest()}"
    key = mac(mac(mac(mac(b"AWS4" + server.secret.encode(), now[:8]), "us-east-1"), "s3"), "aws4_request")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    connection.request(method, path + (f"?{query}" if query else ""), headers={
        "x-amz-content-sha256": empty, "x-amz-date": now, "Authorization":
        f"AWS4-HMAC-SHA256 Credential={server.access}/{scope}, SignedHeaders={names}, Signature={mac(key, text).hex()}"})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    if answer.status // 100 != 2:
        server.print_logs()
        raise AssertionError(f"{method} {path}: {answer.status} {body.decode()}")
    return body
