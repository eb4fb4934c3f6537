"""Workspaces through the real programs: what travels, what a run sees, and what stays as it was."""
import os
import pathlib
import subprocess
import tempfile
import unittest

from harness import BIN, Instance, main, make_project, paths_below, wait_until

CHANGES = """
import os
open("changed.txt", "w").write("new")
os.unlink("removed.txt")
os.rename("sub", "moved")
os.makedirs("out", exist_ok=True)
open("out/seen.txt", "w").write(",".join(sorted(os.listdir("."))))
open("out/moved.json", "w").write(open("moved/kept.txt").read())
"""
HOLDS = """
import os, time
open("mine.txt", "x").write("x")
print("holding", flush=True)
while not os.path.exists("never"):
    time.sleep(0.05)
"""

class Workspaces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="paddock-project-")
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name) / "project"
        self.results = pathlib.Path(folder.name) / "results"
        self.project.mkdir()

    def compute(self, *words, **kwargs):
        return self.instance.run("compute", self.project, *words, **kwargs)

    def trees(self):
        """The agent's cached trees; none where its kernel lays no folders over each other."""
        return [t / "files" for t in paths_below(self.instance.home, "trees/*") if len(t.name) == 64]

    def grow(self, project):
        """So large that no run gets a copy of it, where there is another way."""
        for number in range(10):
            (project / "data").mkdir(exist_ok=True)
            (project / "data" / f"{number}.txt").write_text(str(number))

    def change_twice(self):
        for _ in range(2):  # the second finds everything as the first did
            self.compute("python3 job.py", "--artifact-dir", "out", "--output", self.results)
            brought = {f.name: f.read_text() for f in (self.results / "out").iterdir()}
            self.assertEqual(brought["seen.txt"].replace("data,", ""), "changed.txt,job.py,moved,out")
            self.assertEqual((brought["moved.json"], brought["old.txt"]), ("kept", "old"))

    # proves: VLT-80
    def test_what_a_run_changes_no_other_run_sees(self):
        make_project(self.project, job__py=CHANGES, changed__txt="old", removed__txt="x",
                     **{"sub/kept__txt": "kept", "out/old__txt": "old"})
        self.change_twice()
        self.grow(self.project)
        self.change_twice()
        for tree in self.trees():
            if (tree / "removed.txt").exists():
                self.assertEqual((tree / "changed.txt").read_text(), "old")
                self.assertEqual((tree / "sub/kept.txt").read_text(), "kept")

    def test_a_tree_comes_to_the_node_once(self):
        make_project(self.project, job__py="print('hi')\n")
        before = self.trees()
        self.assertIn("(1 blob fetched)", self.compute("python3 job.py").stderr)
        self.assertIn("(0 blobs fetched)", self.compute("python3 job.py").stderr)
        self.assertEqual(self.trees(), before)
        self.grow(self.project)
        self.assertIn("(10 blobs fetched)", self.compute("python3 job.py").stderr)
        again = self.compute("python3 job.py").stderr
        self.assertIn("(cached here)" if self.trees() else "(0 blobs fetched)", again)

    def test_runs_beside_each_other_have_workspaces_of_their_own(self):
        make_project(self.project, job__py=HOLDS)
        names = [self.compute("python3 job.py", "--detach").stdout.strip() for _ in range(2)]
        for name in names:  # each could make mine.txt anew
            wait_until("both to hold", lambda: "holding" in self.instance.run("logs", name).stdout)
        for name in names:
            self.instance.run("cancel", name)
            self.instance.wait_phase(name, "Canceled")

    @unittest.skipUnless(os.geteuid() == 0, "only root can show two hosts their own folder at one path")
    def test_hosts_whose_projects_have_one_path_never_read_each_others_files(self):
        hosts = []
        for host in ("a", "b"):
            own = self.project.parent / host
            own.mkdir()
            make_project(own, job__py="print(open('data.txt').read())\n", data__txt=host)
            hosts.append((host, own))
        bring = 'mount --bind "$1" "$2" && shift 1 && exec "$0" compute "$@"'
        def as_host(own):
            return subprocess.Popen(
                ["unshare", "--mount", "sh", "-c", bring, str(BIN / "paddock"), str(own), str(self.project),
                 "python3 job.py"], env=self.instance.env, text=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4):
            running = [(host, as_host(own)) for _ in range(2) for host, own in hosts]
            for host, process in running:
                out, err = process.communicate(timeout=120)
                self.assertEqual((process.returncode, out), (0, host + "\n"), err)

    # proves: ORB-07
    def test_only_what_changed_travels(self):
        make_project(self.project, job__py="print('only what changed')\n", **{f"data/{i}__txt": str(i) * 100 for i in range(50)})
        self.assertIn("in 51 of 51 files", self.compute("python3 job.py").stderr)
        (self.project / "data/7.txt").write_text("other")
        self.assertIn("uploaded 5 B in 1 of 51 files", self.compute("python3 job.py").stderr)

    # proves partly: ORB-96
    def test_links_and_odd_files_are_refused_by_name_before_anything_is_sent(self):
        outside = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(os.rmdir, outside)
        cases = {"passwd": "/etc/passwd", "sibling": "../results", "dangling": "nowhere", "loop": "loop",
                 "folder": str(outside)}
        for name, target in cases.items():
            with self.subTest(name):
                make_project(self.project, job__py="print('ran')\n")
                (self.project / name).symlink_to(target)
                done = self.compute("python3 job.py", check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("WORKSPACE_ENTRY_REFUSED", done.stderr)
                self.assertIn(name, done.stderr)
                self.assertNotIn("created", done.stderr)
                (self.project / name).unlink()
        self.assertEqual(self.compute("python3 job.py").stdout, "ran\n")


if __name__ == "__main__":
    main()
