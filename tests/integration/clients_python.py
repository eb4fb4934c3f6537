"""The Python client against a live instance: runs, workspaces, sessions, its types and its examples."""
import asyncio
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

from clients_instance import EXAMPLES, PYTHON, USING, WithInstance, variables
from exec_runs import sleepers
from harness import SOURCE, wait_until, with_more_time
from paddock import AsyncClient, Client, CommandTimedOut, PaddockError, RunSpec, types

JOB = """import pathlib, sys
print("from", sys.argv[1])
pathlib.Path("out/ä b.txt").write_text("left behind")
"""


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
            (folder / "zz.key").write_text("x")
            stored = self.client.workspaces.upload("folder", folder)
        self.assertEqual([path for path, _ in stored.left_out], ["zz.key", ".git/", "link"])
        self.assertIn("a secret", stored.left_out[0][1])
        self.assertEqual(stored, self.client.workspaces.get("folder"))
        self.assertEqual(self.client.workspaces.upload("folder-as-map", {"a": "x"}).left_out, [])
        self.assertEqual([(entry.path, entry.executable) for entry in self.client.workspaces.files("folder")], [("sub/a.sh", True)])

    def test_a_command_in_a_run_that_runs_and_its_input(self):
        runs = self.client.runs
        name = runs.create(RunSpec("command", ["sh", "-c", "echo begun; sleep 600"])).metadata.name
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
        # No command of it ends the run: a run that ends takes its commands along, and this one's own end may not be known by then.
        self.assertEqual([runs.exec(name, words).exitCode for words in (["touch", "left"], ["test", "-e", "left"])], [0, 0])
        runs.cancel(name, now=True)
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
        listed = [run.metadata.name for run in self.client.runs.list(label_selector="sweep=a", page=2)]
        self.assertEqual(listed, [run.metadata.name for run in reversed(runs)], "the newest first")
        specs[3] = RunSpec("compute", "rm -rf x", workspace="py-many")
        error = self.refused("COMMAND_NOT_ALLOWED", lambda: self.client.runs.create_runs(specs, labels={"sweep": "b"}))
        self.assertEqual(error.field, "items[3].spec.command[0]")
        self.assertEqual(list(self.client.runs.list(label_selector="sweep=b")), [])

    def test_what_would_be_refused_is_refused_before_its_files_are_sent(self):
        files = {"job.py": "print(1)", "data.bin": b"x" * 100_000, "requirements.txt": "--nope\n"}
        wrong = [("COMMAND_NOT_ALLOWED", RunSpec("compute", "rm -rf x", workspace="py-early")),
                 ("REQUIREMENTS_INVALID", RunSpec("compute", "python3 job.py", workspace="py-early", requirements="requirements.txt"))]
        for code, spec in wrong:
            self.refused(code, lambda: self.client.workspaces.upload("py-early", files, for_run=spec))
            self.assertFalse(self.client.workspaces.get("py-early").status.root)
        good = RunSpec("compute", "python3 job.py", workspace="py-early")
        self.assertEqual(self.client.workspaces.upload("py-early", files, for_run=good).status.files, 3)

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


PATIENT = {"timeoutMs": 300_000}  # a busy machine takes its time for a command


