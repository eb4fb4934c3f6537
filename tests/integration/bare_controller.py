"""A controller by itself, as a service of a host would start it, and the command line beside it."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from harness import BIN, wait_until


class BareController(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-bare-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.data = self.folder / "controller"
        self.env = {"PATH": os.environ["PATH"], "PADDOCK_HOME": str(self.folder / "home"), "NO_COLOR": "1"}
        self.url = None

    def start(self, **variables):
        """Starts it with these of its variables, and returns what ends it again."""
        (self.data / "controller.json").unlink(missing_ok=True)
        with open(self.folder / "log", "a") as log:
            process = subprocess.Popen([BIN / "paddock-controller"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={
                **self.env, "PADDOCK_CONTROLLER_DATA_DIR": str(self.data), "PADDOCK_CONTROLLER_PORT": "0", **variables})

        def end():
            process.terminate()
            process.wait(60)

        self.addCleanup(end)
        wait_until("the controller to listen", lambda: process.poll() is not None or (self.data / "controller.json").exists())
        self.assertIsNone(process.poll(), (self.folder / "log").read_text())
        self.url = json.loads((self.data / "controller.json").read_text())["url"]
        return end

    def paddock(self, *words):
        return subprocess.run([BIN / "paddock", *words], env=self.env, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)

    def host(self, name):
        """The options of a command on a host that has a folder of its own."""
        return ("--config", self.folder / name / "node-agent.yaml", "--data-dir", self.folder / name / "data")

    def has_joined(self, name):
        return (self.folder / name / "data/credential").exists()

    def join(self, name, *words):
        return self.paddock("node", "join", *self.host(name), "--name", name, *words)
