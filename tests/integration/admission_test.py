"""Refused commands against real processes: the answer says why, and nothing was made or started."""
import http.client
import json
import pathlib
import tempfile
import unittest

from harness import Instance, main, make_project, paths_below, wait_until

LITERAL = "import json, sys; print(json.dumps(sys.argv[1:]))\n"
# What must be refused, and the word that the answer names.
REFUSED = [
    ("ruby job.rb", "ruby"), ("/usr/bin/python3 job.py", "/usr/bin/python3"), ("PYTHON3 job.py", "PYTHON3"),
    ("A=1 python3 job.py", "A=1"), ("env python3 job.py", "env"), ("sh build.sh", "sh"),
    ("python3 job.py | tee x", "|"), ("python3 job.py ; id", ";"), ("python3 job.py 'a && b'", "a && b"),
    ("python3 job.py '$(id)'", "$(id)"), ("python3 job.py `id`", "`id`"), ("python3 job.py > x", ">"),
    ("python3 -c 'print(1)'", "-c"), ("python3 -Ic 'print(1)'", "-Ic"), ("python3 -mhttp.server", "-mhttp.server"),
    ("python3 job.py -m x", "-m"), ("python3 job.py -Ic x", "-Ic"), ("python3 -Xdev job.py", "-Xdev"),
    ("node -p 1", "-p"), ("node -pe 1", "-pe"), ("node --require=./x job.js", "--require=./x"),
    ("node -r ./x job.js", "-r"), ("node --loader ./x job.js", "--loader"), ("node --import=./x job.js", "--import=./x"),
    ("bash -xc id", "-xc"), ("bash --rcfile x build.sh", "--rcfile"), ("bash job.py", "job.py"),
    ("bash missing.sh", "missing.sh"), ("python3 ../job.py", "../job.py"), ("python3 /etc/passwd", "/etc/passwd"),
    ("python3 job.py --out=/etc/x", "--out=/etc/x"), ("python3 job.py a/../../b", "a/../../b"),
]


class Admission(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)
        cls.port = cls.instance.port()
        cls.token = cls.instance.admin_token()
        cls.tls = cls.instance.trust()
        folder = tempfile.TemporaryDirectory(prefix="paddock-project-")
        cls.addClassCleanup(folder.cleanup)
        cls.project = make_project(pathlib.Path(folder.name) / "project", job__py=LITERAL, job__js="", build__sh="echo hi\n",
                                   requirements__txt="# nothing\n")
        cls.instance.run("compute", cls.project, "python3 job.py")
        cls.workspace = cls.instance.get("workspaces")["items"][0]["metadata"]["name"]

    def build(self, **fields):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=60)
        body = {"build_type": "compute", "workspace": self.workspace, "requirements": "requirements.txt", **fields}
        connection.request("POST", "/build", json.dumps(body),
                           {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        document = json.loads(answer.read())
        connection.close()
        return answer.status, document

    def traces(self):
        """What changes when the node prepares or starts anything: a launch needs a run's folder, which
        comes and goes below `runs`; an environment needs one in `venvs`."""
        folders = [f for name in ("runs", "runs/??", "venvs", "trees") for f in paths_below(self.instance.home, name) if f.is_dir()]
        self.assertTrue(folders)
        return {str(f): (f.stat().st_mtime_ns, sorted(p.name for p in f.iterdir())) for f in folders}

    def settled_traces(self):
        """After the earlier runs were forgotten."""
        wait_until("no run on the node", lambda: not any(
            names for path, (_, names) in self.traces().items() if pathlib.PurePath(path).match("runs/??")))
        return self.traces()

    # proves: ORB-24, ORB-25, ORB-26, ORB-125
    def test_a_refused_command_made_no_environment_and_started_nothing(self):
        before, runs = self.settled_traces(), len(self.instance.get("runs")["items"])
        for command, word in REFUSED:
            status, answer = self.build(compute_command=command)
            self.assertEqual(status, 400, command)
            self.assertEqual(answer["error"]["details"]["causes"][0]["field"], "compute_command", command)
            self.assertIn(word, answer["message"], command)
        self.assertEqual(self.traces(), before)
        self.assertEqual(len(self.instance.get("runs")["items"]), runs)

    # proves: ORB-100
    def test_variables_cannot_come_along(self):
        for fields in ({"env": {"A": "1"}}, {"environment": {"NODE_OPTIONS": "--require=./x"}}):
            status, answer = self.build(compute_command="python3 job.py", **fields)
            self.assertEqual((status, answer["error"]["code"]), (400, "UNKNOWN_FIELD"))

    # proves: ORB-101
    def test_nothing_is_expanded(self):
        words = ["*.json", "$HOME", "~", "{a,b}", "?", "[ab]", "-epochs", "a  b"]
        command = "python3 job.py " + " ".join(f"'{w}'" for w in words)
        done = self.instance.run("compute", self.project, command)
        self.assertEqual(json.loads(done.stdout), words)

    # proves: ORB-20, ORB-21
    def test_a_build_runs_and_its_record_repeats_the_request(self):
        status, run = self.build(compute_command="python3 job.py one", container="box-7", artifact_dirs=["out"])
        self.assertEqual(status, 201)
        name = run["metadata"]["name"]
        self.instance.wait_phase(name, "Succeeded")
        self.assertEqual(self.instance.run("logs", name).stdout, '["one"]\n')
        record = self.instance.run_object(name)
        self.assertEqual(record["spec"]["type"], "compute")
        self.assertEqual(record["spec"]["workspace"], self.workspace)
        self.assertEqual(record["spec"]["artifacts"]["dirs"], ["out"])
        self.assertEqual(record["metadata"]["annotations"]["paddock.dev/container"], "box-7")


if __name__ == "__main__":
    main()
