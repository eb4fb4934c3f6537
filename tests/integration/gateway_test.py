"""A run with a tool token calls home: by the URL, the token and the CA that are in its environment, as programs do it, and
without any network. And whatever else it tries by that way, hostile programs included."""
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

from agent_run_test import Api
from harness import BIN, Instance, main, make_project, wait_until

OPERATIONS = ["run:read", "media:generate", "project:read", "tool-results:write", "tool-tokens:create"]

# What honest programs do: urllib with a context of the CA, and curl.
HONEST = r"""
import json, os, ssl, subprocess, time, urllib.error, urllib.request
RUN, TOKEN = os.environ["PADDOCK_RUN_URL"], os.environ["OD_TOOL_TOKEN"]
PROJECT = RUN.rsplit("/", 2)[0] + "/workspaces/" + os.environ["OD_PROJECT_ID"]
TLS = ssl.create_default_context(cafile=os.environ.get("PADDOCK_CA_FILE"))
def call(method, url, body=None):
    headers = {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"}
    asked = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(asked, context=TLS, timeout=90) as answer:
        return answer.status, answer.read()
def curl(*words):
    ca = ["--cacert", os.environ["PADDOCK_CA_FILE"]] if "PADDOCK_CA_FILE" in os.environ else []
    return subprocess.run(["curl", "-sS", "--fail", *ca, "-H", "Authorization: Bearer " + TOKEN, *words],
                          capture_output=True, text=True, check=True).stdout
assert RUN.startswith(os.environ["OD_DAEMON_URL"] + "/")
status, made = call("POST", RUN + "/media", {"surface": "image", "model": "small", "prompt": "a house"})
print("mine", TOKEN, flush=True)
print("media", status, json.loads(made)["status"])
print("project", call("GET", PROJECT + "/raw/note.txt"))
print("run", json.loads(call("GET", RUN)[1])["status"]["phase"])
print("curl", json.loads(curl(RUN))["metadata"]["name"], curl(PROJECT + "/raw/note.txt"))
narrower = json.loads(call("POST", RUN + "/tool-tokens", {"operations": ["run:read"]})[1])
print("narrower", narrower["status"]["token"][:5])
print(json.dumps({"type": "assistant", "message": {"role": "assistant", "content": [
    {"type": "tool_use", "id": "one", "name": "ask", "input": {}}]}}), flush=True)
while True:  # it is pending once the line is stored
    try:
        print("tool", call("POST", RUN + "/tool-results", {"toolUseId": "one", "content": "42"}))
        break
    except urllib.error.HTTPError as error:
        assert error.code == 400, error.read()
        time.sleep(0.05)
print("stdin", json.loads(input())["message"]["content"][0]["content"])
"""

