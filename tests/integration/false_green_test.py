"""A test run is judged by its tests: an exit code of 0 that they do not bear out is no success, on a node and right here."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from harness import BIN, Instance, main, make_project

FAILING = "def test_b():\n    assert 0\n"
PASSING = "def test_b():\n    pass\n"

# Each ends with 0, or tries to: its files, the reason that is said, and the counts (collected, passed, failed, skipped).
CHEATS = {
    "ends in a test": ({"test_a.py": "import os\ndef test_a():\n    os._exit(0)\n", "test_b.py": FAILING},
                       "TESTS_UNFINISHED", (2, 0, 0, 0)),
    "ends in conftest": ({"conftest.py": "import os\nos._exit(0)\n", "test_b.py": FAILING}, "TESTS_UNFINISHED", (0, 0, 0, 0)),
    "leaves by pytest.exit": ({"test_a.py": "import pytest\ndef test_a():\n    pytest.exit('x', returncode=0)\n", "test_b.py": FAILING},
                              "TESTS_UNFINISHED", (2, 0, 0, 0)),
    "ends at exit": ({"conftest.py": "import atexit, os\natexit.register(lambda: os._exit(0))\n", "test_b.py": FAILING},
                     "TESTS_FAILED", (1, 0, 1, 0)),
    "sets the exit status": ({"conftest.py": "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n", "test_b.py": FAILING},
                             "TESTS_FAILED", (1, 0, 1, 0)),
    "ends as the session ends": ({"conftest.py": "import os\ndef pytest_sessionfinish():\n    os._exit(0)\n", "test_b.py": PASSING},
                                 "TESTS_UNFINISHED", (1, 1, 0, 0)),
    "only collects": ({"pytest.ini": "[pytest]\naddopts = --collect-only\n", "test_b.py": FAILING}, "TESTS_UNFINISHED", (1, 0, 0, 0)),
    "swallows the tests": ({"conftest.py": "def pytest_runtest_protocol():\n    return True\n", "test_b.py": FAILING},
                           "TESTS_UNFINISHED", (1, 0, 0, 0)),
    "brings a pytest": ({"pytest.py": "def main(*a, **k):\n    return 0\n", "_pytest/__init__.py": "", "test_b.py": FAILING},
                        "NonZeroExit", (1, 0, 1, 0)),
    "has none": ({"app.py": "x = 1\n"}, "NO_TESTS", (0, 0, 0, 0)),
    "skips all": ({"test_b.py": "import pytest\n@pytest.mark.skip\ndef test_b(): pass\n"}, "TESTS_SKIPPED", (1, 0, 0, 1)),
    "skips files": ({"test_b.py": "import pytest\npytest.skip('not here', allow_module_level=True)\n"}, "TESTS_SKIPPED", (0, 0, 0, 0)),
    "is not awaited": ({"test_b.py": "async def test_b():\n    assert 0\n"}, "TESTS_SKIPPED", (1, 0, 0, 1)),
    # The report and its key are out of reach.
    "writes the report": ({"conftest.py": (
        "import glob, json, os\n"
        "text = json.dumps({'collected': 1, 'passed': 1, 'failed': 0, 'skipped': 0, 'skippedFiles': 0, 'brokenFiles': 0, 'finished': True})\n"
        "open('/paddock/tests.json', 'w').write('0' * 64 + '\\n' + text + '\\n')\n"
        "os._exit(0)\n"), "test_b.py": FAILING}, "TESTS_UNFINISHED", (0, 0, 0, 0)),
    "kills the judge": ({"conftest.py": "import os\nos.kill(os.getppid(), 9)\nos._exit(0)\n", "test_b.py": FAILING}, "Killed", None),
}

# Looks for the key wherever a process of the same user may look, and fails if it finds a way.
NOSY = """
import ctypes, os, pytest
def test_the_key_is_gone():
    assert not os.path.exists('/tmp/.paddock/tests/key')
def test_the_judge_cannot_be_read():
    for name in ('mem', 'environ', 'maps', 'fd/0'):
        with pytest.raises(OSError):
            open(f'/proc/{os.getppid()}/{name}', 'rb').read(1)
def test_the_judge_cannot_be_traced():
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.ptrace(16, os.getppid(), 0, 0) == -1
"""

HONEST = """
import os, pytest
@pytest.mark.parametrize('n', [1, 2])
def test_passes(n): pass
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.xfail
def test_expected(): assert 0
def test_forks():
    if os.fork() == 0:
        os._exit(0)
    os.wait()
