"""A body that is refused early is answered, and whoever sends all of it before reading reads the answer: with several HTTP
clients, over TLS and without."""
import contextlib
import http.client
import json
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from executing import Executing
from harness import find_file, main

# Sizes of bodies that are refused by their length: the first may fit into the kernel's buffers, the second is far too
# large.
SIZES = (9 << 20, 48 << 20)

FETCH = """
const [url, token, file] = process.argv.slice(2);
const headers = {"content-type": "application/json", ...(token && {authorization: `Bearer ${token}`})};
const answer = await fetch(url, {method: "POST", headers, body: (await import("node:fs")).readFileSync(file)});
console.log(answer.status + " " + await answer.text());
"""


class EarlyRefusals(Executing):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-early-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        for size in SIZES:
            (cls.folder / str(size)).write_bytes(b"x" * size)
        (cls.folder / "fetch.mjs").write_text(FETCH)
        home = cls.instance.home
        cls.ca = str(find_file(home, "tls/ca.pem"))
        port = json.loads(find_file(home, "controller.json").read_text())["port"]
        token = find_file(home, "tokens/admin").read_text().strip()
        cls.places = (("127.0.0.1", port, "/apis/paddock.dev/v1alpha1/namespaces/default/runs", token),
                      ("127.0.0.1", cls.port, "/execute", ""))

    def check(self, said, status, what):
        self.assertIn("BODY_TOO_LARGE", said, what)
        self.assertIn(status, (413, 422), what)

    def each(self):
        for host, port, path, token in self.places:
            for size in SIZES:
                yield host, port, path, token, self.folder / str(size), f"{'TLS' if token else 'plain'} {size}"

    def test_http_client_of_python(self):
        for host, port, path, token, file, what in self.each():
            if token:
                context = ssl.create_default_context(cafile=self.ca)
                connection = http.client.HTTPSConnection(host, port, context=context, timeout=120)
            else:
                connection = http.client.HTTPConnection(host, port, timeout=120)
            with self.subTest(what):
                try:
                    connection.request("POST", path, file.read_bytes(), {"Authorization": f"Bearer {token}"} if token else {})
                    answer = connection.getresponse()
                    self.check(answer.read().decode(), answer.status, what)
                finally:
                    connection.close()

    def test_one_that_pauses_for_longer_than_most(self):
        with contextlib.ExitStack() as open_ones:
            senders = [(open_ones.enter_context(self.sender(place)), place[3]) for place in self.places]
            for pause in (9, 2):
                time.sleep(pause)  # what is tested is that time passes in which nothing comes
                for sender, _ in senders:
                    sender.sendall(b"x" * (SIZES[0] // 2))
            for sender, token in senders:
                with self.subTest("TLS" if token else "plain"):
                    answer = http.client.HTTPResponse(sender)
                    answer.begin()
                    self.check(answer.read().decode(), answer.status, token)

    @contextlib.contextmanager
    def sender(self, place):
        """A connection on which the head of a request was sent."""
        host, port, path, token = place
        with socket.create_connection((host, port), timeout=120) as plain:
            context = ssl.create_default_context(cafile=self.ca)
            with context.wrap_socket(plain, server_hostname=host) if token else contextlib.nullcontext(plain) as sending:
                head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {SIZES[0]}\r\n"
                sending.sendall(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
                yield sending

    def test_requests_of_python(self):
        try:
            import requests
        except ImportError:
            self.skipTest("this machine has no requests for Python")
        for host, port, path, token, file, what in self.each():
            with self.subTest(what):
                answer = requests.post(f"{'https' if token else 'http'}://{host}:{port}{path}", data=file.read_bytes(), timeout=120,
                                       headers={"Authorization": f"Bearer {token}"} if token else {}, verify=self.ca)
                self.check(answer.text, answer.status_code, what)

    def test_curl_which_asks_first_or_does_not(self):
        for host, port, path, token, file, what in self.each():
            for expect in ("Expect:", "Expect: 100-continue"):
                with self.subTest(f"{what} {expect}"):
                    done = subprocess.run(
                        ["curl", "--silent", "--show-error", "--http1.1", "--cacert", self.ca, "-w", "%{http_code}", "-H", expect,
                         *(["-H", f"Authorization: Bearer {token}"] if token else []), "--data-binary", f"@{file}",
                         f"{'https' if token else 'http'}://{host}:{port}{path}"], text=True, capture_output=True, timeout=120)
                    self.check(done.stdout, int(done.stdout[-3:]), done.stderr)

    @unittest.skipUnless(shutil.which("node"), "this machine has no node")
    def test_fetch_of_node(self):
        for host, port, path, token, file, what in self.each():
            with self.subTest(what):
                done = subprocess.run(["node", self.folder / "fetch.mjs", f"{'https' if token else 'http'}://{host}:{port}{path}", token, file],
                                      env={"NODE_EXTRA_CA_CERTS": self.ca, "PATH": "/usr/bin:/bin:/usr/local/bin"}, text=True,
                                      capture_output=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check(done.stdout, int(done.stdout[:3]), what)


if __name__ == "__main__":
    main()