# Says for each attempt what came of it: the first line of an answer and its code, or the error.
HOSTILE = r"""
import json, os, re, socket, ssl, sys, urllib.parse
URL = urllib.parse.urlsplit(os.environ["OD_DAEMON_URL"])
RUN = urllib.parse.urlsplit(os.environ["PADDOCK_RUN_URL"]).path
GOOD, THEIRS, ADMIN = os.environ["OD_TOOL_TOKEN"], *open("secrets.txt").read().split()
HOST = "Host: %s\r\n" % URL.netloc
TLS = ssl.create_default_context(cafile=os.environ.get("PADDOCK_CA_FILE"))
def raw(first=b""):
    connection = socket.create_connection((URL.hostname, URL.port), 90)
    connection.sendall(first)
    return TLS.wrap_socket(connection, server_hostname=URL.hostname) if URL.scheme == "https" else connection
def told(name, data, first=b""):
    got = b""
    try:
        with raw(first) as s:
            s.sendall(data.encode())
            while more := s.recv(65536): got += more
    except OSError as error:
        got = got or type(error).__name__.encode()
    text = got.decode(errors="replace")
    print(json.dumps({"name": name, "statuses": re.findall(r"HTTP/1.1 (\d+)", text),
                      "codes": re.findall(r'"code": ?"([A-Z_]+)"', text), "text": text[-2000:]}), flush=True)
def ask(name, method, target, token=GOOD, host=HOST, more=""):
    auth = "Authorization: Bearer %s\r\n" % token if token else ""
    told(name, "%s %s HTTP/1.1\r\n%s%s%sConnection: close\r\n\r\n" % (method, target, host, auth, more))
get = lambda name, target, *a, **k: ask(name, "GET", target, *a, **k)
LIST = RUN.rsplit("/", 1)[0]
EVIL = "GET %s HTTP/1.1\r\n%sAuthorization: Bearer %s\r\nConnection: close\r\n\r\n" % (LIST, HOST, ADMIN)

get("good", RUN)
for path in ("/", "/healthz", "/livez", "/version", "/api", "/apis", "/metrics", "/dashboard/app.mjs", "/openapi/v2", "/mcp",
             LIST, LIST + "/theirs", RUN + "/artifacts", RUN + "/status",
             "/apis/paddock.dev/v1alpha1/nodes", "/apis/paddock.dev/v1alpha1/namespaces/default/secrets",
             "/apis/paddock.dev/v1alpha1/namespaces/default/workspaces", "/preview/x/y"):
    get("route " + path, path)
    get("admin " + path, path, ADMIN)
    get("nobody " + path, path, "")
get("admin own", RUN, ADMIN)
get("nobody own", RUN, "")
get("theirs own", RUN, THEIRS)
get("theirs", LIST + "/theirs", THEIRS)
for form in ("/../theirs", "/%2e%2e/theirs", "%2f..%2ftheirs", "//../theirs", "/./", "\\..\\theirs", "/..;/theirs", "%00"):
    get("form " + form, RUN + form)
get("form double", "/" + RUN)
for scheme in ("http", "https"):
    get("absolute " + scheme, scheme + "://" + URL.netloc + LIST, ADMIN)
    get("absolute own " + scheme, scheme + "://evil.example" + RUN)
for method in ("CONNECT", "OPTIONS", "TRACE", "PUT", "PATCH", "DELETE", "HEAD", "PRI", "get"):
    ask("method " + method, method, LIST, ADMIN)
told("connect", "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n")
for host in ("evil.example", "localhost:1", "127.0.0.1", "", "a, b"):
    get("host " + host, LIST, ADMIN, "Host: %s\r\n" % host)
get("hosts", LIST, ADMIN, HOST + "Host: evil.example\r\n")
get("upgrade", LIST, ADMIN, more="Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n")
get("websocket", LIST, ADMIN, more="Upgrade: websocket\r\nConnection: Upgrade\r\n")
told("preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
get("override", RUN, more="X-HTTP-Method-Override: DELETE\r\nX-Original-URL: %s\r\nX-Forwarded-Host: x\r\n" % LIST)
head = "POST %s/cancel HTTP/1.1\r\n%sAuthorization: Bearer %s\r\n" % (RUN, HOST, GOOD)
told("smuggle cl.te", head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + EVIL)
told("smuggle te.cl", head + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5\r\nhello\r\n0\r\n\r\n" + EVIL)
told("smuggle te.te", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + EVIL)
told("smuggle cl.cl", head + "Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(EVIL) + EVIL)
told("smuggle fold", head + "X: y\r\n Transfer-Encoding: chunked\r\n\r\n" + EVIL)
told("smuggle body", head + "Content-Length: 0\r\n\r\n" + EVIL)
told("pipelined", "GET %s HTTP/1.1\r\n%sAuthorization: Bearer %s\r\n\r\n" % (RUN, HOST, GOOD) + EVIL)
marked = b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\x27\xe0\0\x24" + b"00000000-0000-0000-0000-000000000000"
for first in (marked, marked[:12] + b"\x21\x11\0\x0c" + b"\x7f\0\0\1" * 2 + b"\0\1\0\1", b"PROXY TCP4 1.2.3.4 5.6.7.8 9 10\r\n"):
    told("header", EVIL, first)
for place in sys.argv[1:]:
    host, port = place.rsplit(":", 1)
    try: print(json.dumps({"name": "place " + place, "reached": socket.create_connection((host, int(port)), 10) and True}))
    except OSError as error: print(json.dumps({"name": "place " + place, "reached": type(error).__name__}))
get("good after all", RUN)
"""


