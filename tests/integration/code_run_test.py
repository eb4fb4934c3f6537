"""Runs of type code: Python without a workspace, queued and kept as every run."""
import json
import os
import signal
import subprocess
import tempfile
import unittest

import kubectl_versions
from harness import SOURCE, Instance, contents_below, main, pids_running, wait_until

SECRET = "tell-nobody-4711"
DATA = {"text": "ä🦀'\"\\\n$(id)", "nested": {"list": [1, -2, 2.5, None, True, False, [{}]]}, "": {},
        "big": 2**63 - 1, "small": -2**63, "none": None}


PROCESSES = """
import concurrent.futures, multiprocessing, traceback

class Cell:
    def __init__(self, value):
        self.value = value

def times(cell):
    return cell.value * input_data["n"]

def fail(_):
    raise ValueError("in the worker")

if __name__ == "__main__":
    context = multiprocessing.get_context("HOW")
    with context.Pool(2) as pool:
        print(pool.map(times, [Cell(1), Cell(2), Cell(3)]))
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as workers:
        print(list(workers.map(times, [Cell(2), Cell(3)])))
        try:
            workers.submit(fail, None).result()
        except ValueError as error:
            print("caught", error)
            traceback.print_exc()
"""


class CodeRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)

    def ended(self, name, code, **fields):
        status, answer = self.instance.post_run(name, {"type": "code", "code": code, **fields})
        self.assertEqual(status, 201, answer)
        return self.instance.wait_phase(name, "Succeeded", "Failed", "Canceled")

    def output(self, name, code, **fields):
        run = self.ended(name, code, **fields)
        self.assertEqual(run["status"]["phase"], "Succeeded", run["status"].get("result"))
        return run["status"]["result"]["stdout"]

    # proves partly: ELV-11
    def test_the_code_finds_its_data_as_it_was_sent(self):
        printed = self.output("data", "import json\nprint(json.dumps(input_data))", inputData=DATA)
        self.assertEqual(json.loads(printed), DATA)
        for name, fields, want in (("none", {}, "None"), ("null", {"inputData": None}, "None"), ("empty", {"inputData": {}}, "{}")):
            self.assertEqual(self.output(name, "print(input_data)", **fields), want + "\n")
        self.assertEqual(self.instance.run_object("data")["spec"]["inputData"], DATA)

    # proves partly: ELV-08, ELV-11
    def test_code_and_data_of_full_length(self):
        code = "print(len(input_data['a']))\n"
        code += "#" * (100_000 - len(code))
        data = {"a": "x" * (256 * 1024 - len('{"a":""}'))}
        self.assertEqual(self.output("long", code, inputData=data), f"{len(data['a'])}\n")

    def test_it_is_a_program_of_its_own(self):
        self.assertEqual(self.output("main", "if __name__ == '__main__':\n    print('main')"), "main\n")
        self.assertEqual(self.ended("leaves", "import sys\nsys.exit(7)")["status"]["result"]["rc"], 7)
        self.assertEqual(self.output("alone", "import os, sys\nprint(os.getcwd(), sys.argv, os.path.exists('/workspace'), "
                                              "sys.path[0].startswith('/tmp'), sys.stdin.read() == '')"),
                         "/tmp [''] False False True\n")

    def test_its_profile_is_its_own(self):
        run = self.ended("profile", "print(1)")
        self.assertEqual((run["spec"]["profile"], run["spec"]["timeout"]), ("code", "30m"))
        self.assertNotIn("addressSpace", run["status"]["policy"]["limits"])
        self.assertNotIn("command", run["spec"])
        self.assertNotIn("workspace", run["spec"])

    def test_an_exception_fails_the_run_with_its_own_lines(self):
        run = self.ended("raises", "# \f 1\nx = '\u2028'\ndef f():\n    return 1 / 0  # here\nf()\n")
        result = run["status"]["result"]
        self.assertEqual((run["status"]["phase"], result["status"], result["rc"]), ("Failed", "FAILED", 1))
        self.assertIn('File "/tmp/code.py", line 4, in f\n    return 1 / 0  # here\n', result["stderr"])
        self.assertIn("ZeroDivisionError", result["stderr"])
        self.assertNotIn("start.py", result["stderr"])
        self.assertIn("SyntaxError", self.ended("syntax", "def (")["status"]["result"]["stderr"])

    def test_time_and_memory_end_it(self):
        late = self.ended("late", "import time\ntime.sleep(600)", timeout="1s")["status"]
        self.assertEqual((late["phase"], late["result"]["status"], late["result"]["rc"]), ("Failed", "TIMEOUT", 124))
        large = self.ended("large", "x = 'a' * (600 << 20)", sandbox={"limits": {"memory": "256Mi", "addressSpace": "512Mi"}})["status"]
        self.assertIn("MemoryError", large["result"]["stderr"])
        self.assertIn("limits.addressSpace", large["result"]["reason"])
        many = self.ended("many", "import os\nfor _ in range(4):\n    if os.fork() == 0:\n        x = b'a' * (120 << 20)\n"
                                  "        import time; time.sleep(600)\nfor _ in range(4): os.wait()",
                          sandbox={"limits": {"memory": "256Mi"}})["status"]
        self.assertEqual(many["result"]["status"], "MEM_LIMIT", many["result"])

    # proves partly: ELV-61, ELV-71
    def test_hostile_code_finds_no_network_and_no_file_of_others(self):
        code = ("import os, socket\n"
                "try:\n"
                "    s = socket.socket(); s.settimeout(2); s.connect(('1.1.1.1', 80)); print('REACHED')\n"
                "except OSError: print('refused')\n"
                "for path in ('/etc/shadow', '/root', '/home', '/workspace', '/proc/1/environ'):\n"
                "    try: print('READ', path, os.listdir(path) if os.path.isdir(path) else open(path).read())\n"
                "    except OSError: pass\n"
                "for path in ('/usr/x', '/etc/x', '/x', '/workspace/x'):\n"
                "    try: open(path, 'w'); print('WROTE', path)\n"
                "    except OSError: pass\n"
                "os.remove('/tmp/code.py'); open('/tmp/.paddock/start.py', 'w').write('x'); print('done')")
        printed = [line for line in self.output("hostile", code).splitlines() if not line.endswith(" []")]
        self.assertEqual(printed, ["refused", "done"])

    # A text that would end a string, a command or a frame is only ever text.
    def test_code_and_data_are_never_parts_of_something_else(self):
        code = "print(input_data['x'])\n'''\"\"\"`id`$(id); exit 9\n'''\nprint('end')"
        data = {"x": "'''+__import__('os')._exit(9)+'''\n\"\"\"", "__proto__": "a", "code": "x"}
        self.assertEqual(self.output("quotes", code, inputData=data), data["x"] + "\nend\n")
        cmd = self.instance.run_object("quotes")["status"]["result"]["cmd"]
        self.assertEqual(cmd, ["python3", "-B", "-u", "-X", "utf8", "/tmp/.paddock/start.py"])

    def test_neither_code_nor_data_is_in_a_log(self):
        self.ended("quiet", f"# {SECRET}\nraise SystemExit(3)", inputData={"key": SECRET})
        status, answer = self.instance.post_run("refused", {"type": "code", "code": f"# {SECRET}\0", "inputData": [SECRET]})
        self.assertEqual(status, 400)
        self.assertNotIn(SECRET, json.dumps(answer["error"]))
        seen = 0
        for path, text in contents_below(self.instance.home, ending=".log"):
            seen += 1
            self.assertNotIn(SECRET.encode(), text, path)
        self.assertGreater(seen, 0)
        audit = self.instance.run("audit", "-o", "json").stdout
        self.assertIn("quiet", audit)
        self.assertNotIn(SECRET, audit)
        for table in (self.instance.run("get", "runs", "-o", "wide").stdout, self.instance.run("describe", "run", "quiet").stdout):
            self.assertNotIn(SECRET, table)
            self.assertIn("code of ", table)

    def test_what_makes_no_sense_is_refused_and_leaves_nothing(self):
        def names():
            return sorted(each["metadata"]["name"] for each in self.instance.get("runs")["items"])
        before = names()
        for fields, field, code in (
                ({"code": ""}, "spec.code", "CODE_REQUIRED"), ({"code": None}, "spec.code", "CODE_REQUIRED"),
                ({"code": "#" * 100_001}, "spec.code", None), ({"code": "a\0b"}, "spec.code", None),
                ({"code": 5}, "spec.code", None), ({"inputData": [1]}, "spec.inputData", None),
                ({"inputData": "text"}, "spec.inputData", None),
                ({"inputData": {"a": "x" * (256 * 1024)}}, "spec.inputData", "INPUT_DATA_TOO_LARGE"),
                ({"command": ["python3", "s.py"]}, "spec.command", "FIELD_NOT_SUPPORTED"),
                ({"artifacts": {"dirs": ["out"]}}, "spec.artifacts.dirs", "FIELD_NOT_SUPPORTED"),
                ({"volumes": [{"name": "v"}]}, "spec.volumes", "FIELD_NOT_SUPPORTED"),
                ({"toolToken": {"operations": ["run:read"]}}, "spec.toolToken", "FIELD_NOT_SUPPORTED"),
                ({"requirements": "requirements.txt"}, "spec.requirements", "REQUIREMENTS_INVALID"),
                ({"timeout": "48h"}, "spec.timeout", "TIMEOUT_OVER_CEILING"),
                ({"type": "compute", "command": "python3 s.py"}, None, None), ({"type": "test"}, "spec.command", None)):
            status, answer = self.instance.post_run("never", {"type": "code", "code": "print(1)", **fields})
            self.assertEqual(status, 400, (fields if len(str(fields)) < 200 else field, answer))
            causes = [cause["field"] for cause in answer["details"]["causes"]]
            self.assertIn(field or "spec.code", causes)
            if code:
                self.assertEqual(answer["error"]["code"], code, answer)
        status, answer = self.instance.post_run("never", {"type": "code", "code": "a", "inputData": {"a": 2**64}})
        self.assertEqual(status, 400, answer)
        self.assertEqual(names(), before)

    def test_processes_of_its_own_find_its_functions_however_they_are_started(self):
        for how in ("fork", "spawn", "forkserver"):
            with self.subTest(how):
                run = self.ended(f"own-{how}", PROCESSES.replace("HOW", how), inputData={"n": 3})
                self.assertEqual(run["status"]["result"]["stdout"], "[3, 6, 9]\n[6, 9]\ncaught in the worker\n", run["status"])
                told = run["status"]["result"]["stderr"]
                self.assertIn('File "/tmp/code.py"', told)
                self.assertIn('raise ValueError("in the worker")', told)
                self.assertNotIn("/tmp/.paddock", told)

    def test_what_it_defines_can_be_shown_and_pickled(self):
        code = ("import inspect, pickle\ndef double(x):\n    return 2 * x  # twice\nclass A:\n    size = 7\n"
                "print(inspect.getsource(double), inspect.getsource(A), pickle.loads(pickle.dumps(double))(4), __file__, __name__)")
        run = self.ended("source", code)
        self.assertEqual(run["status"]["result"]["stdout"], "def double(x):\n    return 2 * x  # twice\n class A:\n    size = 7\n"
                                                            " 8 /tmp/code.py __main__\n", run["status"])

    def test_it_survives_the_agent(self):
        mark = f"until-the-agent-is-another-{os.getpid()}"
        waits = f"subprocess.run([sys.executable, '-c', 'import signal; signal.pause()', '{mark}'])"
        self.instance.post_run("durable", {"type": "code", "code": f"import subprocess, sys\nprint('begun')\n{waits}\nprint(input_data)",
                                           "inputData": {"n": 1}})
        wait_until("it to run", lambda: "begun" in self.instance.run("logs", "durable").stdout)
        self.instance.kill("paddock-node-agent")
        self.instance.run("up")
        for pid in wait_until("what it waits for", lambda: pids_running(mark)):
            os.kill(pid, signal.SIGKILL)
        run = self.instance.wait_phase("durable", "Succeeded", "Failed")
        self.assertEqual(run["status"]["result"]["stdout"], "begun\n{'n': 1}\n", run["status"])

    def test_the_command_line_makes_one(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/sum up.py", "w") as file:
                file.write("print(sum(input_data['nums']))")
            with open(f"{folder}/in.json", "w") as file:
                json.dump({"nums": [1, 2, 3]}, file)
            made = self.instance.run("execute", "sum up.py", "--input", "in.json", "--detach", "--memory", "128Mi", cwd=folder)
            name = made.stdout.strip()
            self.assertRegex(name, r"\Asum-up-py-\w+\Z")
            self.assertEqual(self.instance.run("wait", name).returncode, 0)
            self.assertEqual(self.instance.run("logs", name).stdout, "6\n")
            self.assertEqual(self.instance.run_object(name)["status"]["policy"]["limits"]["memory"], "128Mi")
            refused = self.instance.run("execute", "sum up.py", "--name", "x", check=False, cwd=folder)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("--detach", refused.stderr)

    def test_kubectl_applies_one(self):
        programs = kubectl_versions.programs()
        if not programs:
            self.skipTest("no kubectl is on this machine")
        config = self.instance.home / "kubeconfig"
        config.write_text(self.instance.run("kubeconfig").stdout)
        manifest = SOURCE / "manifests/examples/run-code.yaml"
        for version in sorted({min(programs), max(programs)}):
            def kubectl(*args):
                done = subprocess.run([programs[version], "--kubeconfig", config, "-n", f"k{version[1]}", "--cache-dir",
                                       self.instance.home / "cache", *args], text=True, capture_output=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                return done.stdout
            for options in ([], ["--server-side"]):
                self.assertIn("code", kubectl("apply", *options, "-f", manifest))
            wait_until("it to end", lambda: kubectl("get", "run", "code", "-o", "jsonpath={.status.phase}") == "Succeeded")
            self.assertEqual(kubectl("logs", "code"), "2 items, 13.00 €\n")
            self.assertIn("code of ", kubectl("get", "run", "code", "-o", "wide"))


if __name__ == "__main__":
    main()
