"""What runs bring back through the real programs: of which types, from where, and however they ended."""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

from harness import Instance, main, make_project, wait_until, with_more_time

ANY = ("model.pt", "README", "PLOT.PNG", "out.tar.gz", "report.xml", ".hidden")
WRITES = f"mkdir -p out\nfor each in {' '.join(ANY)}; do echo kept > out/$each; done\nchmod +x out/README\n"
ENDS = """
import os, sys, time
os.makedirs("out", exist_ok=True)
open("out/state.txt", "w").write("saved")
print("saved", flush=True)
if sys.argv[1] == "signal":
    os.kill(os.getpid(), 9)
time.sleep(600)
"""

# Each as a trainer does it: under another name, then renamed. And a log that stays open.
CHECKPOINTS = """
import os, time
os.makedirs("out", exist_ok=True)
log = open("out/log.txt", "w")
log.write("never closed")
log.flush()
for i in range(1, 900):
    open("out/.next", "w").write(str(i))
    os.rename("out/.next", f"out/step-{i}.bin")
    time.sleep(1)
"""

# A checkpoint larger than one part of an answer, beside all that could lead a reader astray.
LOOKED_INTO = """
import os, time
os.makedirs("out/deep")
open("out/model.ckpt", "wb").write(os.urandom(64) * (100 << 10))
os.symlink("/etc/passwd", "link")
os.symlink("/", "root")
os.mkfifo("pipe")
open("out/a\\x1b[31mb", "w").write("name")
print("ready", flush=True)
last = None
while True:
    now = open("inbox/sent").read() if os.path.exists("inbox/sent") else None
    if now != last:
        print("sent:", now.strip(), "mine" if os.stat("inbox/sent").st_uid == os.getuid() else "not mine", flush=True)
    last = now
    time.sleep(0.05)
"""


