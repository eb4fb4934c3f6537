"""Packages on a laptop: `paddock up` says where they come from, and real requirements files are installed from there."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from environment_test import venv_works
from harness import Instance, main, make_project
from outside import Packages, wheel


def requires(*names, extras=()):
    return "".join(f"Provides-Extra: {each}\n" for each in extras) + "".join(f"Requires-Dist: {each}\n" for each in names)


@unittest.skipUnless(venv_works(), "this host's python3 makes no virtual environments (python3-venv)")
class PackagesOfAnInstance(unittest.TestCase):
    def setUp(self):
        for name in ("wheels", "project"):
            folder = tempfile.TemporaryDirectory(prefix=f"paddock-{name}-")
            self.addCleanup(folder.cleanup)
            setattr(self, name, pathlib.Path(folder.name))
            os.chmod(folder.name, 0o755)
        self.instance = Instance("laptop")

    def add_wheel(self, *args, **kwargs):
        name, content = wheel(*args, **kwargs)
        (self.wheels / name).write_bytes(content)
        (self.wheels / name).chmod(0o644)

    def compute(self, *options, check=True):
        return self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt", *options, check=check)

    def status(self):
        return json.loads(self.instance.run("status", "-o", "json").stdout)

    def test_a_fresh_instance_says_how_and_the_line_that_it_names_works(self):
        self.add_wheel("probe", "1.0", "WORD = 'one'\n")
        make_project(self.project, job__py="import probe\nprint('got', probe.WORD)\n", requirements__txt="probe>=1.0\n")
        with self.instance:
            failed = self.compute(check=False)
            self.assertIn("ENVIRONMENT_UNAVAILABLE", failed.stderr)
            self.assertIn("`paddock up --instance laptop --wheel-dir DIR`", failed.stderr)
            self.assertIn("from nowhere", self.instance.run("status").stdout)
            self.instance.run("up", "--wheel-dir", self.wheels)
            self.assertEqual(self.status()["packages"], {"wheelDir": str(self.wheels)})
            done = self.compute()
            self.assertIn("got one", done.stdout)
            self.assertIn("none of the host's packages", done.stderr)
            # A wheel rebuilt under the same version, and a newer one that fits, are noticed.
            self.add_wheel("probe", "1.0", "WORD = 'rebuilt'\n")
            self.assertIn("got rebuilt", self.compute().stdout)
            self.add_wheel("probe", "1.1", "WORD = 'newer'\n")
            self.assertIn("got newer", self.compute().stdout)
            # Remembered from one start to the next, until taken back.
            self.instance.run("down")
            self.instance.run("up")
            self.assertIn("cache hit", self.compute().stderr)
            self.instance.run("up", "--packages", "none")
            self.assertEqual(self.status()["packages"], {})

    def test_what_is_no_source_is_refused_by_its_option_and_nothing_changes(self):
        (self.project / "file").write_text("")
        with self.instance:
            for options, code in ((("--packages", "all"), "PACKAGES_INVALID"),
                                  (("--python-index", "pypi.org"), "PACKAGE_INDEX_INVALID"),
                                  (("--npm-registry", "https://me:hush@npm.test/"), "PACKAGE_INDEX_INVALID"),
                                  (("--wheel-dir", self.project / "missing"), "WHEEL_DIR_INVALID"),
                                  (("--wheel-dir", self.project / "file"), "WHEEL_DIR_INVALID")):
                done = self.instance.run("up", *options, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(code, done.stderr)
                self.assertIn(options[0], done.stderr)
                self.assertNotIn("hush", done.stderr)
            self.assertEqual(self.status()["packages"], {})

    def test_an_index_is_taken_by_the_running_instance_and_a_run_goes_on_meanwhile(self):
        packages = Packages()
        self.addCleanup(packages.close)
        packages.add_python("indexed", wheel("indexed", "1.0", "WORD = 'from the index'\n"))
        settings = packages.settings()
        self.instance.env.update({name: settings[name] for name in settings if "PACKAGES" not in name})
        make_project(self.project, job__py="import indexed\nprint(indexed.WORD)\n", requirements__txt="indexed==1.0\n",
                     wait__py="import pathlib, time\nprint('on', flush=True)\nwhile True: time.sleep(0.1)\n")
        with self.instance:
            self.instance.run("compute", self.project, "python3 wait.py", "--name", "waits", "--detach")
            self.instance.wait_phase("waits", "Running")
            self.instance.run("up", "--python-index", packages.url + "/simple")
            self.assertIn("from the index", self.compute().stdout)
            self.assertEqual(self.instance.run_object("waits")["status"]["phase"], "Running")
            self.instance.run("cancel", "waits")

    # proves partly: ORB-11, ORB-14
    def test_a_torch_like_requirements_file_is_installed_from_a_folder(self):
        self.add_wheel("torchish", "2.1.0+cpu", "import numpyish, filelockish\nWORD = 'tensors of ' + numpyish.WORD\n",
                       requires("numpyish (>=1.20)", "filelockish", 'visionish (==0.16.*) ; extra == "vision"',
                                'win-only ; sys_platform == "win32"', extras=["vision"]))
        for name, version in (("numpyish", "1.26.4"), ("numpyish", "2.0.0"), ("filelockish", "3.0"), ("visionish", "0.16.1"),
                              ("visionish", "0.17.0"), ("testish", "1.0")):
            self.add_wheel(name, version, f"WORD = '{name} {version}'\n")
        make_project(self.project, item_index_builder__py=(
            "import pathlib, torchish, visionish, importlib.util\n"
            "print(torchish.WORD, visionish.WORD, importlib.util.find_spec('testish'))\n"
            "pathlib.Path('models/index.json').write_text('{}')\n"),
            requirements__txt="-r deps/base.txt\n-c constraints.txt\n# only for tests\ntestish ; extra == 'never'\n",
            constraints__txt="numpyish<2\n")
        make_project(self.project / "deps", base__txt="--index-url https://pypi.org/simple\r\nTorchish[vision]==2.1.0+cpu \\\r\n  ; "
                     "python_version >= '3.8'  # the model\r\n")
        with self.instance:
            self.instance.run("up", "--wheel-dir", self.wheels)
            done = self.instance.run("compute", self.project,
                                     "python3 item_index_builder.py --variant s2 --no-connections --no-acn",
                                     "--requirements", "requirements.txt", "--artifact-dir", "models/")
            self.assertIn("tensors of numpyish 1.26.4 visionish 0.16.1 None", done.stdout)
            self.assertIn("the index is left out", done.stderr)
            self.assertTrue((self.project / "models/index.json").exists())
            (self.project / "constraints.txt").write_text("numpyish>=2\n")
            self.assertIn("numpyish 2.0.0", self.instance.run(
                "compute", self.project, "python3 item_index_builder.py", "--requirements", "requirements.txt", check=False).stdout)

    def test_a_pyproject_is_installed_with_the_versions_of_its_lock(self):
        for version in ("1.0", "1.5"):
            self.add_wheel("probe", version, f"WORD = '{version}'\n")
        make_project(self.project, job__py="import probe\nprint('got', probe.WORD)\n",
                     pyproject__toml="[project]\nname = 'app'\nversion = '0'\ndependencies = [\n  'probe>=1',  # why\n]\n")

        def got():
            return self.instance.run("compute", self.project, "python3 job.py", "--requirements", "pyproject.toml", check=False)
        with self.instance:
            self.instance.run("up", "--wheel-dir", self.wheels)
            self.assertIn("got 1.5", got().stdout)
            lock = "version = 1\n[[package]]\nname = 'app'\nversion = '0'\nsource = { virtual = '.' }\n[[package]]\nname = 'probe'\n"
            (self.project / "uv.lock").write_text(lock + "version = '1.0'\nsource = { registry = 'https://pypi.org/simple' }\n")
            self.assertIn("got 1.0", got().stdout)
            (self.project / "uv.lock").write_text(lock + "version = '1.0'\nsource = { git = 'https://git.test/probe' }\n")
            self.assertIn("uv.lock probe: ", got().stderr)
            (self.project / "pyproject.toml").unlink()
            alone = self.instance.run("compute", self.project, "python3 job.py", "--requirements", "uv.lock", check=False)
            self.assertIn("pyproject.toml", alone.stderr)

    def test_why_an_environment_failed_is_in_its_message_and_its_log(self):
        self.add_wheel("other", "1.0", "")  # an empty folder is no source
        make_project(self.project, job__py="print('ran')\n", requirements__txt="no-such-thing==1.0\n")
        with self.instance:
            self.instance.run("up", "--wheel-dir", self.wheels)
            self.compute("--detach", "--name", "failed")
            run = self.instance.wait_phase("failed", "Failed")
            self.assertEqual(run["status"]["reason"], "ENVIRONMENT_FAILED")
            self.assertIn("no-such-thing==1.0", run["status"]["message"])  # in pip's words
            log = self.instance.run("logs", "failed").stdout
            self.assertRegex(log, r"ERROR: .*no-such-thing==1\.0")

    # proves partly: ORB-123
    def test_all_that_no_node_would_install_is_said_before_there_is_a_run(self):
        make_project(self.project, job__py="print('ran')\n", requirements__txt=(
            "-e .\nnumpy\nfoo @ file:///etc/passwd\n-r ../../etc/passwd\n-r missing.txt\n--find-links /etc\n"))
        with self.instance:
            done = self.compute(check=False)
            self.assertIn("REQUIREMENTS_INVALID", done.stderr)
            for said in ("line 1: options are not allowed: -e; leave it out", "line 3: URLs are not allowed; write NAME==VERSION",
                         "line 4: the file is not in the workspace", "line 5: the workspace has no file missing.txt",
                         "line 6: options are not allowed: --find-links; leave it out"):
                self.assertIn(said, done.stderr)
            self.assertEqual(self.instance.get("runs")["items"], [])
            (self.project / "requirements.txt").unlink()
            (self.project / "requirements.txt").symlink_to("/etc/passwd")
            self.assertNotEqual(self.compute(check=False).returncode, 0)
            self.assertEqual(self.instance.get("runs")["items"], [])


if __name__ == "__main__":
    main()
