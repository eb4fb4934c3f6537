"""A namespace has its share of the controller's store and takes no more, however its files are made."""
import json
import pathlib
import tempfile
import unittest

from harness import Instance, find_file, main, make_project

SHARE = 8 << 20
# A file without a block that has a size all the same, and one beside it.
SPARSE = "truncate -s 900M out/sparse.bin\necho kept > out/small.txt\n"


class StoredQuota(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance("stored")
        cls.instance.env.update(PADDOCK_CONTROLLER_BLOBS_NAMESPACE_QUOTA=str(SHARE),
                                PADDOCK_CONTROLLER_SCHEDULING_QUOTAS="{rich: {stored: 64Mi}}")
        cls.enterClassContext(cls.instance)

    def setUp(self):
        self.project = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-"))) / "project"
        self.project.mkdir()

    def build(self, script, name, namespace="default"):
        make_project(self.project, build__sh=script)
        self.instance.run("build", self.project, "--type", "script", "bash build.sh", "--artifact-dir", "out",
                          "--name", name, "-n", namespace, check=False)
        return json.loads(self.instance.run("get", "run", name, "-n", namespace, "-o", "json").stdout)["status"]

    def stored(self):
        blobs = find_file(self.instance.home, "controller.json").parent / "blobs"
        return sum(path.stat().st_size for path in blobs.rglob("*") if path.is_file())

    def test_a_file_with_holes_counts_as_it_is_large_and_the_run_says_what_did_not_fit(self):
        status = self.build(SPARSE, "sparse")
        self.assertEqual((status["phase"], status["reason"]), ("Failed", "NAMESPACE_QUOTA_EXCEEDED"), status)
        self.assertIn("scheduling.quotas.default.stored", status["message"])
        self.assertEqual([each["path"] for each in status["artifacts"]], ["out/small.txt"])
        self.assertEqual([each["path"] for each in status["leftOut"]], ["out/sparse.bin"])
        self.assertLess(self.stored(), SHARE)

    def test_what_one_namespace_took_another_has_still(self):
        many = "for i in 1 2 3 4; do head -c 3M /dev/urandom > out/$i; done\n"
        status = self.build(many, "many", "greedy")
        self.assertEqual((status["phase"], len(status["artifacts"]), len(status["leftOut"])), ("Failed", 2, 2), status)
        self.assertEqual(self.build(many, "many", "rich")["phase"], "Succeeded")
        self.assertEqual(self.build("echo x > out/f\n", "modest", "modest")["phase"], "Succeeded")
        said = self.instance.run("status").stdout
        self.assertRegex(said, r"(?m)^stored +greedy 6\.\d MiB of 8\.0 MiB$")
        self.assertRegex(said, r"(?m)^stored +rich 12\.\d MiB of 64\.0 MiB$")

    def test_an_upload_is_refused_before_it_is_sent(self):
        make_project(self.project, build__sh="true\n")
        with open(self.project / "large.bin", "wb") as large:
            large.truncate(SHARE + 1)
        done = self.instance.run("build", self.project, "--type", "script", "bash build.sh", "-n", "upload", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("NAMESPACE_QUOTA_EXCEEDED", done.stderr)
        self.assertIn("namespace upload ", done.stderr)

    def test_files_that_fit_one_by_one_and_not_together_are_refused_before_the_first_is_sent(self):
        make_project(self.project, build__sh="true\n")
        for name in "abcd":
            (self.project / name).write_bytes(name.encode() * (3 << 20))
        before = self.stored()
        done = self.instance.run("build", self.project, "--type", "script", "bash build.sh", "-n", "several", check=False)
        self.assertIn("NAMESPACE_QUOTA_EXCEEDED", done.stderr)
        self.assertEqual(self.stored(), before)


if __name__ == "__main__":
    main()
