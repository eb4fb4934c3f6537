"""Secrets: given to the runs of their namespace and to nobody else, in no output, and on no disk."""
import base64
import contextlib
import json
import pathlib
import subprocess
import tempfile
import unittest

from agent_run_test import Api
from harness import BIN, Instance, find_file, main, paths_below, wait_until

GROUP = "/apis/paddock.dev/v1alpha1"
# No other text has these strings: wherever they are found, they have leaked.
PASSWORD = "correct-horse-battery-7f3a"
KEY = "-----BEGIN KEY-----\nq9Zt+staple/41c0\n-----END KEY-----\n"

# An honest program: it uses what it got, and is careless with it.
USE = r"""
import os, sys
place = "/run/secrets/db/key"
key = open(place).read()
info = os.stat(place)
print("mode", oct(info.st_mode & 0o777), "mine", info.st_uid == os.getuid(), "others", sorted(os.listdir("/run/secrets")))
print("lengths", len(os.environ["PASSWORD"]), len(key))
print("password=" + os.environ["PASSWORD"] + "!")
print("the key is <" + key.rstrip("\n") + ">", file=sys.stderr)
for piece in os.environ["PASSWORD"]:
    sys.stdout.write(piece)
    sys.stdout.flush()
print()
for write in ("open(place, 'w')", "os.unlink(place)", "open('/run/secrets/new', 'w')"):
    try:
        eval(write)
        print("done:", write)
    except OSError as error:
        print("refused:", write)
"""
# A hostile one: what it prints is not the value, and no redaction holds it.
LEAK = r"""
import base64, os
print(base64.b64encode(os.environ["PASSWORD"].encode()).decode())
print(" ".join(os.environ["PASSWORD"]))
"""
# Another run, of another caller, looks for it wherever it may look.
PRY = r"""
import os, stat
wanted = bytes.fromhex(%r)[::-1]  # this text is on disks, so the value is not in it
found = []
for folder, folders, files in os.walk("/"):
    if folder.startswith(("/usr", "/sys")):
        folders[:] = []
        continue
    for name in files:
        path = os.path.join(folder, name)
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):
                continue  # a pipe or a device: nobody keeps anything there
            with open(path, "rb") as file:
                if wanted in file.read(1 << 20):
                    found.append(path)
        except OSError:
            pass
print("found", found, os.path.exists("/run/secrets"), "PASSWORD" in os.environ)
"""


def shapes(value):
    """What a value would look like where somebody had kept it."""
    raw = value.encode()
    return [raw, base64.b64encode(raw), raw.hex().encode(), json.dumps(value)[1:-1].encode()]


