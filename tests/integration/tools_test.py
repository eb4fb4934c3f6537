"""A list of tools, in runs, in sessions and on a laptop: nothing else is executed, and every attempt is told by its name."""
import json
import os
import pathlib
import subprocess
import tempfile

from harness import BIN, Instance, main, make_project
from session_client import SessionTest

# Each way to a program that is not listed, by who may run scripts.
HOSTILE = '''import ctypes, glob, os, shutil, sys
OTHER = "/usr/bin/uname"
LIBC = (glob.glob("/lib/*/libc.so.6") or [OTHER])[0]
def attempt(name, execute):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try: execute()
        except OSError as error: os._exit(error.errno)
        os._exit(99)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 0: print("BREACH", name)
def memory(flags, execute):
    file = os.memfd_create("x", flags)
    os.write(file, open(OTHER, "rb").read())
    execute(file)
by_path = lambda path: os.execv(path, ["x", LIBC])
given = os.open(OTHER, os.O_RDONLY)
attempt("name", lambda: by_path(OTHER))
attempt("descriptor", lambda: os.execve(given, ["x"], {}))
attempt("magic link", lambda: by_path(f"/proc/self/fd/{given}"))
for loader in glob.glob("/lib64/ld-linux*.so*") + glob.glob("/lib/ld-linux*.so*"):
    attempt("loader", lambda: by_path(loader))
    attempt("loader by descriptor", lambda: by_path(f"/proc/self/fd/{os.open(loader, os.O_RDONLY)}"))
for flags in (0, 1, 8, 16, 17):
    attempt("memory", lambda: memory(flags, lambda file: by_path(f"/proc/self/fd/{file}")))
    attempt("memory by descriptor", lambda: memory(flags, lambda file: os.execve(file, ["x"], {})))
shutil.copy(OTHER, "/tmp/copy"); os.chmod("/tmp/copy", 0o755)
attempt("copy", lambda: by_path("/tmp/copy"))
open("/tmp/script", "w").write("#!" + OTHER); os.chmod("/tmp/script", 0o755)
attempt("script", lambda: by_path("/tmp/script"))
import subprocess
print(subprocess.run([sys.executable, "-c", "print('fine')"], capture_output=True, text=True).stdout, end="")
'''
TOLD = ("/usr/bin/uname", "/proc/self/fd/3", "/tmp/copy", "/tmp/script")


class NamedTools(SessionTest):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)
        cls.connect()
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-project-"))
        cls.folder = pathlib.Path(folder)
        cls.project = make_project(cls.folder / "app", hostile__py=HOSTILE, upload__py="print(1)")
        cls.instance.run("compute", cls.project, "python3 upload.py", "--name", "upload")
        cls.workspace = cls.instance.run_object("upload")["spec"]["workspace"]

    def assert_told(self, result):
        self.assertEqual(result["stdout"], "fine\n", result)
        denied = {(each["what"], each["target"]) for each in result["denials"]}
        for target in TOLD:
            self.assertIn(("execute", target), denied)
        self.assertTrue(any("/ld-linux" in target for _, target in denied), denied)
        self.assertIn(("system call", "memfd_create"), denied)

    # proves: WSM-25
    def test_a_runs_own_list_is_all_that_it_executes(self):
        for kind in ("compute", "command"):
            name = f"hostile-{kind}"
            self.instance.post_run(name, {"type": kind, "command": ["python3", "hostile.py"], "workspace": self.workspace,
                                          "sandbox": {"tools": ["python3"]}})
            self.instance.wait_phase(name, "Succeeded", "Failed")
            result = self.instance.run_object(name)["status"]["result"]
            self.assert_told(result)

    # proves: WSM-25, WSM-80
    def test_a_sessions_list_is_all_that_its_commands_execute(self):
        name = self.session({"toolAllowlist": ["python3"], "limits": {"timeoutMs": 120_000}})
        self.api.file("PUT", name, "hostile.py", HOSTILE)
        for _ in range(2):  # the second one was made ready while the first one ran
            result = self.result(name, "exec 3</usr/bin/uname; python3 hostile.py")
            self.assertEqual(result["code"], "E_CAPABILITY_DENIED")
            self.assertEqual(result["stdout"], "fine\n", result)
        shell = self.result(name, "exec 3</usr/bin/uname; /proc/self/fd/3 -a", commandId="by-descriptor")
        self.assertEqual((shell["exitCode"], shell["stdout"], shell["code"]), (126, "", "E_CAPABILITY_DENIED"))
        events = self.api.audit(self.object(name)["metadata"]["uid"])
        self.assertTrue(any(each["type"] == "capability.denied" and each["command_id"].endswith("/by-descriptor")
                            for each in events), events)

    def test_a_list_on_a_laptop_is_all_that_is_executed(self):
        env = {**os.environ, "PADDOCK_HOME": str(self.folder / "state")}
        done = subprocess.run([BIN / "paddock", "sandbox", "run", "--tool", "python3", "-o", "json", "--",
                               "python3", "hostile.py"], cwd=self.project, env=env, capture_output=True, text=True, timeout=300)
        result = json.loads(done.stdout)
        self.assert_told(result)


if __name__ == "__main__":
    main()
