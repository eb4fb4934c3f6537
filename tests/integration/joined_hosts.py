"""Folders that stand for hosts which joined an instance by `paddock node join`."""
import json
import re
import shlex
import signal
import subprocess
import unittest

from harness import BIN, PATIENCE_S, Instance, find_file, make_project, wait_until

QUICK = "print('done')\n"
SLEEPER = "import time\nprint('started', flush=True)\ntime.sleep(600)\n"


class Host:
    """A folder that stands for a host of its own: an agent's configuration and data."""

    def __init__(self, instance, name):
        self.instance = instance
        self.folder = instance.home / f"host-{name}"
        self.folder.mkdir()
        self.config = self.folder / "node-agent.yaml"
        self.data = self.folder / "data"
        self.agent = None

    def node(self, verb, *args, check=True):
        return self.instance.run("node", verb, *args, "--config", self.config, "--data-dir", self.data, check=check)

    def join(self, line, *more, check=True):
        """Types the line that `paddock node token` printed."""
        words = shlex.split(line)
        assert words[:3] == ["paddock", "node", "join"], line
        return self.node("join", *words[3:], *more, check=check)

    def begin(self, *words):
        """A command of the CLI here that goes on; said() is what it says."""
        with open(self.folder / "begun.log", "w") as log:
            return subprocess.Popen([str(BIN / "paddock"), *map(str, words), "--config", str(self.config), "--data-dir", str(self.data)],
                                    env=self.instance.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def said(self):
        return (self.folder / "begun.log").read_text()

    def start(self):
        with open(self.folder / "latest.log", "a") as log:
            self.agent = subprocess.Popen([str(BIN / "paddock-node-agent"), "--config", str(self.config)], env=self.instance.env,
                                          stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def end(self, how=signal.SIGTERM):
        if self.agent and self.agent.poll() is None:
            self.agent.send_signal(how)
        if self.agent:
            self.agent.wait(PATIENCE_S)

    def credential(self):
        return (self.data / "credential").read_text().strip()

    def has_joined(self):
        return (self.data / "credential").exists()


def controller_of(instance):
    return json.loads(find_file(instance.home, "controller.json").read_text())["url"]


def make_token(instance, node, *options):
    """(the token, the line to type)"""
    made = instance.run("node", "token", node, *options)
    return made.stdout.strip(), re.search(r"(?m)^  (paddock node join .*)$", made.stderr).group(1)


class JoinedHosts(unittest.TestCase):
    """An instance whose own node is cordoned once a host has joined: runs go there."""
    settings = {}

    def setUp(self):
        self.instance = Instance()
        self.instance.env.update(self.settings)
        self.enterContext(self.instance)
        self.project = make_project(self.instance.home / "project", quick__py=QUICK, sleep__py=SLEEPER)
        self.own = self.instance.get("nodes")["items"][0]["metadata"]["name"]
        self.runs = 0

    def host(self, name="gpu-1"):
        host = Host(self.instance, name)
        self.addCleanup(host.end)
        return host

    def joined(self, name="gpu-1", *options):
        host = self.host(name)
        host.join(make_token(self.instance, name)[1])
        for line in options:
            with open(host.config, "a") as config:
                config.write(line + "\n")
        self.instance.run("cordon", self.own)  # runs go to the host that joined
        host.start()
        wait_until("the node to be ready", lambda: self.instance.get("node", name)["status"].get("ready"))
        return host

    def assert_takes_runs(self, node="gpu-1"):
        self.runs += 1
        name = f"job-{self.runs}"
        self.instance.run("compute", self.project, "python3 quick.py", "--name", name)
        run = self.instance.run_object(name)
        self.assertEqual((run["status"]["phase"], run["status"]["nodeName"]), ("Succeeded", node))

    def run_long(self):
        """A run `long` that goes on until it is canceled."""
        self.instance.run("compute", self.project, "python3 sleep.py", "--detach", "--name", "long")
        wait_until("the command to start", lambda: "started" in self.instance.run("logs", "long").stdout)
