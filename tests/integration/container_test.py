"""Controller and agent in containers: their security contexts, as the chart renders them, given to runc, which
Kubernetes' own runtimes start too. A sandbox in there has to hold as on a bare host, and each right has to be needed."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import chart
from chart import AGENT, of_kind, render
from harness import BIN, Instance, find_file, main, make_project, wait_until

SYSTEM = ("bin", "lib", "lib64", "sbin")
# What a container has of its runtime unless it drops it.
BY_DEFAULT = ("CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP SETUID "
              "SYS_CHROOT AUDIT_WRITE").split()


def why_not():
    if os.geteuid() != 0:
        return "needs root"
    if not shutil.which("runc"):
        return "runc is not on this machine: apt install runc"
    return "" if chart.tool("helm")[0] else f"no Helm: {chart.tool('helm')[1]}"


def rights(pod):
    """(capabilities, whether users are its own) of the last container of a pod"""
    context = pod["containers"][-1]["securityContext"]
    asked = context["capabilities"]
    kept = [] if asked.get("drop") == ["ALL"] else BY_DEFAULT
    return {*kept, *asked["add"]}, pod["hostUsers"] is False


class Container:
    """A container with these rights, of this machine's own /usr and with parts of /proc masked, as runtimes do; without
    their system call filter."""

    def __init__(self, folder, capabilities, own_users, own_network=True):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.folder.chmod(0o755)  # its root is another user
        self.root = self.folder / "rootfs"
        for name in ("usr", "etc", "proc", "dev", "sys", "tmp", "paddock", "given", "var/lib/paddock/node-agent"):
            (self.root / name).mkdir(parents=True)
        for name in SYSTEM:
            (self.root / name).symlink_to(f"usr/{name}")
        subprocess.run(["runc", "spec", "--bundle", self.folder], check=True)
        self.config = json.loads((self.folder / "config.json").read_text())
        self.config["root"]["readonly"] = True
        names = [f"CAP_{each}" for each in capabilities]
        self.config["process"].update(
            terminal=False, noNewPrivileges=True, rlimits=[], env=["PATH=/usr/bin:/bin", "HOME=/tmp"],
            capabilities={"bounding": names, "effective": names, "permitted": names})
        linux = self.config["linux"]
        assert linux["maskedPaths"] and linux["readonlyPaths"]  # as for every pod
        if own_users:
            linux["namespaces"].append({"type": "user"})
            linux["uidMappings"] = linux["gidMappings"] = [{"containerID": 0, "hostID": 200000, "size": 65536}]
            os.chown(self.root, 200000, 200000)
        if not own_network:
            linux["namespaces"] = [each for each in linux["namespaces"] if each["type"] != "network"]
            sys = next(each for each in self.config["mounts"] if each["type"] == "sysfs")
            sys.update(type="none", source="/sys", options=["rbind", "ro"])  # a new one belongs to a network
        for source, inside in (("/usr", "/usr"), ("/etc", "/etc"), (BIN, "/paddock")):
            self.mount(inside, "none", source, ["rbind", "ro"])
        self.mount("/tmp", "tmpfs", "tmpfs", ["nosuid", "nodev"])
        data = self.folder / "data"  # as a folder of the node: its file system is not the container's own
        data.mkdir()
        os.chown(data, 200000 if own_users else 0, 200000 if own_users else 0)
        self.mount("/var/lib/paddock/node-agent", "none", data, ["rbind", "rw"])

    def mount(self, inside, kind, source, options):
        self.config["mounts"].append({"destination": inside, "type": kind, "source": str(source), "options": options})

    def command(self, *words):
        self.config["process"]["args"] = [str(word) for word in words]
        (self.folder / "config.json").write_text(json.dumps(self.config))
        return ["runc", "run", "--bundle", str(self.folder), f"paddock-{self.folder.name}"]

    def run(self, *words):
        done = subprocess.run(self.command(*words), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        return done.stdout


@unittest.skipIf(why_not(), why_not())
class Rights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-container-"))
        cls.folder.chmod(0o755)
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.asked = rights(of_kind(render(AGENT), "DaemonSet")["spec"]["template"]["spec"])
        said = Container(cls.folder, *cls.asked).run("/usr/bin/true")
        if said:
            raise unittest.SkipTest(f"runc starts nothing here: {said[-300:]}")

    def stopped(self, capabilities, own_users):
        """How many of the forbidden things a sandbox in such a container stops, and of how many."""
        said = Container(self.folder, capabilities, own_users).run("/paddock/paddock", "doctor")
        found = re.search(r"Sandbox: (\d+) of (\d+) forbidden things", said)
        self.assertIsNotNone(found, said[-2000:])
        return int(found.group(1)), int(found.group(2))

    def assert_holds(self, asked):
        """All but a user of the host for each sandbox: a user namespace cannot map the owners of files, and a container
        without /run has no place where users are reserved (docs/cluster.md)."""
        said = Container(self.folder, *asked).run("/paddock/paddock", "doctor")
        self.assertRegex(said, r"(?m)^  yes  +namespaces ")
        self.assertEqual(re.findall(r"(?m)^  NO +(\S+)", said), ["own-accounts"])

    # proves: ELV-82
    def test_a_sandbox_holds_in_the_agents_container(self):
        self.assert_holds(self.asked)
        pod = of_kind(render(AGENT, {"agent": {"userNamespaces": False}}), "DaemonSet")["spec"]["template"]["spec"]
        self.assertEqual(rights(pod), (self.asked[0], False))
        self.assert_holds(rights(pod))

    # proves: ELV-82, ELV-90
    def test_a_sandbox_holds_in_the_container_of_code_execution(self):
        pod = of_kind(render({"codeExecution": {"enabled": True}}), "Deployment")["spec"]["template"]["spec"]
        self.assert_holds(rights(pod))

    # proves: ELV-82
    def test_without_any_of_them_nothing_is_run_unprotected(self):
        capabilities, own_users = self.asked
        # These two are for the agent, beyond what the launcher needs for a sandbox (docs/cluster.md).
        for name in sorted(capabilities - {"KILL", "SYS_PTRACE"}):
            with self.subTest(name):
                self.assertEqual(self.stopped(capabilities - {name}, own_users)[0], 0)

    # proves: ELV-82
    def test_an_agent_in_its_container_takes_runs(self):
        with Instance() as instance:
            container = Container(self.folder, *self.asked, own_network=False)
            given = self.folder / "given"
            given.mkdir()
            port = instance.port()
            for source, name in (("tls/ca.pem", "ca.crt"), ("tokens/enroll", "token")):
                (given / name).write_bytes(find_file(instance.home, source).read_bytes())
                (given / name).chmod(0o644)
            container.mount("/given", "none", given, ["rbind", "ro"])
            command = container.command(
                "/paddock/paddock-node-agent", "--server", f"https://127.0.0.1:{port}", "--ca-file", "/given/ca.crt",
                "--enroll-token-file", "/given/token", "--name", "contained")
            with open(self.folder / "agent.log", "w") as log:
                agent = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            try:
                wait_until("the agent in the container", lambda: any(
                    node["metadata"]["name"] == "contained" and node["status"]["ready"] for node in instance.get("nodes")["items"]))
                own = next(node["metadata"]["name"] for node in instance.get("nodes")["items"] if node["metadata"]["name"] != "contained")
                instance.run("cordon", own)
                project = make_project(instance.home / "project", job__py=(
                    "import os, pathlib\npathlib.Path('out/a.txt').write_text('made')\n"
                    "print(os.path.exists('/given'), os.listdir('/'))\n"))
                instance.run("compute", project, "python3 job.py", "--name", "inside", "--artifact-dir", "out/")
                run = instance.run_object("inside")
                self.assertEqual((run["status"]["phase"], run["status"]["nodeName"]), ("Succeeded", "contained"))
                self.assertIn("False", instance.run("logs", "inside").stdout)
                self.assertEqual([each["path"] for each in run["status"]["artifacts"]], ["out/a.txt"])
                enforced = run["status"]["result"]["enforced"]
                self.assertTrue(all(enforced[each]["applied"] for each in ("filesystem", "network", "syscalls", "privileges")))
            except AssertionError:
                print((self.folder / "agent.log").read_text()[-3000:])
                raise
            finally:
                agent.terminate()
                agent.wait(60)


    def test_the_controller_works_with_no_right_at_all(self):
        objects = render()
        pod = of_kind(objects, "StatefulSet")["spec"]["template"]["spec"]
        context = pod["containers"][0]["securityContext"]
        container = Container(self.folder, (), False, own_network=False)
        container.config["root"]["readonly"] = context["readOnlyRootFilesystem"]
        container.config["process"]["user"] = {"uid": context["runAsUser"], "gid": context["runAsGroup"]}
        container.config["process"]["env"] += ["PADDOCK_CONTROLLER_PORT=0"]
        config = self.folder / "controller.yaml"
        config.write_text(of_kind(objects, "ConfigMap", "paddock-controller")["data"]["controller.yaml"])
        volume = self.folder / "volume"
        volume.mkdir()
        os.chown(volume, 0, pod["securityContext"]["fsGroup"])  # as Kubernetes gives a volume to a pod
        volume.chmod(0o2775)
        container.mount("/var/lib/paddock", "none", volume, ["rbind", "rw"])
        container.mount("/given", "none", self.folder, ["rbind", "ro"])
        with open(self.folder / "controller.log", "w") as log:
            controller = subprocess.Popen(container.command("/paddock/paddock-controller", "--config", "/given/controller.yaml"),
                                          stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            described = volume / "controller/controller.json"
            wait_until("the controller in the container", lambda: described.exists() or controller.poll() is not None)
            self.assertIsNone(controller.poll(), (self.folder / "controller.log").read_text())
            port = json.loads(described.read_text())["port"]
            ca = volume / "controller/tls/ca.pem"
            done = subprocess.run(["curl", "--noproxy", "*", "-fsS", "--cacert", ca, f"https://127.0.0.1:{port}/readyz"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertIn('"ready":true', done.stdout.replace(" ", ""))
        finally:
            controller.terminate()
            controller.wait(60)


if __name__ == "__main__":
    main()
