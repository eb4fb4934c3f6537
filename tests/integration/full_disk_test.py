"""A node's disk: what runs may ask for of it; less than its operator wants, which it says by name and gets no runs until there
is room; and full, which no run is told as anything else."""
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from harness import Instance, find_file, held_port, main, make_project, pids_running, send, wait_until, why_no_disk
from session_client import SessionApi


class FullDisk(unittest.TestCase):
    def setUp(self):
        self.instance = Instance()
        self.instance.env["PADDOCK_NODE_AGENT_MIN_FREE"] = "1000Ti"  # which no disk has
        self.port = self.enterContext(held_port())
        self.instance.env["PADDOCK_CONTROLLER_EXECUTE_PORT"] = str(self.port)
        self.enterContext(self.instance)

    def status(self):
        return self.instance.get("nodes")["items"][0]["status"]

    def execute(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        with contextlib.closing(connection):
            connection.request("POST", "/execute", '{"code": "print(1)"}')
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def test_it_says_so_and_a_run_waits_until_there_is_room(self):
        said = wait_until("the node to say so", lambda: [c for c in self.status().get("conditions", []) if c["status"] != "True" or c["type"] != "Ready"])
        self.assertEqual([(c["type"], c["status"], c["reason"]) for c in said], [("DiskPressure", "True", "NODE_DISK_FULL"), ("Ready", "False", "NODE_DISK_FULL")])
        self.assertTrue(self.status()["ready"])
        self.assertIn("DiskFull", self.instance.run("get", "nodes").stdout)
        project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), job__py="print(1)\n")
        self.instance.run("compute", project, "python3 job.py", "--detach", "--name", "waits")
        status = wait_until("a reason", lambda: (lambda got: got if got.get("reason") == "UNSCHEDULABLE" else None)(
            self.instance.run_object("waits")["status"]))
        self.assertIn("disk", status["message"])
        answer = wait_until("no node to take snippets", lambda: (lambda got: got[1] if got[0] == 503 else None)(self.execute()))
        self.assertEqual(answer["error"]["code"], "NO_NODE")
        self.assertIn("disk", answer["error"]["message"])
        self.instance.kill("paddock-node-agent")
        self.instance.env["PADDOCK_NODE_AGENT_MIN_FREE"] = "1"
        self.instance.up()
        self.instance.wait_phase("waits", "Succeeded")
        self.assertEqual([c["type"] for c in self.status()["conditions"]], ["Ready"])
        wait_until("snippets to be taken again", lambda: self.execute()[0] == 200)


# Ends by itself once it is told to, from outside.
WAITS = """import signal, sys
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(0))
print("started", flush=True)
while True: signal.pause()
"""
# Says its first line, waits until nothing more can be written beside it, and then says more than waits for room.
PRINTER = """import os, sys, time
print("ready", flush=True)
def room():
    try:
        with open("probe", "ab", buffering=0) as file:  # what it takes it keeps
            return file.write(b"x" * 4096) == 4096
    except OSError:
        return False
while room():
    time.sleep(0.05)
for i in range(64):
    sys.stdout.write("#" * 32768)
    sys.stdout.flush()
sys.exit(int(sys.argv[1]))
"""


@unittest.skipIf(why_no_disk(), why_no_disk())
class SmallDisk(unittest.TestCase):
    """The data folder of the agent alone is on a small disk."""
    SIZE = "64m"

    MIN_FREE = "1"

    def setUp(self):
        self.home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-it-")))
        self.instance = Instance(home=self.home)
        self.instance.env["PADDOCK_NODE_AGENT_MIN_FREE"] = self.MIN_FREE
        self.disk = self.home / "state/instances/test/agent"
        self.disk.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.SIZE},mode=700", "none", self.disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.disk], check=True)
        self.enterContext(self.instance)
        self.assertEqual(find_file(self.home, "agent.json").parent, self.disk)

    def fill(self):
        with open(self.disk / "filler", "wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(b"x" * 4096):
                pass

    def project(self, **files):
        return make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), **files)

    def wait_started(self, name):
        """Until one of WAITS says that it can be told to end."""
        wait_until("its first line", lambda: "started" in self.instance.run("logs", name, check=False).stdout)

    def message(self, name):
        return self.instance.run_object(name)["status"].get("message", "")

    def node(self):
        return self.instance.get("nodes")["items"][0]["status"]


