"""The table of stages, what CI takes from it, and the program that runs them."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", ".")).resolve()
sys.path.insert(0, str(SOURCE / "scripts"))
import stages  # noqa: E402
from stages import Stage  # noqa: E402

FAST = Stage("fast", "", "true", 100)
BUILD = Stage("build", "", "true", 1000, builds=True)


def names_called_for(*changed):
    return {stage.name for stage in stages.VERIFY if stages.called_for(stage, changed)}


class Table(unittest.TestCase):
    def test_each_stage_has_one_name_and_knows_what_it_needs(self):
        known = stages.callable_alone(stages.TEST + stages.VERIFY)
        names = [stage.name for stage in known]
        self.assertEqual(len(names), len(set(names)))
        for stage in known:
            self.assertGreater(stage.seconds, 0)
            self.assertLessEqual(set(stage.needs), set(names), stage.name)

    def test_each_script_and_folder_that_it_names_is_there(self):
        for stage in stages.callable_alone(stages.TEST + stages.VERIFY):
            for word in stage.run.replace(";", " ").split():
                if word.startswith("scripts/") or word.endswith(".py"):
                    self.assertTrue((SOURCE / word).exists(), f"{stage.name}: {word}")
            for pattern in stage.paths:
                folder = pattern.split("*")[0].rsplit("/", 1)[0]
                self.assertTrue((SOURCE / folder).exists(), f"{stage.name}: {pattern}")

    def test_every_suite_of_the_parts_is_one_of_the_whole_and_the_other_way_round(self):
        """By the labels that suites have, each alone: what a selection of ctest's takes of them."""
        labels = ("unit", "golden", "tidy", "fuzz", "simulation", "packaging", "adversarial", "everyday", "integration",
                  "faults", "ecosystem", "charts", "everyday-all", "servers", "kubectl", "vm", "skew", "dashboard", "a new one")
        def taken(stage):
            option, pattern = re.search(r"(-LE?) '?([^']+)'?$", stage.run).groups()
            return [label for label in labels if bool(re.search(pattern, label)) == (option == "-L")]
        (whole,) = [stage for stage in stages.TEST if stage.parts]
        self.assertEqual(sorted(taken(whole)), sorted(label for part in whole.parts for label in taken(part)))
        self.assertIn("a new one", taken(whole), "a suite without a label is run")
        self.assertEqual([stages.part_of(suite, whole).name for suite in ("everyday.agent", "integration.run_test", "unit.common_base", "simulation")],
                         ["everyday", "integration", "suites", "suites"])

    def test_what_make_test_leaves_out_a_stage_of_make_verify_runs(self):
        for label in stages.ELSEWHERE.split("|"):
            chosen = [re.search(r"-L '?([^' ]+)", stage.run) for stage in stages.VERIFY if stage.in_ci and "/suites " in stage.run]
            self.assertTrue([each for each in chosen if each and re.search(each[1], label)], label)

    def test_make_test_fits_half_an_hour_and_twelve_minutes_where_all_is_compiled(self):
        self.assertLessEqual(sum(stage.seconds for stage in stages.TEST), 30 * 60)
        self.assertLessEqual(sum(stage.seconds for stage in stages.TEST if not stage.builds), 12 * 60)

    def test_contributing_shows_it(self):
        text = (SOURCE / "CONTRIBUTING.md").read_text()
        for known, command in ((stages.TEST, "make test"), (stages.VERIFY, "make verify")):
            self.assertTrue(stages.table(known, command) in text, f"CONTRIBUTING.md: the table of {command} is what scripts/run-stages list prints")


