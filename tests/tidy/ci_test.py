"""CI's workflow: what it runs, what it keeps, and whose code it trusts."""
import os
import pathlib
import re
import unittest

import yaml

SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", ".")).resolve()
TRUSTED = re.compile(r"actions/(checkout|upload-artifact)@v\d+")


class Workflow(unittest.TestCase):
    def setUp(self):
        workflow = yaml.safe_load((SOURCE / ".github/workflows/ci.yml").read_text())
        self.assertEqual(workflow["permissions"], {"contents": "read"})
        (self.job,) = workflow["jobs"].values()
        self.steps = self.job["steps"]

    def test_it_runs_what_everybody_runs_on_the_debian_that_is_supported(self):
        self.assertEqual(self.job["container"]["image"], "debian:12")
        self.assertIn(".ci/run", [step.get("run") for step in self.steps])
        self.assertTrue(os.access(SOURCE / ".ci/run", os.X_OK))

    def test_it_keeps_what_the_tests_leave_whether_or_not_they_passed(self):
        (kept,) = [step for step in self.steps if step.get("uses", "").startswith("actions/upload-artifact@")]
        self.assertEqual(kept["if"], "always()")
        self.assertIn(f"ROOT / \"{kept['with']['path']}\"", (SOURCE / "scripts/run-stages").read_text())
        self.assertIn(f"SOURCE / \"{kept['with']['path']}\"", (SOURCE / "tests/dashboard/dashboard_test.py").read_text())
        for said in (kept["with"]["name"], kept["with"]["path"]):
            self.assertIn(said, (SOURCE / "docs/dashboard.md").read_text())

    def test_it_trusts_no_code_of_others(self):
        used = [step["uses"] for step in self.steps if "uses" in step]
        self.assertEqual([each for each in used if not TRUSTED.fullmatch(each)], [])


if __name__ == "__main__":
    unittest.main()
