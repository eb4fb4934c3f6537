"""Python requirements from an operator's wheel folder and index: found again, lies refused, no code run, no way out."""
import fcntl
import os
import pathlib
import struct
import subprocess
import tempfile
import time
import unittest

from harness import PATIENCE_S, Instance, ProjectTest, main, make_project, paths_below, wait_until
from outside import Packages, tar_gz, wheel

F_OFD_GETLK = 36  # Linux; Python names it from 3.9 on only where it was built with it


def venv_works():
    """Whether it would make one, by what `venv` asks for itself: to make one takes seven seconds of a processor."""
    return subprocess.run(["/usr/bin/python3", "-c", "import venv, ensurepip; ensurepip.version()"], capture_output=True).returncode == 0


def held(lock):
    """Whether some process holds or shares this lock file."""
    with open(lock, "r+b") as file:
        question = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        return struct.unpack_from("h", fcntl.fcntl(file, F_OFD_GETLK, question))[0] != fcntl.F_UNLCK


def pytest_of_this_host():
    """Its files and those of what it loads, by path; empty: there is none."""
    code = ("import sys, sysconfig, pytest\n"
            "pytest.main(['-q', '/dev/null'])\n"
            "standard = sysconfig.get_path('stdlib')\n"
            "for name, module in list(sys.modules.items()):\n"
            "    file = getattr(module, '__file__', None) or standard\n"
            "    if '.' not in name and ('-packages/' in file or not file.startswith(standard)): print('FILE', file)\n")
    found = subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True)
    out = {}
    for origin in (pathlib.Path(line[5:]) for line in found.stdout.splitlines() if line.startswith("FILE ")):
        whole = origin.name == "__init__.py"
        top = origin.parent.parent if whole else origin.parent
        out.update((str(each.relative_to(top)), each.read_text(errors="replace")) for each in (origin.parent.rglob("*.py") if whole else [origin])
                   if each.suffix == ".py")
    return out if "pytest/__init__.py" in out else {}