class Choice(unittest.TestCase):
    def test_documentation_calls_for_what_every_change_calls_for(self):
        self.assertEqual(names_called_for("docs/cli.md"), {"demo-twice"})

    def test_code_calls_for_the_stages_that_could_tell(self):
        self.assertLessEqual({"release", "tsan", "seeds", "tidy", "dashboard"}, names_called_for("controller/api/routes.cc"))
        self.assertLessEqual({"release", "vm", "overhead", "windows"}, names_called_for("node-agent/sandbox/linux/filesystem/view.cc"))
        self.assertNotIn("vm", names_called_for("cli/terminal/table.cc"))
        self.assertNotIn("macos", names_called_for("common/os/darwin/process.cc"), "it is no part of CI")
        for path in ("controller/api/routes.cc", "node-agent/runs/journal.cc", "common/os/file.h", "cmake/Module.cmake", "tests/integration/harness.py"):
            self.assertIn("faults", names_called_for(path), path)
        for path in ("node-agent/files/run_files.cc", "cli/commands/up.cc", "common/http/http_client.cc", "packaging/profiles/session.yaml"):
            self.assertLessEqual({"faults", "ecosystem"}, names_called_for(path), path)
        self.assertEqual([stage.name for stage in stages.VERIFY][:4], ["release", "faults", "ecosystem", "charts"],
                         "what `make test` leaves out comes first")
        self.assertLessEqual({"packages"}, names_called_for("packaging/systemd/paddock-controller.service.in"))

    def test_what_agents_and_controllers_say_to_each_other_calls_for_the_release_before(self):
        for path in ("common/contracts/sync.h", "controller/nodes/synchronize.cc", "controller/api/handlers/nodes.cc",
                     "node-agent/sync/sync_core.cc", "packaging/previous-release", "tests/skew/release_apart_test.py"):
            self.assertIn("skew", names_called_for(path), path)
        self.assertNotIn("skew", names_called_for("cli/core/table.cc", "docs/cli.md"))

    def test_a_slow_machine_is_known_by_what_it_did_and_not_by_its_builds(self):
        self.assertEqual(stages.slowness([]), 1)
        self.assertEqual(stages.slowness([(BUILD, 10)]), 1)
        self.assertEqual(stages.slowness([(BUILD, 10), (FAST, 200)]), 2)

    def test_what_would_end_too_late_is_not_begun(self):
        self.assertTrue(stages.fits(100, stages.BUDGET_S - 100, 1))
        self.assertFalse(stages.fits(100, stages.BUDGET_S - 100, 1.1))

    def test_a_stage_costs_what_it_needs_too_and_by_the_file_where_it_goes_by_files(self):
        after = Stage("after", "", "true", 100, needs=("build",))
        self.assertEqual(stages.cost(after, {"build"}, (BUILD, after), []), 100)
        self.assertEqual(stages.cost(after, set(), (BUILD, after), []), 1100)
        by_file = Stage("by-file", "", "true", 100, paths=("*.cc",), per_file=4)
        self.assertEqual(stages.cost(by_file, set(), (), ["a.cc", "b.cc", "c.md"]), 8)
        self.assertEqual(stages.cost(by_file, set(), (), ["a.cc"] * 1000), 100)

    def test_twice_the_tables_time_for_make_test_ends_before_the_wall(self):
        self.assertLess(2 * sum(stage.seconds for stage in stages.TEST), stages.WALL_S)