class Provider(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        body = b'{"status": "running"}'
        self.send_response(202)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class WithProvider(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
        cls.provider.asked = []
        threading.Thread(target=cls.provider.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.provider.server_close)
        cls.addClassCleanup(cls.provider.shutdown)
        cls.variables = {"PADDOCK_CONTROLLER_MEDIA_PROVIDER_URL": f"http://127.0.0.1:{cls.provider.server_address[1]}/media"}
        cls.project = make_project(cls.enterClassContext(tempfile.TemporaryDirectory()), honest__py=HONEST, hostile__py=HOSTILE,
                                   note__txt="a note", secrets__txt="none none", nothing__py="")

    def cli(self, *words):
        """Runs a command as an administrator; returns what it printed."""
        raise NotImplementedError

    def start(self, name, *command, **spec):
        workspace = json.loads(self.cli("get", "workspaces", "-o", "json"))["items"][0]["metadata"]["name"]
        manifest = self.project / "run.json"
        manifest.write_text(json.dumps({
            "apiVersion": "paddock.dev/v1alpha1", "kind": "Run", "metadata": {"name": name}, "spec": {
                "type": "agent", "command": ["python3", *command], "workspace": workspace, "toolToken": {"operations": OPERATIONS}, **spec}}))
        self.cli("apply", "-f", manifest)

    def ended(self, name):
        """The run, which succeeded, and its log."""
        run = lambda: json.loads(self.cli("get", "run", name, "-o", "json"))
        wait_until(f"{name} to end", lambda: run()["status"]["phase"] in ("Succeeded", "Failed"))
        log = self.cli("logs", name)
        self.assertEqual(run()["status"]["phase"], "Succeeded", log + self.cli("describe", "run", name))
        return run(), log

    def check_honest(self, name, **spec):
        asked = len(self.provider.asked)
        self.start(name, "honest.py", **spec)
        run, log = self.ended(name)
        for line in ("mine ***", "media 202 running", "project (200, b'a note')", "run Running", f"curl {name} a note", "narrower pdtt_",
                     "tool (200, b'{\"ok\":true}\\n')", "stdin 42"):
            self.assertIn(line, log.splitlines())
        self.assertEqual([each["prompt"] for each in self.provider.asked[asked:]], ["a house"])
        return run["status"]["result"]

    def check_hostile(self, port, admin):
        self.start("theirs", "-c", "input()")
        theirs = self.cli("token", "create", "theirs", "--operation", "run:read", "--ttl", "1h").strip()
        (self.project / "secrets.txt").write_text(f"{theirs} {admin}")
        self.cli("compute", self.project, "python3 nothing.py")
        places = [f"127.0.0.1:{self.provider.server_address[1]}", "127.0.0.1:22", f"127.0.0.2:{port}", f"localhost:{port + 1}",
                  "169.254.169.254:80", "1.1.1.1:443"]
        self.start("hostile", "hostile.py", *places)
        for line in self.ended("hostile")[1].splitlines():
            said = json.loads(line)
            with self.subTest(**said):
                self.look(said["name"], said)
        self.assertEqual(json.loads(self.cli("get", "run", "theirs", "-o", "json"))["status"]["phase"], "Running")
        self.cli("cancel", "theirs")

    def look(self, name, said):
        if name.startswith("place "):
            return self.assertNotEqual(said["reached"], True)
        self.assertNotIn('"items"', said["text"])
        if name in ("good", "good after all", "override"):
            return self.assertEqual(said["statuses"], ["200"])
        if name == "pipelined" or name.startswith("smuggle"):
            return self.assertNotIn("200", said["statuses"][1:])
        self.assertNotIn("200", said["statuses"])
        self.assertNotIn("101", said["statuses"])
        if name.startswith("admin /apis") or name == "admin own":
            self.assertIn(said["codes"][0], ("TOOL_ENDPOINT_DENIED", "TOOL_TOKEN_MISSING"))
        if name.startswith("theirs"):
            self.assertEqual(said["codes"][0], "TOOL_RUN_DENIED")


class OverTls(WithProvider):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        instance = Instance()
        instance.env.update(cls.variables)
        cls.instance = cls.enterClassContext(instance)
        cls.instance.run("compute", cls.project, "python3 nothing.py")  # brings the workspace
        cls.api = Api(cls.instance)

    def cli(self, *words):
        return self.instance.run(*words).stdout

    # proves: OD-19, OD-63, OD-67
    def test_media_project_and_tool_calls_from_inside(self):
        for name, spec in (("plain", {}), ("closed", {"sandbox": {"network": {"loopback": False}}})):
            result = self.check_honest(name, **spec)
            gateway = result["enforced"]["toolGateway"]
            self.assertEqual((gateway["requested"], gateway["applied"], gateway["level"]),
                             (f"127.0.0.1:{self.api.port}", True, "broker"))
            self.assertEqual([(each["name"], each["port"]) for each in result["usage"]["network"]], [("127.0.0.1", self.api.port)])

    def test_no_other_route_host_or_port_is_reached(self):
        self.check_hostile(self.api.port, self.api.admin)


class ByPlainHttp(WithProvider):
    """A controller on loopback without TLS, which its agent knows by a name: there is no CA to give, and all else is the same."""

    def started(self, program, *words):
        log = open(self.folder / f"{program}.log", "w")
        self.addCleanup(log.close)
        process = subprocess.Popen([BIN / program, *map(str, words)], stderr=log, env={"PATH": os.environ["PATH"], **self.variables})
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def cli(self, *words):
        done = subprocess.run([BIN / "paddock", *map(str, words)], env=self.env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, (words, done.stdout, done.stderr))
        return done.stdout

    # proves: OD-67
    def test_it_is_the_same(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-plain-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        data = self.folder / "controller"
        controller = self.started("paddock-controller", "--data-dir", data, "--port", "0", "--plain-http")
        wait_until("the controller", lambda: (data / "controller.json").exists() or controller.poll() is not None)
        described = json.loads((data / "controller.json").read_text())
        self.assertTrue(described["url"].startswith("http://"), described)
        self.started("paddock-node-agent", "--server", described["url"].replace("127.0.0.1", "localhost"), "--name", "n",
                     "--enroll-token-file", data / "tokens/enroll", "--data-dir", self.folder / "agent")
        admin = (data / "tokens/admin").read_text().strip()
        self.env = {"PATH": os.environ["PATH"], "PADDOCK_SERVER": described["url"], "PADDOCK_TOKEN": admin}
        self.cli("compute", self.project, "python3 nothing.py")
        result = self.check_honest("honest")
        self.assertEqual(result["enforced"]["toolGateway"]["requested"], f"localhost:{described['port']}")
        self.check_hostile(described["port"], admin)


if __name__ == "__main__":
    main()
