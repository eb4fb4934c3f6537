"""Both clients, their examples and the workflow step against a live instance."""
import asyncio
import contextlib
import importlib.util
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from client_ignore_test import PIECES, table_rows
from executing import Executing
from harness import SOURCE, find_file, main, wait_until
from in_chromium import Pages
from node_environment_test import SEARCH, npm_install, npm_setting, why_no_registry

PYTHON = SOURCE / "clients" / "python"
TYPESCRIPT = SOURCE / "clients" / "typescript"
EXAMPLES = SOURCE / "examples" / "clients"
USING = SOURCE / "tests" / "integration" / "using_paddock.py"
sys.path.insert(0, str(PYTHON))
from paddock import AsyncClient, Client, PaddockError, RunSpec, types  # noqa: E402
from paddock._folder import contents_of  # noqa: E402
from paddock._ignore import BUILT_IN, SECRETS, Rules  # noqa: E402
from paddock.workflow import code_execution_step, step_of  # noqa: E402

JOB = """import pathlib, sys
print("from", sys.argv[1])
pathlib.Path("out/ä b.txt").write_text("left behind")
"""


def make_project(folder):
    """One of each that is treated in its own way."""
    for path in ("sub", "runs/3", "empty/within", "node_modules/m", "venv", "home/controller/tokens", "ä"):
        (folder / path).mkdir(parents=True)
    files = {"sub/run.sh": "#!/bin/sh\necho ran", "runs/3/model.txt": "the model\n", ".gitignore": "*.log\n!kept.log\n", "sub/.gitignore": "/only\n",
             "sub/only": "", "a.log": "", "kept.log": "", ".env": "secret", "node_modules/m/a.js": "", "venv/pyvenv.cfg": "", "ä/ö.txt": "",
             "home/controller/paddock.db": "", "home/controller/tokens/admin": "secret", "wide-\U0001f600.txt": "", "wide-\uffee.txt": ""}
    for path, text in files.items():
        (folder / path).write_text(text)
    (folder / "sub/run.sh").chmod(0o755)
    for path, target in {"latest": "./runs//3", "away": "../x", "absolute": "/etc", "loop": "loop", "up": "runs/..", "config": ".env"}.items():
        os.symlink(target, folder / path)
    os.mkfifo(folder / "fifo")


