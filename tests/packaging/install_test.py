#!/usr/bin/env python3
"""`make install` and `make uninstall` in an empty folder that stands for the root: where things are, and what is left."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", pathlib.Path(__file__).parent / "../..")).resolve()
sys.path.insert(0, str(SOURCE / "tests/integration"))
from harness import PATIENCE_S, Instance, main, wait_until  # noqa: E402

BUILD = pathlib.Path(os.environ.get("PADDOCK_BUILD_DIR", SOURCE / "build")).resolve()
PROGRAMS = ("paddock", "paddock-sandbox", "paddock-controller", "paddock-node-agent")
# What `paddock node join` writes unless it is told otherwise, and where the units keep data.
JOIN_WRITES = re.search(r'kAgentConfigFile = "(.+)"', (SOURCE / "cli/instance/agent_settings.h").read_text()).group(1)
DATA = "/var/lib/paddock/node-agent"


class Folder(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="paddock-root-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)

    def left(self):
        """Files and links, and folders with our name."""
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*")
                      if not path.is_dir() or path.is_symlink() or "paddock" in path.name)


class Installed(Folder):
    def script(self, name, *options, check=True, **environment):
        env = {**os.environ, "PADDOCK_BUILD_DIR": str(BUILD), "DESTDIR": str(self.root), **environment}
        done = subprocess.run([SOURCE / "scripts" / name, *options], env=env, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if check:
            self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def at(self, path):
        return self.root / path.lstrip("/")

    def started(self, unit, prefix="/usr/local"):
        """(program, configuration) of an installed unit."""
        text = self.at(f"{prefix}/lib/systemd/system/{unit}.service").read_text()
        self.assertNotRegex(text, r"@\w+@")
        return re.search(r"(?m)^ExecStart=(\S+) --config (\S+)$", text).groups()

    def join(self, instance):
        """Makes the installed agent a node, as a host would be made one."""
        said = instance.run("node", "token", "gpu-1").stderr
        words = shlex.split(re.search(r"(?m)^  paddock node join (.*)$", said).group(1))
        instance.run("node", "join", *words, "--config", self.at(JOIN_WRITES), "--data-dir", self.at(DATA))

    def test_the_units_read_what_join_writes_for_every_prefix(self):
        for prefix in ("/usr", "/usr/local", "/opt/paddock"):
            with self.subTest(prefix=prefix):
                self.script("install", PREFIX=prefix)
                program, config = self.started("paddock-node-agent", prefix)
                self.assertEqual(config, JOIN_WRITES)
                self.assertTrue(os.access(self.at(program), os.X_OK), program)
                self.assertEqual(self.at(config).read_bytes(), (SOURCE / "packaging/node-agent.example.yaml").read_bytes())
                program, config = self.started("paddock-controller", prefix)
                self.assertTrue(os.access(self.at(program), os.X_OK), program)
                documented = (SOURCE / "packaging/controller.example.yaml").read_text()
                self.assertEqual(self.at(config).read_text(), documented.replace("\nenrollToken: true\n", "\nenrollToken: false\n"))
                self.script("uninstall", PREFIX=prefix)
                self.assertEqual(self.left(), [])

    def test_a_prefix_and_a_configuration_folder_of_ones_own_need_nothing_else(self):
        said = self.script("install", DESTDIR="", PREFIX=f"{self.root}/own", SYSCONFDIR=f"{self.root}/own/etc")
        self.assertIn(f"paddock node join --config {self.root}/own/etc/paddock/node-agent.yaml", said)
        text = (self.root / "own/lib/systemd/system/paddock-node-agent.service").read_text()
        self.assertIn(f"--config {self.root}/own/etc/paddock/node-agent.yaml\n", text)
        run = subprocess.run([self.root / "own/bin/paddock", "version"], text=True, capture_output=True, check=True)
        self.assertIn("paddock ", run.stdout)
        self.script("uninstall", DESTDIR="", PREFIX=f"{self.root}/own")
        self.assertEqual(self.left(), [])

    def test_what_is_left_to_do_on_the_system_is_said(self):
        said = self.script("install")
        self.assertIn("systemd-sysusers /usr/local/lib/sysusers.d/paddock.conf && systemctl daemon-reload", said)
        self.assertNotIn("systemctl link", said)
        if shutil.which("systemd-sysusers"):
            subprocess.run(["systemd-sysusers", f"--root={self.root}", "paddock.conf"], check=True, capture_output=True)
            self.assertRegex(self.at("/etc/passwd").read_text(), r"(?m)^paddock:.*:/var/lib/paddock:")
        self.assertIn("systemctl link /opt/p/lib/systemd/system/paddock-{controller,node-agent}.service",
                      self.script("install", PREFIX="/opt/p"))

    def test_configuration_of_an_earlier_layout_is_taken_along(self):
        former = self.at("/usr/local/etc/paddock/node-agent.yaml")
        former.parent.mkdir(parents=True)
        former.write_text("server: https://elsewhere:8443\n")
        self.assertIn(f"{self.at(JOIN_WRITES)} is now what {former} was", self.script("install"))
        self.assertEqual(self.at(JOIN_WRITES).read_text(), "server: https://elsewhere:8443\n")
        self.at(JOIN_WRITES).write_text("server: https://newer:8443\n")
        self.assertIn(f"{former} is not read any more, but {JOIN_WRITES}", self.script("install"))
        self.assertEqual(self.at(JOIN_WRITES).read_text(), "server: https://newer:8443\n")

    def test_a_folder_that_cannot_be_written_is_named_with_what_would_do(self):
        (self.root / "file").write_text("")
        said = self.script("install", check=False, DESTDIR="", PREFIX=f"{self.root}/file/prefix")
        self.assertIn(f"{self.root}/file ", said)
        self.assertIn("scripts/install: here ", self.script("install", check=False, PREFIX="here"))
        self.assertEqual(self.left(), ["file"])

    def test_installed_joined_and_purged_nothing_is_left(self):
        self.script("install")
        with Instance() as instance:
            self.join(instance)
            self.assertIn("name: gpu-1", self.at(JOIN_WRITES).read_text())
            self.assertTrue(self.at(f"{DATA}/credential").exists())
        for program in PROGRAMS:
            self.assertTrue(self.at(f"/usr/local/bin/{program}").exists(), program)
        self.assertIn(f"kept {self.at(JOIN_WRITES)}", self.script("uninstall"))
        kept = self.left()
        self.assertIn(JOIN_WRITES.lstrip("/"), kept)
        self.assertIn(f"{DATA}/credential".lstrip("/"), kept)
        self.assertEqual([path for path in kept if path.startswith("usr/")], [])
        self.script("install")  # the operator's configuration is there, and is this installation's
        self.assertIn("name: gpu-1", self.at(JOIN_WRITES).read_text())
        self.script("uninstall", "--purge")
        self.assertEqual(self.left(), [])

    def refused(self, process, folder):
        """A purge while this process is at work there: it removes nothing, and says whom to end."""
        before = self.left()
        said = self.script("uninstall", "--purge", check=False)
        self.assertIn(f"(pid {process.pid}), which systemd did not start, is at work on {self.at(folder).resolve()}: end it (kill {process.pid})",
                      said)
        self.assertIn("nothing was removed", said)
        self.assertEqual(set(before) - set(self.left()), set())  # what is at work may make more
        process.terminate()
        process.wait(PATIENCE_S)

    def start(self, program, *options, until):
        process = subprocess.Popen([self.at(f"/usr/local/bin/{program}"), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until(f"{program} to be at work", lambda: self.at(until).exists() or process.poll() is not None)
        self.assertIsNone(process.poll(), f"{program} ended")
        return process

    def test_a_purge_removes_nothing_from_under_a_daemon_that_was_started_by_hand(self):
        self.script("install")
        with Instance() as instance:
            self.join(instance)
            agent = self.start("paddock-node-agent", "--config", self.at(JOIN_WRITES), until=f"{DATA}/agent.json")
            self.refused(agent, DATA)
        data = "/var/lib/paddock/controller"
        controller = self.start("paddock-controller", "--data-dir", self.at(data), "--port", "0", until=f"{data}/controller.json")
        self.refused(controller, data)
        self.script("uninstall", "--purge")
        self.assertEqual(self.left(), [])

    def test_a_purge_names_what_is_not_its_own(self):
        self.script("install")
        self.at("/etc/paddock/ours.pem").write_text("x")
        own = self.at("/srv/paddock-data")
        own.mkdir(parents=True)
        self.at(JOIN_WRITES).write_text("dataDir: /srv/paddock-data\n")
        said = self.script("uninstall", "--purge")
        self.assertIn(f"kept {own}, which {JOIN_WRITES} named as dataDir", said)
        self.assertIn(f"kept {self.at('/etc/paddock')}", said)
        self.assertEqual(self.left(), ["etc/paddock", "etc/paddock/ours.pem", "srv/paddock-data"])

    def test_where_nothing_was_installed_nothing_is_removed(self):
        self.assertIn("name the PREFIX and DESTDIR", self.script("uninstall", check=False))
        self.assertIn("Usage", self.script("uninstall", "--all", check=False))


# A system of its own as far as the scripts look: one that systemd has booted, with no data yet.
BOOTED = """set -e
mount -t tmpfs none /run && mkdir -p /run/systemd/system
mount -t tmpfs none /var/lib && mkdir -p /var/lib/paddock/controller /var/lib/paddock/node-agent
touch /var/lib/paddock/controller/paddock.db
"$@"
ls -A /var/lib | sed 's/^/left: /'
echo end
"""
# What a command was called with, and answers as systemd's would.
STAND_IN = """#!/bin/sh
echo "${0##*/} $*" >>"$CALLS"
case "${0##*/} $*" in
  "systemctl show "*) echo "$FRAGMENTS/$4" ;;
