"""A node that can begin nothing gets nothing: another one does the work."""
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from environment_test import venv_works
from harness import Instance, ended, main, make_project, wait_until, why_no_disk
from joined_hosts import SLEEPER, Host, make_token
from outside import wheel

QUICK = "print('done')\n"


@unittest.skipIf(why_no_disk(), why_no_disk())
class UnableNode(unittest.TestCase):
    """One of two nodes has a disk that takes nothing: the other one does all the work, and spec.retry is not used up."""

    def setUp(self):
        self.project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), quick__py=QUICK)
        self.instance = self.enterContext(Instance())
        line = make_token(self.instance, "sick")[1]
        self.host = Host(self.instance, "sick")
        self.host.data.mkdir()
        self.mount()
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.host.data], check=True)
        self.host.join(line)
        self.instance.env["PADDOCK_NODE_AGENT_MIN_FREE"] = "0"
        self.host.start()
        self.addCleanup(self.host.end)
        wait_until("the node", lambda: self.node().get("ready"))

    def mount(self):
        """A disk of its own, which can be made to fail where the host has loop devices."""
        image = self.host.folder / "disk"
        with open(image, "wb") as file:
            file.truncate(64 << 20)
        made = subprocess.run(["mkfs.ext4", "-q", "-F", image], check=False, capture_output=True)
        looped = made.returncode == 0 and subprocess.run(["mount", "-o", "loop", image, self.host.data], check=False,
                                                         capture_output=True).returncode == 0
        if not looped:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,mode=700", "none", self.host.data], check=True)
        os.chmod(self.host.data, 0o700)

    def node(self):
        return next((each["status"] for each in self.instance.get("nodes")["items"] if each["metadata"]["name"] == "sick"), {})

    def run_some(self, prefix):
        for number in range(4):
            self.instance.run("compute", self.project, "python3 quick.py", "--detach", "--name", f"{prefix}{number}")
        for number in range(4):
            run = self.instance.wait_phase(f"{prefix}{number}", "Succeeded", "Failed")
            self.assertEqual(run["status"]["phase"], "Succeeded", run["status"])
            self.assertNotEqual(run["status"]["nodeName"], "sick")

    def test_a_full_disk(self):
        with open(self.host.data / "filler", "wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        self.run_some("full")
        said = self.instance.run("describe", "node", "sick").stdout
        if "coolDown" in self.node():  # it was asked at all
            self.assertIn("NODE_DISK_FULL", said)

    def test_a_disk_that_turned_read_only_is_a_condition(self):
        if subprocess.run(["mount", "-o", "remount,abort", self.host.data], check=False, capture_output=True).returncode != 0:
            self.skipTest("this host's file systems cannot be made to fail")
        said = wait_until("the condition", lambda: [each for each in self.node().get("conditions", []) if each["type"] == "HostFault"])
        self.assertEqual([(each["status"], each["reason"]) for each in said], [("True", "NODE_DISK_READ_ONLY")])
        self.assertIn("Faulty", self.instance.run("get", "nodes").stdout)
        self.assertIn("NODE_DISK_READ_ONLY", self.instance.run("describe", "node", "sick").stdout)
        self.run_some("ro")

    def test_a_cache_that_is_gone_keeps_no_run(self):
        (self.host.data / "cas").rename(self.host.data / "elsewhere")
        self.run_some("gone")
        (self.host.data / "elsewhere").rename(self.host.data / "cas")

    def faults(self):
        return [(each["status"], each["reason"]) for each in self.node().get("conditions", []) if each["type"] == "HostFault"]

    def test_a_folder_that_cannot_be_used_is_a_condition_until_it_can(self):
        self.assertEqual(self.faults(), [])
        (self.host.data / "cas").rename(self.host.data / "elsewhere")
        wait_until("the condition", lambda: self.faults() == [("True", "DATA_FOLDER_UNWRITABLE")])
        self.assertIn("the folder cas", self.instance.run("describe", "node", "sick").stdout)
        self.assertIn("Faulty", self.instance.run("get", "nodes").stdout)
        (self.host.data / "elsewhere").rename(self.host.data / "cas")
        wait_until("the node to be well", lambda: not self.faults())
        trees = self.host.data / "trees"
        subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", trees], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", trees], check=False, capture_output=True)
        wait_until("the condition", lambda: self.faults() == [("True", "NODE_DISK_READ_ONLY")])
        subprocess.run(["umount", trees], check=True)
        wait_until("the node to be well", lambda: not self.faults())


