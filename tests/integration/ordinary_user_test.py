"""The same journey as an ordinary user: it works, and what cannot be enforced is reported."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from harness import main, put_programs, wait_until

UID = 65534


def user_namespaces_work():
    probe = subprocess.run(["setpriv", "--reuid", str(UID), "--regid", str(UID), "--clear-groups",
                            "unshare", "--user", "--map-current-user", "true"], capture_output=True)
    return probe.returncode == 0


@unittest.skipUnless(os.getuid() == 0, "needs root to become another user")
@unittest.skipUnless(shutil.which("setpriv") and user_namespaces_work(), "this host gives ordinary users no user namespaces")
class OrdinaryUser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="paddock-user-"))
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        os.chmod(cls.home, 0o755)
        put_programs(cls.home / "bin")
        for folder in ("state", "project"):
            (cls.home / folder).mkdir()
            os.chown(cls.home / folder, UID, UID)
        job = cls.home / "project/job.py"
        job.write_text("import os\nopen('out/uid.txt', 'w').write(str(os.getuid()))\nprint('ran')\n")
        os.chown(job, UID, UID)
        up = cls.paddock("up", "--port", "0")
        cls.addClassCleanup(cls.paddock, "down")
        if up.returncode != 0:
            raise AssertionError(f"paddock up: {up.returncode}\n{up.stdout}\n{up.stderr}")

    @classmethod
    def paddock(cls, *args, cwd=None):
        env = {"PATH": os.environ["PATH"], "HOME": str(cls.home / "state"), "PADDOCK_HOME": str(cls.home / "state/p"),
               "PADDOCK_INSTANCE": "user", "NO_COLOR": "1"}
        return subprocess.run(["setpriv", "--reuid", str(UID), "--regid", str(UID), "--clear-groups",
                               str(cls.home / "bin/paddock"), *args], env=env, text=True, timeout=180,
                              cwd=cwd or cls.home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    # proves partly: ELV-11
    def test_a_code_run_has_its_files_here_too(self):
        code = self.home / "project/code.py"
        code.write_text("import os\nprint(input_data, os.getcwd(), os.path.exists('/workspace'))\n")
        (self.home / "project/in.json").write_text('{"a": null}')
        made = self.paddock("execute", str(code), "--input", str(self.home / "project/in.json"), "--detach", "--name", "code")
        self.assertEqual((made.returncode, made.stdout), (0, "code\n"), made.stderr)
        self.paddock("wait", "code")
        self.assertEqual(self.paddock("logs", "code").stdout, "{'a': None} /tmp False\n")

    def test_a_job_runs_and_says_what_was_not_enforced(self):
        done = self.paddock("compute", str(self.home / "project"), "python3 job.py", "--artifact-dir", "out", "--name", "mine")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ran", done.stdout)
        self.assertTrue((self.home / "project/out/uid.txt").exists())
        run = json.loads(self.paddock("get", "run", "mine", "-o", "json").stdout)
        enforced = run["status"]["result"]["enforced"]
        for capability in ("filesystem", "network", "privileges", "syscalls"):
            self.assertTrue(enforced[capability]["applied"], capability)
        for name, entry in enforced.items():
            self.assertTrue(entry["applied"] or (entry["details"] and entry["reason"]), f"{name} is not applied and nothing says why")

    def test_a_snippet_runs_at_once(self):
        code = self.home / "project/snippet.py"
        code.write_text("print(1 + 1)")
        done = wait_until("a node to take snippets",
                          lambda: (lambda d: d if d.returncode != 125 else None)(self.paddock("execute", str(code))))
        self.assertEqual((done.returncode, done.stdout), (0, "2\n"), done.stderr)

    # proves: WSM-22
    def test_a_session_lives_only_where_all_of_its_policy_can_be_enforced(self):
        node = json.loads(self.paddock("get", "nodes", "-o", "json").stdout)["items"][0]
        failed = [each for each in node["status"]["canaries"]
                  if not each["passed"] and each["capability"] not in ("devices", "allowDomains", "accounts")]
        made = self.paddock("sandbox", "create", "mine")
        if failed:
            self.assertNotEqual(made.returncode, 0)
            self.assertIn("NO_NODE", made.stderr)
            self.assertIn("canary", made.stderr)
        else:
            self.assertEqual(self.paddock("sandbox", "exec", "mine", "echo in").stdout, "in\n", made.stderr)


if __name__ == "__main__":
    main()
