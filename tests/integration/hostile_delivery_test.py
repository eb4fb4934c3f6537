"""Everything that is delivered may be hostile: a script, a requirements file, a model. None of them reaches the host."""
import json
import pathlib
import pickle
import tempfile
import unittest
import urllib.parse

from harness import Instance, main, make_project

# What each of them tries, with its own means; what worked is printed.
TRIES = """
import json, os, pathlib, socket, sys
def tries(what):
    try:
        return what() or "done"
    except Exception as error:
        return "no: " + type(error).__name__
def connect(port):
    with socket.create_connection(("127.0.0.1", port), 2):
        pass
def attack(secret, canary, port):
    print(json.dumps({
        "secret": tries(lambda: pathlib.Path(secret).read_text()),
        "canary": tries(lambda: pathlib.Path(canary).write_text("x")),
        "shadow": tries(lambda: open("/etc/shadow").read()),
        "connect": tries(lambda: connect(port)),
        "environment": sorted(name for name in os.environ if "TOKEN" in name or "SECRET" in name),
        "init": tries(lambda: os.kill(1, 9)),
        "processes": len([p for p in os.listdir("/proc") if p.isdigit()]),
    }), flush=True)
"""
LOADER = "import pickle\npickle.load(open('model.pkl', 'rb'))\nprint('loaded')\n"
REFUSED = "no: "


class Payload:
    """A model whose loading is an attack, as any pickled one may be."""

    def __init__(self, code):
        self.code = code

    def __reduce__(self):
        return exec, (self.code,)


class HostileDelivery(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.instance.env["HOST_SECRET_TOKEN"] = "from the host"
        cls.enterClassContext(cls.instance)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="paddock-hostile-", dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.host = pathlib.Path(folder.name)
        self.host.chmod(0o777)
        (self.host / "secret").write_text("secret of the host")
        self.project = self.host / "project"

    def attack(self):
        state = json.loads(self.instance.run("status", "-o", "json").stdout)
        port = urllib.parse.urlsplit(state["controller"]["url"]).port
        return TRIES + f"attack({str(self.host / 'secret')!r}, {str(self.host / 'canary')!r}, {port})\n"

    def check(self, done):
        found = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
        for each in ("secret", "canary", "shadow", "connect"):
            self.assertTrue(found[each].startswith(REFUSED), (each, found))
        self.assertEqual(found["environment"], [])
        self.assertLess(found["processes"], 6)
        self.assertFalse((self.host / "canary").exists())
        self.assertEqual((self.host / "secret").read_text(), "secret of the host")
        self.assertEqual(self.instance.run("ready").returncode, 0)

    # proves: ORB-04, ORB-122
    def test_a_script_reaches_nothing_of_the_host(self):
        make_project(self.project, attack__py=self.attack())
        self.check(self.instance.run("compute", self.project, "python3 attack.py"))

    # proves: ORB-126
    def test_a_model_whose_loading_runs_code_reaches_no_more(self):
        make_project(self.project, load__py=LOADER)
        (self.project / "model.pkl").write_bytes(pickle.dumps(Payload(self.attack())))
        done = self.instance.run("compute", self.project, "python3 load.py")
        self.assertIn("loaded", done.stdout)  # the attack ran
        self.check(done)

    # proves: ORB-04
    def test_requirements_that_point_elsewhere_install_nothing(self):
        trap = self.host / "trap"
        make_project(trap, setup__py=f"open({str(self.host / 'canary')!r}, 'w').write('x')\n")
        for line in (str(trap), f"-e {trap}", f"trap @ file://{trap}", f"--find-links {trap}", f"-r {trap}/more.txt"):
            make_project(self.project, job__py="print('ran')\n", requirements__txt=line + "\n")
            done = self.instance.run("compute", self.project, "python3 job.py", "--requirements", "requirements.txt",
                                     check=False)
            self.assertNotEqual(done.returncode, 0, line)
            self.assertNotIn("ran", done.stdout, line)
            self.assertFalse((self.host / "canary").exists(), line)


if __name__ == "__main__":
    main()
