"""The Python example by the command of its README, as it is and with a requirement from an index."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from environment_test import venv_works
from harness import SOURCE, Instance, main
from outside import Packages, wheel

EXAMPLE = SOURCE / "examples" / "caption-index"
COMMAND = ("python3 item_index_builder.py --variant s2 --no-connections --no-acn",
           "--requirements", "requirements.txt", "--artifact-dir", "models/")
# The example's builder, as a package: what the job imports comes from the wheel. It is given a part of the captions.
FEW = 3000
WRAPPER = f"""import sys
import paddock_captions
raise SystemExit(paddock_captions.main([*sys.argv[1:], "--captions", "data/few.jsonl", "--minimum", "{FEW}"]))
"""


class CaptionIndex(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.packages = Packages()
        cls.addClassCleanup(cls.packages.close)
        cls.instance = Instance()
        cls.instance.env.update(cls.packages.settings())
        cls.enterClassContext(cls.instance)
        cls.project = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-project-")))
        shutil.copytree(EXAMPLE, cls.project, dirs_exist_ok=True)
        subprocess.run([sys.executable, "-B", cls.project / "collect.py"], check=True, capture_output=True)

    def check_index(self, count):
        manifest = json.loads((self.project / "models" / "index.json").read_text())
        measured = json.loads((self.project / "models" / "measurements.json").read_text())
        self.assertEqual((manifest["count"], manifest["variant"]), (count, "s2"))
        self.assertEqual(measured["recall_at_1"], 1.0)
        shutil.rmtree(self.project / "models")

    # proves: ORB-14
    # proves partly: ORB-03
    def test_the_documented_command_builds_the_index(self):
        self.instance.run("compute", ".", *COMMAND, cwd=self.project)
        self.check_index(31564)

    # proves: ORB-11
    @unittest.skipUnless(venv_works(), "this host's python3 makes no virtual environments (python3-venv)")
    def test_the_same_with_its_builder_from_a_wheel_of_an_index(self):
        source = (EXAMPLE / "item_index_builder.py").read_text()
        self.packages.add_python("paddock-captions", wheel("paddock_captions", "1.0", source))
        (self.project / "item_index_builder.py").write_text(WRAPPER)
        captions = (self.project / "data" / "captions.jsonl").read_text().splitlines(keepends=True)
        (self.project / "data" / "few.jsonl").write_text("".join(captions[:FEW]))
        (self.project / "requirements.txt").write_text("paddock_captions==1.0\n")
        done = self.instance.run("compute", ".", *COMMAND, cwd=self.project)
        lines = done.stderr.splitlines()
        self.assertTrue(any("cache miss, creating" in line and "1 requirement" in line for line in lines), done.stderr)
        self.check_index(FEW)


if __name__ == "__main__":
    main()