@contextlib.contextmanager
def variables(**wanted):
    """These variables, and none of ours but them."""
    before = dict(os.environ)
    for name in [name for name in before if name.startswith(("PADDOCK_", "CODE_EXECUTION_"))]:
        del os.environ[name]
    os.environ.update(wanted)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class WithInstance(Executing):
    pages = Pages()
    settings = {"PADDOCK_CONTROLLER_ALLOWED_ORIGINS": f"[http://127.0.0.1:{pages.port}]"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        port = json.loads(find_file(cls.instance.home, "controller.json").read_text())["port"]
        cls.server = f"https://127.0.0.1:{port}"
        cls.token = find_file(cls.instance.home, "tokens/admin").read_text().strip()
        cls.ca = str(find_file(cls.instance.home, "tls/ca.pem"))

    def run_program(self, *command, **settings):
        env = {**self.instance.env, "PATH": SEARCH, "PADDOCK_SERVER": self.server, "PADDOCK_TOKEN": self.token,
               "PADDOCK_CA_FILE": self.ca, "NODE_EXTRA_CA_CERTS": self.ca, "PYTHONPATH": str(PYTHON), **settings.pop("env", {})}
        done = subprocess.run([str(word) for word in command], env=env, text=True, capture_output=True, timeout=300, **settings)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def refused(self, code, call):
        with self.assertRaises(PaddockError) as caught:
            call()
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception


class PythonClient(WithInstance):
    def setUp(self):
        self.client = Client(self.server, self.token, self.ca)
        self.addCleanup(self.client.close)

    def test_a_run_from_its_files_to_its_artifacts(self):
        runs = self.client.runs
        workspace = self.client.workspaces.upload("py", {"job.py": JOB, "ä/b.txt": b"\1\2"})
        self.assertEqual(workspace.status.files, 2)
        self.assertEqual([entry.path for entry in self.client.workspaces.files("py")], ["job.py", "ä/b.txt"])
        spec = RunSpec("compute", ["python3", "job.py", "a job"], workspace="py", artifacts=types.ArtifactRequest(["out/"]))
        created = runs.create(spec, name="py-run", labels={"made": "here"})
        events = list(runs.stream_events("py-run"))
        self.assertEqual([event.id for event in events], list(range(1, len(events) + 1)))
        self.assertEqual("".join(event.data for event in events if event.type == "stdout"), "from a job\n")
        self.assertEqual((events[-1].type, events[-1].rc, events[-1].status), ("end", 0, "OK"))
        self.assertEqual(list(runs.stream_events("py-run", after=events[-2].id)), events[-1:])
        run = runs.wait("py-run")
        self.assertEqual((run.metadata.uid, run.status.phase), (created.metadata.uid, "Succeeded"))
        self.assertEqual((run.status.result.status, run.status.result.enforced["network"].level), ("OK", "kernel"))
        self.assertEqual(runs.logs("py-run", tail_lines=1), "from a job\n")
        self.assertEqual("".join(runs.follow_logs("py-run")), "from a job\n")
        with tempfile.TemporaryDirectory() as folder:
            (path,) = runs.download("py-run", folder)
            self.assertEqual(path.relative_to(pathlib.Path(folder).resolve()).as_posix(), "out/ä b.txt")
            self.assertEqual(path.read_text(), "left behind")
        (artifact,) = runs.artifacts("py-run")
        self.assertEqual(runs.read_artifact("py-run", artifact), b"left behind")
        self.assertEqual([each.metadata.name for each in runs.list(label_selector="made=here", page=1)], ["py-run"])
        runs.delete("py-run")
        self.assertEqual(self.refused("RUN_NOT_FOUND", lambda: runs.get("py-run")).status_code, 404)

    def test_a_folder_goes_up_once_and_keeps_its_executables(self):
        with tempfile.TemporaryDirectory() as home:
            folder = pathlib.Path(home)
            (folder / "sub").mkdir()
            (folder / ".git").mkdir()
            (folder / ".git" / "config").write_text("x")
            (folder / "sub" / "a.sh").write_text("echo")
            (folder / "sub" / "a.sh").chmod(0o755)
            os.symlink("/etc/passwd", folder / "link")
            self.client.workspaces.upload("folder", folder)
        self.assertEqual([(entry.path, entry.executable) for entry in self.client.workspaces.files("folder")], [("sub/a.sh", True)])

    def test_a_command_in_a_run_that_runs_and_its_input(self):
        runs = self.client.runs
        script = "echo begun; while [ ! -e go ]; do sleep 0.05; done"
        name = runs.create(RunSpec("command", ["sh", "-c", script])).metadata.name
        self.assertEqual(next(iter(runs.follow_logs(name))), "begun\n")
        done = runs.exec(name, "cat; echo wrong >&2; exit 3", stdin="a\nb")
        self.assertEqual((done.exitCode, done.stdout, done.stderr), (3, "a\nb", "wrong\n"))
        self.assertEqual(runs.exec(name, ["wc", "-c"], stdin=b"\0\xff").stdout, "2\n")
        self.assertEqual(runs.exec(name, ["wc", "-c"]).stdout, "0\n")
        self.assertEqual(runs.exec(name, ["sleep", "600"], timeout=0.5).errorClass, "TIMEOUT")
        error = self.refused("STDIN_TOO_LARGE", lambda: runs.exec(name, ["cat"], stdin=b"x" * ((8 << 20) + 1)))
        self.assertEqual((error.status_code, error.field), (400, "stdin"))
        self.assertEqual(self.refused("INVALID_FIELD", lambda: runs.exec(name, [])).field, "command")
        self.refused("COMMAND_NOT_FOUND", lambda: runs.cancel_exec(name, "none"))

        async def at_once():
            async with AsyncClient(self.server, self.token, self.ca) as client:
                return await asyncio.gather(*(client.runs.exec(name, "cat", stdin=word) for word in ("a", "b")))
        self.assertEqual([each.stdout for each in asyncio.run(at_once())], ["a", "b"])
        runs.exec(name, ["touch", "go"])
        runs.wait(name)
        self.refused("RUN_NOT_RUNNING", lambda: runs.exec(name, "true"))

    def test_a_run_that_sleeps_is_waited_for_and_canceled(self):
        runs = self.client.runs
        self.client.workspaces.upload("py-sleep", {"sleep.py": "import time\nprint('asleep', flush=True)\ntime.sleep(600)\n"})
        name = runs.create(RunSpec("compute", "python3 sleep.py", workspace="py-sleep")).metadata.name
        self.assertEqual(next(runs.follow_logs(name)), "asleep\n")
        began = time.monotonic()
        with self.assertRaises(TimeoutError):
            runs.wait(name, timeout=1.2)
        self.assertGreaterEqual(time.monotonic() - began, 1.2)
        runs.cancel(name)
        runs.cancel(name)
        run = runs.wait(name)
        self.assertEqual((run.status.phase, run.status.result.status), ("Canceled", "CANCELED"))

    def test_the_same_key_gives_the_same_run(self):
        self.client.workspaces.upload("py-key", {"job.py": "print(1)"})
        spec = RunSpec("compute", "python3 job.py", workspace="py-key")
        names = {self.client.runs.create(spec, idempotency_key="py-1").metadata.name for _ in range(2)}
        self.assertEqual(len(names), 1)
        spec.priority = 3
        self.refused("IDEMPOTENCY_KEY_REUSED", lambda: self.client.runs.create(spec, idempotency_key="py-1"))

    def test_many_runs_are_made_at_once_or_not_at_all(self):
        self.client.workspaces.upload("py-many", {"job.py": "import sys\nprint(sys.argv[1])"})
        specs = [RunSpec("compute", f"python3 job.py {number}", workspace="py-many") for number in range(5)]
        runs = self.client.runs.create_runs(specs, prefix="many-", labels={"sweep": "a"}, idempotency_key="py-many")
        again = self.client.runs.create_runs(specs, prefix="many-", labels={"sweep": "a"}, idempotency_key="py-many")
        self.assertEqual([run.metadata.uid for run in runs], [run.metadata.uid for run in again])
        for number, run in enumerate(runs):
            self.assertTrue(run.metadata.name.startswith("many-"))
            self.assertEqual(self.client.runs.wait(run.metadata.name).status.phase, "Succeeded")
            self.assertEqual("".join(self.client.runs.follow_logs(run.metadata.name)), f"{number}\n")
        specs[3] = RunSpec("compute", "rm -rf x", workspace="py-many")
        error = self.refused("COMMAND_NOT_ALLOWED", lambda: self.client.runs.create_runs(specs, labels={"sweep": "b"}))
        self.assertEqual(error.field, "items[3].spec.command[0]")
        self.assertEqual(list(self.client.runs.list(label_selector="sweep=b")), [])

    def test_what_is_wrong_is_said_by_its_field(self):
        self.client.workspaces.upload("py-bad", {"job.py": "print(1)"})
        error = self.refused("COMMAND_NOT_ALLOWED", lambda: self.client.runs.create(RunSpec("compute", "rm -rf x", workspace="py-bad")))
        self.assertEqual((error.status_code, error.reason, error.field, error.retryable), (400, "BadRequest", "spec.command[0]", False))
        error = self.refused("UNKNOWN_FIELD", lambda: self.client.runs.create({"type": "compute", "command": "a", "nope": 1}))
        self.assertEqual(error.field, "spec.nope")
        self.assertEqual(self.refused("TOKEN_UNKNOWN", lambda: Client(self.server, "wrong", self.ca).runs.get("x")).status_code, 401)
        self.refused("SERVER_NOT_TRUSTED", lambda: Client(self.server, self.token).runs.get("x"))

    def test_short_code(self):
        answer = self.client.execute("print(sum(input_data['nums']), input_data['none'])", {"nums": [1, 2, 3], "none": None})
        self.assertEqual((answer.success, answer.stdout, answer.exit_code, answer.error), (True, "6 None\n", 0, None))
        self.assertEqual(self.client.execute("import os").validation_errors, ["Blocked import: os"])
        self.assertEqual(self.client.execute("while True: pass", timeout_seconds=1).error, "Execution timed out")
        self.assertEqual(self.refused("INVALID_FIELD", lambda: self.client.execute("1", timeout_seconds=61)).field, "timeout_seconds")

    def test_a_client_finds_the_instance_of_this_host_as_the_program_does(self):
        home, name = self.instance.env["PADDOCK_HOME"], self.instance.name
        with variables(PADDOCK_HOME=home, PADDOCK_INSTANCE=name), Client() as client:
            self.assertIsInstance(list(client.runs.list()), list)
        with variables(PADDOCK_SERVER=self.server, PADDOCK_TOKEN=self.token, PADDOCK_CA_FILE=self.ca), Client() as client:
            self.assertEqual(self.refused("RUN_NOT_FOUND", lambda: client.runs.get("none")).status_code, 404)
        with variables(PADDOCK_HOME=home, PADDOCK_INSTANCE="../x"):
            self.refused("INVALID_INSTANCE_NAME", Client)

    def test_the_server_has_the_types_that_they_were_made_from(self):
        served = self.client._transport.request("GET", "/openapi/v3/apis/paddock.dev/v1alpha1").json()["components"]["schemas"]
        golden = json.loads((SOURCE / "tests" / "golden" / "openapi.json").read_text())["components"]["schemas"]
        self.assertEqual({name: served[name] for name in golden}, golden)

    def test_its_examples(self):
        self.assertIn("out/sum.txt 500000500000", self.run_program(sys.executable, "-B", EXAMPLES / "run.py"))
        self.assertEqual(self.run_program(sys.executable, "-B", EXAMPLES / "execute.py"), "6\n['Blocked import: os']\n")

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed: apt-get install mypy")
    def test_every_type_of_it_holds(self):
        with tempfile.TemporaryDirectory() as cache:
            self.run_program("mypy", "--strict", "--python-version", "3.9", "--cache-dir", cache, "paddock", cwd=PYTHON)


    def test_installed_into_an_empty_folder_it_serves_typed_programs_blocking_and_in_event_loops(self):
        with tempfile.TemporaryDirectory(prefix="paddock-installed-") as folder:
            self.run_program(sys.executable, "-m", "venv", "v", cwd=folder)
            self.run_program("v/bin/pip", "install", "--no-index", PYTHON, cwd=folder)  # there is nothing to fetch
            shutil.copy(USING, folder)
            printed = self.run_program("v/bin/python", USING.name, cwd=folder, env={"PYTHONPATH": ""}).splitlines()
            self.assertEqual(sorted(printed[:3]), [f"Succeeded end ['{number}\\n'] b'{number}'" for number in range(3)])
            self.assertEqual(sorted(printed[5:7]), ["stderr two", "stdout one"])  # two pipes have no order
            self.assertEqual(printed[3:5] + printed[7:], ["True", "2 a.txt", "3", "True", "SANDBOX_NOT_FOUND", "True 42",
                                                           "blocking 0", "blocking 1", "blocking 2", "True 404"])
            if shutil.which("mypy"):
                self.run_program("mypy", "--strict", "--python-executable", "v/bin/python", "--cache-dir", "types", USING.name, cwd=folder,
                                 env={"PYTHONPATH": ""})


class PythonSessions(WithInstance):
    def setUp(self):
        self.client = Client(self.server, self.token, self.ca)
        self.addCleanup(self.client.close)

    def test_commands_share_files_and_nothing_is_left(self):
        limits = types.SessionLimits(timeoutMs=5000)
        with self.client.sandboxes.create(types.SecurityOptions(limits=limits), labels={"made": "here"}) as session:
            self.assertEqual(session.sandbox.spec.security.limits.timeoutMs, 5000)
            first = session.run("echo one | tee a.txt; echo two >&2; exit 3")
            self.assertEqual((first.exitCode, first.stdout, first.stderr, first.truncated), (3, "one\n", "two\n", None))
            self.assertEqual(session.run("cat a.txt").stdout, "one\n")
            session.files.write("d/ä b.bin", b"\0\xff")
            session.files.make_folder("empty")
            self.assertEqual((session.files.read("d/ä b.bin"), session.files.read_text("a.txt")), (b"\0\xff", "one\n"))
            self.assertEqual([(file.type, file.name) for file in session.files.list()], [("file", "a.txt"), ("folder", "d"), ("folder", "empty")])
            self.refused("IS_A_FOLDER", lambda: session.files.read("d"))
            self.refused("NOT_A_FOLDER", lambda: session.files.list("a.txt"))
            session.files.remove("a.txt")
            self.assertEqual(self.client.sandboxes.attach(session.name).run("ls").stdout, "d\nempty\n")
            self.assertIn(session.name, [each.metadata.name for each in self.client.sandboxes.list()])
        self.refused("SANDBOX_NOT_FOUND", lambda: self.client.sandboxes.get(session.name))
        self.refused("SANDBOX_NOT_FOUND", lambda: session.run("true"))
        session.destroy()

    def test_output_while_it_comes_and_a_cancel(self):
        with self.client.sandboxes.create() as session:
            with session.stream("echo out; sleep 600; echo never") as command:
                output = iter(command)
                self.assertEqual(next(output).text, "out\n")
                session.cancel(command.id)
                self.assertEqual(list(output), [])
            self.assertEqual((command.result.errorClass, command.result.exitCode), ("CANCELLED", 143))
            self.refused("COMMAND_NOT_FOUND", lambda: session.cancel(command.id))
            self.assertEqual(session.stream("printf 'a\\377'; exit 4").result.exitCode, 4)
            self.assertEqual(b"".join(each.data for each in session.stream("printf 'a\\377'")), b"a\xff")

    def test_who_leaves_a_command_ends_it(self):
        with self.client.sandboxes.create({"limits": {"timeoutMs": 60_000}}) as session:
            command = session.stream("echo begun; sleep 600", command_id="left")
            self.assertEqual(next(iter(command)).text, "begun\n")
            command.close()
            self.refused("STREAM_LEFT", lambda: command.result)

            def gone():
                try:
                    session.cancel("left")
                except PaddockError as error:
                    return error.code == "COMMAND_NOT_FOUND"
            wait_until("the command to be gone before its time", gone, patience_s=45)

    def test_what_was_not_given_is_not_there(self):
        for security, wanted in ((None, 0), (types.SecurityOptions(toolAllowlist=[]), 126), ({"toolAllowlist": ["echo"]}, 126)):
            with self.client.sandboxes.create(security) as session:
                self.assertEqual(session.run("python3 -c 1").exitCode, wanted, security)
        error = self.refused("INVALID_FIELD", lambda: self.client.sandboxes.create({"limits": {"timeoutMs": 0}}))
        self.assertEqual(error.field, "spec.security.limits.timeoutMs")
        with self.client.sandboxes.create({"limits": {"timeoutMs": 500}}) as session:
            self.assertEqual(session.run("sleep 60").errorClass, "TIMEOUT")

    def test_its_example(self):
        self.assertIn("6 x 7 = 42", self.run_program(sys.executable, "-B", EXAMPLES / "session.py"))


class WorkflowStep(WithInstance):
    def step(self, config, data=None, **settings):
        settings.setdefault("CODE_EXECUTION_SERVICE_URL", f"http://127.0.0.1:{self.port}")
        with variables(**settings):
            return asyncio.run(code_execution_step({"config": config}, data, object()))

    # proves: ELV-85
    def test_it_answers_what_the_service_says_and_when(self):
        found = self.step({"code": "print(sum(input_data['nums']))", "timeout": 5, "memory_mb": 128}, {"nums": [1, 2, 3]})
        self.assertEqual((found["success"], found["stdout"], found["exit_code"], found["error"]), (True, "6\n", 0, None))
        self.assertEqual(found["executed_at"][10], "T")
        self.assertEqual(self.step({"code": "import os"})["validation_errors"], ["Blocked import: os"])

    # proves: ELV-85
    def test_whatever_is_wrong_is_in_its_document(self):
        for config, wanted in (({}, "No code provided"), ({"code": ""}, "No code provided"),
                               ({"code": "1", "timeout": 61}, "Code execution service error: 422: timeout_seconds must be at most 60"),
                               ({"code": "1", "timeout": "x"}, "Failed to execute code: "),
                               ({"code": "1", "timeout": float("nan")}, "Failed to execute code: ")):
            found = self.step(config)
            self.assertTrue(found["error"].startswith(wanted), found)
            self.assertEqual((found["success"], found["exit_code"], found["stdout"]), (False, -1, ""))
            self.assertIn("executed_at", found)
        self.assertEqual(asyncio.run(code_execution_step({}, None, None))["error"], "No code provided")

    # proves partly: ELV-84
    def test_the_service_is_the_one_that_the_variable_names(self):
        for url, wanted in (("nonsense", "CODE_EXECUTION_SERVICE_URL must be an address"), ("http://127.0.0.1:1", "Failed to execute code: "),
                            ("http://127.0.0.1:99999", "Failed to execute code: ")):
            self.assertIn(wanted, self.step({"code": "print(1)"}, CODE_EXECUTION_SERVICE_URL=url)["error"])

    # proves: ELV-84
    def test_a_service_with_tls_and_a_token_is_served_by_its_ca_file_and_the_token(self):
        step = lambda **settings: self.step({"code": "print(6 * 7)"}, CODE_EXECUTION_SERVICE_URL=self.server, **settings)
        found = step(CODE_EXECUTION_SERVICE_TOKEN=self.token, CODE_EXECUTION_SERVICE_CA_FILE=self.ca)
        self.assertEqual((found["success"], found["stdout"], found["error"]), (True, "42\n", None))
        for settings, wanted in (({}, "CERTIFICATE_VERIFY_FAILED"),
                                 ({"CODE_EXECUTION_SERVICE_TOKEN": self.token}, "CERTIFICATE_VERIFY_FAILED"),
                                 ({"CODE_EXECUTION_SERVICE_CA_FILE": self.ca}, "Code execution service error: 401"),
                                 ({"CODE_EXECUTION_SERVICE_CA_FILE": "/none.pem"}, "CODE_EXECUTION_SERVICE_CA_FILE cannot be read"),
                                 ({"CODE_EXECUTION_SERVICE_CA_FILE": __file__}, "CODE_EXECUTION_SERVICE_CA_FILE cannot be read")):
            found = step(**settings)
            self.assertEqual((found["success"], found["exit_code"]), (False, -1))
            self.assertIn(wanted, found["error"])

    def test_a_token_is_sent_over_tls_or_to_this_host_only(self):
        found = self.step({"code": "print(1)"}, CODE_EXECUTION_SERVICE_URL="http://192.0.2.1:8007", CODE_EXECUTION_SERVICE_TOKEN=self.token)
        self.assertIn("CODE_EXECUTION_SERVICE_URL must begin with https://", found["error"])
        self.assertTrue(self.step({"code": "print(1)"}, CODE_EXECUTION_SERVICE_TOKEN=self.token)["success"])

    # proves: ELV-86
    def test_it_waits_five_seconds_longer_than_the_code_may_take(self):
        import socket
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            began = time.monotonic()
            found = self.step({"code": "print(1)", "timeout": 1}, CODE_EXECUTION_SERVICE_URL=url)
            self.assertGreaterEqual(time.monotonic() - began, 6)
        self.assertEqual((found["error"], found["exit_code"]), ("Code execution timed out after 1s", -1))
        # The service is first, unless the machine takes 5 s to start it.
        wait_until("the service's own words", lambda: self.step({"code": "while True: pass", "timeout": 1})["error"] == "Execution timed out")

    # proves: ELV-87
    def test_without_the_variable_it_is_port_8007_of_this_host(self):
        from paddock import workflow
        asked = []
        before, workflow._post = workflow._post, lambda url, body, timeout: asked.append((url, timeout)) or {"success": True}
        self.addCleanup(setattr, workflow, "_post", before)
        with variables():
            asyncio.run(code_execution_step({"config": {"code": "1"}}, None, None))
        self.assertEqual(asked, [("http://localhost:8007", 35.0)])

    # proves: ELV-88
    def test_the_table_of_steps_knows_it_and_no_other(self):
        self.assertIs(step_of("code_execution"), code_execution_step)
        with self.assertRaisesRegex(ValueError, "unknown step type 'shell'; there are: code_execution"):
            step_of("shell")

    # proves partly: ELV-104, ELV-105, ELV-106
    def test_a_workflow_with_it_is_executed_and_shows_its_results(self):
        spec = importlib.util.spec_from_file_location("workflow_example", EXAMPLES / "workflow.py")
        example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(example)
        with variables(CODE_EXECUTION_SERVICE_URL=f"http://127.0.0.1:{self.port}"):
            done = asyncio.run(example.execute(example.WORKFLOW, {"nums": [1, None, 2, 3]}))
            self.assertEqual((done["status"], done["result"]), ("succeeded", {"mean": 2}))
            self.assertEqual({name: (step["success"], step["exit_code"]) for name, step in done["outputs"].items()},
                             {"clean": (True, 0), "mean": (True, 0)})
            failed = asyncio.run(example.execute(example.WORKFLOW, {"nums": []}))
            self.assertEqual((failed["status"], failed["at"]), ("failed", "mean"))
            self.assertIn("StatisticsError", failed["outputs"]["mean"]["stderr"])
            with self.assertRaisesRegex(ValueError, "unknown step type"):
                asyncio.run(example.execute({"name": "x", "steps": [{"name": "a", "type": "shell"}]}, {}))


@unittest.skipUnless(shutil.which("npm", path=SEARCH) and shutil.which("node", path=SEARCH), "this host has no node and npm")
class TypeScriptClient(WithInstance):
    @classmethod
    def setUpClass(cls):
        if problem := why_no_registry(npm_setting("registry"), "typescript"):
            raise unittest.SkipTest(problem)
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-ts-")), "paddock")
        shutil.copytree(TYPESCRIPT, cls.folder, ignore=shutil.ignore_patterns("node_modules", "dist", "build"))
        npm_install(cls.folder, "typescript", "ci")

    def test_its_own_suites(self):
        found = self.run_program("npm", "test", cwd=self.folder)
        self.assertRegex(found, r"(?m)^# skipped 0$|^. skipped 0$")
        self.assertRegex(found, r"(?m)^# fail 0$|^. fail 0$")

    def test_it_is_built_without_a_dependency_and_its_example_runs(self):
        self.run_program("npm", "run", "build", cwd=self.folder)
        self.assertEqual(json.loads((self.folder / "package.json").read_text()).get("dependencies", {}), {})
        modules = self.folder.parent / "node_modules"
        modules.mkdir()
        (modules / "paddock").symlink_to(self.folder)
        shutil.copy(EXAMPLES / "run.mjs", self.folder.parent)
        self.assertIn("out/sum.txt 500000500000", self.run_program("node", "run.mjs", cwd=self.folder.parent))

    def test_packed_and_installed_into_an_empty_folder_it_serves_a_strict_program_of_node(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-packed-")))
        project = folder / "project"
        make_project(project)
        packed = self.run_program("npm", "pack", "--silent", "--pack-destination", folder, cwd=self.folder).strip().splitlines()[-1]
        (folder / "package.json").write_text('{"type": "module", "private": true}')
        self.run_program("npm", "install", "--offline", "--no-audit", "--no-fund", f"./{packed}", cwd=folder)
        shutil.copy(USING.with_suffix(".ts"), folder)
        for types_of_node in ("@types", "undici-types"):
            (folder / "node_modules" / types_of_node).symlink_to(self.folder / "node_modules" / types_of_node)
        self.run_program(self.folder / "node_modules/.bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node",
                         "--lib", "es2022,esnext.disposable,dom", "using_paddock.ts", cwd=folder)
        given = json.dumps({"server": self.server, "token": self.token, "ca": self.ca, "project": str(project)})
        env = {**self.instance.env, "PATH": SEARCH}
        done = subprocess.run(["node", "using_paddock.js", given], cwd=folder, env=env, text=True, capture_output=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        printed = done.stdout.splitlines()
        self.assertEqual(printed[:5], ["SERVER_NOT_TRUSTED false true", "SERVER_NOT_TRUSTED", "CA_FILE_UNREADABLE", "TLS_REQUIRED", "RUN_NOT_FOUND"])
        ours, theirs = contents_of(project), json.loads(printed[5])
        self.assertEqual(theirs["files"], list(ours.files))
        self.assertEqual(list(theirs["links"].items()), ours.links)
        self.assertEqual(theirs["folders"], ours.folders)
        self.assertEqual(sorted((each["path"], each["why"]) for each in theirs["leftOut"]), sorted(ours.left_out))
        self.assertIn(["sub/run.sh", True], json.loads(printed[6]))
        self.assertEqual(printed[7:], ["ran the model end", "Error: enough"])

    def test_its_rules_of_what_is_left_out_are_those_of_python_and_the_command_line(self):
        self.run_program("npm", "run", "build", cwd=self.folder)
        chosen = random.Random(11)
        text = lambda pieces, most: "".join(chosen.choice(pieces) for _ in range(chosen.randint(1, most)))
        cases = [{"rules": "".join(text(PIECES, 5) + "\n" for _ in range(4)),
                  "paths": ["/".join(text(["a", "b", "c", "ab", "*", "-"], 2) for _ in range(chosen.randint(1, 4))) for _ in range(40)]}
                 for _ in range(150)]
        rows = table_rows()
        program = ('import { BUILT_IN, SECRETS, Rules, wildmatch } from "./dist/ignore.js"; import { readFileSync } from "node:fs";'
                   'const { cases, rows } = JSON.parse(readFileSync(0, "latin1"));'
                   'const out = (rules, path) => path.split("/").some((_, at, all) => rules.leaveOut(all.slice(0, at + 1).join("/"), at + 1 < all.length));'
                   'console.log(JSON.stringify({ builtIn: BUILT_IN, secrets: SECRETS, rows: rows.map(([p, t]) => wildmatch(p, t)),'
                   'cases: cases.map(({ rules, paths }) => { const r = new Rules(); r.add("", rules); return paths.map((p) => out(r, p)); }) }));')
        asked = json.dumps({"cases": cases, "rows": [[pattern.decode("latin1"), text.decode("latin1")] for pattern, text, _ in rows]})
        found = json.loads(self.run_program("node", "--input-type=module", "-e", program, cwd=self.folder, input=asked))
        self.assertEqual((found["builtIn"].encode(), found["secrets"].encode()), (BUILT_IN, SECRETS))
        self.assertEqual(found["rows"], [matches for _, _, matches in rows])
        for case, theirs in zip(cases, found["cases"]):
            rules = Rules()
            rules.add(b"", case["rules"].encode())
            parts = [path.encode().split(b"/") for path in case["paths"]]
            ours = [any(rules.leave_out(b"/".join(each[:end]), end < len(each)) for end in range(1, len(each) + 1)) for each in parts]
            self.assertEqual(theirs, ours, case)

    @unittest.skipUnless(shutil.which("chromium"), "this host has no chromium: scripts/install-deps dashboard")
    def test_in_a_browser_on_a_page_of_an_origin_that_the_operator_named_and_on_no_other(self):
        self.run_program("npm", "run", "build", cwd=self.folder)
        shutil.copy(USING.with_suffix(".html"), self.folder)
        (self.folder / "server.json").write_text(json.dumps({"baseUrl": self.server, "token": self.token}))
        found = self.pages.open(self.folder, "using_paddock.html")
        self.assertEqual(found, {"output": "ran\n", "phase": "Succeeded", "artifact": "of a page", "lines": "2 a.txt\n", "code": "42\n",
                                 "missing": "RUN_NOT_FOUND", "unknown": "TOKEN_UNKNOWN"})
        elsewhere = self.pages.open(self.folder, "using_paddock.html", "localhost")
        self.assertEqual(elsewhere, {"error": "CONNECTION_LOST"})

    def test_its_lock_names_no_address(self):
        lock = json.loads((TYPESCRIPT / "package-lock.json").read_text())
        for name, package in lock["packages"].items():
            self.assertNotIn("resolved", package, name)
            self.assertTrue(not name or package["integrity"].startswith("sha512-"), name)


if __name__ == "__main__":
    main()