esac
"""
COMMANDS = ("systemctl", "systemd-sysusers", "userdel", "getent")


def why_no_namespace():
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode != 0:
        return "needs root and mount namespaces"
    return None


class OnASystemdHost(Folder):
    """What is done to a running system, seen by stand-ins for its commands."""

    def setUp(self):
        if why := why_no_namespace():
            self.skipTest(why)
        super().setUp()
        self.tools = pathlib.Path(tempfile.mkdtemp(prefix="paddock-tools-"))
        self.addCleanup(shutil.rmtree, self.tools)
        for name in COMMANDS:
            (self.tools / name).write_text(STAND_IN)
            (self.tools / name).chmod(0o755)
        self.prefix = f"{self.root}/own"
        self.units = f"{self.prefix}/lib/systemd/system"

    def calls(self, name, *options, units=""):
        """(the commands that were called, what is left in /var/lib) of a script that installs into the system."""
        log = self.tools / "calls"
        log.write_text("")
        env = {**os.environ, "PADDOCK_BUILD_DIR": str(BUILD), "PREFIX": self.prefix, "SYSCONFDIR": f"{self.prefix}/etc",
               "PATH": f"{self.tools}:{os.environ['PATH']}", "CALLS": str(log), "FRAGMENTS": units}
        done = subprocess.run(["unshare", "--mount", "bash", "-c", BOOTED, "-", SOURCE / "scripts" / name, *options], env=env,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return [line for line in log.read_text().splitlines() if " show " not in line], re.findall(r"(?m)^left: (.+)$", done.stdout)

    def test_the_user_is_made_and_systemd_reads_its_units(self):
        self.assertEqual(self.calls("install")[0],
                         [f"systemd-sysusers {self.prefix}/lib/sysusers.d/paddock.conf", "systemctl daemon-reload"])

    def test_services_are_ended_with_their_runs_and_a_purge_takes_data_and_user(self):
        self.calls("install")
        ended = []
        for unit in ("paddock-controller.service", "paddock-node-agent.service"):
            ended += [f"systemctl kill {unit}", f"systemctl disable --now {unit}"]
        self.assertEqual(self.calls("uninstall", units=self.units), (ended + ["systemctl daemon-reload"], ["paddock"]))
        self.assertEqual(self.left(), [])
        self.calls("install")
        self.assertEqual(self.calls("uninstall", "--purge", units=self.units),
                         (ended + ["getent passwd paddock", "userdel paddock", "systemctl daemon-reload"], []))

    def test_what_another_installation_has_too_is_left_alone(self):
        others = self.tools / "units"
        others.mkdir()
        for unit in ("paddock-controller.service", "paddock-node-agent.service"):
            (others / unit).touch()
        for options in ((), ("--purge",)):
            self.calls("install")
            self.assertEqual(self.calls("uninstall", *options, units=others), (["systemctl daemon-reload"], ["paddock"]))
            self.assertEqual({path.rsplit("/", 1)[1] for path in self.left()}, {"paddock", "controller.yaml", "node-agent.yaml"})

    def test_a_service_that_is_linked_is_this_installations(self):
        self.calls("install")
        links = self.tools / "links"
        links.mkdir()
        for unit in ("paddock-controller.service", "paddock-node-agent.service"):
            (links / unit).symlink_to(f"{self.units}/{unit}")
        self.assertIn("systemctl disable --now paddock-node-agent.service", self.calls("uninstall", units=links)[0])


if __name__ == "__main__":
    main()
