"""POST /execute: ELV's own verification steps, what the checker refuses, and what a caller gets when somebody goes
away."""
import concurrent.futures
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import tempfile

from executing import Executing, verified
from harness import Instance, ended, held_port, main, make_project, wait_until


class VerificationSteps(Executing):
    """Steps 2 to 8 of the design, in its order. 1, 9 and 10, to build and to run the suites, are stages of scripts/test."""

    # proves: ELV-95
    def test_2_one_command_starts_it(self):
        port = self.enterContext(held_port())
        other = Instance("other")
        other.env["PADDOCK_CONTROLLER_EXECUTE_PORT"] = str(port)
        with other:  # `paddock up`
            wait_until("it to be healthy", lambda: self.ask("GET", "/health", port=port)[1].get("status") == "healthy")
            self.assertEqual(self.ask("POST", "/execute", '{"code": "print(1)"}', port=port)[1]["stdout"], "1\n")

    # proves: ELV-96
    def test_3_health(self):
        self.assertEqual(self.ask("GET", "/health")[1]["status"], "healthy")
        self.assertEqual(self.ask("GET", "/")[1]["version"], "0.1.0")

    # proves: ELV-97, ELV-12, ELV-13, ELV-14, ELV-15, ELV-16, ELV-17, ELV-18
    def test_4_simple_execution(self):
        answer = self.execute("print(1 + 1)", timeout_seconds=60)
        self.assertEqual((answer["success"], answer["stdout"], answer["stderr"], answer["exit_code"]),
                         (True, "2\n", "", 0))
        self.assertIsNone(answer["error"])
        self.assertIsNone(answer["validation_errors"])

    # proves: ELV-98, ELV-11
    def test_5_input_data(self):
        self.assertEqual(self.output_of("import json\nprint(sum(input_data['nums']))", input_data={"nums": [1, 2, 3]}),
                         "6\n")
        data = {"t": True, "f": False, "n": None, "quotes": "\"'''\\\n", "unicode": "é🦆", "nested": {"a": [1, {"b": 2.5}]}}
        self.assertEqual(json.loads(self.output_of("import json; print(json.dumps(input_data))", input_data=data)), data)
        self.assertEqual(self.output_of("print(input_data)"), "None\n")

    # proves: ELV-99
    def test_6_dangerous_code_is_blocked(self):
        body = json.dumps({"code": 'import os; os.system("ls")'})
        for content_type in ("application/json", "application/x-www-form-urlencoded"):
            status, answer = self.ask("POST", "/execute", body, {"Content-Type": content_type})
            self.assertEqual((status, answer["success"], answer["validation_errors"]), (200, False, ["Blocked import: os"]))
            self.assertIn("line 1", answer["error"])

    # proves: ELV-100
    def test_7_network_is_blocked(self):
        code = "import urllib.request; urllib.request.urlopen('http://google.com')"
        answer = self.execute(code)
        self.assertFalse(answer["success"])
        self.assertIn("Blocked import: urllib", answer["validation_errors"])

    # proves: ELV-101
    def test_8_the_timeout_is_enforced(self):
        seen = set()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(self.execute, "while True: pass", timeout_seconds=2)
            while not running.done():
                seen.update(self.busy_workers())
            answer = running.result()
        self.assertEqual([pid for pid in seen.union(self.busy_workers()) if not ended(pid)], [])
        self.assertEqual((answer["success"], answer["exit_code"], answer["error"]), (False, -1, "Execution timed out"))
        self.assertGreaterEqual(answer["execution_time_ms"], 1990)
        self.assertLess(answer["execution_time_ms"], 30_000)  # which are usual

    def test_all_of_them_with_curl(self):
        told = verified(f"http://127.0.0.1:{self.port}")
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        steps = re.findall(r"(?m)^(?:ok|by hand) +(\d+) ", told.stdout)
        self.assertEqual(list(dict.fromkeys(steps)), [str(step) for step in range(1, 11)], told.stdout)