class DiskFilledWhileARunPrints(SmallDisk):
    """Others fill it."""

    def end_of_a_run_on_a_disk_that_fills(self, code):
        project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), job__py=PRINTER)
        self.instance.run("compute", project, f"python3 job.py {code}", "--detach", "--name", "prints")
        wait_until("its first line", lambda: "ready" in self.instance.run("logs", "prints", check=False).stdout)
        self.fill()
        return self.instance.wait_phase("prints", "Succeeded", "Failed")["status"]

    def test_the_run_ends_by_itself_and_says_what_of_its_output_is_lost(self):
        status = self.end_of_a_run_on_a_disk_that_fills(0)
        self.assertEqual((status["phase"], status["result"]["status"], status["result"]["code"]), ("Succeeded", "OK", "NODE_DISK_FULL"))
        self.assertTrue(status["result"]["truncated"]["stdout"])
        log = self.instance.run("logs", "prints").stdout
        lost = re.search(r"\[LOST (\d+) bytes: ", log)
        self.assertIn(f" {lost[1]} bytes ", status["message"])
        self.assertEqual(log.count("#") + int(lost[1]), 64 * 32768, "all that it said is there or counted")
        (self.disk / "filler").unlink()
        self.instance.run("compute", make_project(self.home / "next", job__py="print(1)\n"), "python3 job.py")

    def test_a_run_that_fails_keeps_its_own_exit_code(self):
        status = self.end_of_a_run_on_a_disk_that_fills(7)
        self.assertEqual((status["phase"], status["reason"], status["result"]["rc"], status["result"]["code"]),
                         ("Failed", "NonZeroExit", 7, "NODE_DISK_FULL"))

    def test_a_launcher_that_ends_without_a_result_meanwhile_is_told_as_that(self):
        name = f"waits-{os.getpid()}"
        self.instance.run("compute", self.project(waits__py=WAITS), f"python3 waits.py {name}", "--detach", "--name", "waits")
        self.wait_started("waits")
        self.fill()
        os.kill(self.instance.launcher_of(name), signal.SIGKILL)
        status = self.instance.wait_phase("waits", "Failed")["status"]
        self.assertEqual((status["reason"], status["refusals"]), ("NODE_DISK_FULL", 0))
        self.assertIn("launcher", status["message"])


class DiskThatRunsAskFor(SmallDisk):
    SIZE = "96m"

    def start(self, name, *options):
        mark = f"{name}-{os.getpid()}"
        self.instance.run("compute", self.waits, f"python3 waits.py {mark}", "--detach", "--name", name, *options)
        return mark

    def setUp(self):
        super().setUp()
        self.waits = self.project(waits__py=WAITS, quick__py="print(1)\n")

    def test_a_run_waits_for_what_another_has_asked_for_and_others_do_not(self):
        mark = self.start("first", "--disk", "60Mi")
        self.wait_started("first")
        self.start("second", "--disk", "60Mi")
        said = wait_until("a reason", lambda: (lambda text: text if "of disk free" in text else None)(self.message("second")))
        self.assertRegex(said, r"^0/1 nodes fit: 1 \D* 60(\.0)? MiB of disk free \(\D* [\d.]+ MiB\); would help: ")
        self.instance.run("compute", self.waits, "python3 quick.py")
        described = self.instance.run("describe", "node", self.instance.get("nodes")["items"][0]["metadata"]["name"]).stdout
        self.assertRegex(described, r"Disk for runs: +\d\S* MiB")
        self.assertRegex(self.instance.run("top").stdout, r"60(\.0)? MiB/\d\S* MiB")
        for pid in pids_running(mark):
            send(signal.SIGUSR1, pid)
        self.instance.wait_phase("first", "Succeeded")
        self.instance.wait_phase("second", "Running")

    def test_more_than_it_may_write_is_refused_at_once(self):
        status, answer = self.instance.post_run("greedy", {"type": "command", "command": ["true"], "resources": {"disk": "5Gi"}})
        self.assertEqual((status, answer["details"]["causes"][0]["field"]), (400, "spec.resources.disk"))
        refused = self.instance.run("compute", self.waits, "python3 quick.py", "--disk", "1000Ti", check=False)
        self.assertIn("LIMIT_OVER_CEILING", refused.stderr)

    def test_files_without_room_make_their_run_wait_and_nobody_else(self):
        """A few bytes that a project names two hundred times: nothing of it comes, and the node works on."""
        large = self.project(quick__py="print(1)\n", **{f"copies/{i}": "x" * (1 << 20) for i in range(200)})
        self.instance.run("compute", large, "python3 quick.py", "--detach", "--name", "large")
        said = wait_until("a reason", lambda: (lambda text: text if "of disk free" in text else None)(self.message("large")))
        self.assertIn("smaller files", said)
        status = self.instance.run_object("large")["status"]
        self.assertEqual((status["phase"], status["refusals"]), ("Pending", 1))
        self.instance.run("compute", self.waits, "python3 quick.py")
        self.assertNotIn("coolDown", self.node())
        self.assertEqual([c["type"] for c in self.node()["conditions"]], ["Ready"])


# Hides what it wrote as well as it can: under an old time, and under two names.
GREEDY = """import os, signal, sys
with open("large", "wb") as file: file.write(b"x" * (30 << 20))
os.link("large", "again")
os.utime("large", (946684800, 946684800))
print("wrote", flush=True)
while True: signal.pause()
"""


