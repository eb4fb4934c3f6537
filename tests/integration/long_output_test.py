"""The last lines of an output that is too long to be kept whole are there, wherever one looks; one that is no text stays as it is."""
import json
import re
import subprocess
import tempfile
import unittest

from harness import BIN, PATIENCE_S, Instance, main, make_project

# Each letter has two bytes, so that a cut can fall into one.
LONG = "import sys\nfor _ in range(int(sys.argv[1])): print('wörning ' * 100)\nprint('RESULT=42')\n"
MARKER = re.compile(r"\n\[TRUNCATED at (\d+) bytes\]\n\[(\d+) bytes are left out here\]\n")


class LongOutput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = cls.enterClassContext(Instance())
        cls.project = make_project(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-project-")),
                                   long__py=LONG)

    def expect_both_ends(self, text, budget, written):
        """Returns what is kept, in bytes."""
        head, cap, left_out, tail = MARKER.split(text)  # once
        self.assertTrue(head.startswith("wörning "), head[:100])
        self.assertTrue(tail.endswith("RESULT=42\n"), tail[-100:])
        self.assertNotIn("\ufffd", text)
        kept = len(head.encode()) + len(tail.encode())
        self.assertEqual((int(cap), int(left_out)), (budget, written - kept))
        self.assertTrue(budget - 6 <= kept <= budget, kept)

    # proves: VLT-81, WSM-33
    def test_a_runs_result_has_both_ends_and_its_log_is_whole(self):
        done = self.instance.run("compute", self.project, "python3 long.py 200", "--name", "long")
        self.assertTrue(done.stdout.endswith("RESULT=42\n"))
        self.assertNotIn("TRUNCATED", done.stdout)
        result = self.instance.run_object("long")["status"]["result"]
        self.expect_both_ends(result["stdout"], 65536, result["usage"]["stdout_bytes"])
        self.assertEqual(result["truncated"], {"stdout": True, "stderr": False})

    def test_a_log_beyond_its_cap_has_both_ends_and_the_marker_once(self):
        workspace = self.instance.run_object(self.seed())["spec"]["workspace"]
        spec = {"type": "compute", "command": ["python3", "long.py", "200"], "workspace": workspace,
                "sandbox": {"limits": {"stdout": "10000"}}}
        status, answer = self.instance.post_run("capped", spec)
        self.assertEqual(status, 201, answer)
        self.instance.wait_phase("capped", "Succeeded")
        written = self.instance.run_object("capped")["status"]["result"]["usage"]["stdout_bytes"]
        followed = self.instance.run("logs", "capped", "--follow").stdout
        self.expect_both_ends(followed[followed.index("wörning"):], 10000, written)

    def test_output_that_is_no_text_is_the_same_wherever_it_is_read(self):
        written = bytes(range(256)) * 1000 + "ü".encode()
        program = "import os; out = bytes(range(256)) * 1000 + 'ü'.encode()\nwhile out: out = out[os.write(1, out):]"
        for words in (["run", "--name", "bytes", "--", "python3", "-c", program], ["logs", "bytes"], ["logs", "bytes", "--follow"],
                      ["logs", "bytes", "--follow", "--tail", "1000000"]):
            done = subprocess.run([BIN / "paddock", *words], env=self.instance.env, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=2 * PATIENCE_S)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout == written, (words[:3], len(done.stdout), len(written)))

    def seed(self):
        self.instance.run("compute", self.project, "python3 long.py 0", "--name", "seed")
        return "seed"

    def test_a_session_and_short_code_answer_with_both_ends(self):
        name = self.instance.run("sandbox", "create", "--timeout", "10m").stdout.strip()
        self.addCleanup(self.instance.run, "sandbox", "destroy", name, check=False)
        command = "yes warning | head -c 2M; echo RESULT=42"
        shown = self.instance.run("sandbox", "exec", name, "--", command).stdout
        self.assertEqual(len(shown), (2 << 20) + len("RESULT=42\n"), "all that is shown while it runs")
        kept = json.loads(self.instance.run("sandbox", "exec", name, "-o", "json", "--", command).stdout)["stdout"]
        self.assertEqual(len(MARKER.findall(kept)), 1)
        self.assertTrue(kept.endswith("RESULT=42\n"))
        with tempfile.NamedTemporaryFile("w", suffix=".py") as code:
            code.write("print('wörning ' * 300000)\nprint('RESULT=42')\n")
            code.flush()
            shown = self.instance.run("execute", code.name).stdout
        self.expect_both_ends(shown, 1 << 20, 9 * 300_000 + 1 + len("RESULT=42\n"))


if __name__ == "__main__":
    main()
