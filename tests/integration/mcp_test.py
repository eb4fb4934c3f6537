"""`paddock mcp` and POST /mcp with the protocol's own client (npm: @modelcontextprotocol/client), in both of its eras."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from harness import BIN, PATIENCE_S, SOURCE, Instance, find_file, main, make_project, wait_until
from node_environment_test import SEARCH, npm_install, npm_setting, why_no_registry

CLIENT = "@modelcontextprotocol/client@2.4.0"
TOOLS = ["sandbox_create", "sandbox_exec", "sandbox_write", "sandbox_read", "sandbox_list", "sandbox_destroy",
         "workspace_create", "run_start", "run_wait", "run_logs", "run_artifacts", "run_cancel", "run_list", "plan", "nodes",
         "execute"]


class Session:
    """`paddock mcp` behind the client, as an agent's host would start it."""

    def __init__(self, folder, instance, era, *target):
        ca = find_file(instance.home, "tls/ca.pem")
        self._process = subprocess.Popen(
            ["node", "mcp_client.mjs", target[0], era, *target[1:]], cwd=folder, text=True,
            env={**instance.env, "PATH": SEARCH, "NODE_EXTRA_CA_CERTS": str(ca)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.hello = json.loads(self._process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(timeout=PATIENCE_S)
        self._process.stdout.close()

    def call(self, tool, /, **arguments):
        self._process.stdin.write(json.dumps({"tool": tool, "arguments": arguments}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return answer["isError"], answer["content"]

    def wait(self, run):
        """How it ended: a call waits for 45 s, and a busy machine may need more."""
        return wait_until(f"{run} to end", lambda: (lambda said: said if said["done"] else None)(self.call("run_wait", run=run, timeoutSeconds=45)[1]))


class WithInstance(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)
        cls.project = make_project(
            cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-project-")),
            job__py="import pathlib\nprint('from the job')\npathlib.Path('out').mkdir(exist_ok=True)\n"
                    "pathlib.Path('out/a.txt').write_text('left behind')\n",
            sleep__py="import time\nprint('asleep', flush=True)\ntime.sleep(600)\n")


@unittest.skipUnless(shutil.which("npm", path=SEARCH) and shutil.which("node", path=SEARCH), "this host has no node and npm")
class RealClient(WithInstance):
    @classmethod
    def setUpClass(cls):
        if problem := why_no_registry(npm_setting("registry"), CLIENT.rsplit("@", 1)[0]):
            raise unittest.SkipTest(problem)
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-mcp-")))
        (cls.folder / "package.json").write_text('{"type": "module"}')
        npm_install(cls.folder, CLIENT.rsplit("@", 1)[0], "install", CLIENT)
        shutil.copy(SOURCE / "tests" / "integration" / "mcp_client.mjs", cls.folder)

    def whole_journey(self, era, version):
        with Session(self.folder, self.instance, era, BIN / "paddock", "--root", self.project) as session:
            self.assertEqual(session.hello["version"], version)
            self.assertEqual(session.hello["tools"], TOOLS)
            failed, planned = session.call("plan", command="python3 job.py")
            self.assertFalse(failed, planned)
            self.assertTrue(planned["placed"])
            failed, started = session.call("run_start", command="python3 job.py", folder=".", artifactDirs=["out/"],
                                           idempotencyKey=f"one-{era}")
            self.assertFalse(failed, started)
            again = session.call("run_start", command="python3 job.py", folder=".", artifactDirs=["out/"],
                                 idempotencyKey=f"one-{era}")[1]
            self.assertEqual(again["run"], started["run"])
            ended = session.wait(started["run"])
            self.assertEqual((ended["status"], ended["rc"], ended["artifacts"]), ("OK", 0, ["out/a.txt"]))
            self.assertIn("network: kernel", ended["enforced"])
            self.assertIn("from the job", session.call("run_logs", run=started["run"])[1]["text"])
            self.assertEqual(session.call("run_artifacts", run=started["run"], path="out/a.txt")[1]["text"], "left behind")
            self.assertIn(started["run"], [run["run"] for run in session.call("run_list", phase="Succeeded")[1]["runs"]])
            self.assertEqual(len(session.call("nodes")[1]["nodes"]), 1)
            failed, answer = session.call("execute", code="print(input_data['n'] + 1)", inputJson='{"n": 41}')
            self.assertEqual((failed, answer["success"], answer["stdout"]), (False, True, "42\n"), answer)
            failed, answer = session.call("execute", code="import os")
            self.assertEqual((failed, answer["success"]), (False, False))
            self.assertIn("os", answer["validationErrors"][0])
            self.use_a_sandbox(session)

    def use_a_sandbox(self, session):
        failed, made = session.call("sandbox_create")
        self.assertFalse(failed, made)
        name = made["sandbox"]
        self.assertFalse(session.call("sandbox_write", sandbox=name, path="a/b.txt", text="one\ntwo\n")[0])
        self.assertEqual(session.call("sandbox_exec", sandbox=name, command="wc -l < a/b.txt")[1]["stdout"], "2\n")
        self.assertEqual(session.call("sandbox_read", sandbox=name, path="a/b.txt")[1]["text"], "one\ntwo\n")
        self.assertIn(name, [each["sandbox"] for each in session.call("sandbox_list")[1]["sandboxes"]])
        self.assertEqual(session.call("sandbox_destroy", sandbox=name), (False, {"sandbox": name, "destroyed": True}))
        failed, gone = session.call("sandbox_exec", sandbox=name, command="true")
        self.assertEqual((failed, gone["code"]), (True, "SANDBOX_NOT_FOUND"))

    def test_a_client_of_the_stateless_era(self):
        self.whole_journey("modern", "2026-07-28")

    def test_a_client_of_the_era_of_handshakes(self):
        self.whole_journey("legacy", "2025-11-25")

    def test_a_run_outlives_the_client_that_started_it(self):
        with Session(self.folder, self.instance, "modern", BIN / "paddock", "--root", self.project) as session:
            name = session.call("run_start", command="python3 sleep.py", folder=".", name="outlives")[1]["run"]
        self.instance.wait_phase(name, "Running")
        with Session(self.folder, self.instance, "modern", BIN / "paddock", "--root", self.project) as session:
            self.assertFalse(session.call("run_wait", run=name, timeoutSeconds=0)[1]["done"])
            self.assertFalse(session.call("run_cancel", run=name)[0])
            self.assertEqual(session.wait(name)["phase"], "Canceled")

    def over_http(self, era, version):
        self.instance.run("compute", self.project, "python3 job.py", "--name", f"before-{era}")
        workspace = self.instance.run_object(f"before-{era}")["spec"]["workspace"]
        port = self.instance.port()
        token = self.instance.admin_token()
        with Session(self.folder, self.instance, era, f"https://127.0.0.1:{port}/mcp", token) as session:
            self.assertEqual(session.hello["version"], version)
            name = session.call("run_start", command="python3 job.py", workspace=workspace, artifactDirs=["out/"])[1]["run"]
            self.assertEqual(session.wait(name)["status"], "OK")
            self.assertIn("from the job", session.call("run_logs", run=name)[1]["text"])
            self.assertEqual(session.call("run_artifacts", run=name, path="out/a.txt")[1]["text"], "left behind")
            failed, answer = session.call("run_start", command="python3 job.py", folder=".")
            self.assertEqual((failed, answer["code"]), (True, "ARGUMENT_INVALID"))
            made = session.call("workspace_create", files=[{"path": "job.py", "text": "print('by hand')"}])[1]
            name = session.call("run_start", command="python3 job.py", workspace=made["workspace"])[1]["run"]
            self.assertEqual(session.wait(name)["status"], "OK")
            self.assertIn("by hand", session.call("run_logs", run=name)[1]["text"])
            self.use_a_sandbox(session)

    def test_over_http_in_the_stateless_era(self):
        self.over_http("modern", "2026-07-28")

    def test_over_http_in_the_era_of_handshakes(self):
        self.over_http("legacy", "2025-11-25")

    def test_refusals_say_what_is_wrong(self):
        with Session(self.folder, self.instance, "modern", BIN / "paddock", "--root", self.project) as session:
            for arguments, code in (({"command": "rm -rf /"}, "COMMAND_REFUSED"),
                                    ({"command": "python3 job.py", "folder": "/etc"}, "FOLDER_DENIED"),
                                    ({"command": "python3 job.py", "folder": ".."}, "FOLDER_DENIED"),
                                    ({"command": "python3 job.py", "shell": True}, "ARGUMENT_INVALID")):
                failed, answer = session.call("run_start", **arguments)
                self.assertTrue(failed, arguments)
                if code != "COMMAND_REFUSED":
                    self.assertEqual(answer["code"], code)
                self.assertFalse(answer["retryable"])


if __name__ == "__main__":
    main()