@unittest.skipUnless(venv_works(), "this host's python3 makes no virtual environments (python3-venv)")
class Environments(ProjectTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="paddock-wheels-")
        cls.addClassCleanup(folder.cleanup)
        wheels = pathlib.Path(folder.name)
        wheels.chmod(0o755)
        name, content = wheel("paddock_probe", "1.0", "WORD = 'from a wheel'\n")
        (wheels / name).write_bytes(content)
        (wheels / name).chmod(0o644)
        cls.packages = Packages()
        cls.addClassCleanup(cls.packages.close)
        cls.instance = Instance()
        cls.instance.env.update(cls.packages.settings(), PADDOCK_NODE_AGENT_WHEEL_DIR=str(wheels))
        cls.enterClassContext(cls.instance)

    # proves: ORB-11, ORB-30, ORB-31, ORB-63
    def test_a_wheel_is_installed_once_and_found_again(self):
        job = "import os, sys, paddock_probe\nprint(paddock_probe.WORD, sys.prefix, os.environ['VIRTUAL_ENV'])\n"
        make_project(self.project, job__py=job, requirements__txt="paddock_probe==1.0\n")
        first = self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt")
        self.assertEqual(first.stdout.strip().splitlines()[-1], "from a wheel /venv /venv")
        second = self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt")
        self.assertIn("miss", first.stderr)
        self.assertIn("hit", second.stderr)

    # proves partly: VLT-02
    def test_tests_run_in_the_environment_of_their_requirements(self):
        given = pytest_of_this_host()
        if not given:
            self.skipTest("pytest is not installed: apt-get install python3-pytest")
        self.packages.add_python("paddock-pytest", wheel("paddock_pytest", "1.0", "", more=given))
        code = ("import sys, paddock_probe, pytest\n"
                "def test_it():\n"
                "    assert (paddock_probe.WORD, sys.prefix) == ('from a wheel', '/venv')\n"
                "    assert pytest.__file__.startswith('/venv/')\n")
        make_project(self.project, probe_test__py=code, requirements__txt="paddock_probe==1.0\npaddock_pytest==1.0\n")
        words = ["build", self.project, "--type", "test", "--requirements", "requirements.txt"]
        done = self.instance.run(*words, "pytest -v probe_test.py")
        self.assertIn("1 passed", done.stdout)
        # Without it there is none: the host's own packages are not in an environment.
        (self.project / "requirements.txt").write_text("paddock_probe==1.0\n")
        without = self.instance.run(*words, "pytest -v probe_test.py", check=False)
        self.assertEqual(without.returncode, 1)
        self.assertIn("No module named pytest", without.stdout + without.stderr)

    # proves: ORB-66
    def test_what_no_wheel_provides_fails_loudly(self):
        make_project(self.project, job__py="print('ran')\n", requirements__txt="no-such-package-here==1.0\n")
        done = self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("ran", done.stdout.splitlines())
        self.assertIn("ENVIRONMENT_FAILED", done.stderr)

    def compute(self, *options, check=True):
        return self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt",
                                 *options, check=check)

    # proves: ORB-65, ORB-154, ORB-155
    def test_wheels_come_from_the_operators_index_and_the_job_has_no_network(self):
        self.packages.add_python("paddock-indexed", wheel("paddock_indexed", "1.0", "WORD = 'from the index'\n"))
        job = ("import paddock_indexed, socket\nprint(paddock_indexed.WORD)\n"
               f"try: socket.create_connection(('packages.test', {self.packages.port}), 5)\n"
               "except OSError: print('no network')\n")
        make_project(self.project, job__py=job, requirements__txt="paddock_indexed==1.0\n")
        first = self.compute("--name", "indexed-first")
        self.assertEqual(first.stdout.splitlines()[-2:], ["from the index", "no network"], first.stderr)
        self.assertIn("cache miss", first.stderr)
        self.packages.requests.clear()
        second = self.compute("--name", "indexed-second")
        self.assertIn("cache hit", second.stderr)
        self.assertEqual(self.packages.requests, [])
        timings = [self.instance.run_object(name)["status"]["timingsMs"] for name in ("indexed-first", "indexed-second")]
        self.assertEqual(["environmentBuild" in each for each in timings], [True, False])

    # proves: ORB-16
    def test_the_set_up_comes_before_the_first_line_of_the_job_and_wrong_paths_before_any_run(self):
        make_project(self.project, job__py="import paddock_probe\nprint('first line of the job')\n",
                     requirements__txt="paddock_probe==1.0  # in order\n")
        shown = self.instance.start("compute", self.project, "python3 job.py", "--requirements", "requirements.txt",
                                    stderr=subprocess.STDOUT).communicate(timeout=2 * PATIENCE_S)[0]
        self.assertLess(-1, shown.find("cache miss"), shown)
        self.assertLess(shown.find("cache miss"), shown.find("environment: ready"))
        self.assertLess(shown.find("environment: ready"), shown.find("first line of the job"))
        without = self.instance.run("compute", self.project, "python3 job.py", check=False)
        self.assertIn("ModuleNotFoundError", without.stderr)
        runs = len(self.instance.get("runs")["items"])
        for path in ("../requirements.txt", "/etc/passwd", "missing.txt", "a/../../requirements.txt"):
            done = self.instance.run("compute", self.project, "python3 job.py", "--requirements", path, check=False)
            self.assertNotEqual(done.returncode, 0, path)
            self.assertIn("requirements", done.stderr.lower(), path)
        self.assertEqual(len(self.instance.get("runs")["items"]), runs)

    # proves: ORB-66, ORB-123
    def test_what_exists_as_source_only_is_refused_and_its_code_never_runs(self):
        canary = f"import urllib.request; urllib.request.urlopen('{self.packages.url}/canary')\n"
        self.packages.add_python("paddock-source", ("paddock_source-1.0.tar.gz", tar_gz({
            "paddock_source-1.0/setup.py": canary + "from setuptools import setup; setup(name='paddock_source')\n",
            "paddock_source-1.0/PKG-INFO": "Metadata-Version: 1.0\nName: paddock_source\nVersion: 1.0\n"})))
        make_project(self.project, job__py="print('ran')\n", requirements__txt="paddock_source==1.0\n")
        done = self.compute(check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ENVIRONMENT_FAILED", done.stderr)
        self.assertNotIn("ran", done.stdout.splitlines())
        self.assertTrue(self.packages.asked_for("/simple/paddock-source"))
        self.assertEqual(self.packages.asked_for("canary"), [])
        left = [path.name for path in paths_below(self.instance.home, "venvs/*") if "source" in path.name or path.name.startswith(".")]
        self.assertEqual(left, [])

    # proves: ORB-123
    def test_a_wheel_cannot_lead_the_builder_elsewhere(self):
        self.packages.add_python("paddock-leading", wheel(
            "paddock_leading", "1.0", "", f"Requires-Dist: other @ http://elsewhere.test:{self.packages.port}/other-1.0.tar.gz\n"))
        make_project(self.project, job__py="print('ran')\n", requirements__txt="paddock_leading==1.0\n")
        done = self.compute(check=False)
        self.assertIn("ENVIRONMENT_FAILED", done.stderr)
        self.assertIn("elsewhere.test", done.stderr)
        self.assertEqual(self.packages.asked_for("elsewhere"), [])

    # proves: ORB-123
    def test_a_wheel_that_unpacks_to_more_than_the_quota_ends_the_build_and_leaves_nothing(self):
        self.packages.add_python("paddock-bomb", wheel("paddock_bomb", "1.0", "#" * (96 << 20)))
        make_project(self.project, job__py="print('ran')\n", requirements__txt="paddock_bomb==1.0\n")
        self.instance.run("compute", self.project, "python3 job.py", "--name", "bomb-upload")
        uploaded = self.instance.run_object("bomb-upload")["spec"]
        status, created = self.instance.post_run("bomb", {
            "type": "compute", "command": ["python3", "job.py"], "workspace": uploaded["workspace"],
            "requirements": "requirements.txt", "sandbox": {"limits": {"fsBytes": "64Mi"}}})
        self.assertEqual(status, 201, created)
        run = self.instance.wait_phase("bomb", "Succeeded", "Failed")
        self.assertEqual((run["status"]["phase"], run["status"]["reason"]), ("Failed", "ENVIRONMENT_FAILED"))
        self.assertIn("LIMIT_EXCEEDED", run["status"]["message"])
        self.assertEqual([str(path) for path in paths_below(self.instance.home, "paddock_bomb*")], [])

    # proves: ORB-38, ORB-130
    def test_a_job_cannot_change_the_environment_that_the_next_one_gets(self):
        job = ("import paddock_probe, sys\nprint(paddock_probe.WORD)\n"
               "for path in (paddock_probe.__file__, sys.prefix + '/bin/python3', sys.prefix + '/new.pth'):\n"
               "    try: open(path, 'w').write('WORD = 1'); print('written', path)\n"
               "    except OSError as error: print(error.strerror)\n")
        make_project(self.project, job__py=job, requirements__txt="paddock_probe==1.0  # attacked\n")
        for _ in range(2):
            done = self.compute()
            self.assertEqual(done.stdout.splitlines()[-4:], ["from a wheel"] + ["Read-only file system"] * 3)

    # proves: ORB-140
    def test_what_nobody_used_for_14_days_is_removed_and_what_a_job_uses_is_not(self):
        make_project(self.project, requirements__txt="paddock_probe==1.0  # kept\n",
                     job__py="import paddock_probe, pathlib, time\nprint('ready', flush=True)\n"
                             "while not pathlib.Path('/tmp/never').exists(): time.sleep(0.1)\n")
        self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt",
                          "--name", "keeper", "--detach")
        self.instance.wait_phase("keeper", "Running")
        wait_until("the job to be ready", lambda: "ready" in self.instance.run("logs", "keeper").stdout)
        # The run of the test before may still be letting go of its own.
        used = wait_until("one environment to be in use", lambda: (
            lambda locks: locks[0].with_suffix("") if len(locks) == 1 else None)([lock for lock in self.locks() if held(lock)]))
        make_project(self.project, requirements__txt="paddock_probe==1.0  # aged\n", job__py="import paddock_probe\n")
        before = set(self.locks())
        self.compute()
        aged, = (lock.with_suffix("") for lock in set(self.locks()) - before)
        self.instance.kill("paddock-node-agent")
        for lock in (used, aged):
            os.utime(f"{lock}.lock", (time.time() - 15 * 86400,) * 2)
        self.instance.run("up")  # an agent looks at once, and then every hour
        wait_until("the aged environment to be gone", lambda: not list(aged.parent.glob(f"*{aged.name}*")))
        self.assertTrue((used / "bin" / "activate").exists())
        self.assertEqual(self.instance.run_object("keeper")["status"]["phase"], "Running")
        self.instance.run("cancel", "keeper")
        self.instance.wait_phase("keeper", "Canceled")

    def locks(self):
        return list(paths_below(self.instance.home, "venvs/*.lock"))

    # proves: ORB-139
    def test_two_jobs_at_the_same_instant_install_once(self):
        self.packages.add_python("paddock-twice", wheel("paddock_twice", "1.0", "WORD = 'twice'\n"))
        make_project(self.project, job__py="import paddock_twice\nprint(paddock_twice.WORD)\n",
                     requirements__txt="paddock_twice==1.0\n")
        jobs = [self.instance.start("compute", self.project, "python3 job.py", "--requirements", "requirements.txt")
                for _ in range(2)]
        ends = [job.communicate(timeout=2 * PATIENCE_S) for job in jobs]
        self.assertEqual([job.returncode for job in jobs], [0, 0], ends)
        self.assertEqual([out.splitlines()[-1] for out, _ in ends], ["twice", "twice"])
        self.assertEqual(sum("cache miss" in err for _, err in ends), 1, ends)
        self.assertEqual(len(self.packages.asked_for("/files/paddock_twice")), 1)

    def test_hostile_requirement_lines_are_refused_by_line(self):
        for line in ("--index-url https://evil.invalid/simple", "-e .", "-r /etc/passwd", "x @ file:///etc/passwd",
                     "https://evil.invalid/x.whl"):
            make_project(self.project, job__py="print('ran')\n", requirements__txt=f"# first\n{line}\n")
            done = self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt", check=False)
            self.assertNotEqual(done.returncode, 0, line)
            self.assertIn("line 2", done.stderr, line)


if __name__ == "__main__":
    main()
