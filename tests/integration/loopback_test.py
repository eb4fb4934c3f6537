"""A loopback of a sandbox's own, in runs and sessions: honest programs meet on it, and it leads to nobody else."""
import http.server
import pathlib
import tempfile
import threading

from harness import Instance, main, make_project
from session_client import SessionTest

MEET = '''import http.server, socket, threading, urllib.request
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen("http://localhost:%d/" % server.server_port, timeout=60).status)
six = socket.create_server(("::1", 0), family=socket.AF_INET6)
socket.create_connection(six.getsockname()[:2], 60)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("0.0.0.0", 0))
udp.sendto(b"met", ("127.0.0.1", udp.getsockname()[1]))
print(udp.recv(9), [name for _, name in socket.if_nameindex() if name == "lo"])
'''
MET = "200\nb'met' ['lo']\n"
REACH = '''import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
    print("reached")
except OSError as error:
    print(type(error).__name__)
'''
ASKS = '''import socket
def has_ipv6(host):  # as urllib3 asks when it is imported
    try:
        socket.socket(socket.AF_INET6).bind((host, 0))
        return True
    except Exception:
        return False
print(has_ipv6("::1"))
'''


class Loopback(SessionTest):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)
        cls.connect()
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-project-"))
        cls.project = make_project(pathlib.Path(folder) / "app", meet__py=MEET, reach__py=REACH, asks__py=ASKS)
        cls.outside = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
        cls.addClassCleanup(cls.outside.server_close)
        threading.Thread(target=cls.outside.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.outside.shutdown)
        cls.instance.run("compute", cls.project, "python3 reach.py 1", "--name", "upload")
        cls.workspace = cls.instance.run_object("upload")["spec"]["workspace"]

    def outcome(self, name, words, **spec):
        self.instance.post_run(name, {"type": "compute", "command": ["python3", *words], "workspace": self.workspace, **spec})
        self.instance.wait_phase(name, "Succeeded", "Failed")
        return self.instance.run_object(name)["status"]["result"]

    # proves: ORB-49, ORB-54
    def test_compute_has_none_unless_its_policy_says_so(self):
        closed = self.outcome("closed", ["meet.py"])
        self.assertEqual(closed["code"], "E_CAPABILITY_DENIED")
        self.assertEqual(closed["enforced"]["network"]["requested"], "none")
        listen = next(each for each in closed["denials"] if each["what"] == "network listen")
        self.assertEqual((listen["target"], listen["rule"]), ("127.0.0.1:0", "network.loopback=false"))
        self.assertIn("network.loopback: true", listen["remedy"])
        asks = self.outcome("asks", ["asks.py"])
        self.assertEqual((asks["stdout"], asks.get("code"), asks["denials"]), ("False\n", None, []), "as in `import requests`")
        opened = self.outcome("opened", ["meet.py"], sandbox={"network": {"loopback": True}})
        self.assertEqual((opened["rc"], opened["stdout"], opened["denials"]), (0, MET, []))
        self.assertEqual(opened["enforced"]["network"]["requested"], "loopback")
        self.assertTrue(opened["enforced"]["network"]["applied"])

    def test_it_is_not_the_hosts(self):
        result = self.outcome("apart", ["reach.py", str(self.outside.server_port)], sandbox={"network": {"loopback": True}})
        self.assertEqual(result["stdout"], "ConnectionRefusedError\n")

    # proves: WSM-99
    def test_a_session_has_one_and_says_so(self):
        name = self.session({"limits": {"timeoutMs": 120_000}})
        network = self.object(name)["spec"]["security"]["network"]
        self.assertEqual((network["enabled"], network["loopback"]), (False, True))
        self.api.file("PUT", name, "meet.py", MEET)
        self.api.file("PUT", name, "reach.py", REACH)
        for _ in range(3):  # each command is a sandbox of its own
            self.assertEqual(self.output(name, "python3 meet.py"), MET)
        self.assertEqual(self.output(name, f"python3 reach.py {self.outside.server_port}"), "ConnectionRefusedError\n")
        closed = self.session({"network": {"loopback": False}, "limits": {"timeoutMs": 120_000}})
        self.api.file("PUT", closed, "meet.py", MEET)
        self.assertEqual(self.result(closed, "python3 meet.py")["code"], "E_CAPABILITY_DENIED")


if __name__ == "__main__":
    main()
