"""Runs of type test: pytest over a workspace, its exit code the run's."""
import pathlib
import subprocess
import tempfile
import unittest

import kubectl_versions
from harness import SOURCE, Instance, main, make_project

GOOD = ("import os\n"
        "def test_environment():\n"
        "    assert os.environ['PYTHONHASHSEED'] == '0' and os.environ['PYTHONDONTWRITEBYTECODE'] == '1'\n"
        "def test_sees_the_project():\n"
        "    import app\n"
        "    assert app.two() == 2\n")
HOSTILE = ("import os, socket, pytest\n"
           "def test_no_network():\n"
           "    with pytest.raises(OSError):\n"
           "        socket.create_connection(('1.1.1.1', 80), timeout=2)\n"
           "def test_no_file_of_others():\n"
           "    for path in ('/etc/shadow', '/proc/1/environ', '/root'):\n"
           "        with pytest.raises(OSError):\n"
           "            os.listdir(path) if path == '/root' else open(path).read()\n"
           "    with pytest.raises(OSError):\n"
           "        open('/usr/x', 'w')\n")


class TestRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if subprocess.run(["/usr/bin/python3", "-c", "import pytest"], stderr=subprocess.DEVNULL).returncode != 0:
            raise unittest.SkipTest("pytest is not installed: apt-get install python3-pytest")
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-project-"))
        cls.project = make_project(pathlib.Path(folder) / "app", app__py="def two():\n    return 2\n", s__py="print(1)\n")
        make_project(cls.project / "tests", good_test__py=GOOD, bad_test__py="def test_it():\n    assert 1 == 2\n",
                     hostile_test__py=HOSTILE, slow_test__py="import time\ndef test_it():\n    time.sleep(600)\n")
        (cls.project / "evil.py").write_text("import os\nprint('LOADED')\n")
        (cls.project / "words.txt").write_text("-p\nevil\n")
        cls.instance.run("compute", cls.project, "python3 s.py", "--name", "upload")
        cls.workspace = cls.instance.run_object("upload")["spec"]["workspace"]

    def pytest(self, *args, timeout="10m", **options):
        """With more than the 30 s that tests have unless they say so: a busy machine may need these to start Python."""
        return self.instance.run("build", self.project, "--type", "test", "--timeout", timeout, *args, **options)

    def test_tests_have_half_a_minute_unless_they_say_so(self):
        status, made = self.instance.post_run("usual", {"type": "test", "command": "pytest tests/good_test.py", "workspace": self.workspace})
        self.assertEqual(status, 201, made)
        self.assertEqual((made["spec"]["type"], made["spec"]["profile"], made["spec"]["timeout"]), ("test", "test", "30s"))
        self.instance.run("cancel", "usual")

    # proves partly: VLT-02, VLT-03, VLT-37, VLT-43
    def test_tests_that_pass(self):
        done = self.pytest("pytest -v tests/good_test.py --junitxml=out/report.txt", "--artifact-dir", "out", "--name", "good")
        self.assertIn("2 passed", done.stdout)
        self.assertIn("<testsuite", (self.project / "out/report.txt").read_text())
        run = self.instance.run_object("good")
        self.assertEqual((run["spec"]["type"], run["spec"]["profile"]), ("test", "test"))
        self.assertEqual((run["status"]["result"]["status"], run["status"]["result"]["rc"]), ("OK", 0))
        self.assertEqual(run["status"]["result"]["cmd"][:4], ["python3", "-m", "pytest", "-v"])

    # proves partly: VLT-51
    def test_a_failing_test_fails_the_run_with_pytests_own_code(self):
        done = self.pytest("--name", "bad", "--", "python3", "-m", "pytest", "tests/bad_test.py", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 failed", done.stdout)
        status = self.instance.run_object("bad")["status"]
        self.assertEqual((status["phase"], status["result"]["status"], status["result"]["rc"]), ("Failed", "FAILED", 1))
        none = self.pytest("pytest -k nothing tests/good_test.py", check=False)
        self.assertEqual(none.returncode, 5, "no test was collected")

    # proves partly: VLT-44
    def test_endless_tests_end(self):
        self.assertEqual(self.pytest("pytest tests/slow_test.py", timeout="2s", check=False).returncode, 124)

    def test_hostile_tests_are_held(self):
        self.assertIn("2 passed", self.pytest("pytest -v tests/hostile_test.py").stdout)

    def test_other_configuration_plugins_and_places_are_refused_and_leave_nothing(self):
        before = sorted(each["metadata"]["name"] for each in self.instance.get("runs")["items"])
        for command, code, field in (
                (["pytest", "-p", "evil"], "COMMAND_FLAG_BLOCKED", "spec.command[1]"),
                (["pytest", "-pevil"], "COMMAND_FLAG_BLOCKED", "spec.command[1]"),
                (["pytest", "-c", "words.txt"], "COMMAND_FLAG_BLOCKED", "spec.command[1]"),
                (["pytest", "-o", "addopts=-p evil"], "COMMAND_FLAG_BLOCKED", "spec.command[1]"),
                (["pytest", "--rootdir=tests"], "COMMAND_FLAG_BLOCKED", "spec.command[1]"),
                (["pytest", "@words.txt"], "COMMAND_FLAG_BLOCKED", "spec.command[1]"),
                (["pytest", "-k", "@words.txt"], "COMMAND_FLAG_BLOCKED", "spec.command[2]"),
                (["pytest", "--pyargs", "os"], "COMMAND_FLAG_BLOCKED", "spec.command[1]"),
                (["pytest", "--junitxml=/tmp/x"], "PATH_ESCAPES_WORKSPACE", "spec.command[1]"),
                (["pytest", "../tests"], "TEST_NOT_FOUND", "spec.command[1]"),
                (["pytest", "gone_test.py"], "TEST_NOT_FOUND", "spec.command[1]"),
                (["pytest", "-k", "a;b"], "COMMAND_METACHARACTER", "spec.command[2]"),
                (["python3", "app.py"], "COMMAND_NOT_ALLOWED", "spec.command[0]"),
                (["bash", "-c", "id"], "COMMAND_NOT_ALLOWED", "spec.command[0]")):
            status, answer = self.instance.post_run("never", {"type": "test", "command": command, "workspace": self.workspace})
            self.assertEqual((status, answer["error"]["code"]), (400, code), command)
            self.assertEqual(answer["details"]["causes"][0]["field"], field, command)
        for fields, code in (({"code": "print(1)"}, "FIELD_NOT_SUPPORTED"), ({"inputData": {}}, "FIELD_NOT_SUPPORTED"),
                             ({"sandbox": {"env": {"PYTEST_ADDOPTS": "-p evil"}}}, "ENV_NOT_ALLOWED"),
                             ({"requirements": "gone.txt"}, "REQUIREMENTS_INVALID")):
            status, answer = self.instance.post_run("never", {"type": "test", "command": "pytest", "workspace": self.workspace,
                                                              **fields})
            self.assertEqual((status, answer["error"]["code"]), (400, code), fields)
        after = sorted(each["metadata"]["name"] for each in self.instance.get("runs")["items"])
        self.assertEqual(after, before)

    def test_kubectl_applies_one(self):
        programs = kubectl_versions.programs()
        if not programs:
            self.skipTest("no kubectl is on this machine")
        config = self.instance.home / "kubeconfig"
        config.write_text(self.instance.run("kubeconfig").stdout)
        text = (SOURCE / "manifests/examples/run-test.yaml").read_text()
        manifest = self.instance.home / "test.yaml"
        manifest.write_text(text.replace("workspace: example", f"workspace: {self.workspace}")
                            .replace("count_test.py", "tests/good_test.py"))
        program = programs[max(programs)]
        for expected in ("created", "unchanged"):
            done = subprocess.run([program, "--kubeconfig", config, "--cache-dir", self.instance.home / "cache", "apply", "-f",
                                   manifest], text=True, capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(expected, done.stdout)
        run = self.instance.wait_phase("test", "Succeeded", "Failed")
        self.assertEqual(run["status"]["phase"], "Succeeded", run["status"])
        self.assertEqual([each["path"] for each in run["status"]["artifacts"]], ["out/report.txt"])


if __name__ == "__main__":
    main()
