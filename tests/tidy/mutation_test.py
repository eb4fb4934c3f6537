#!/usr/bin/env python3
"""The list of scripts/mutations.py fits the tree, and scripts/mutation_check.py tells a test that notices from one that does not."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2])).resolve()
sys.path.insert(0, str(SOURCE / "scripts"))
sys.dont_write_bytecode = True
import mutation_check  # noqa: E402
from mutations import MUTATIONS, Mutation  # noqa: E402


class List(unittest.TestCase):
    def test_each_edit_applies_to_one_file_and_changes_one_line(self):
        for mutation in MUTATIONS:
            path = mutation_check.place(mutation, SOURCE)
            self.assertNotEqual(mutation.find, mutation.replace, mutation.name)
            self.assertNotIn("\n", mutation.find + mutation.replace, path)

    def test_names_differ_and_there_are_enough_to_choose_from(self):
        names = [mutation.name for mutation in MUTATIONS]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 12)

    def test_each_test_that_it_names_is_there_and_they_are_of_many_modules(self):
        programs = {mutation_check.program(mutation, SOURCE) for mutation in MUTATIONS}
        self.assertGreaterEqual(len(programs), 10)


class Requirements(unittest.TestCase):
    def test_a_claim_is_listed_with_what_its_test_proves(self):
        listed = subprocess.run([sys.executable, "-B", SOURCE / "scripts/mutation_check.py", "--list"], cwd=SOURCE, text=True,
                                stdout=subprocess.PIPE, check=True).stdout.splitlines()
        lines = {line.split()[0]: line for line in listed}
        self.assertEqual(set(lines), {mutation.name for mutation in MUTATIONS})
        self.assertTrue(lines["encoded-path"].endswith("a path that is encoded twice is refused (OD-44, OD-101)"), lines["encoded-path"])
        self.assertTrue(lines["leap"].endswith("behind a calendar that has just leapt"), lines["leap"])

    def test_they_are_those_of_the_comment_above_the_test(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "common").mkdir()
            (root / "common/limit_test.cc").write_text("// proves: ORB-24\n// proves partly: VLT-45\nTEST(Limit, IsTen) {\n  EXPECT_EQ(1, 1);\n}\n")
            self.assertEqual(mutation_check.requirements(root), {"Limit.IsTen": ["ORB-24", "VLT-45"]})


class Choice(unittest.TestCase):
    def test_a_seed_chooses_the_same_ones_each_time_and_seeds_differ(self):
        def names(seed):
            return [mutation.name for mutation in mutation_check.chosen(MUTATIONS, 5, seed)]
        self.assertEqual(names("a"), names("a"))
        self.assertEqual(len(set(names("a"))), 5)
        self.assertGreater(len({tuple(names(str(seed))) for seed in range(20)}), 15)
        self.assertEqual(len(mutation_check.chosen(MUTATIONS, 99, "a")), len(MUTATIONS))


# A tree whose "compiler" copies a script, and whose test programs run it.
BUILD = """#!/bin/sh
echo "$@" >>built
grep -q syntax common/limit/limit.cc && { echo "cannot compile"; exit 1; }
mkdir -p build/test/tests && grep -v '^#pragma' common/limit/limit.cc >build/test/tests/common_limit_test && chmod +x build/test/tests/common_limit_test
"""
TESTS = "".join(f"TEST({name}) {{}}\n" for name in ("Limit, IsTen", "Broken, Always", "Hangs, Forever", "Nothing, There"))
PROGRAM = """#!/bin/sh
limit=10
unused=1
case "$1" in
  *Limit*) [ "$limit" = 10 ] || { echo "[  FAILED  ] Limit.IsTen"; exit 1; }; echo "[  PASSED  ] 1 test." ;;
  *Broken*) echo "[  FAILED  ] Broken.Always"; exit 1 ;;
  *Hangs*) [ "$limit" = 10 ] || sleep 600; echo "[  PASSED  ] 1 test." ;;
  *) echo "[  PASSED  ] 0 tests." ;;
