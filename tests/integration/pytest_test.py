"""`paddock pytest` and the Python client: real tests in a sandbox, good, failing and hostile."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import uuid

from harness import BIN, SOURCE, main

sys.path.insert(0, str(SOURCE / "clients" / "python"))
from paddock import SandboxPolicy, SandboxResultV2, run_pytests, run_pytests_v2  # noqa: E402

PYTHON = "/usr/bin/python3"  # what a sandbox finds in its PATH
PATIENT = SandboxPolicy(wall_time_s=600)  # more than the usual half a minute: a busy machine may need that to start Python

GOOD = """
import os
def test_environment_is_fixed():
    assert os.environ["PYTHONHASHSEED"] == "0" and os.environ["PYTHONDONTWRITEBYTECODE"] == "1"
    assert "SECRET_OF_HOST" not in os.environ
def test_added_variable():
    assert os.environ.get("GIVEN", "x") == "x"
"""


class Pytest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if subprocess.run([PYTHON, "-c", "import pytest"], stderr=subprocess.DEVNULL).returncode != 0:
            raise unittest.SkipTest("pytest is not installed: apt-get install python3-pytest")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="paddock-pytest-")
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chmod(folder.name, 0o755)
        os.chdir(folder.name)
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        for name in [name for name in os.environ if name.startswith("PADDOCK_") or name == "VIRTUAL_ENV"]:
            del os.environ[name]
        os.environ.update(PADDOCK_BIN=str(BIN / "paddock"), SECRET_OF_HOST="1")

    def write(self, name, text):
        pathlib.Path(name).write_text(text)

    # proves: VLT-02, VLT-03, VLT-11, VLT-19, VLT-25, VLT-43
    def test_the_first_interface_keeps_its_form(self):
        self.write("test_good.py", GOOD)
        rc, text = run_pytests(["test_good.py"], 600)
        self.assertEqual(rc, 0, text)
        self.assertRegex(text, r"\A\[sandbox\] traceId=\S+ duration_ms=\d+\n")
        self.assertIn("2 passed", text)

    # proves: VLT-51
    def test_a_failing_test_keeps_its_own_code(self):
        self.write("test_bad.py", "def test_it():\n    assert False\n")
        result = run_pytests_v2(["test_bad.py"], PATIENT)
        self.assertEqual((result.status, result.rc, result.errorClass), ("FAILED", 1, None), result)
        self.assertEqual(result.tests, {"collected": 1, "passed": 0, "failed": 1, "skipped": 0})
        self.assertEqual(run_pytests(["test_bad.py"], 600)[0], 1)

    def test_an_exit_code_of_zero_without_tests_is_no_success(self):
        self.write("test_bad.py", "import os\ndef test_it():\n    os._exit(0)\n")
        result = run_pytests_v2(["test_bad.py"], PATIENT)
        self.assertEqual((result.status, result.rc), ("FAILED", 1), result)
        self.assertTrue(result.reason.startswith("TESTS_UNFINISHED: "), result.reason)

    # proves: VLT-26
    def test_no_paths_is_an_internal_error(self):
        result = run_pytests_v2([])
        self.assertEqual((result.status, result.rc, result.reason), ("INTERNAL_ERROR", 1, "no test paths provided"))

    # proves: VLT-04, VLT-26
    def test_variables_are_added_only_when_named(self):
        self.write("test_env.py", "import os\ndef test_it():\n    assert os.environ['GIVEN'] == 'y'\n")
        self.assertEqual(run_pytests_v2(["test_env.py"], PATIENT, env_overrides={"GIVEN": "y"}).status, "OK")
        self.assertEqual(run_pytests_v2(["test_env.py"], PATIENT).status, "FAILED")

    # proves: VLT-04, VLT-107
    def test_variables_of_coverage_are_passed_on_as_far_as_they_lie_below_the_current_folder(self):
        os.makedirs("src/lib")
        self.write("src/lib/of_ours.py", "answer = 42\n")
        self.write(".coveragerc", "[run]\n")
        self.write("test_env.py", "import os\ndef test_it():\n    import of_ours\n    assert (of_ours.answer, os.environ.get('COVERAGE_PROCESS_START'),"
                                  " os.environ['PYTHONPATH']) == (42, '/workspace/.coveragerc', '/workspace/src/lib:/workspace')\n")
        os.environ.update(COVERAGE_PROCESS_START=".coveragerc", PYTHONPATH=f"src/lib:/usr/share/elsewhere::../beside:{os.getcwd()}")
        rc, text = run_pytests(["test_env.py"], 600)
        self.assertEqual(rc, 0, text)
        os.environ["COVERAGE_PROCESS_START"] = "/etc/coveragerc"
        self.write("test_env.py", "import os\ndef test_it():\n    assert 'COVERAGE_PROCESS_START' not in os.environ\n")
        self.assertEqual(run_pytests_v2(["test_env.py"], PATIENT).status, "OK")

    # proves: VLT-66, VLT-67, VLT-68, VLT-69, VLT-70, VLT-71, VLT-72, VLT-73, VLT-74, VLT-75
    def test_a_result_has_the_fields_of_its_second_version_as_keys_too(self):
        self.write("test_good.py", GOOD)
        result = run_pytests_v2(["test_good.py"], PATIENT)
        self.assertIsInstance(result, SandboxResultV2)
        kinds = {"version": int, "status": str, "rc": int, "reason": str, "stdout": str, "stderr": str, "duration_ms": int, "cmd": list,
                 "traceId": str, "enforced": dict}
        for name, kind in kinds.items():
            self.assertIs(type(result[name]), kind, name)
            self.assertEqual(result[name], getattr(result, name))
        self.assertEqual((result["version"], result["status"], dict(result)["rc"]), (2, "OK", 0))
        with self.assertRaises(KeyError):
            result["header"]

    # proves: VLT-58, VLT-59, VLT-60, VLT-61, VLT-62, VLT-63, VLT-65
    def test_the_policy_is_what_is_enforced(self):
        self.write("test_good.py", GOOD)
        policy = SandboxPolicy(wall_time_s=25, cpu_time_s=15, mem_bytes=2**28, pids_max=20, nofile=100)
        enforced = run_pytests_v2(["test_good.py"], policy).enforced
        self.assertEqual(enforced["wallTime"]["requested"], "25s")
        self.assertEqual(enforced["cpuTime"]["requested"], "15s")
        self.assertEqual(enforced["memory"]["requested"], "256Mi")
        self.assertEqual((enforced["pids"]["requested"], enforced["openFiles"]["requested"]), (20, 100))
        for name in ("wallTime", "cpuTime", "memory", "pids", "openFiles", "network", "filesystem"):
            self.assertTrue(enforced[name]["applied"], name)
        for wrong in ({"wall_time_s": 0}, {"mem_bytes": -1}, {"pids_max": "8"}, {"allow_partial": 1}):
            with self.assertRaises(ValueError):
                SandboxPolicy(**wrong)
        with self.assertRaises(TypeError):
            SandboxPolicy(unknown=1)

    # proves: VLT-44, VLT-97
    def test_an_endless_test_times_out(self):
        self.write("test_endless.py", "import time\ndef test_it():\n    time.sleep(600)\n")
        result = run_pytests_v2(["test_endless.py"], SandboxPolicy(wall_time_s=2))
        self.assertEqual((result.status, result.rc, result.errorClass), ("TIMEOUT", 124, "TIMEOUT"))

    # proves: VLT-74, VLT-99
    def test_two_runs_have_the_same_header(self):
        self.write("test_bad.py", "def test_it():\n    assert False\n")
        first, second = run_pytests_v2(["test_bad.py"], PATIENT), run_pytests_v2(["test_bad.py"], PATIENT)
        self.assertEqual((first.status, first.rc, first.header()), (second.status, second.rc, second.header()))
        self.assertNotEqual(first.traceId, second.traceId)
        self.assertEqual([uuid.UUID(run.traceId).version for run in (first, second)], [4, 4])

    def test_a_path_outside_is_refused_and_nothing_runs(self):
        result = run_pytests_v2(["../elsewhere"])
        self.assertEqual(result.status, "INTERNAL_ERROR")
        self.assertIn("INVALID_PATH", result.reason)

    # proves: VLT-16
    def test_without_the_program_nothing_runs_unprotected(self):
        os.environ["PADDOCK_BIN"] = "/nonexistent/paddock"
        result = run_pytests_v2(["test_good.py"])
        self.assertEqual((result.status, result.rc), ("INTERNAL_ERROR", 1))
        self.assertIn("PADDOCK_BIN", result.reason)

    def test_an_active_virtual_environment_is_used(self):
        made = subprocess.run([PYTHON, "-m", "venv", "--system-site-packages", "venv"], capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest(f"this Python cannot make a virtual environment: {made.stdout[-200:]}")
        self.write("test_venv.py", "import sys\ndef test_it():\n    assert sys.prefix == '/venv'\n")
        os.environ["VIRTUAL_ENV"] = os.path.abspath("venv")
        self.assertEqual(run_pytests_v2(["test_venv.py"], PATIENT).status, "OK")

    def test_the_command_prints_live_and_passes_the_code_on(self):
        self.write("test_bad.py", "def test_it():\n    assert False\n")
        done = subprocess.run([os.environ["PADDOCK_BIN"], "pytest", "--timeout", "600", "test_bad.py"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 failed", done.stdout)
        done = subprocess.run([os.environ["PADDOCK_BIN"], "pytest", "-o", "json", "test_bad.py"],
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual(json.loads(done.stdout)["version"], 2)


if __name__ == "__main__":
    main()