"""


def counts_of(result):
    tests = result.get("tests")
    return tests and tuple(tests[name] for name in ("collected", "passed", "failed", "skipped"))


class FalseGreen(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if subprocess.run(["/usr/bin/python3", "-c", "import pytest"], stderr=subprocess.DEVNULL).returncode != 0:
            raise unittest.SkipTest("pytest is not installed: apt-get install python3-pytest")
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)

    def project(self, files):
        folder = tempfile.TemporaryDirectory(prefix="paddock-project-")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        for name, text in files.items():
            path = pathlib.Path(folder.name, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return pathlib.Path(folder.name)

    def here(self, project, *args):
        done = subprocess.run([str(BIN / "paddock"), "pytest", "-o", "json", *(args or (".",))], cwd=project, env=self.instance.env,
                              stdout=subprocess.PIPE, text=True)
        return done.returncode, json.loads(done.stdout)

    def on_a_node(self, project, *words):
        name = f"tests-{len(self.instance.get('runs')['items'])}"
        done = self.instance.run("build", project, "--type", "test", "--name", name, "--", *(words or ("pytest",)), check=False)
        return done, self.instance.run_object(name)["status"]

    def test_no_cheat_is_green_on_a_node(self):
        for cheat, (files, reason, counts) in CHEATS.items():
            with self.subTest(cheat):
                done, status = self.on_a_node(self.project(files))
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual((status["phase"], status["reason"]), ("Failed", reason), status)
                self.assertEqual(counts_of(status["result"]), counts)

    def test_no_cheat_is_green_here(self):
        for cheat, (files, reason, counts) in CHEATS.items():
            with self.subTest(cheat):
                code, result = self.here(self.project(files))
                self.assertNotEqual((code, result["status"]), (0, "OK"))
                if reason.isupper():
                    self.assertTrue(result["reason"].startswith(f"{reason}: "), result["reason"])
                self.assertEqual(counts_of(result), counts)

    def test_honest_tests_are_counted_and_succeed(self):
        project = self.project({"test_a.py": HONEST})
        done, status = self.on_a_node(project)
        self.assertEqual((done.returncode, status["phase"]), (0, "Succeeded"), done.stderr)
        self.assertEqual(counts_of(status["result"]), (5, 4, 0, 1))
        self.assertIn("5 tests: 4 passed, 1 skipped", done.stderr)
        self.assertEqual(status["result"]["cmd"], ["python3", "-m", "pytest"])
        code, result = self.here(project)
        self.assertEqual((code, counts_of(result)), (0, (5, 4, 0, 1)))
        self.assertEqual(result["cmd"], ["python3", "-m", "pytest", "-v", "-p", "no:cacheprovider", "/workspace"])
        left = {each.name for each in project.iterdir()} - {".hypothesis"}  # of a plugin, where it is installed
        self.assertEqual(left, {"test_a.py"})

    def test_the_judge_keeps_its_key(self):
        done, status = self.on_a_node(self.project({"test_nosy.py": NOSY}))
        self.assertEqual((done.returncode, counts_of(status["result"])), (0, (3, 3, 0, 0)), done.stdout[-2000:])

    def test_who_only_asks_for_the_tests_is_answered(self):
        done, status = self.on_a_node(self.project({"test_b.py": FAILING}), "pytest", "--collect-only", "-q")
        self.assertEqual((done.returncode, status["phase"]), (0, "Succeeded"), done.stderr)
        self.assertIn("test_b.py::test_b", done.stdout)

    def test_a_limit_stays_what_it_is(self):
        done, status = self.on_a_node(self.project({"test_a.py": PASSING, "test_b.py": (
            "def test_c():\n    bytearray(4 << 30)\n    x = b'x' * (3 << 30)\n")}))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(status["reason"], ("NonZeroExit", "MemoryLimit"))
        code, result = self.here(self.project({"test_a.py": PASSING, "test_b.py": (
            "import time\ndef test_c():\n    time.sleep(600)\n")}), "--timeout", "5", ".")
        self.assertEqual((code, result["status"]), (124, "TIMEOUT"))

    def test_the_projects_modules_and_paths_are_found_as_by_python_m_pytest(self):
        project = self.project({"app.py": "two = 2\n", "tests/test_a.py": (
            "import sys, app\n"
            "def test_it():\n    assert app.two == 2 and sys.path.count('/workspace') >= 1\n")})
        self.assertEqual(self.on_a_node(project)[0].returncode, 0)


if __name__ == "__main__":
    main()
