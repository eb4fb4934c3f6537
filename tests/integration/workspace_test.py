"""Workspaces through the real programs: what travels, what a run sees, and what stays as it was."""
import os
import shutil
import subprocess
import threading
import unittest

from harness import BIN, PATIENCE_S, ProjectTest, main, make_project, paths_below, wait_until

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

class Workspaces(ProjectTest):
    def setUp(self):
        super().setUp()
        folder = self.project
        self.project = folder / "project"
        self.results = folder / "results"
        self.project.mkdir()

    def test_a_secret_that_is_left_out_is_named_before_all_else(self):
        make_project(self.project, job__py="print('ran')")
        secrets = ["conf/.env", "credentials.json", "server.key"]
        for path in [*(f"a{number}.log" for number in range(21)), ".git/config", *secrets]:
            (self.project / path).parent.mkdir(exist_ok=True)
            (self.project / path).write_text("x")
        (self.project / ".gitignore").write_text("*.log\n.env\n")
        told = [f"left out 25 entries, 3 of them as secrets:", *secrets, ".git/", "a0.log", "… and 20 more"]
        for said in (self.compute("python3 job.py").stderr, self.instance.run("plan", self.project, "python3 job.py").stdout):
            lines = said[said.index("left out"):].splitlines()[:len(told)]
            self.assertEqual([lines[0], *(line.split()[0] for line in lines[1:-1]), lines[-1].strip()], told)

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

    def test_a_run_that_is_refused_sends_nothing(self):
        make_project(self.project, job__py="print('hi')\n", requirements__txt="numpy==1.26.3\n--nope\n")
        (self.project / "large.bin").write_bytes(os.urandom(3 << 20))
        wrong = [(["--timeout", "100h"], "TIMEOUT_OVER_CEILING"), (["--memory", "900Ti"], "LIMIT_OVER_CEILING"),
                 (["--secret", "nosuch"], "nosuch"), (["--requirements", "requirements.txt"], "--nope")]
        before = self.stored()
        for words, said in wrong:
            done = self.compute("python3 job.py", *words, check=False)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(said, done.stderr)
            self.assertNotIn("uploaded", done.stderr)
            self.assertLess(self.stored() - before, 1 << 20, words)
        self.assertIn("uploaded", self.compute("python3 job.py").stderr)

    def stored(self):
        return sum(path.stat().st_size for path in paths_below(self.instance.home, "blobs/*/*") if path.is_file())

    def test_a_tree_comes_to_the_node_once(self):
        make_project(self.project, job__py="print('once')\n")
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
                out, err = process.communicate(timeout=2 * PATIENCE_S)
                self.assertEqual((process.returncode, out), (0, host + "\n"), err)

    # proves: ORB-07
    def test_only_what_changed_travels(self):
        make_project(self.project, job__py="print('only what changed')\n", **{f"data/{i}__txt": str(i) * 100 for i in range(50)})
        self.assertIn("in 51 of 51 files", self.compute("python3 job.py").stderr)
        (self.project / "data/7.txt").write_text("other")
        self.assertIn("uploaded 5 B in 1 of 51 files", self.compute("python3 job.py").stderr)

    # proves partly: ORB-96
    def test_links_that_lead_out_stay_behind_and_are_named(self):
        make_project(self.project, job__py="import os\nprint(sorted(os.listdir('.')))\n")
        cases = {"passwd": "/etc/passwd", "sibling": "../results", "dangling": "nowhere", "loop": "loop"}
        for name, target in cases.items():
            (self.project / name).symlink_to(target)
        os.mkfifo(self.project / "fifo")
        done = self.compute("python3 job.py", "--verbose")
        self.assertEqual(done.stdout, "['job.py']\n")
        for name in (*cases, "fifo"):
            self.assertRegex(done.stderr, rf"(?m)^  {name} ")

    def test_links_inside_empty_folders_and_one_time_for_all(self):
        for copied in (True, False):  # a small tree, and one that is laid beneath the run's folder
            with self.subTest(copied=copied):
                more = {} if copied else {f"data/{i}__txt": str(i) for i in range(40)}
                make_project(self.project, **{"runs/3/model__bin": "text"}, **more, job__py="""
import os
for folder in ("empty/deep", "out/asked", "made/deep", "runs/new"):
    print(folder, os.listdir(folder))
print(os.readlink("latest"), open("latest/model.bin").read(), open("best").read())
times = {os.lstat(os.path.join(at, name)).st_mtime for at, folders, files in os.walk(".") for name in folders + files}
print(times)
open("out/asked/new.txt", "w").write("made")
open("latest/written.txt", "w").write("through a link")
open("made/deep/new.txt", "w").write("nobody made its folder")
""")
                (self.project / ".gitignore").write_text("/out/\n")
                for folder in ("empty/deep", "out/asked/old"):
                    (self.project / folder).mkdir(parents=True)
                (self.project / "latest").symlink_to("runs/3")
                (self.project / "best").symlink_to("latest/model.bin")
                done = self.compute("python3 job.py", "--artifact-dir", "out/asked", "--artifact-dir", "runs", "--artifact-dir", "made/deep",
                                    "--artifact-dir", "runs/new", "--artifact-dir", "best/of", "--artifact-dir", "latest")
                self.assertEqual(done.stdout, "empty/deep []\nout/asked []\nmade/deep []\nruns/new []\nruns/3 text text\n{946684800.0}\n")
                self.assertEqual((self.project / "runs/3/written.txt").read_text(), "through a link")
                self.assertEqual((self.project / "made/deep/new.txt").read_text(), "nobody made its folder")
                shutil.rmtree(self.project)
                self.project.mkdir()

    def test_what_came_back_is_no_input_of_the_run_that_makes_it(self):
        make_project(self.project, job__py="import os\nos.makedirs('out', exist_ok=True)\nprint(os.listdir('out'))\n"
                                           "open('out/made.txt', 'w').write('made')\n")
        asked = ("python3 job.py", "--artifact-dir", "out")
        self.assertEqual(self.compute(*asked).stdout, "[]\n")
        second = self.compute(*asked)
        self.assertEqual(second.stdout, "[]\n")
        self.assertIn("uploaded 0 B", second.stderr)
        self.assertRegex(second.stderr, r"out/made\.txt .*run \S+; .*!out/made\.txt .*\.paddockignore")
        make_project(self.project, see__py="import os\nprint(os.listdir('out'))\n")
        self.assertEqual(self.compute("python3 see.py").stdout, "['made.txt']\n")  # another run reads it
        (self.project / "out/made.txt").write_text("edited")
        self.assertEqual(self.compute(*asked).stdout, "['made.txt']\n")
        (self.project / ".paddockignore").write_text("!out/\n")
        self.assertEqual(self.compute(*asked).stdout, "['made.txt']\n")

    def test_secrets_stay_behind_unless_they_are_asked_for(self):
        make_project(self.project, job__py="import os\nprint(sorted(os.listdir('.')))\n")
        (self.project / ".env").write_text("TOKEN=1")
        done = self.compute("python3 job.py")
        self.assertEqual(done.stdout, "['job.py']\n")
        self.assertIn("a line !.env in .paddockignore sends it", done.stderr)
        (self.project / ".paddockignore").write_text("!.env\n")
        self.assertIn("'.env'", self.compute("python3 job.py").stdout)

    def test_a_log_that_grows_goes_as_it_was(self):
        make_project(self.project, job__py="print(set(open('app.log').read()))\n")
        (self.project / "app.log").write_text("x" * 1_000_000)
        stop = threading.Event()

        def grow():
            with open(self.project / "app.log", "a", buffering=1) as log:
                while not stop.wait(0.0005):
                    log.write("x")
                    log.flush()
        growing = threading.Thread(target=grow)
        growing.start()
        self.addCleanup(growing.join)
        self.addCleanup(stop.set)
        for _ in range(3):
            self.assertEqual(self.compute("python3 job.py").stdout, "{'x'}\n")

    def test_a_file_over_the_limit_is_named_before_it_is_read(self):
        make_project(self.project, job__py="print(1)\n")
        with open(self.project / "huge.bin", "wb") as huge:
            huge.truncate(5 << 30)
        done = self.compute("python3 job.py", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("huge.bin has 5.0 GiB", done.stderr)
        self.assertRegex(done.stderr, r"4\.0 GiB \(blobs\.maxBlob ")


if __name__ == "__main__":
    main()