# Each hides 30 MiB in another way.
HIDES = {
    "has no name": """import os
file = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
""",
    "lies where paths are long": """import os
for _ in range(20):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
file = os.open("large", os.O_CREAT | os.O_RDWR, 0o600)
""",
    "is on its way to itself": """import os, socket
file = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
ends = socket.socketpair()
socket.send_fds(ends[0], [b"x"], [file])
""",
}
WRITES = """import signal
data = b"x" * (1 << 20)
for _ in range(30): os.write(file, data)
if "socket" in globals(): os.close(file)
print("wrote", flush=True)
while True: signal.pause()
"""
HOARDS_FILES = """import signal
made = 0
try:
    while True:
        open(f"file-{made}", "x").close()
        made += 1
except OSError:
    print("made", made, flush=True)
while True: signal.pause()
"""


class BesideAModestRun(SmallDisk):
    """Which keeps to what it asked for, and is ended for nobody."""

    def setUp(self):
        super().setUp()
        self.waits = self.project(waits__py=WAITS)
        self.mark = f"modest-{os.getpid()}"
        self.instance.run("compute", self.waits, f"python3 waits.py {self.mark}", "--detach", "--name", "modest")
        self.wait_started("modest")

    def start(self, name, program):
        self.instance.run("compute", self.project(job__py=program), "python3 job.py", "--detach", "--name", name)
        return wait_until("it to write", lambda: re.search("wrote|made.*", self.instance.run("logs", name, check=False).stdout))[0]

    def make_room(self):
        (self.disk / "filler").unlink(missing_ok=True)
        wait_until("its node to take runs again", lambda: [c["type"] for c in self.node()["conditions"]] == ["Ready"])

    def end_of(self, name, program):
        self.start(name, program)
        self.fill()
        status = self.instance.wait_phase(name, "Failed")["status"]
        self.assertEqual(status["reason"], "DISK_REQUEST_EXCEEDED")
        self.assertEqual(status["attempt"], 1)
        return status["message"]

    def assert_modest_goes_on(self):
        self.assertEqual(self.instance.run_object("modest")["status"]["phase"], "Running")
        self.make_room()
        for pid in pids_running(self.mark):
            send(signal.SIGUSR1, pid)
        self.instance.wait_phase("modest", "Succeeded")


class DiskThatComesToItsEnd(BesideAModestRun):
    SIZE = "128m"
    MIN_FREE = "40Mi"  # a quarter of it is the line

    def test_who_wrote_beyond_what_it_asked_for_is_ended_and_nobody_else(self):
        message = self.end_of("greedy", GREEDY)
        self.assertRegex(message, r"30\.0 MiB of 16\.0 MiB \(the line is 10\.0 MiB.*`--disk`")
        wait_until("its node to say that it has too little", lambda: [c for c in self.node()["conditions"] if c["type"] == "DiskPressure"])
        self.assert_modest_goes_on()

    def test_nothing_that_it_writes_is_hidden(self):
        for number, (how, program) in enumerate(HIDES.items()):
            with self.subTest(how):
                message = self.end_of(f"hides-{number}", program + WRITES)
                self.assertRegex(message, "counted" if "socket" in program else r"3\d\.\d MiB of 16\.0 MiB")
                self.make_room()
        self.assert_modest_goes_on()

    def test_a_session_is_ended_like_a_run_and_says_why(self):
        api = SessionApi(self.instance)
        self.addCleanup(api.close)
        names = []
        for _ in range(2):
            status, made = wait_until("a session", lambda: (lambda got: got if got[0] == 201 else None)(
                api.create({"limits": {"timeoutMs": 600_000}})))
            names.append(made["metadata"]["name"])
        self.assertEqual(api.run(names[1], "echo kept > f")[0], 200)
        program = HIDES["has no name"] + WRITES.replace('print("wrote", flush=True)', 'open("wrote", "x").close()')
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(api.run, names[0], f"python3 -c '{program}'")
            wait_until("it to write", lambda: api.file("GET", names[0], "wrote")[0] == 200)
            self.fill()
            status, answer = running.result()
        self.assertEqual((status, answer["error"]["code"]), (410, "SESSION_ENDED"), answer)
        self.assertIn("DISK_REQUEST_EXCEEDED", answer["error"]["message"])
        said = api.ask("GET", api.sandboxes(names[0]))[1]["status"]
        self.assertEqual((said["phase"], said["reason"]), ("Ended", "DISK_REQUEST_EXCEEDED"))
        self.make_room()
        self.assertEqual(api.run(names[1], "cat f")[1]["stdout"], "kept\n")
        self.assert_modest_goes_on()


class DiskThatRunsOutOfFiles(BesideAModestRun):
    SIZE = "256m,nr_inodes=8192"
    MIN_FREE = "1Mi"

    def test_who_has_most_files_beyond_its_share_is_ended_and_nobody_else(self):
        self.start("hoards", HOARDS_FILES)
        status = self.instance.wait_phase("hoards", "Failed")["status"]
        self.assertEqual(status["reason"], "DISK_REQUEST_EXCEEDED")
        self.assertRegex(status["message"], r" files left and .* its share: \d{4} of 1024 \(the line is \d+ files")
        self.assert_modest_goes_on()


if __name__ == "__main__":
    main()
