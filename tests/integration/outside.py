"""What tests put outside of the sandboxes: a name server, and package indexes that hold what a test makes."""
import base64
import gzip
import hashlib
import http.server
import io
import json
import os
import socket
import tarfile
import threading
import zipfile


class NameServer(threading.Thread):
    """Every name is at `address`, or with `known` those names alone; nothing has an IPv6 address."""
    def __init__(self, address, known=None):
        super().__init__(daemon=True)
        self.known = known
        self.address = address
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 0))
        self.place = "%s:%d" % self.socket.getsockname()
        # A node asks each twice, for 3 s, and takes three: a busy machine may keep this process waiting for longer than two times that.
        self.places = [self.place] * 3

    def run(self):
        while True:
            query, client = self.socket.recvfrom(4096)
            end = query.index(0, 12) + 5  # the name's end, its type and class
            four = query[end - 4:end - 2] == b"\0\1"
            if self.known is not None and query[12:end - 5] not in self.known:  # as the question has it
                self.socket.sendto(query[:2] + b"\x81\x83\0\1\0\0\0\0\0\0" + query[12:end], client)
                continue
            header = query[:2] + b"\x81\x80\0\1" + (b"\0\1" if four else b"\0\0") + b"\0\0\0\0"
            record = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4" + socket.inet_aton(self.address) if four else b""
            self.socket.sendto(header + query[12:end] + record, client)


def loopback_address():
    """One of this process's own, so that tests side by side do not meet."""
    return f"127.77.{100 + os.getpid() // 250 % 100}.{1 + os.getpid() % 250}"


# Fetches what it is told to and says what it got of each. Where no name server has said anything yet it asks again.
FETCH = """
import socket, sys, urllib.request
for url in sys.argv[1:]:
    for last in (False, False, True):
        try:
            print(urllib.request.urlopen(url, timeout=60).read().decode())
            break
        except OSError as error:
            if last or getattr(getattr(error, "reason", None), "errno", None) != socket.EAI_AGAIN:
                print("refused", url)
                break
"""


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", f"http://hidden.test:{self.server.server_port}/")
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"from outside")

    def log_message(self, *_):
        pass


def serve_pages(test_class, address):
    """A web server that says "from outside", until the class's tests have ended; its port."""
    pages = http.server.ThreadingHTTPServer((address, 0), Pages)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    test_class.addClassCleanup(pages.server_close)
    test_class.addClassCleanup(pages.shutdown)
    return pages.server_port


def wheel(name, version, source, metadata="", more=None):
    """The smallest wheel that pip installs, with `more` files by path: its file name and bytes."""
    info = f"{name}-{version}.dist-info"
    files = {f"{name}.py": source,
             f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}",
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n", **(more or {})}
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(text)}\n"
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return f"{name}-{version}-py3-none-any.whl", out.getvalue()


def tar_gz(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(text.encode()), 0o644
            archive.addfile(entry, io.BytesIO(text.encode()))
    return gzip.compress(out.getvalue())


class Packages:
    """A pip index at /simple and an npm registry at /npm, over plain HTTP, found by any name."""

    def __init__(self):
        self.address = loopback_address()
        self.names = NameServer(self.address)
        self.names.start()
        self.files = {}      # path: (type, bytes)
        self.requests = []   # every path that was asked for, with the name of the host
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                owner.requests.append((self.headers.get("Host", ""), self.path))
                kind, content = owner.files.get(self.path.rstrip("/"), (None, b""))
                self.send_response(200 if kind else 404)
                self.send_header("Content-Type", kind or "text/plain")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((self.address, 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"http://packages.test:{self.port}"

    def settings(self):
        """The operator's configuration that leads here."""
        return {"PADDOCK_NODE_AGENT_PACKAGES_PYTHON_INDEX": self.url + "/simple",
                "PADDOCK_NODE_AGENT_PACKAGES_NPM_REGISTRY": self.url + "/npm",
                "PADDOCK_NODE_AGENT_NETWORK_RESOLVERS": json.dumps(self.names.places),
                "PADDOCK_NODE_AGENT_NETWORK_ALLOW_RANGES": json.dumps([self.address + "/32"])}

    def asked_for(self, word):
        return [path for host, path in self.requests if word in path or word in host]

    def add_python(self, project, *distributions):
        """`distributions`: pairs of file name and bytes."""
        links = ""
        for name, content in distributions:
            self.files[f"/files/{name}"] = ("application/octet-stream", content)
            links += f'<a href="/files/{name}#sha256={hashlib.sha256(content).hexdigest()}">{name}</a>\n'
        self.files[f"/simple/{project}"] = ("text/html", f"<!DOCTYPE html><html><body>{links}</body></html>".encode())

    def node_version(self, name, version):
        return json.loads(self.files[f"/npm/{name}"][1])["versions"][version]

    def add_node(self, name, version="1.0.0", files=None, **manifest):
        """One version of an npm package, the latest now; `manifest` is more of its package.json."""
        manifest = {"name": name, "version": version, "main": "index.js", **manifest}
        files = {"package/package.json": json.dumps(manifest),
                 **{f"package/{path}": text for path, text in (files or {"index.js": f"module.exports = '{name}';\n"}).items()}}
        content = tar_gz(files)
        tarball = f"/npm/{name}/-/{name}-{version}.tgz"
        self.files[tarball] = ("application/octet-stream", content)
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
        known = json.loads(self.files.get(f"/npm/{name}", ("", b"{}"))[1]).get("versions", {})
        document = {"name": name, "dist-tags": {"latest": version},
                    "versions": {**known, version: {**manifest, "dist": {"tarball": self.url + tarball, "integrity": integrity}}}}
        self.files[f"/npm/{name}"] = ("application/json", json.dumps(document).encode())