class PythonSessions(WithInstance):
    def setUp(self):
        self.client = Client(self.server, self.token, self.ca)
        self.addCleanup(self.client.close)

    def test_commands_share_files_and_nothing_is_left(self):
        limits = types.SessionLimits(**PATIENT)
        with self.client.sandboxes.create(types.SecurityOptions(limits=limits), labels={"made": "here"}) as session:
            self.assertEqual(session.sandbox.spec.security.limits.timeoutMs, 300_000)
            self.assertEqual(repr(session), f"<Session {session.name}>", "the name to attach to it by")
            first = session.run("echo one | tee a.txt; echo two >&2; exit 3")
            self.assertEqual((first.exitCode, first.stdout, first.stderr, first.truncated), (3, "one\n", "two\n", None))
            self.assertEqual(session.run("cat a.txt").stdout, "one\n")
            words = ["printf", "%s|", "a b", "$HOME", "it's", "", "*", "ä"]
            self.assertEqual(session.run(words).stdout, "a b|$HOME|it's||*|ä|")
            self.assertEqual(session.stream(words).result.exitCode, 0)
            session.files.write("d/ä b.bin", b"\0\xff")
            session.files.make_folder("empty")
            self.assertEqual((session.files.read("d/ä b.bin"), session.files.read_text("a.txt")), (b"\0\xff", "one\n"))
            self.assertEqual([(file.type, file.name) for file in session.files.list()], [("file", "a.txt"), ("folder", "d"), ("folder", "empty")])
            self.refused("IS_A_FOLDER", lambda: session.files.read("d"))
            self.refused("NOT_A_FOLDER", lambda: session.files.list("a.txt"))
            files, missing = session.files, "/workspace/none/b"
            for call in (lambda: files.read(missing), lambda: files.list(missing), lambda: files.remove(missing)):
                self.assertEqual(self.refused("FILE_NOT_FOUND", call).message, "'/workspace/none/b': there is no such file")
            for call in (lambda: files.write("a.txt/b", ""), lambda: files.make_folder("a.txt/b")):
                self.assertTrue(self.refused("NOT_A_REGULAR_FILE", call).message.startswith("'a.txt/b': "))
            session.files.remove("a.txt")
            self.assertEqual(self.client.sandboxes.attach(session.name).run("ls").stdout, "d\nempty\n")
            with self.client.sandboxes.create(name="a-later-one"):
                self.assertEqual([each.metadata.name for each in self.client.sandboxes.list()][:2], ["a-later-one", session.name])
        self.refused("SANDBOX_NOT_FOUND", lambda: self.client.sandboxes.get(session.name))
        self.refused("SANDBOX_NOT_FOUND", lambda: session.run("true"))
        session.destroy()

    def test_output_while_it_comes_and_a_cancel(self):
        with self.client.sandboxes.create({"limits": PATIENT}) as session:
            with session.stream("echo out; sleep 600; echo never") as command:
                output = iter(command)
                self.assertEqual(next(output).text, "out\n")
                session.cancel(command.id)
                self.assertEqual(list(output), [])
            self.assertEqual((command.result.errorClass, command.result.exitCode), ("CANCELLED", 143))
            self.refused("COMMAND_NOT_FOUND", lambda: session.cancel(command.id))
            self.assertEqual(session.stream("printf 'a\\377'; exit 4").result.exitCode, 4)
            self.assertEqual(b"".join(each.data for each in session.stream("printf 'a\\377'")), b"a\xff")

    def timed_out(self, call):
        with self.assertRaises(CommandTimedOut) as caught:
            call()
        error = caught.exception
        self.assertEqual((error.code, error.result.errorClass), ("COMMAND_TIMEOUT", "CANCELLED"))
        self.assertIn(f"{error.timeout:g} s", error.message)
        return error

    def test_a_command_has_the_time_that_its_caller_gives_it(self):
        with self.client.sandboxes.create({"limits": PATIENT}) as session:
            first = session.run("echo first; exit 3", timeout=300)
            self.assertEqual((first.exitCode, first.stdout), (3, "first\n"))

            def so_far(seconds):
                return self.timed_out(lambda: session.run("echo begun | tee -a kept; sleep 48181", timeout=seconds)).result.stdout
            self.assertEqual(with_more_time(so_far, 0.5, 5, 60), "begun\n")
            self.assertEqual(sleepers(48181), [])

            def pieces(seconds):
                seen = []
                with session.stream("echo begun; sleep 48182", timeout=seconds) as command:
                    self.timed_out(lambda: seen.extend(output.text for output in command))
                self.assertEqual(command.result.errorClass, "CANCELLED")
                return seen
            self.assertEqual(with_more_time(pieces, 0.5, 5, 60), ["begun\n"])
            self.assertEqual(sleepers(48182), [])
            self.assertEqual(session.stream("exit 4", timeout=300).result.exitCode, 4)
            self.assertEqual(session.run("sort -u kept", timeout=300).stdout, "begun\n", "it goes on, with its files")

    def test_a_command_in_an_event_loop_has_the_time_that_its_caller_gives_it(self):
        async def commands(seconds):
            async with AsyncClient(self.server, self.token, self.ca) as client:
                async with await client.sandboxes.create({"limits": PATIENT}) as session:
                    late = await asyncio.gather(*(session.run(f"echo {word}; sleep 48183", timeout=seconds) for word in "ab"),
                                                return_exceptions=True)
                    stream, seen = await session.stream("echo c; sleep 48183", timeout=seconds), []
                    with self.assertRaises(CommandTimedOut):
                        async for output in stream:
                            seen.append(output.text)
                    return late, seen, (await session.run("echo on", timeout=300)).stdout, len(asyncio.all_tasks())

        def whole(seconds):
            late, seen, after, tasks = asyncio.run(commands(seconds))
            self.assertEqual([type(each) for each in late], [CommandTimedOut] * 2)
            self.assertEqual((after, tasks), ("on\n", 1))
            return [each.result.stdout for each in late] + seen == ["a\n", "b\n", "c\n"]
        with_more_time(whole, 0.5, 5, 60)
        self.assertEqual(sleepers(48183), [])

    def test_who_leaves_a_command_ends_it(self):
        with self.client.sandboxes.create({"limits": {"timeoutMs": 600_000}}) as session:
            command = session.stream("echo begun; sleep 600", command_id="left")
            self.assertEqual(next(iter(command)).text, "begun\n")
            command.close()
            self.refused("STREAM_LEFT", lambda: command.result)

            def gone():
                try:
                    session.cancel("left")
                except PaddockError as error:
                    return error.code == "COMMAND_NOT_FOUND"
            wait_until("the command to be gone before its time", gone)

    def test_what_was_not_given_is_not_there(self):
        with self.client.sandboxes.create() as session:
            self.assertEqual(session.sandbox.spec.security.limits.timeoutMs, 10_000)
        limits = types.SessionLimits(**PATIENT)
        for security, wanted in ((types.SecurityOptions(limits=limits), 0), (types.SecurityOptions(limits=limits, toolAllowlist=[]), 126),
                                 ({"limits": PATIENT, "toolAllowlist": ["echo"]}, 126)):
            with self.client.sandboxes.create(security) as session:
                self.assertEqual(session.run("python3 -c 1").exitCode, wanted, security)
        error = self.refused("INVALID_FIELD", lambda: self.client.sandboxes.create({"limits": {"timeoutMs": 0}}))
        self.assertEqual(error.field, "spec.security.limits.timeoutMs")
        with self.client.sandboxes.create({"limits": {"timeoutMs": 500}}) as session:
            self.assertEqual(session.run("sleep 60").errorClass, "TIMEOUT")

    def test_its_example(self):
        self.assertIn("6 x 7 = 42", self.run_program(sys.executable, "-B", EXAMPLES / "session.py"))
