"""Ended runs once more, and commands that take several names, labels and names as `-o name` prints them."""
import json

from harness import ProjectTest, main, make_project


class Rerun(ProjectTest):
    def rerun(self, *words):
        """The new name, once it has ended."""
        name = self.cli("rerun", *words).stdout.strip()
        self.instance.run("wait", name, check=False)
        return self.instance.run_object(name)

    # --- rerun ---

    def test_a_run_is_the_same_once_more_or_changed_by_options(self):
        make_project(self.project, job__py="import os, pathlib, sys\npathlib.Path('out').mkdir(exist_ok=True)\n"
                                           "pathlib.Path('out/seed.txt').write_text(os.environ['SEED'])\n"
                                           "print('seed', os.environ['SEED'], sys.argv[1:])\n")
        self.cli("run", self.project, "--name", "first", "--env", "SEED=1", "--label", "team=a", "--memory", "256Mi",
                 "--artifact-dir", "out", "--output", self.project / "back", "--", "python3", "job.py", "x y")
        before = self.instance.run_object("first")
        same = self.rerun("first")
        self.assertRegex(same["metadata"]["name"], "^first-[a-z0-9]{5}$")
        self.assertEqual(same["spec"], {**before["spec"], "workspaceRoot": before["status"]["workspaceRoot"]})
        self.assertEqual(same["metadata"]["labels"], {"team": "a"})
        self.assertEqual(same["metadata"]["annotations"], {"paddock.dev/rerun-of": "first"})
        self.assertEqual(same["status"]["result"]["stdout"], "seed 1 ['x y']\n")
        self.assertEqual(same["status"]["artifacts"], before["status"]["artifacts"])

        changed = self.rerun("run.paddock.dev/first", "--name", "second", "--env", "SEED=2", "--memory", "512Mi", "--label", "try=2",
                             "--", "python3", "job.py", "other")
        self.assertEqual((changed["metadata"]["name"], changed["status"]["result"]["stdout"]), ("second", "seed 2 ['other']\n"))
        self.assertEqual(changed["spec"]["sandbox"]["limits"]["memory"], "512Mi")
        self.assertEqual(changed["metadata"]["labels"], {"team": "a", "try": "2"})

    def test_its_files_are_those_of_then_or_it_says_that_they_are_gone(self):
        make_project(self.project, job__py="print('old')\n")
        self.cli("compute", self.project, "python3 job.py", "--name", "old")
        make_project(self.project, job__py="print('new')\n")
        self.cli("compute", self.project, "python3 job.py", "--name", "new")
        refused = self.cli("rerun", "old", code=125)
        self.assertIn("WORKSPACE_CHANGED", refused.stderr)
        self.assertIn("--latest-files", refused.stderr)
        self.assertEqual(self.rerun("old", "--latest-files")["status"]["result"]["stdout"], "new\n")
        make_project(self.project, job__py="print('old')\n")
        self.cli("compute", self.project, "python3 job.py", "--name", "again")
        self.assertEqual(self.rerun("old")["status"]["result"]["stdout"], "old\n")

    def test_code_and_input_come_along(self):
        make_project(self.project, job__py="print(sum(input_data['n']))\n", n__json=json.dumps({"n": [1, 2, 3]}))
        name = self.cli("execute", self.project / "job.py", "--input", self.project / "n.json", "--detach").stdout.strip()
        self.cli("wait", name)
        self.assertEqual(self.rerun(name)["status"]["result"]["stdout"], "6\n")
        (self.project / "text").write_text("from stdin\n")
        self.cli("run", "--name", "reads", "--stdin", self.project / "text", "--", "cat")
        self.assertEqual(self.rerun("reads")["status"]["result"]["stdout"], "from stdin\n")

    def test_several_are_chosen_by_labels_and_fields_and_one_refused_stops_none(self):
        for name, code in (("good", 0), ("bad", 3)):
            self.cli("run", "--name", name, "--label", "sweep=s", "--", "sh", "-c", f"exit {code}", code=code)
        self.cli("run", "--name", "long", "--label", "sweep=s", "--detach", "--", "sleep", "600")
        failed = self.cli("rerun", "-l", "sweep=s", "--field-selector", "status.phase=Failed").stdout.split()
        self.assertEqual([name[:4] for name in failed], ["bad-"])
        self.cli("wait", *failed, code=3)
        done = self.cli("rerun", "long", "missing", "good", "good", code=125)
        self.assertEqual([name[:5] for name in done.stdout.split()], ["good-"], "each once")
        self.assertIn("RUN_NOT_ENDED", done.stderr)
        self.assertIn("`paddock cancel long`", done.stderr)
        self.assertIn("RUN_NOT_FOUND", done.stderr)
        self.assertIn("NO_RUN", self.cli("rerun", "-l", "sweep=none", code=127).stderr)
        self.assertIn("USAGE", self.cli("rerun", code=2).stderr)
        self.assertIn("--name", self.cli("rerun", "good", "bad", "--name", "x", code=2).stderr)
        self.assertIn("INVALID_OPTION", self.cli("rerun", "good", "--memory", "much", code=2).stderr)
        self.cli("cancel", "long", "--now")

    # --- several names ---

    def test_logs_and_artifacts_of_several_runs(self):
        for name in ("one", "two"):
            self.cli("run", "--name", name, "--label", "group=g", "--artifact-dir", "out", "--output", self.project / "back", "--",
                     "sh", "-c", f"mkdir -p out; echo {name} | tee out/name.txt")
        self.assertEqual(self.cli("logs", "run/one").stdout, "one\n", "one alone has no title")
        both = "==> one <==\none\n==> two <==\ntwo\n"
        self.assertEqual(self.cli("logs", "one", "run.paddock.dev/two").stdout, both)
        self.assertEqual(self.cli("logs", "-l", "group=g", "--tail", "1").stdout, both)
        missing = self.cli("logs", "one", "missing", "two", code=127)
        self.assertIn("==> two <==\ntwo\n", missing.stdout)
        self.assertIn("RUN_NOT_FOUND", missing.stderr)
        self.assertIn("--follow", self.cli("logs", "-f", "one", "two", code=2).stderr)
        self.assertIn("NO_RUN", self.cli("logs", "-l", "group=none", code=127).stderr)

        fetched = self.project / "fetched"
        self.cli("artifacts", "-l", "group=g", "--output", fetched)
        for name in ("one", "two"):
            self.assertEqual((fetched / name / "out/name.txt").read_text(), f"{name}\n")
        self.assertNotRegex(self.cli("artifacts", "one", "--output", self.project / "alone").stdout, r"\b[0-9a-f]{64}\b")
        self.assertRegex(self.cli("artifacts", "one", "--output", self.project / "again", "-v").stdout, r"(?m)^\S+  \S+ \S+  [0-9a-f]{64}$")
        self.assertEqual((self.project / "alone/out/name.txt").read_text(), "one\n")
        self.assertIn("==> two <==", self.cli("artifacts", "one", "two").stdout)

    def test_names_are_deleted_as_they_are_printed(self):
        for name in ("gone-1", "gone-2"):
            self.cli("run", "--name", name, "--label", "end=yes", "--", "true")
        printed = self.cli("get", "runs", "-l", "end=yes", "-o", "name").stdout.split()
        self.assertEqual(len(printed), 2)
        self.assertIn("names no kind", self.cli("delete", printed[0], "gone-2", code=2).stderr)
        self.assertEqual(self.cli("delete", *printed).stdout.count("deleted"), 2)
        self.assertIn("nothing matches", self.cli("delete", "runs", "-l", "end=yes").stderr)

    def test_sessions_are_named_by_an_option_and_destroyed_together(self):
        for name in ("s-1", "s-2"):
            self.assertEqual(self.cli("sandbox", "create", "--name", name, "--timeout", "10m").stdout, f"{name}\n")
        self.assertIn("USAGE", self.cli("sandbox", "create", "a", "--name", "b", code=2).stderr)
        self.assertEqual(self.cli("sandbox", "exec", "sandbox/s-1", "echo hi > f; cat f").stdout, "hi\n")
        self.assertEqual(self.cli("sandbox", "files", "sandbox.paddock.dev/s-1", "f").stdout, "hi\n")
        done = self.cli("sandbox", "destroy", "s-1", "missing", "sb/s-2", code=127)
        self.assertIn("sandbox s-2 destroyed", done.stderr)
        self.assertIn("SANDBOX_NOT_FOUND", done.stderr)
        self.assertIn("NO_SANDBOX", self.cli("sandbox", "destroy", "-l", "a=none", code=127).stderr)
        self.assertIn("USAGE", self.cli("sandbox", "destroy", "run/x", code=2).stderr)

    # --- words ---

    def test_what_is_surely_meant_otherwise_is_remarked_and_unknown_fields_are_refused(self):
        self.assertIn("--disk 10 is 10 B", self.cli("run", "--disk", "10", "--", "true").stderr)
        self.assertNotIn("has a unit", self.cli("run", "--disk", "10Mi", "--", "true").stderr)
        for output in ((), ("-o", "name"), ("-o", "json"), ("-o", "wide")):
            refused = self.cli("get", "runs", "--sort-by", ".status.startedAd", *output, code=2)
            self.assertIn("FIELD_UNKNOWN", refused.stderr)
            self.assertIn("did you mean `startedAt`?", refused.stderr)
            self.assertEqual(refused.stdout, "")
        self.cli("get", "runs", "--sort-by", "metadata.labels.none")


if __name__ == "__main__":
    main()