class Runner(unittest.TestCase):
    """scripts/run-stages on tables of its own."""

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "scripts").mkdir()
        shutil.copy(SOURCE / "scripts/run-stages", self.root / "scripts")
        self.git("init", "-q")
        self.commit("first", "2026-01-01T00:00:00Z")
        self.env = {}

    def git(self, *words, **env):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words], cwd=self.root, check=True, env={**os.environ, **env},
                       stdout=subprocess.DEVNULL)

    def commit(self, file, date):
        (self.root / file).write_text("")
        self.git("add", file)
        self.git("commit", "-q", "-m", file, GIT_COMMITTER_DATE=date, GIT_AUTHOR_DATE=date)

    def run_stages(self, test, verify, *words, **settings):
        """Its exit code and what it said, with these stages: (name, command[, more of Stage])."""
        def written(rows):
            return "".join(f"    Stage({name!r}, 'x', {command!r}, 1, **{more!r}),\n" for name, command, more in
                           ((*row, {})[:3] for row in rows))
        text = (SOURCE / "scripts/stages.py").read_text()
        text = text.replace("\nBUDGET_S", f"\nTEST = (\n{written(test)})\nVERIFY = (\n{written(verify)})\nBUDGET_S")
        for name, value in settings.items():
            text += f"{name} = {value}\n"
        (self.root / "scripts/stages.py").write_text(text)
        env = {key: value for key, value in os.environ.items() if key not in ("CI_ARTIFACTS", "PADDOCK_CI_BASE")}
        env.update(self.env)
        done = subprocess.run([sys.executable, "-B", "scripts/run-stages", *words], cwd=self.root, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        return done.returncode, done.stdout

    def last_line(self, *arguments, **settings):
        rc, said = self.run_stages(*arguments, **settings)
        return rc, said.splitlines()[-1]

    def test_counts_stages_and_the_suites_that_ctest_reports(self):
        report = ("<testsuite><testcase name='a' status='run' time='12.4'/><testcase name='b' status='fail'/>"
                  "<testcase name='c' status='notrun'/></testsuite>")
        suites = f"echo \"{report}\" >$PADDOCK_TEST_REPORTS/one.xml; "
        self.assertEqual(self.last_line([("one", "true"), ("suites", suites + "false"), ("last", "true")], [], "test"), (1, "3 passed, 1 failed"))
        rc, said = self.run_stages([("suites", suites.replace("fail", "run"))], [], "test")
        self.assertEqual((rc, said.splitlines()[-1]), (0, "2 passed, 0 failed"))
        self.assertIn("skipped here (each suite says why): c", said)
        self.assertIn("the slowest suites:\n     12 s  suites: a\n", said)

    def test_a_suite_that_fails_without_a_report_is_a_failure_and_so_is_no_test_at_all(self):
        self.assertEqual(self.last_line([("one", "false")], [], "test"), (1, "0 passed, 1 failed"))
        self.assertEqual(self.last_line([], [], "test"), (1, "0 passed, 0 failed"))
        crashed = "echo \"<testsuite><testcase status='run'/></testsuite>\" >$PADDOCK_TEST_REPORTS/1.xml; false"
        self.assertEqual(self.last_line([("one", crashed)], [], "test"), (1, "1 passed, 1 failed"))

    def test_nothing_is_run_on_a_build_that_failed(self):
        rc, said = self.run_stages([("build", "false", {"builds": True}), ("suites", "echo never")], [("more", "echo never")], "ci")
        self.assertEqual((rc, said.splitlines()[-1]), (1, "0 passed, 1 failed"))
        self.assertNotIn("never", said)

    def test_runs_the_stages_that_it_is_told(self):
        table = [("one", "echo first"), ("two", "echo second")]
        rc, said = self.run_stages([], table, "verify", "two")
        self.assertEqual(rc, 0)
        self.assertNotIn("first", said)
        rc, said = self.run_stages([], table, "verify", "three")
        self.assertNotEqual(rc, 0)
        self.assertIn("no stage three; there are one, two", said)

    def test_parts_are_run_at_once_and_told_apart_and_each_can_be_asked_for_alone(self):
        report = "".join(f"<testcase name='{name}' status='run' time='{seconds}'/>" for name, seconds in
                         (("left.a", 3), ("right.a", 5), ("right.b", 6)))
        both = ("both", f'echo "<testsuite>{report}</testsuite>" >$PADDOCK_TEST_REPORTS/1.xml',
                {"parts": tuple(Stage(name, "x", f"echo only-{name}", 1) for name in ("left", "right"))})
        rc, said = self.run_stages([both], [], "test")
        self.assertEqual((rc, said.splitlines()[-1]), (0, "3 passed, 0 failed"))
        self.assertNotIn("only-", said)
        self.assertRegex(said, r"left: 1 suites, 3 s .*\n +right: 2 suites, 11 s ")
        self.assertIn("\n      6 s  right: right.b\n", said)
        rc, said = self.run_stages([both], [], "test", "right")
        self.assertEqual((rc, said.splitlines()[-1]), (0, "1 passed, 0 failed"))
        self.assertIn("only-right", said)

    def test_ci_goes_down_the_table_for_what_changed_within_a_day(self):
        self.commit("old.cc", "2026-01-02T00:00:00Z")
        self.commit("new.h", "2026-01-03T12:00:00Z")
        self.commit("newest.md", "2026-01-03T13:00:00Z")
        rows = [(name, "echo ran-$PADDOCK_CHANGED_SINCE", {"paths": (pattern,)}) for name, pattern in
                [("sources", "*.cc"), ("headers", "*.h"), ("documents", "*.md")]]
        rc, said = self.run_stages([("one", "true")], rows, "ci")
        self.assertEqual(rc, 0)
        self.assertNotIn("=== sources", said)
        self.assertRegex(said, "(?s)=== headers.*ran-[0-9a-f]{40}.*=== documents")
        self.assertEqual(said.splitlines()[-1], "3 passed, 0 failed")

    def test_ci_compares_with_the_base_that_it_is_told_and_where_there_is_none_everything_changed(self):
        self.commit("old.cc", "2026-01-02T00:00:00Z")
        self.commit("new.h", "2026-01-03T12:00:00Z")
        rows = [("sources", "true", {"paths": ("*.cc",)}), ("headers", "true", {"paths": ("*.h",)})]
        for base, passed in (("HEAD~2", 3), ("HEAD~1", 2), ("0" * 40, 3)):
            self.env = {"PADDOCK_CI_BASE": base}
            self.assertEqual(self.last_line([("one", "true")], rows, "ci"), (0, f"{passed} passed, 0 failed"), base)

    def test_ci_names_what_it_left_out_for_want_of_time(self):
        rc, said = self.run_stages([("one", "true")], [("long", "echo never", {}), ("longer", "true", {})], "ci", BUDGET_S=0)
        self.assertEqual(rc, 0)
        self.assertIn("left out for want of time: long, longer", said.splitlines()[-2])
        self.assertNotIn("never", said)

    def test_ci_ends_a_stage_at_the_wall_with_all_that_it_started(self):
        for wall in (3, 60):  # later where the machine needs it for the stage to begin
            rc, said = self.run_stages([("one", "true")], [("endless", "sleep 1000 & echo $! >pid; wait")], "ci", WALL_S=wall)
            if (self.root / "pid").exists():
                break
        self.assertEqual(rc, 0)
        self.assertIn("endless: not over in time", said)
        self.assertIn("left out for want of time: endless", said)
        pid = (self.root / "pid").read_text().strip()
        self.assertFalse(pathlib.Path(f"/proc/{pid}/cmdline").exists() and pathlib.Path(f"/proc/{pid}/cmdline").read_bytes())
        self.assertEqual(self.last_line([("endless", "sleep 1000")], [], "ci", WALL_S=1), (1, "0 passed, 1 failed"))


if __name__ == "__main__":
    unittest.main()
