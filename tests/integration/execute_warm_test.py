"""Interpreters that wait: each serves one request, warm, and leaves nothing to the next; what finds none starts cold."""
import concurrent.futures
import hashlib
import itertools
import json
import re

from executing import TOO_BUSY, Executing
from harness import main, wait_until
from session_client import SessionApi

WARM = 3  # requests that have to be served so


class Starts(Executing):
    """Requests whose records say how they were served."""

    def setUp(self):
        self.api = SessionApi(self.instance)
        self.addCleanup(self.api.close)
        self.numbers = itertools.count()

    def execute_once(self, code, **fields):
        """The answer, and `warm` or `cold`."""
        code += f"\n# {self.id()} {next(self.numbers)}"
        answer = self.execute(code, **fields)
        return answer, self.record_of(code)["details"]["start"]

    def record_of(self, code):
        digest = hashlib.sha256(code.encode()).hexdigest()
        return wait_until("its record", lambda: self.find_record(digest))

    def find_record(self, digest):
        after = 0
        while True:
            status, page = self.api.ask("GET", f"/audit?after={after}&limit=500")
            self.assertEqual(status, 200, page)
            for event in page["items"]:
                if event.get("details", {}).get("codeSha256") == digest and event.get("reason") not in TOO_BUSY:
                    return event
            if not page["items"]:
                return None
            after = page["last"]

    def warm_outputs(self, code):
        """What WARM requests print that were served by an interpreter that waited."""
        found = []

        def is_enough():
            answer, start = self.execute_once(code)
            self.assertTrue(answer["success"], answer)
            if start == "warm":
                found.append(answer["stdout"])
            return len(found) == WARM
        wait_until(f"{WARM} requests to be served warm", is_enough)
        return found

    def has_library(self, name):
        return name in self.ask("GET", "/health")[1]["libraries"]


class Single(Starts):
    # proves: ELV-52
    def test_nothing_is_left_for_the_next(self):
        self.assertEqual(self.warm_outputs("import json\nprint(hasattr(json, 'left'))\njson.left = 1"), ["False\n"] * WARM)

    def test_hash_seed_and_random_state_are_its_own(self):
        found = [line.split() for line in self.warm_outputs("import random\nprint(hash('paddock'), random.random())")]
        for each in zip(*found):
            self.assertEqual(len(set(each)), WARM, found)

    # proves: ELV-02
    def test_refused_code_is_given_no_process(self):
        metrics = lambda: re.findall(r"(?m)^paddock_execute_starts_total.*", self.api.ask("GET", "/metrics")[1].decode())
        self.warm_outputs("print(1)")
        before = metrics()
        self.assertEqual(len(before), 2)
        for number, code in enumerate(("import os; os.system('ls')", "def (", "eval('1')")):
            code += f"  # refused {number}"
            self.assertFalse(self.execute(code)["success"])
            record = self.record_of(code)
            self.assertEqual(record["reason"], "REFUSED")
            self.assertEqual([key for key in record["details"] if key in ("start", "status", "rc")], [])
        self.assertEqual(metrics(), before)

    def test_a_request_with_other_limits_starts_cold(self):
        self.warm_outputs("print(1)")
        for fields in ({"memory_mb": 255}, {"timeout_seconds": 31}):
            self.assertEqual(self.execute_once("print(1)", **fields)[1], "cold", fields)
        self.assertEqual(self.warm_outputs("print(1)"), ["1\n"] * WARM)

    def test_a_burst_beyond_what_waits_is_served_cold_and_right(self):
        def burst():
            with concurrent.futures.ThreadPoolExecutor(12) as pool:
                served = list(pool.map(lambda i: self.execute_once(f"print({i})"), range(24)))
            self.assertEqual([answer["stdout"] for answer, _ in served], [f"{i}\n" for i in range(24)])
            return "cold" in [start for _, start in served]
        wait_until("a burst that is more than what waits", burst)

    def test_libraries_wait_after_their_first_use(self):
        if not self.has_library("numpy"):
            self.skipTest("this host has no numpy for snippets")
        code = "import numpy, random\nprint(hash('paddock'), random.random(), numpy.random.random(), hasattr(numpy, 'left'))\nnumpy.left = 1"
        found = [line.split() for line in self.warm_outputs(code)]
        self.assertEqual([line.pop() for line in found], ["False"] * WARM)
        for each in zip(*found):
            self.assertEqual(len(set(each)), WARM, found)


class NothingWaits(Starts):
    settings = {"PADDOCK_NODE_AGENT_SNIPPETS_MAX_WARM": "0"}

    def test_every_request_starts_cold(self):
        for _ in range(WARM):
            answer, start = self.execute_once("print(1)")
            self.assertEqual((answer["stdout"], start), ("1\n", "cold"))


class Unchecked(Starts):
    """What the checker does not let code look for."""
    settings = {"PADDOCK_NODE_AGENT_SNIPPETS_VALIDATOR": "false"}
    LOOK = ("import os, json\n"
            "def there(n):\n"
            "    try: return os.fstat(n) is not None\n"
            "    except OSError: return False\n"
            "print(json.dumps([os.listdir('/tmp'), [n for n in range(3, 16) if there(n)], os.readlink('/proc/self/fd/0'),\n"
            "                  [name for name in os.environ if name.startswith('OPENBLAS')], len(os.listdir('/proc/self/task'))]))\n"
            "open('/tmp/left', 'w').write('x')\n")

    # proves: ELV-52
    def test_no_file_and_no_descriptor_is_left_or_inherited(self):
        for preloaded in ("", "import numpy\n"):
            if preloaded and not self.has_library("numpy"):
                self.skipTest("this host has no numpy for snippets")
            for line in self.warm_outputs(preloaded + self.LOOK):
                self.assertEqual(json.loads(line), [[], [], "/dev/null", [], 1], preloaded)


if __name__ == "__main__":
    main()
