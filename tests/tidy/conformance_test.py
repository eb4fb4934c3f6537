#!/usr/bin/env python3
"""scripts/conformance.py finds each comment's test and refuses comments that claim nothing real."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ.get("PADDOCK_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SCRIPT = os.path.join(ROOT, "scripts/conformance.py")
spec = importlib.util.spec_from_file_location("conformance", SCRIPT)
conformance = importlib.util.module_from_spec(spec)
spec.loader.exec_module(conformance)
KNOWN = set(conformance.known_requirements())


def proofs_of(path, text):
    proofs, faults = conformance.proofs_of_file(path, text, KNOWN)
    return [tuple(proof) for proof in proofs], faults


class Conformance(unittest.TestCase):
    def test_knows_every_requirement(self):
        self.assertEqual(len(KNOWN), 635)
        self.assertTrue({"ORB-01", "ORB-158", "OD-116", "VLT-114", "ELV-136", "WSM-111"} <= KNOWN)
        self.assertFalse({"ORB-00", "ORB-159", "ORB-1", "WSM-112"} & KNOWN)

    def test_takes_the_test_below_the_comment(self):
        text = "// proves: ORB-24, VLT-45\n// words\nTEST(Run, Works) { EXPECT_TRUE(x); }\n"
        self.assertEqual(proofs_of("a.cc", text), ([("ORB-24", False, "a.cc: Run.Works"), ("VLT-45", False, "a.cc: Run.Works")], []))
        text = "# proves partly: ORB-24\n@decorated\ndef test_it(self):\n    self.assertTrue(x)\n"
        self.assertEqual(proofs_of("a.py", text), ([("ORB-24", True, "a.py: test_it")], []))

    def test_takes_wrapped_declarations_and_lists(self):
        text = "// proves: ORB-24,\n// ORB-25\nTEST(Run,\n     Works) { EXPECT_TRUE(x); }\n"
        self.assertEqual([proof[0::2] for proof in proofs_of("a.cc", text)[0]], [("ORB-24", "a.cc: Run.Works"), ("ORB-25", "a.cc: Run.Works")])

    def test_takes_the_test_around_a_comment_in_its_body(self):
        text = "def test_it(self):\n    x = 1\n    # proves: ORB-24\n    assert x\n"
        self.assertEqual(proofs_of("a.py", text), ([("ORB-24", False, "a.py: test_it")], []))

    def test_refuses_unknown_requirements_and_comments_at_no_test(self):
        self.assertEqual(proofs_of("a.cc", "// proves: ORB-159\nTEST(A, B) { FAIL(); }\n"), ([], ['a.cc:1: no requirement is called "ORB-159"']))
        self.assertEqual(proofs_of("a.cc", "// proves: ORB-24\nint x;\n"), ([], ["a.cc:1: stands at no test"]))

    def hollow(self, path, text, **others):
        """Whether the claim at the only test of this file is refused as one of a test that cannot fail."""
        with tempfile.TemporaryDirectory() as root:
            for name, content in others.items():
                with open(os.path.join(root, name.replace("__", ".")), "w", encoding="utf-8") as file:
                    file.write(content)
            proofs, faults = conformance.proofs_of_file(path, text, KNOWN, root)
        self.assertEqual(len(proofs), 1)
        self.assertTrue(all("cannot fail" in fault for fault in faults), faults)
        return bool(faults)

    def test_refuses_claims_of_c_tests_that_assert_nothing(self):
        def test(body, before="", **others):
            return self.hollow("a.cc", f"{before}// proves: ORB-24\nTEST(A, B) {{ {body} }}\nTEST(A, C) {{ EXPECT_TRUE(x); }}\n", **others)
        for body in ("", "run();", "// EXPECT_TRUE(x)\n", 'puts("EXPECT_TRUE(x) }");', "puts(R\"(EXPECT_EQ(1, 2))\");", "if (x) { run(); }"):
            self.assertTrue(test(body), body)
        for body in ("ASSERT_TRUE(x);", "for (;;) { if (c == '}') EXPECT_EQ(1, 2) << x; }", "static_assert(!x);", "ADD_FAILURE() << x;"):
            self.assertFalse(test(body), body)
        helper = "bool holds(int x) const {\n  EXPECT_TRUE(x);\n  return x;\n}\nvoid twice() { holds(1); holds(2); }\nvoid idle() {}\n"
        self.assertFalse(test("holds(1);", helper))
        self.assertFalse(test("twice();", helper))
        self.assertTrue(test("idle();", helper))
        included = dict(h__h='#include "g.h"\n', g__h="", g__cc="void expect_it() { EXPECT_TRUE(1); }\nvoid run() { EXPECT_TRUE(1); }\n")
        self.assertFalse(test("expect_it();", '#include "h.h"\n', **included))
        self.assertTrue(test("run();", '#include "h.h"\n', **included), "its name says nothing of what it asserts")
        self.assertTrue(test("expect_it();", **included), "nobody includes it")

    def test_refuses_claims_of_python_tests_that_assert_nothing(self):
        def test(body, before="", **others):
            return self.hollow("a.py", f"{before}# proves: ORB-24\ndef test_it(self):\n    {body}\n", **others)
        for body in ("pass", "self.run()", "print('self.assertTrue(x)')", "raise ValueError"):
            self.assertTrue(test(body), body)
        for body in ("self.assertTrue(x)", "assert x", "with self.assertRaises(E): f()", "wait_until('x', f)", "self.fail('x')"):
            self.assertFalse(test(body), body)
        helper = "def holds(x):\n    if not x: raise AssertionError(x)\ndef idle(): pass\n"
        self.assertFalse(test("holds(1)", helper))
        self.assertTrue(test("idle()", helper))
        imported = dict(other__py="def check_it(self): self.assertTrue(1)\ndef run(self): self.assertTrue(1)\n")
        self.assertFalse(test("check_it()", "from other import check_it\n", **imported))
        self.assertTrue(test("run()", "from other import run\n", **imported))

    def test_refuses_claims_of_stages_that_cannot_fail(self):
        stages = '    # proves: VLT-103\n    Stage("one", "x", "a || true", 5),\n    Stage("two", "x", "a || true; b", 5),\n'
        self.assertTrue(self.hollow(conformance.STAGES, stages))
        self.assertFalse(self.hollow(conformance.STAGES, stages.replace('    # proves: VLT-103\n', "").replace('    Stage("two"', '    # proves: VLT-103\n    Stage("two"')))

    def test_takes_the_stage_of_ci_below_the_comment(self):
        text = '    # proves: VLT-103\n    Stage("coverage", "lines",\n          "scripts/coverage", 10),\n'
        self.assertEqual(proofs_of("scripts/stages.py", text), ([("VLT-103", False, "scripts/stages.py: coverage")], []))

    def test_counts_decisions_and_refuses_those_about_nothing(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "docs"))
            with open(os.path.join(root, "docs/decisions.md"), "w", encoding="utf-8") as file:
                file.write("| VLT-01 | an answer |\n| VLT-02 |  |\n| VLT-999 | x |\n| OD-01 | a |\n| OD-01 | b |\n")
            named, faults = conformance.decided(root)
            self.assertEqual(named, {"VLT-01", "VLT-999", "OD-01"})
            self.assertEqual(len(faults), 2)
        proof = conformance.Proof("VLT-01", True, "a")
        self.assertEqual([conformance.state_of(proofs, True) for proofs in ([], [proof], [proof._replace(partly=False)])],
                         ["documented", "documented", "proven"])
        self.assertEqual(conformance.state_of([proof], False), "partly")

    def test_check_fails_when_the_file_is_stale(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "docs"))
            os.makedirs(os.path.join(root, "common"))

            def run(*arguments):
                command = [sys.executable, SCRIPT, "--root", root, *arguments]
                return subprocess.run(command, capture_output=True, text=True, check=False).returncode

            self.assertEqual(run(), 0)
            self.assertEqual(run("--check"), 0)
            with open(os.path.join(root, "common/a_test.cc"), "w", encoding="utf-8") as file:
                file.write("// proves: ORB-24\nTEST(A, B) {}\n")
            self.assertEqual((run("--check"), run()), (1, 1), "it asserts nothing")
            with open(os.path.join(root, "common/a_test.cc"), "w", encoding="utf-8") as file:
                file.write("// proves: ORB-24\nTEST(A, B) { EXPECT_TRUE(x); }\n")
            self.assertEqual(run("--check"), 1)
            self.assertEqual(run(), 0)
            with open(os.path.join(root, "docs/conformance.md"), encoding="utf-8") as file:
                text = file.read()
            self.assertIn("| ORB-24 | proven | `common/a_test.cc: A.B` |", text)
            self.assertIn("| all | 635 | 1 | 0 | 0 | 634 |", [line for line in text.splitlines() if "all" in line])


if __name__ == "__main__":
    unittest.main()
