"""Lines of streams are short enough for clients that read at most 64 KiB as one, whatever a program writes."""
import base64
import json
import unittest

from harness import Instance, main
from session_client import BASE, SessionApi

MOST = 64 << 10
# Each of these has more bytes as JSON than it has itself; the last two have characters of several.
LOUD = """
import sys
for unit in (b"\\x1b", b"\\x00", b'"', b"\\xff", "ä".encode(), "🦀".encode()):
    sys.stdout.buffer.write(unit * (200_000 // len(unit)))
    sys.stdout.flush()
"""


class ShortLines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = cls.enterClassContext(Instance())
        cls.api = SessionApi(cls.instance)
        cls.addClassCleanup(cls.api.close)

    def expect_short(self, stream):
        longest = max(map(len, stream.splitlines()))
        self.assertLess(longest, MOST)
        self.assertGreater(longest, MOST // 2, "they need not be that short")

    def test_of_a_run(self):
        status, answer = self.instance.post_run("loud", {"type": "code", "code": LOUD})
        self.assertEqual(status, 201, answer)
        self.instance.wait_phase("loud", "Succeeded")
        status, stream = self.api.ask("GET", BASE + "default/runs/loud/events", headers={"Accept": "text/event-stream"})
        self.assertEqual(status, 200)
        self.expect_short(stream)
        lines = [line for line in stream.decode().splitlines()]
        text = "".join(json.loads(line[6:])["data"] for kind, line in zip(lines, lines[1:]) if kind == "event: stdout")
        written = "".join((unit.decode(errors="replace") * (200_000 // len(unit)))
                          for unit in (b"\x1b", b"\x00", b'"', b"\xff", "ä".encode(), "🦀".encode()))
        self.assertTrue(text == written, (len(text), len(written)))

    def test_of_a_session(self):
        self.assertEqual(self.api.create({"limits": {"timeoutMs": 600_000}}, name="s")[0], 201)
        self.addCleanup(self.api.destroy, "s")
        connection = self.api.connect()
        connection.request("POST", self.api.sandboxes("s", "/commands?stream=true"), json.dumps({"command": "head -c 1000000 /dev/zero"}),
                           {"Authorization": f"Bearer {self.api.token}", "Content-Type": "application/json"})
        stream = connection.getresponse().read()
        self.expect_short(stream)
        lines = stream.decode().splitlines()
        pieces = [json.loads(line[6:])["base64"] for kind, line in zip(lines, lines[1:]) if kind == "event: stdout"]
        self.assertEqual(sum(len(base64.b64decode(piece, validate=True)) for piece in pieces), 1_000_000)


if __name__ == "__main__":
    main()