class Requests(Executing):
    # proves: ELV-07
    def test_the_language(self):
        self.assertTrue(self.execute("print(1)", language="PYTHON")["success"])
        for language in ("javascript", "ruby"):
            answer = self.execute("print(1)", language=language)
            self.assertEqual((answer["success"], answer["error"]),
                             (False, f"Unsupported language: {language}. Only 'python' is supported."))

    # proves: ELV-08
    def test_the_code(self):
        for body in ({}, {"code": ""}, {"code": 7}, {"code": None}):
            self.assertEqual(self.ask("POST", "/execute", json.dumps(body))[0], 422, body)
        self.assertTrue(self.execute("#" * 100_000)["success"])
        answer = self.execute("#" * 100_001)
        self.assertEqual((answer["success"], answer["error"]),
                         (False, "Code exceeds maximum length of 100000 bytes."))

    # proves: ELV-09, ELV-10
    def test_the_ranges(self):
        for fields in ({"timeout_seconds": 60}, {"memory_mb": 64}, {"memory_mb": 512}):
            self.assertTrue(self.execute("print(1)", **fields)["success"], fields)
        self.assertEqual(self.execute("while True: pass", timeout_seconds=1)["error"], "Execution timed out")
        for fields in ({"timeout_seconds": 0}, {"timeout_seconds": 61}, {"timeout_seconds": -1},
                       {"timeout_seconds": "x"}, {"memory_mb": 63}, {"memory_mb": 513}, {"memory_mb": 10},
                       {"input_data": [1]}, {"input_data": "x"}, {"cod": "print(1)"}):
            status, answer = self.post("print(1)", **fields)
            self.assertEqual(status, 422, fields)
            self.assertFalse(answer["error"]["retryable"])
            self.assertIn(next(iter(fields)), answer["message"])
        for body in ("", "{", "[]", '{"code": "print(1)", "code": "print(2)"}', "\udcff".encode("utf-8", "surrogateescape")):
            self.assertEqual(self.ask("POST", "/execute", body)[0], 422, body)

    # proves: ELV-49, ELV-50
    def test_all_findings_at_once(self):
        answer = self.execute("import os\nimport subprocess\neval('1')")
        self.assertEqual(answer["validation_errors"],
                         ["Blocked import: os", "Blocked import: subprocess", "Blocked function: eval"])
        self.assertIn("Blocked function: eval (line 3)", answer["error"])
        self.assertEqual(answer["exit_code"], -1)
        self.assertIn("Syntax error", self.execute("def (")["validation_errors"][0])

    def test_what_the_program_did_is_told(self):
        answer = self.execute("x = 1\nx / 0")
        self.assertEqual((answer["success"], answer["exit_code"]), (False, 1))
        self.assertIn('File "/tmp/code.py", line 2', answer["stderr"])
        self.assertIn("ZeroDivisionError", answer["stderr"])
        self.assertEqual(self.execute("raise SystemExit(7)")["exit_code"], 7)
        self.assertEqual(self.execute("exit('bye')")["stderr"], "bye\n")
        self.assertTrue(self.execute("if __name__ == '__main__': print(1)")["success"])
        self.assertIn("EOFError", self.execute("input()")["stderr"])

    # proves: ELV-56, ELV-127
    def test_memory_is_the_requests_own(self):
        self.assertIn("MemoryError", self.execute("x = 'a' * (300 << 20)")["stderr"])
        self.assertEqual(self.output_of("x = 'a' * (300 << 20); print(len(x) >> 20)", memory_mb=512), "300\n")
        self.assertIn("MemoryError", self.execute("x = 'a' * (64 << 20)", memory_mb=64)["stderr"])
        self.assertEqual(self.output_of("x = 'a' * (300 << 20); print(len(x) >> 20)", memory_mb=512.0), "300\n")

    # proves: ELV-110, ELV-111, ELV-112, ELV-113, ELV-114, ELV-115, ELV-116, ELV-117, ELV-118, ELV-119, ELV-120,
    # ELV-121, ELV-122, ELV-123
    def test_the_standard_library(self):
        names = ("json math datetime collections itertools functools re decimal fractions statistics random string "
                 "textwrap unicodedata")
        for name in names.split():
            self.assertEqual(self.output_of(f"import {name}; print({name}.__doc__ is not None or True)"), "True\n")
        self.assertEqual(self.output_of("import re\nprint(re.compile('a+').match('aab').group())"), "aa\n")

    # proves: ELV-107, ELV-108, ELV-109
    def test_the_libraries_under_the_default_limits(self):
        health = self.ask("GET", "/health")[1]
        if set(health["libraries"]) < {"pandas", "numpy", "dateutil"}:
            self.skipTest(f"this host has {health['libraries']} only")
        code = ("import pandas as pd, numpy as np\nfrom dateutil.parser import parse\n"
                "print(pd.DataFrame({'a': [1, 2]}).a.sum(), np.arange(4).sum(), parse('2020-01-02').day)")
        for _ in range(3):
            self.assertEqual(self.output_of(code), "3 6 2\n")

    def test_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            make_project(folder, ok__py="print(input_data['n'] + 1)", n__json='{"n": 41}', bad__py="import os",
                         slow__py="while True: pass", code__py="raise SystemExit(9)")
            run = lambda *args: self.instance.run("execute", *args, check=False, cwd=folder)
            done = run("ok.py", "--input", "n.json")
            self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
            self.assertEqual(run("code.py").returncode, 9)
            refused = run("bad.py")
            self.assertEqual(refused.returncode, 126)
            self.assertIn("Blocked import: os", refused.stderr)
            self.assertEqual(run("slow.py", "--timeout", "1s").returncode, 124)
            self.assertEqual(run("ok.py", "--memory", "1Gi").returncode, 125)
            self.assertEqual(json.loads(run("ok.py", "--input", "n.json", "-o", "json").stdout)["stdout"], "42\n")