class Artifacts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.instance.env["PADDOCK_CONTROLLER_ARTIFACTS_COMPUTE_TYPES"] = "[.parquet]"
        cls.enterClassContext(cls.instance)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="paddock-project-")
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name) / "project"
        self.project.mkdir()

    def script(self, text, *options, check=True):
        make_project(self.project, build__sh=text)
        return self.instance.run("build", self.project, "--type", "script", "bash build.sh", *options, check=check)

    def names(self, folder="out"):
        return {path.name for path in (self.project / folder).iterdir()}

    # proves: ORB-116
    def test_other_types_than_compute_bring_every_file_back(self):
        done = self.script(WRITES, "--artifact-dir", "out")
        self.assertEqual(self.names(), set(ANY), done.stderr)
        self.assertNotIn("not brought back", done.stderr)
        for name in ANY:
            self.assertEqual(bool((self.project / "out" / name).stat().st_mode & stat.S_IXUSR), name == "README", name)

    # proves: ORB-112, ORB-116
    def test_compute_says_what_its_list_is_and_the_operator_has_added_to_it(self):
        make_project(self.project, job__py="for end in ('csv', 'PARQUET', 'pt', 'png'):\n"
                                           "    open('out/f.' + end, 'w').write('x')\n")
        planned = self.instance.run("plan", self.project, "--artifact-dir", "out", "python3 job.py")
        self.assertRegex(planned.stdout, r"\.log \.parquet .*`paddock run`")
        done = self.instance.run("compute", self.project, "python3 job.py", "--artifact-dir", "out")
        self.assertEqual(self.names(), {"f.csv", "f.PARQUET"})
        told = done.stderr.split("not brought back:")[1]
        self.assertRegex(told, r"out/f\.png .*: \.usearch .*\.parquet; .*`paddock run`.*\(artifacts\.computeTypes")
        self.assertRegex(told, r"(?m)out/f\.pt [^:;]*$", "the list is shown once")

    def test_the_whole_workspace_is_what_is_new_or_changed_there(self):
        many = {f"data/{i}__txt": str(i) for i in range(40)}
        for small in (True, False):
            with self.subTest(small=small):
                make_project(self.project, kept__txt="as it was", changed__txt="before", **({} if small else many))
                done = self.script("echo after > changed.txt; mkdir -p deep/er node_modules; echo new > deep/er/new; "
                                   "echo x > node_modules/x; touch kept.txt\n", "--artifact-dir", ".")
                self.assertEqual((self.project / "changed.txt").read_text(), "after\n")
                self.assertEqual((self.project / "deep/er/new").read_text(), "new\n")
                self.assertIn("artifacts: 2 files", done.stderr)
                self.assertRegex(done.stderr, r"node_modules/ +built-in: node_modules/")

    # proves: ORB-148
    def test_what_was_written_comes_back_after_a_timeout_a_signal_and_a_cancel(self):
        make_project(self.project, job__py=ENDS)
        cases = {"time": ("Timeout", 124, ("2s", "20s", "3m")), "signal": ("Killed", 137, ("1h",))}
        for how, (reason, code, limits) in cases.items():
            with self.subTest(how):
                def run(limit):
                    done = self.instance.run("compute", self.project, "--timeout", limit, "--artifact-dir", "out", "--output", self.project / how,
                                             "--", "python3", "job.py", how, check=False)  # noqa: B023
                    return done if "saved" in done.stdout else None
                done = with_more_time(run, *limits)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn("of a run that did not succeed", done.stderr)
                self.assertIn(f" [{reason}]: ", done.stderr)
                self.assertEqual((self.project / how / "out/state.txt").read_text(), "saved")
        waiting = self.instance.start("compute", self.project, "--artifact-dir", "out", "--name", "canceled", "--output",
                                      self.project / "canceled", "--", "python3", "job.py", "wait")
        wait_until("its word", lambda: "saved" in self.instance.run("logs", "canceled", check=False).stdout)
        self.instance.run("cancel", "canceled")
        _, err = waiting.communicate(timeout=120)
        self.assertIn("of a run that did not succeed", err)
        self.assertIn(" [Canceled]", err)
        self.assertEqual((self.project / "canceled/out/state.txt").read_text(), "saved")

    def test_what_is_said_after_the_output_is_five_lines(self):
        made = "import sys\n[open(f'out/{i:02}.txt', 'w').write('x') for i in range(int(sys.argv[1]))]\nprint('done', file=sys.stderr)\nraise SystemExit(int(sys.argv[2]))\n"
        make_project(self.project, job__py=made)
        for files, code in (("1", 0), ("1", 3), ("30", 0)):
            done = self.instance.run("run", self.project, "--name", f"made-{files}-{code}", "--artifact-dir", "out", "--", "python3", "job.py", files,
                                     str(code), check=False)
            told = done.stderr.split("done\n")[1].splitlines()
            self.assertEqual([line.split()[0] for line in told[:1] + told[2:]], ["artifacts:", "enforced:", "run", "times:"], told)
            self.assertEqual(done.stderr.count("exit code"), 1 if code else 0, done.stderr)
            self.assertIn("00.txt", told[1])
        self.assertIn("02.txt … and 27 more (paddock artifacts made-30-0)", told[1])

    def test_what_was_left_out_of_a_failed_run_is_named(self):
        done = self.script("ln -s /etc/passwd out/passwd; echo kept > out/log; exit 3\n", "--artifact-dir", "out", "--name", "links", check=False)
        self.assertEqual(done.returncode, 3)
        self.assertEqual((self.project / "out/log").read_text(), "kept\n")
        self.assertIn("out/passwd ", done.stderr.split("not brought back:")[1])
        left = self.instance.run_object("links")["status"]["leftOut"]
        self.assertEqual([(each["path"], each["reason"]) for each in left], [("out/passwd", "LINK_NOT_FOLLOWED")])

    # A hostile run's files that the caller's git or next upload would obey.
    # proves: ORB-128
    def test_nothing_comes_back_that_the_callers_tools_would_obey(self):
        (self.project / ".env").write_text("TOKEN=secret")
        hostile = ("mkdir -p sub/.git out/.git; echo x > sub/.git/config; echo x > out/.git/HEAD; echo 'gitdir: evil' > deep.git; "
                   "mv deep.git .git; echo '!.env' > .paddockignore; printf '!.env\\n!.git/\\n' > .gitignore; echo '!.env' > sub/.paddockignore\n")
        self.script(hostile, "--artifact-dir", ".", "--artifact-dir", "out")
        for path in (".git", ".paddockignore", "sub/.git", "sub/.paddockignore", "out/.git"):
            self.assertFalse(os.path.lexists(self.project / path), path)
        self.assertEqual((self.project / ".gitignore").read_text(), "!.env\n!.git/\n")
        make_project(self.project, **{"__git/config": "token"})
        self.assertEqual(set(self.script("ls -A\n").stdout.split()) & {".env", ".git"}, set())

    def follow(self, name, kept):
        following = self.instance.start("artifacts", name, "--follow", "--output", kept)
        self.addCleanup(lambda: following.poll() is None and following.kill())
        return following

    # proves partly: ORB-148
    def test_checkpoints_come_while_the_run_lives_through_other_agents_and_controllers(self):
        many = {f"data/{i}__txt": str(i) for i in range(40)}  # so that the workspace is laid, where the host can
        for name, more in (("small", {}), ("laid", many)):
            with self.subTest(name):
                make_project(self.project, job__py=CHECKPOINTS, **more)
                self.instance.run("compute", self.project, "--detach", "--name", name, "--artifact-dir", "out", "--artifact-dir", ".",
                                  "--", "python3", "job.py")
                kept = self.project / f"kept-{name}"
                following = self.follow(name, kept)
                steps = lambda: len(list(kept.glob("out/step-*.bin")))  # noqa: E731
                wait_until("the first checkpoint", lambda: steps() > 0)
                self.instance.kill("paddock-node-agent")
                self.instance.run("up")
                seen = steps()
                wait_until("a later one, through another agent", lambda: steps() > seen)
                self.instance.kill("paddock-controller")
                self.instance.run("up")
                seen = steps()
                wait_until("one through another controller", lambda: steps() > seen)
                self.assertFalse((kept / "out/log.txt").exists())
                self.assertIn("out/step-1.bin", self.instance.run("artifacts", name).stdout)
                self.instance.run("cancel", name)
                out, err = following.communicate(timeout=120)
                self.assertEqual(following.returncode, 0, err)
                self.assertEqual((kept / "out/log.txt").read_text(), "never closed")  # with the end
                self.assertEqual(sorted(out.split()), sorted(set(out.split())), "nothing comes twice")
                self.assertEqual((kept / "out/step-1.bin").read_text(), "1")
                self.assertNotIn("data/", out)

    def test_a_run_that_runs_is_looked_into_and_leads_nobody_astray(self):
        many = {f"data/{i}__txt": str(i) for i in range(40)}
        for name, more in (("looked", {}), ("looked-laid", many)):
            with self.subTest(name):
                make_project(self.project, job__py=LOOKED_INTO, **more)
                self.instance.run("compute", self.project, "--detach", "--name", name, "--", "python3", "job.py")
                wait_until("its files", lambda name=name: "ready" in self.instance.run("logs", name).stdout)
                self.look_into(name)
                self.instance.run("cancel", name)
                self.instance.wait_phase(name, "Canceled")
                self.refused("RUN_NOT_RUNNING", "files", name)

    def look_into(self, name):
        listed = self.instance.run("files", name).stdout
        for line in (r"link +link", r"pipe +other", r"out +folder", r"job.py +file +\d"):
            self.assertRegex(listed, rf"(?m)^{line}")
        self.assertNotIn("\x1b", self.instance.run("files", f"{name}:out").stdout)
        here = self.project / "here"
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir()
        self.instance.run("cp", f"{name}:out/model.ckpt", here)
        copied = (here / "model.ckpt").read_bytes()
        self.assertEqual(copied, copied[:64] * (100 << 10))
        self.instance.run("cp", f"run/{name}:/workspace/job.py", here / "script")
        self.assertEqual((here / "script").read_text(), LOOKED_INTO)
        for code, place in (("LINK_IN_PATH", "link"), ("LINK_IN_PATH", "root/etc/passwd"), ("NOT_A_REGULAR_FILE", "pipe"),
                            ("NOT_A_REGULAR_FILE", "out"), ("FILE_NOT_FOUND", "none"), ("USAGE", "../x"), ("USAGE", "/etc/passwd")):
            self.refused(code, "cp", f"{name}:{place}", here / "refused")
        self.assertEqual(sorted(path.name for path in here.iterdir()), ["model.ckpt", "script"])
        self.refused("RUN_NOT_FOUND", "cp", "no-such-run:x", here)
        self.named_as_typed(name, here)
        # A folder with all below it, into one that is there under its own name, and to one that is made.
        # (A name that is no text here keeps nothing else back.)
        self.refused("ARTIFACTS_NOT_WRITTEN", "cp", "-r", f"{name}:out", here)
        self.assertEqual((here / "out/model.ckpt").read_bytes(), copied)
        done = self.instance.run("cp", "-r", f"{name}:", here / "whole", check=False)
        said = done.stderr
        self.assertNotIn("\x1b", said)
        self.assertEqual((done.returncode, said.count("could not be copied")), (1, 1), said)
        self.assertEqual((here / "whole/job.py").read_text(), LOOKED_INTO)
        self.assertEqual((here / "whole/out/model.ckpt").read_bytes(), copied)
        for link in ("link", "root", "pipe"):
            self.assertIn(f"left out {link}: ", said)
            self.assertFalse(os.path.lexists(here / "whole" / link))
        # What lies here and leads elsewhere is not written through.
        (here / "trap").mkdir()
        (here / "trap/out").symlink_to(self.project / "elsewhere")
        (self.project / "elsewhere").mkdir(exist_ok=True)
        (here / "trap" / name).symlink_to(here / "trap")
        self.refused("ARTIFACTS_NOT_WRITTEN", "cp", "-r", f"{name}:", here / "trap")
        self.assertEqual(list((self.project / "elsewhere").iterdir()), [])
        for code, place in (("PATH_NOT_A_FOLDER", "job.py"), ("LINK_IN_PATH", "root"), ("FILE_NOT_FOUND", "none"), ("USAGE", "../x")):
            self.refused(code, "cp", "-r", f"{name}:{place}", here / "refused")
        self.assertFalse((here / "refused").exists())
        self.refused("USAGE", "cp", here / "script", here / "other")
        self.put_into(name, here)

    def named_as_typed(self, name, here):
        """Each error says which file it is about, on which side, and what works."""
        says = lambda code, *words: self.refused(code, *words, cwd=here)  # noqa: E731
        self.assertIn(f"`{name}:out/none`, in the run: there is no such file; `paddock files {name}:out` lists",
                      says("FILE_NOT_FOUND", "cp", f"{name}:out/none", "."))
        self.assertRegex(says("NOT_A_REGULAR_FILE", "cp", f"{name}:out", "."), rf"`{name}:out`, in the run: .*`paddock cp -r`")
        self.assertRegex(says("LINK_IN_PATH", "cp", f"{name}:link", "."), rf"`{name}:link`, in the run: .*the file that it leads to")
        self.assertIn(f"`{name}:none`, in the run: ", says("FILE_NOT_FOUND", "files", f"{name}:none"))
        self.assertIn(f"{name}:out/", says("NOT_A_REGULAR_FILE", "cp", "script", f"{name}:out"))
        self.assertIn("`no/such/x`, here: ", says("SYSTEM_ERROR", "cp", f"{name}:job.py", "no/such/x"))
        self.assertIn("`none/`, here: there is no such folder", says("FILE_NOT_FOUND", "cp", f"{name}:job.py", "none/"))
        self.assertIn("`none`, here: there is no such file", says("FILE_NOT_FOUND", "cp", "none", f"{name}:x"))
        (here / "job.py").mkdir()
        self.assertIn("`./job.py`, here: ", says("SYSTEM_ERROR", "cp", f"{name}:job.py", "."))
        for words in (("cp", "job.py", f"{name}:x"), ("cp", "-r", "job.py", f"{name}:x")):
            line = f"tar -cf - job.py | paddock exec -i {name} -- tar -xf -"
            self.assertIn(f"`{line}`", says("USAGE" if "-r" in words else "NOT_A_REGULAR_FILE", *words))
        (here / "job.py").rmdir()
        # Where the disk here is full nothing is left of it.
        if os.geteuid() == 0:
            full = here / "full"
            full.mkdir()
            mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(full)]
            if subprocess.run(mount, check=False, capture_output=True).returncode == 0:
                try:
                    said = says("SYSTEM_ERROR", "cp", f"{name}:out/model.ckpt", "full")
                    self.assertIn("`full/model.ckpt`, here: ", said)
                    self.assertIn("nothing of it was kept", said)
                    self.assertEqual(list(full.iterdir()), [])
                finally:
                    subprocess.run(["umount", str(full)], check=True)
            full.rmdir()

    def put_into(self, name, here):
        """What goes in is whole, the run's own and within its limits, and no link of it leads out."""
        put = lambda source, place: self.instance.run("cp", source, f"{name}:{place}")  # noqa: E731
        sent = here / "sent"
        sent.write_text("for the run\n")
        put(sent, "inbox/")
        wait_until("a word of the run", lambda: "sent: for the run mine" in self.instance.run("logs", name).stdout)
        sent.write_text("again\n")
        put(sent, "/workspace/inbox/sent")
        wait_until("another one", lambda: "sent: again mine" in self.instance.run("logs", name).stdout)
        put(sent, "link")
        self.instance.run("cp", f"{name}:link", here / "link")
        self.assertEqual((here / "link").read_text(), "again\n")
        (here / "link").unlink()
        for code, place in (("NOT_A_REGULAR_FILE", "out"), ("LINK_IN_PATH", "root/tmp/x"), ("USAGE", "../x")):
            self.refused(code, "cp", sent, f"{name}:{place}")
        self.refused("RUN_NOT_FOUND", "cp", sent, "no-such-run:x")
        self.refused("FILE_NOT_FOUND", "cp", here / "no-such-file", f"{name}:x")
        sent.write_bytes(b"x" * (8 << 20) + b"x")
        self.refused("BODY_TOO_LARGE", "cp", sent, f"{name}:large")
        log = self.instance.run("audit", "--type", "file.write", "-o", "json").stdout.splitlines()
        written = [each["details"]["path"] for each in map(json.loads, log) if each["object"] == f"runs/{name}"]
        self.assertEqual(written, ["inbox/sent", "inbox/sent", "link"])
        sent.unlink()

    def refused(self, code, *words, **kwargs):
        done = self.instance.run(*words, check=False, **kwargs)
        self.assertNotEqual(done.returncode, 0, words)
        self.assertIn(f"[{code}]", done.stderr, words)
        return done.stderr


if __name__ == "__main__":
    main()
