#!/usr/bin/env python3
"""docs/api.md and the types of both clients are those that the API's declarations make today, the blocking Python client is made of
the one of asyncio."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", pathlib.Path(__file__).resolve().parent.parent.parent))
sys.path.insert(0, str(ROOT / "scripts"))
import api_reference  # noqa: E402
import api_routes  # noqa: E402
import client_sync  # noqa: E402
import client_types  # noqa: E402
from api_model import read_types  # noqa: E402


class Generated(unittest.TestCase):
    def test_what_is_checked_in_is_current(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "scripts" / "generate", "--check"], text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_a_field_that_is_added_makes_them_stale(self):
        with tempfile.TemporaryDirectory() as home:
            folder = pathlib.Path(home, "tests", "golden")
            folder.mkdir(parents=True)
            document = json.loads((ROOT / "tests" / "golden" / "openapi.json").read_text())
            document["components"]["schemas"]["RunSpec"]["properties"]["brandNew"] = {"type": "integer", "description": "how new"}
            (folder / "openapi.json").write_text(json.dumps(document))
            types = read_types(pathlib.Path(home))
        self.assertIn("    brandNew: Optional[int] = None  # how new\n", client_types.python(types))
        self.assertEqual(client_types.typescript(types).count("  brandNew?: number;\n"), 2)  # of RunSpec and RunSpecInput
        self.assertIn("| `brandNew` | integer | how new |", api_reference.document(types, ""))

    def test_a_route_of_which_nobody_says_anything_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "says nothing of GET /brand/new"):
            api_routes.summary("GET", "/brand/new")
        with self.assertRaisesRegex(ValueError, "not understood"):
            api_reference.document({}, "GET /x without a scope")

    def test_the_blocking_client_is_the_one_of_asyncio_without_its_words(self):
        given = "async def f(self: AsyncRuns, a,\n            b):\n    async with aclosing(x(1,\n                          2)) as y:\n        return await y.aclose()"
        made = "def f(self: Runs, a,\n      b):\n    with closing(x(1,\n                   2)) as y:\n        return y.close()"
        self.assertEqual(client_sync.without_async(given), made)

    def test_an_object_without_a_name_is_an_error(self):
        from api_model import kind_of
        with self.assertRaisesRegex(ValueError, "without a name"):
            kind_of({"type": "object", "properties": {"a": {"type": "string"}}})


if __name__ == "__main__":
    unittest.main()