class SessionsThere(unittest.TestCase):
    """A session stays on a node whose data folder is broken, says so, and goes on once it is mended."""

    def test_they_say_why_and_go_on_afterwards(self):
        instance = self.enterContext(Instance())
        data = pathlib.Path(instance.env["PADDOCK_HOME"], "instances", instance.env["PADDOCK_INSTANCE"], "agent")

        def ready_in(session):
            return next((each["status"], each["reason"]) for each in session["status"]["conditions"] if each["type"] == "Ready")

        def ready():
            return ready_in(instance.get("sandbox", "work"))

        def listed(path="/apis/paddock.dev/v1alpha1/namespaces/default/sandboxes"):
            return ready_in(instance.ask("GET", path)[1]["items"][0])

        def watched(since):
            """What a watch from then on has told."""
            with contextlib.closing(instance.connect()) as connection:
                connection.request("GET", f"/apis/paddock.dev/v1alpha1/namespaces/default/sandboxes?watch=1&timeoutSeconds=1&resourceVersion={since}",
                                   None, {"Authorization": f"Bearer {instance.admin_token()}"})
                lines = connection.getresponse().read().splitlines()
            return [ready_in(json.loads(line)["object"]) for line in lines]
        agents = "/apis/agents.x-k8s.io/v1beta1/namespaces/default/sandboxes"
        instance.run("sandbox", "create", "--name", "work")
        instance.run("sandbox", "exec", "work", "echo kept > file")
        self.assertEqual(ready(), ("True", "OPEN"))
        since = instance.get("sandbox", "work")["metadata"]["resourceVersion"]
        for folder in ("cas", "sessions"):
            (data / folder).rename(data / f"{folder}-elsewhere")
        wait_until("the condition", lambda: ready() == ("False", "DATA_FOLDER_UNWRITABLE"))
        wait_until("the list", lambda: listed() == ("False", "DATA_FOLDER_UNWRITABLE"))
        self.assertEqual(listed(agents), ("False", "DependenciesNotReady"))
        for words in (("exec", "work", "cat file"), ("files", "work", "file")):
            refused = instance.run("sandbox", *words, check=False)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("has a fault: the folder cas", refused.stderr)
            self.assertIn("[DATA_FOLDER_UNWRITABLE]", refused.stderr)
        for folder in ("cas", "sessions"):
            (data / f"{folder}-elsewhere").rename(data / folder)
        wait_until("the session", lambda: ready() == ("True", "OPEN"))
        wait_until("the list", lambda: listed() == ("True", "OPEN"))
        told = watched(since)
        self.assertEqual((told[0], told[-1]), (("False", "DATA_FOLDER_UNWRITABLE"), ("True", "OPEN")))
        self.assertEqual(instance.run("sandbox", "exec", "work", "cat file").stdout, "kept\n")