class Ends(Executing):
    """Who goes away while a request runs: its caller, its agent, its controller, its node."""

    # proves: ELV-86
    def test_a_caller_who_hangs_up_ends_it(self):
        connection = socket.create_connection(("127.0.0.1", self.port))
        body = json.dumps({"code": "import time\nwhile True: time.sleep(0.01)", "timeout_seconds": 60})
        connection.sendall(f"POST /execute HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        before = wait_until("it to run", self.busy_workers)
        connection.close()
        wait_until("it to be gone", lambda: all(ended(pid) for pid in before), patience_s=45)  # before its time is up

    def test_an_agent_that_dies_is_a_clear_retryable_error(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(self.post, "import time\nwhile True: time.sleep(0.01)", timeout_seconds=60)
            workers = wait_until("it to run", self.busy_workers)
            agent = self.instance.pid_of("paddock-node-agent")
            os.kill(agent, signal.SIGKILL)
            status, answer = waiting.result(timeout=60)
        self.assertEqual((status, answer["error"]["code"]), (503, "NODE_LOST"))
        self.assertTrue(answer["error"]["retryable"])
        status, answer = self.post("print(1)")
        self.assertEqual((status, answer["error"]["code"]), (503, "NO_NODE"))
        self.assertEqual(self.ask("GET", "/health")[0], 503)
        wait_until("the sandbox to be gone", lambda: all(ended(pid) for pid in workers), patience_s=45)
        self.instance.up()
        self.wait_healthy()
        self.assertEqual(self.output_of("print(1)"), "1\n")

    def test_a_controller_that_ends_takes_what_runs_for_it_along(self):
        for sign in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(sign=sign), concurrent.futures.ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(self.post, "import time\nwhile True: time.sleep(0.01)", timeout_seconds=60)
                workers = wait_until("it to run", self.busy_workers)
                controller = self.instance.pid_of("paddock-controller")
                os.kill(controller, sign)
                wait_until("the code to be gone", lambda: all(ended(pid) for pid in workers), patience_s=45)
                with contextlib.suppress(OSError, http.client.HTTPException):  # a broken connection, or an answer: no success
                    self.assertNotEqual(waiting.result(timeout=60)[0], 200)
                wait_until("the controller to end", lambda: ended(controller))
                self.instance.up()
                self.wait_healthy()
                self.assertEqual(self.output_of("print(1)"), "1\n")

    def test_a_cordoned_node_is_given_nothing(self):
        node = self.instance.get("nodes")["items"][0]["metadata"]["name"]
        self.instance.run("cordon", node)
        try:
            wait_until("it to be given nothing", lambda: self.post("print(1)")[0] == 503)
        finally:
            self.instance.run("uncordon", node)
        wait_until("it to be given work again", lambda: self.post("print(1)")[0] == 200)


class Settings(Executing):
    settings = {"PADDOCK_CONTROLLER_EXECUTE_DEFAULT_TIMEOUT_SECONDS": "1"}

    # proves: ELV-79
    def test_a_request_without_a_time_gets_the_operators(self):
        answer = self.execute("while True: pass")
        self.assertFalse(answer["success"])
        self.assertEqual(answer["error"], "Execution timed out")
        self.assertGreaterEqual(answer["execution_time_ms"], 900)  # and not the 30 s that are usual
        self.assertLess(answer["execution_time_ms"], 30_000)

    # proves: ELV-81
    def test_a_profile_that_is_missing_or_wrong_ends_the_start(self):
        broken = self.instance.home / "broken.yaml"
        broken.write_text("limits: {memory: -1}\n")
        for path in ("/none/profile.yaml", broken):
            other = Instance("other")
            other.env["PADDOCK_NODE_AGENT_SNIPPETS_PROFILE_FILE"] = str(path)
            try:
                self.assertNotEqual(other.run("up", "--port", "0", check=False).returncode, 0)
            finally:
                other.__exit__(None, None, None)


if __name__ == "__main__":
    main()
