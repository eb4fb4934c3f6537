"""Python requirements from an operator's wheel folder: no package index is reached, hits are fast, lies refused."""
import base64
import hashlib
import pathlib
import subprocess
import tempfile
import unittest
import zipfile

from harness import Instance, main, make_project


def make_wheel(folder, name, version, source):
    """The smallest wheel that pip installs."""
    info = f"{name}-{version}.dist-info"
    files = {f"{name}.py": source,
             f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(text)}\n"
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)


def venv_works():
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(["/usr/bin/python3", "-m", "venv", folder], capture_output=True).returncode == 0


@unittest.skipUnless(venv_works(), "this host's python3 makes no virtual environments (python3-venv)")
class Environments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="paddock-wheels-")
        cls.addClassCleanup(folder.cleanup)
        wheels = pathlib.Path(folder.name)
        wheels.chmod(0o755)
        make_wheel(wheels, "paddock_probe", "1.0", "WORD = 'from a wheel'\n")
        for wheel in wheels.iterdir():
            wheel.chmod(0o644)
        cls.instance = Instance()
        cls.instance.env["PADDOCK_NODE_AGENT_WHEEL_DIR"] = str(wheels)
        cls.instance.__enter__()
        cls.addClassCleanup(cls.instance.__exit__, None, None, None)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="paddock-project-")
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name)

    # proves: ORB-11, ORB-30, ORB-31, ORB-63
    def test_a_wheel_is_installed_once_and_found_again(self):
        job = "import os, sys, paddock_probe\nprint(paddock_probe.WORD, sys.prefix, os.environ['VIRTUAL_ENV'])\n"
        make_project(self.project, job__py=job, requirements__txt="paddock_probe==1.0\n")
        first = self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt")
        self.assertEqual(first.stdout.strip().splitlines()[-1], "from a wheel /venv /venv")
        second = self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt")
        self.assertIn("miss", first.stderr)
        self.assertIn("hit", second.stderr)

    # proves: ORB-66
    def test_what_no_wheel_provides_fails_loudly(self):
        make_project(self.project, job__py="print('ran')\n", requirements__txt="no-such-package-here==1.0\n")
        done = self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("ran", done.stdout.splitlines())
        self.assertIn("ENVIRONMENT_FAILED", done.stderr)

    def test_hostile_requirement_lines_are_refused_by_line(self):
        for line in ("--index-url https://evil.invalid/simple", "-e .", "-r /etc/passwd", "x @ file:///etc/passwd",
                     "https://evil.invalid/x.whl"):
            make_project(self.project, job__py="print('ran')\n", requirements__txt=f"# first\n{line}\n")
            done = self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt", check=False)
            self.assertNotEqual(done.returncode, 0, line)
            self.assertIn("line 2", done.stderr, line)


if __name__ == "__main__":
    main()