@unittest.skipUnless(venv_works(), "this host's python3 makes no virtual environments (python3-venv)")
class NoPackages(unittest.TestCase):
    """One of two nodes has no source of packages: what needs some is done by the other one."""

    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-wheels-")))
        os.chmod(folder, 0o755)
        self.wheels = folder / "wheels"
        self.wheels.mkdir(0o755)
        name, content = wheel("probe", "1.0", "WORD = 'one'\n")
        (self.wheels / name).write_bytes(content)
        self.project = make_project(folder / "project", job__py="import probe\nprint(probe.WORD)\n", requirements__txt="probe\n",
                                    sleep__py=SLEEPER)
        self.instance = Instance()
        self.addCleanup(self.instance.__exit__, None, None, None)
        self.instance.up("--wheel-dir", self.wheels)
        node = self.instance.get("nodes")["items"][0]
        self.own, self.cores = node["metadata"]["name"], node["status"]["capacity"]["cpu"]
        self.host = Host(self.instance, "0-bare")  # the first by name, where both are as free
        self.host.join(make_token(self.instance, "0-bare")[1])
        self.addCleanup(self.host.end)
        self.host.start()
        wait_until("the node", lambda: self.instance.get("node", "0-bare")["status"].get("ready"))

    def begin(self, name):
        self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt", "--cpu", 1, "--detach", "--name", name)

    def end(self, name):
        return self.instance.wait_phase(name, "Succeeded", "Failed")["status"]

    def test_a_run_with_packages_goes_where_they_are(self):
        self.begin("moved")
        moved = self.end("moved")
        self.assertEqual((moved["phase"], moved["nodeName"], moved["refusals"]), ("Succeeded", self.own, 1), moved)
        self.assertEqual(self.instance.run_object("moved")["metadata"]["annotations"], {"paddock.dev/refused-by": "0-bare"})
        self.assertNotIn("coolDown", self.instance.get("node", "0-bare")["status"])
        self.instance.run("cordon", self.own)
        self.begin("ends")
        ends = self.end("ends")
        self.assertEqual((ends["phase"], ends["reason"], ends["refusals"]), ("Failed", "ENVIRONMENT_UNAVAILABLE", 0), ends)

    def test_it_goes_back_to_the_node_that_did_not_begin_it_once_that_is_the_only_one_left(self):
        self.instance.run("cordon", "0-bare")
        self.instance.run("compute", self.project, "python3 sleep.py", "--cpu", self.cores, "--detach", "--name", "fills")
        self.instance.wait_phase("fills", "Running")
        self.instance.run("uncordon", "0-bare")
        self.begin("back")

        def message():
            return self.instance.run_object("back")["status"].get("message", "")
        wait_until("the refusal", lambda: "1 could not begin the run" in message())
        self.assertRegex(message(), "; node 0-bare is asked again (if|once) no other one could take it")
        self.instance.run("cordon", self.own)
        self.host.end()
        with open(self.host.config, "a") as config:
            config.write(f"wheelDir: {self.wheels}\n")
        self.host.start()
        back = self.end("back")
        self.assertEqual((back["phase"], back["nodeName"]), ("Succeeded", "0-bare"), back)


def folder_of_pids():
    """Where cgroups are made that limit processes; None on a host without them."""
    if os.geteuid() != 0:
        return None
    first = pathlib.Path("/sys/fs/cgroup/pids")
    if first.is_dir():
        return first
    second = pathlib.Path("/sys/fs/cgroup")
    control = second / "cgroup.subtree_control"
    return second if control.is_file() and "pids" in control.read_text().split() else None


@unittest.skipUnless(folder_of_pids(), "this host, or its user, limits no processes by a cgroup")
class NoThreadLeft(unittest.TestCase):
    """As with a full process table, or RLIMIT_NPROC of an ordinary user."""

    def setUp(self):
        self.project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), quick__py=QUICK)
        self.instance = self.enterContext(Instance())
        self.agent = self.instance.pid_of("paddock-node-agent")
        self.group = folder_of_pids() / f"paddock-test-{os.getpid()}"
        self.group.mkdir()
        self.addCleanup(wait_until, "the cgroup to be removed", self.removed)
        self.addCleanup((self.group / "pids.max").write_text, "max")
        (self.group / "cgroup.procs").write_text(str(self.agent))

    def removed(self):
        for pid in (self.group / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):  # it may have ended
                (self.group.parent / "cgroup.procs").write_text(pid)
        with contextlib.suppress(OSError):  # one that began meanwhile is moved by the next look
            self.group.rmdir()
        return not self.group.exists()

    def test_the_agent_stays_and_says_that_it_can_begin_nothing_until_there_is_one(self):
        (self.group / "pids.max").write_text((self.group / "pids.current").read_text())
        self.instance.run("compute", self.project, "python3 quick.py", "--detach", "--name", "waits")
        wait_until("the node to rest", lambda: self.instance.get("nodes")["items"][0]["status"].get("coolDown"))
        self.assertEqual(self.instance.run_object("waits")["status"]["phase"], "Pending")
        self.assertIn("starting a thread", self.instance.run("describe", "run", "waits").stdout)
        self.assertFalse(ended(self.agent))
        (self.group / "pids.max").write_text("max")
        self.instance.wait_phase("waits", "Succeeded")


if __name__ == "__main__":
    main()