class Secrets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = cls.enterClassContext(Instance())
        cls.api = Api(cls.instance)
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (cls.folder / "key").write_text(KEY)
        cls.create("db", "--from-file", "password=-", "--from-file", cls.folder / "key", typed=PASSWORD)
        cls.create("secret/one", "--from-literal", "token=only-one-of-these-d41d")

    @classmethod
    def create(cls, *args, typed=""):
        return subprocess.run([str(BIN / "paddock"), "secret", "create", *map(str, args)], env=cls.instance.env, text=True,
                              input=typed, capture_output=True, check=True, timeout=120).stdout

    def python(self, name, program, *options, check=True):
        return self.instance.run("run", "--name", name, "--progress", "plain", *options, "--", "python3", "-c", program,
                                 check=check)

    def data(self):
        """Path and bytes of every file; what goes away meanwhile does not matter, and a socket holds nothing."""
        for path in paths_below(self.instance.home, "*"):
            if path.is_file():
                with contextlib.suppress(FileNotFoundError):
                    yield path, path.read_bytes()

    def assert_nowhere(self, *values):
        for path, content in self.data():
            for value in values:
                for shape in shapes(value):
                    self.assertFalse(shape in content, path)

    def test_a_run_gets_them_as_variable_and_file_and_its_output_shows_neither(self):
        done = self.python("uses", USE, "--secret", "db/password=PASSWORD", "--secret", "db/key", "--secret", "one")
        self.assertIn("mode 0o400 mine True others ['db', 'one']", done.stdout)
        self.assertIn(f"lengths {len(PASSWORD)} {len(KEY)}", done.stdout)
        self.assertIn("password=***!", done.stdout)
        self.assertEqual(done.stdout.count("***"), 2, "also written a letter at a time")
        self.assertEqual(done.stdout.count("refused:"), 3)
        for seen in (done.stdout, done.stderr, json.dumps(self.instance.run_object("uses")),
                     self.instance.run("logs", "uses").stdout, self.instance.run("events", "uses", check=False).stdout,
                     self.instance.run("audit").stdout, self.instance.run("get", "secrets", "-o", "yaml").stdout,
                     self.instance.run("describe", "secret", "db").stdout):
            for value in (PASSWORD, KEY.strip(), base64.b64encode(PASSWORD.encode()).decode()):
                self.assertNotIn(value, seen)
        self.assertIn("the key is <***>", self.instance.run("logs", "uses").stdout + done.stderr)

    def test_nothing_of_them_is_on_any_disk_while_the_run_lives_or_later(self):
        (self.folder / "go").unlink(missing_ok=True)
        status, made = self.instance.post_run("lives", {
            "type": "command", "command": ["sh", "-c", "echo $PASSWORD; while [ ! -e /tmp/never ]; do sleep 1; done"],
            "secrets": [{"name": "db"}, {"name": "db", "key": "password", "variable": "PASSWORD"}]})
        self.assertEqual(status, 201, made)
        self.instance.wait_phase("lives", "Running")
        wait_until("its output", lambda: "***" in self.instance.run("logs", "lives").stdout)
        self.assert_nowhere(PASSWORD, KEY)
        for pid in self.instance.processes():  # which have it in memory at most
            for told in ("cmdline", "environ"):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # of a process that ended
                    self.assertNotIn(PASSWORD.encode(), pathlib.Path(f"/proc/{pid}/{told}").read_bytes())
        self.instance.run("admin", "backup", "kept")
        self.instance.run("cancel", "lives")
        self.instance.wait_phase("lives", "Canceled")
        self.assert_nowhere(PASSWORD, KEY)
        key = find_file(self.instance.home, "secrets.key")
        self.assertEqual(key.stat().st_mode & 0o777, 0o600)
        secret = key.read_text().split()[-1]
        for path, content in self.data():
            if path != key:
                self.assertNotIn(secret.encode(), content, path)
                self.assertNotIn(bytes.fromhex(secret), content, path)

    def test_another_run_finds_nothing_of_them(self):
        status, made = self.instance.post_run("holds", {
            "type": "command", "command": ["sleep", "600"],
            "secrets": [{"name": "db"}, {"name": "db", "key": "password", "variable": "PASSWORD"}]})
        self.assertEqual(status, 201, made)
        self.instance.wait_phase("holds", "Running")
        self.addCleanup(self.instance.run, "cancel", "holds")
        done = self.python("pries", PRY % PASSWORD[::-1].encode().hex())
        self.assertIn("found [] False False", done.stdout)

    def test_what_redaction_does_not_hold(self):
        done = self.python("leaks", LEAK, "--secret", "db/password=PASSWORD")
        self.assertIn(base64.b64encode(PASSWORD.encode()).decode(), done.stdout)
        self.assertIn(" ".join(PASSWORD), done.stdout)

    def test_a_run_that_may_not_have_them_is_refused(self):
        for option, code, hint in (("none", "SECRET_NOT_FOUND", "paddock secret create none"),
                                   ("db/pass", "SECRET_VALUE_NOT_FOUND", "key, password"),
                                   ("db=PASSWORD", "SECRET_VALUE_UNCLEAR", "key, password"),
                                   ("../db", "INVALID_OPTION", "NAME/KEY=VARIABLE")):
            done = self.instance.run("run", "--secret", option, "--", "true", check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(code, done.stderr)
            self.assertIn(hint, done.stderr)
        _, made = self.api.call("POST", "/admin/tokens", {"subject": "team", "scopes": ["*"], "namespace": "team"})
        run = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Run", "metadata": {"name": "other"},
               "spec": {"type": "command", "command": ["true"], "secrets": [{"name": "db"}]}}
        status, answer = self.api.call("POST", f"{GROUP}/namespaces/team/runs", run, made["token"])
        self.assertEqual((status, answer["error"]["code"]), (422, "SECRET_NOT_FOUND"))
        status, answer = self.api.call("GET", f"{GROUP}/namespaces/default/secrets/db", None, made["token"])
        self.assertEqual((status, answer["error"]["code"]), (403, "NAMESPACE_DENIED"))
        _, made = self.api.call("POST", "/admin/tokens", {"subject": "maker", "scopes": ["runs:write"]})
        status, answer = self.api.call("POST", f"{GROUP}/namespaces/default/runs", run, made["token"])
        self.assertEqual((status, answer["error"]["code"]), (403, "SCOPE_MISSING"))

    def test_compute_gets_files_and_no_variable(self):
        project = self.folder / "project"
        project.mkdir(exist_ok=True)
        (project / "s.py").write_text("import os\nprint(len(open('/run/secrets/db/password').read()), sorted(os.environ))\n")
        done = self.instance.run("compute", project, "--secret", "db/password", "--progress", "plain", "python3 s.py")
        self.assertIn(f"{len(PASSWORD)} [", done.stdout)
        refused = self.instance.run("compute", project, "--secret", "db/password=PASSWORD", "python3 s.py", check=False)
        self.assertIn("ENV_NOT_ALLOWED", refused.stderr)
        self.assertIn("/run/secrets/db/password", refused.stderr)

    def test_the_key_is_rotated_and_one_that_is_lost_is_named(self):
        key = find_file(self.instance.home, "secrets.key")
        before = key.read_text()
        wrong = self.instance.run("secret", "rotate-key", "--to", "nope", check=False)
        self.assertEqual(wrong.returncode, 2, wrong)
        self.assertIn("[PARAMETER_INVALID]", wrong.stderr)
        self.assertEqual(key.read_text(), before, "a name that is no key rotates nothing")
        self.assertIn("sealed with it", self.instance.run("secret", "rotate-key").stderr)
        self.assertNotEqual(key.read_text(), before)
        self.assertIn("26", self.python("after", "import os; print(len(os.environ['P']))", "--secret", "db/password=P").stdout)
        kept = key.read_text()
        try:
            key.write_text(before)
            done = self.python("lost", "print(1)", "--secret", "db", check=False)
            self.assertIn("SECRET_KEY_MISSING", done.stdout + done.stderr)
            self.assertIn("secrets.key", done.stdout + done.stderr)
            self.assertIn("1", self.python("without", "print(1)").stdout)
            # What another key sealed would be lost with the file that is put in its place.
            for words in (("create", "other", "--from-literal", "a=some-value"), ("create", "db", "--replace", "--from-literal", "a=x"),
                          ("rotate-key",)):
                self.assertIn("[SECRET_KEY_MISSING]", self.instance.run("secret", *words, check=False).stderr, words)
            self.assertEqual(key.read_text(), before)
            self.assertIn("[SECRET_KEY_MISSING]", self.instance.run("status").stdout)
            # As the words say: what is there stays, and the right one is appended.
            key.write_text(before + kept)
            self.create("other", "--from-literal", "a=some-value")
        finally:
            key.write_text(kept)
        self.assertIn("10", self.python("both", "import os; print(len(os.environ['P']))", "--secret", "other/a=P").stdout)
        self.assertNotIn("SECRET_KEY_MISSING", self.instance.run("status").stdout)

    def test_a_value_is_replaced_by_command_and_read_by_no_command(self):
        name = "changing"
        self.create(name, "--from-literal", "a=first-value-55")
        again = subprocess.run([str(BIN / "paddock"), "secret", "create", name, "--from-literal", "a=x"], text=True,
                               env=self.instance.env, capture_output=True, timeout=120)
        self.assertIn("--replace", again.stderr)
        self.create(name, "--replace", "--from-file", "b=-", typed="second-value-66")
        secret = self.instance.get("secret", name)
        self.assertEqual(secret["data"], {"b": "***"})
        self.assertEqual(secret["status"]["values"], [{"name": "b", "bytes": 15, "sentBy": "admin"}])
        self.instance.run("delete", "secret", name)
        self.assertNotIn(name, self.instance.run("get", "secrets").stdout)


if __name__ == "__main__":
    main()