esac
"""


class Check(unittest.TestCase):
    def setUp(self):
        self.tree = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in (("scripts/build", BUILD), ("common/limit/limit.cc", PROGRAM), ("common/limit/limit_test.cc", TESTS + PROGRAM),
                           ("CMakeLists.txt", "module(common/lim)\nmodule(common/limit DEPENDS common/lim)\n")):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(text)
        (self.tree / "scripts/build").chmod(0o755)
        self.printed = self.enterContext(mock.patch("builtins.print"))

    def missed(self, find, replace, test):
        return [each.name for each in mutation_check.check(self.tree, [Mutation("m", "a claim", find, replace, test)])]

    def trouble(self, *edit):
        with self.assertRaises(mutation_check.Trouble) as raised:
            self.missed(*edit)
        self.assertEqual((self.tree / "common/limit/limit.cc").read_text(), PROGRAM, "it is as it was")
        return str(raised.exception)

    def test_a_test_that_fails_has_caught_it_and_the_line_is_put_back(self):
        self.assertEqual(self.missed("limit=10", "limit=11", "Limit.IsTen"), [])
        self.assertEqual((self.tree / "common/limit/limit.cc").read_text(), PROGRAM)

    def test_a_test_that_passes_all_the_same_has_missed_it(self):
        self.assertEqual(self.missed("unused=1", "unused=2", "Limit.IsTen"), ["m"])

    def test_a_test_that_does_not_end_has_caught_it(self):
        with mock.patch.object(mutation_check, "PATIENCE_S", 2):
            self.assertEqual(self.missed("limit=10", "limit=11", "Hangs.Forever"), [])

    def test_an_edit_that_no_longer_applies_is_named_before_anything_is_built(self):
        self.assertIn("the edit no longer applies: its line stands in no file", self.trouble("gone=1", "", "Limit.IsTen"))
        said = self.trouble("[  PASSED  ]", "", "Limit.IsTen")
        self.assertIn("common/limit/limit.cc (3), and must stand once", said)
        self.assertFalse((self.tree / "built").exists())

    def test_what_does_not_compile_fails_already_or_has_no_test_proves_nothing(self):
        self.assertIn("does not compile with this edit", self.trouble("unused=1", "syntax", "Limit.IsTen"))
        self.assertIn("fails as the code stands", self.trouble("unused=1", "unused=2", "Broken.Always"))
        self.assertIn("has no test Nothing.There", self.trouble("unused=1", "unused=2", "Nothing.There"))
        self.assertIn("Limit.IsEleven stands in no file", self.trouble("unused=1", "unused=2", "Limit.IsEleven"))

    def test_a_name_that_the_edit_leaves_unread_is_no_reason_not_to_compile(self):
        unread = "namespace {\nint never() { return 1; }\nclass Owner {\n  int field_ = 1;\n};\n}\nint f(int given) {\n  int local = 1;\n  return 2;\n}\n"
        for before, compiles in (("", False), (mutation_check.MAY_BE_UNREAD, True)):
            (self.tree / "unread.cc").write_text(before + unread)
            done = subprocess.run(["clang++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", self.tree / "unread.cc"], text=True, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode == 0, compiles, done.stderr)

    def test_one_that_was_caught_does_not_stand_in_the_way_of_the_next_in_the_same_program(self):
        mutations = [Mutation("first", "a claim", "limit=10", "limit=11", "Limit.IsTen"), Mutation("next", "a claim", "unused=1", "unused=2", "Limit.IsTen")]
        self.assertEqual([each.name for each in mutation_check.check(self.tree, mutations)], ["next"])

    def test_trouble_with_one_ends_no_other(self):
        mutations = [Mutation(name, "a claim", find, "syntax" if name == "bad" else "limit=11", "Limit.IsTen")
                     for name, find in (("bad", "unused=1"), ("good", "limit=10"))]
        with self.assertRaisesRegex(mutation_check.Trouble, "^bad: .*does not compile"):
            mutation_check.check(self.tree, mutations)
        self.assertIn("caught  good", str(self.printed.call_args_list))


class Copy(unittest.TestCase):
    def test_has_what_changed_and_not_what_moved_away_and_keeps_times(self):
        root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        source, target = root / "source", root / "target"
        (source / "common").mkdir(parents=True)
        for name in ("a.cc", "b.cc", "ignored.o"):
            (source / "common" / name).write_text(name)
        (source / ".gitignore").write_text("*.o\n")
        subprocess.run(["git", "init", "-q", source], check=True)
        mutation_check.copy_tree(source, target)
        self.assertEqual(sorted(os.listdir(target / "common")), ["a.cc", "b.cc"])
        before = (target / "common/a.cc").stat().st_mtime_ns
        (source / "common/b.cc").rename(source / "common/c.cc")
        mutation_check.copy_tree(source, target)
        self.assertEqual(sorted(os.listdir(target / "common")), ["a.cc", "c.cc"])
        self.assertEqual((target / "common/a.cc").stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
