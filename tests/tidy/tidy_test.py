#!/usr/bin/env python3
"""The source tree keeps its rules, and each rule is shown failing on a planted violation."""
import glob
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rules  # noqa: E402

TERMS = "PADDOCK_NEUTRALITY_FORBIDDEN_TERMS"
NEUTRALITY = rules.nobody_is_named_as_the_orchestrator
ROOT = os.environ.get("PADDOCK_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))

PLAN = """
module(common/base)
module(common/wire DEPENDS common/base LIBS rapidjson yaml-cpp)  # module(not/this)
module(common/os DEPENDS common/base)
module(controller/store DEPENDS common/wire
                        LIBS SQLite::SQLite3)
module(cli/output DEPENDS common/wire)
module(cli/client DEPENDS cli/output)
module(controller/api/handlers/runs DEPENDS common/base)
module(controller/api DEPENDS controller/api/handlers/runs controller/store)
"""
SOUND = {
    "CMakeLists.txt": PLAN,
    "common/base/text.h": "// Text.\n#pragma once\n",
    "common/wire/json.h": "// JSON.\n#pragma once\n",
    "common/wire/internal/number.h": "// Numbers.\n#pragma once\n",
    "common/wire/json.cc": '#include <rapidjson/reader.h>\n#include "common/base/text.h"\n'
                           '#include "common/wire/internal/number.h"\nbool f(A a) { return a.status.phase == 1; }\n',
    "common/wire/yaml.cc": "#include <yaml-cpp/parser.h>\nint g() { throw 1; }\n",
    "controller/sessions/life.cc": "void end(A& a) { a.status.phase = 1; }\n",
    "common/wire/json_test.cc": '#include <gtest/gtest.h>\n#include "common/wire/json.h"\n#include "tests/support/dir.h"\n',
    "common/os/file.cc": "#ifdef __linux__\n#endif\n#include <sys/stat.h>\n#include <vector>\n",
    "controller/store/store.h": "// Records.\n#pragma once\n",
    "controller/store/store.cc": '#include <sqlite3.h>\n#include "common/base/text.h"  // sleeps: usleep(1)\n',
    "cli/output/a.cc": 'const char* kWord = "throw";\n#include "common/wire/json.h"\n',
    "cli/client/send.h": "// Sends.\n#pragma once\nnamespace paddock::wire {\nclass Value;\n}\nnamespace paddock::cli {\nstruct Sent {};\n}\n",
    "controller/api/routes.cc": '#include "controller/store/store.h"\n',
    "tests/support/dir.h": "// A folder.\n#pragma once\n",
}


def faults_with(files, rule):
    """What a rule says about a sound tree in which some files are replaced."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**SOUND, **files}.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)) or root, exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return rule(rules.Tree(root))


def planted(rule, files, where):
    def test(self):
        faults = faults_with(files, rule)
        self.assertTrue(faults, "the planted violation was not found")
        for fault in faults:
            self.assertIn(where, fault)
    return test


class SourceTree(unittest.TestCase):
    maxDiff = None


class MediaDoor(unittest.TestCase):
    # proves: OD-20
    def test_a_caller_that_reaches_past_the_door_fails_the_build(self):
        tree = rules.Tree(ROOT)
        self.assertEqual(rules.internal_stays_inside(tree), [])
        path = "controller/api/handlers/runs/media.cc"
        tree.files[path] = '#include "controller/media/internal/http_provider.h"\n' + tree.files[path]
        self.assertEqual(rules.internal_stays_inside(tree), [f"{path}:1: reaches into controller/media/internal"])


class SandboxRooms(unittest.TestCase):
    """Walls between the rooms of the sandbox, each tried on the tree as it is."""
    ROOMS = "node-agent/sandbox/"
    WALLS = (  # a file, a header that its process must not know, the room that the refusal names
        ("plan/plan.cc", "linux/kernel/raw.h", "plan"),
        ("result/outcome.cc", "plan/plan.h", "result"),
        ("egress/rules.cc", "linux/egress/broker.h", "egress"),
        ("macos/group.cc", "linux/kernel/raw.h", "macos"),
        ("linux/filesystem/view.cc", "linux/child/control.h", "linux/filesystem"),
        ("linux/filesystem/view.cc", "linux/cgroup/cgroup.h", "linux/filesystem"),
        ("linux/child/init.cc", "linux/launcher/supervise.h", "linux/child"),
        ("linux/child/command.cc", "linux/notify/notifications.h", "linux/child"),
        ("linux/notify/notifications.cc", "linux/filesystem/view.h", "linux/notify"),
        ("linux/egress/broker_main.cc", "linux/child/child.h", "linux/egress"),
        ("linux/launcher/launch.cc", "linux/selftest/canary_bait.h", "linux/launcher"),
    )

    def test_an_include_through_a_wall_is_refused(self):
        """All of them in one tree: each is refused, at its line, and nothing else is."""
        tree = rules.Tree(ROOT)
        walls = {}
        for file, header, room in self.WALLS:
            self.assertIn(self.ROOMS + header, tree.files)
            walls.setdefault(file, []).append((header, room))
        expected = []
        for file, planted_here in walls.items():
            path = self.ROOMS + file
            tree.files[path] = "".join(f'#include "{self.ROOMS}{header}"\n' for header, _ in planted_here) + tree.files[path]
            expected += [f'{path}:{line}: {self.ROOMS}{room} may not include "{self.ROOMS}{header}": no DEPENDS leads there'
                         for line, (header, room) in enumerate(planted_here, 1)]
        self.assertEqual(sorted(rules.includes_follow_the_plan(tree)), sorted(expected))

    def test_a_file_beside_the_rooms_may_include_none_of_them(self):
        tree = rules.Tree(ROOT)
        tree.files[self.ROOMS + "stray.cc"] = f'#include "{self.ROOMS}plan/plan.h"\n'
        self.assertTrue(rules.includes_follow_the_plan(tree)[0].startswith(self.ROOMS + "stray.cc:1: "))


class PlantedViolations(unittest.TestCase):
    def test_finds_a_private_term_of_this_machine_s_configuration(self):
        self.enterContext(mock.patch.dict(os.environ, {TERMS: "acme corp, other"}))
        faults = faults_with({"docs/a.md": "\nrun by Acme Corp\n"}, rules.nobody_is_named_as_the_orchestrator)
        self.assertEqual(len(faults), 1)
        self.assertIn("docs/a.md:2", faults[0])
        self.assertNotIn("cme", faults[0].split(": ", 1)[1])

    # proves: OD-15, OD-16, OD-76
    def test_finds_an_orchestrator_that_is_named_on_every_surface(self):
        for path in ("docs/a.md", "cli/output/a.cc", "common/wire/json.h", "packaging/a.yaml", "README.md"):
            for words in ("an orchestrator such" " as Zed", "orchestrators like" " `zed`", "an orchestrator, for" " example Zed"):
                faults = faults_with({path: f"// x\n#pragma once\n// {words}\n"}, rules.nobody_is_named_as_the_orchestrator)
                self.assertTrue(faults and faults[0].startswith(f"{path}:3"), (path, words, faults))

    # proves: OD-77
    def test_lets_the_product_s_own_names_pass(self):
        text = "Paddock serves external orchestrators; paddock.dev, cpp-httplib, like any orchestrator would\n"
        self.assertEqual(faults_with({"docs/a.md": text}, rules.nobody_is_named_as_the_orchestrator), [])

    def test_the_sound_tree_has_no_fault(self):
        for rule in rules.RULES:
            self.assertEqual(faults_with({}, rule), [], rule.__name__)


class PrivateTerms(unittest.TestCase):
    # proves: OD-17
    def test_this_whole_program_holds_the_real_tree_to_the_terms_that_a_developer_set(self):
        """Not one rule alone: another test that changes the setting, and does not put it back, would take it away."""
        tests = ("PlantedViolations.test_finds_a_private_term_of_this_machine_s_configuration", f"SourceTree.test_{NEUTRALITY.__name__}")
        said = {}
        for term in ("landlock", "a term that" " nobody has"):
            done = subprocess.run([sys.executable, "-B", os.path.abspath(__file__), *tests], env={**os.environ, TERMS: term},
                                  text=True, capture_output=True, timeout=300)
            said[done.returncode] = done.stderr
        self.assertEqual(sorted(said), [0, 1], said)
        self.assertRegex(said[1], r"FAILED \(failures=1\)")


class CodeOwners(unittest.TestCase):
    # proves partly: OD-98
    def test_every_line_names_files_that_exist(self):
        lines = [line.split() for line in text_of(".github/CODEOWNERS").splitlines() if line and not line.startswith("#")]
        self.assertGreaterEqual(len(lines), 7)
        for pattern, *owners in lines:
            self.assertTrue(owners and all(owner.startswith("@") for owner in owners), pattern)
            self.assertTrue(glob.glob(ROOT + pattern), f"{pattern} names nothing")


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


VIOLATIONS = {
    "an_edge_down": (rules.plan_points_up, {"CMakeLists.txt": "module(common/a DEPENDS common/b)\nmodule(common/b)\n"}, "not above"),
    "an_edge_to_the_unknown": (rules.plan_points_up, {"CMakeLists.txt": PLAN + "module(x/y DEPENDS common/none)"}, "common/none"),
    "controller_to_cli": (rules.plan_points_up, {"CMakeLists.txt": PLAN + "module(controller/x DEPENDS cli/output)"}, "an edge from controller to cli"),
    "agent_to_controller": (rules.plan_points_up, {"CMakeLists.txt": PLAN + "module(node-agent/x DEPENDS controller/store)"}, "an edge from node-agent to controller"),
    "common_to_controller": (rules.plan_points_up, {"CMakeLists.txt": PLAN + "module(common/x DEPENDS controller/store)"}, "an edge from common to controller"),
    "an_include_without_an_edge": (rules.includes_follow_the_plan, {"cli/output/a.cc": '#include "controller/store/store.h"\n'}, "cli/output/a.cc:1"),
    "a_test_beside_code_without_an_edge": (rules.includes_follow_the_plan, {"cli/output/a_test.cc": '#include "controller/store/store.h"\n'}, "cli/output/a_test.cc:1"),
    "an_include_of_the_room_above": (rules.includes_follow_the_plan, {"cli/output/a.cc": '#include "cli/client/send.h"\n'}, "cli/output/a.cc:1"),
    "a_room_within_that_uses_the_edges_of_the_room_around_it": (
        rules.includes_follow_the_plan, {"controller/api/handlers/runs/runs.cc": '#include "controller/store/store.h"\n'}, "runs.cc:1"),
    "an_include_by_a_short_path": (rules.includes_follow_the_plan, {"common/wire/json.cc": '#include "json.h"\n'}, "json.cc:1"),
    "code_that_includes_test_support": (rules.includes_follow_the_plan, {"common/wire/json.cc": '#include "tests/support/dir.h"\n'}, "json.cc:1"),
    "a_definition_in_another_room_s_namespace": (
        rules.namespaces_are_those_of_their_rooms,
        {"cli/output/a.cc": "namespace paddock::wire {\nclass Value;\n}\n\nnamespace paddock::wire {\nint f() { return 1; }\n}\n"}, "cli/output/a.cc:5"),
    "a_namespace_of_one_s_own": (rules.namespaces_are_those_of_their_rooms,
                                 {"cli/output/a.cc": "namespace paddock::output {\nconstexpr int kA = 1;\n}\n"}, "cli/output/a.cc:1"),
    "a_room_of_a_part_with_a_namespace_of_its_own": (
        rules.namespaces_are_those_of_their_rooms,
        {"controller/api/handlers/runs/runs.cc": "namespace paddock::api {\nint f() { return 1; }\n}\nnamespace paddock::runs {\nint g() { return 1; }\n}\n"},
        "runs.cc:4"),
    "a_base_that_defines_what_is_another_room_s": (
        rules.namespaces_are_those_of_their_rooms, {"common/base/text.h": "// Text.\n#pragma once\nnamespace paddock::wire {\nstruct A {};\n}\n"}, "text.h:3"),
    "reaching_into_internal": (rules.internal_stays_inside, {"controller/store/store.cc": '#include "common/wire/internal/number.h"\n'}, "store.cc:1"),
    "a_library_elsewhere": (rules.libraries_stay_in_their_module, {"cli/output/a.cc": "#include <sqlite3.h>\n"}, "cli/output/a.cc:1"),
    "an_unknown_library": (rules.libraries_stay_in_their_module, {"cli/output/a.cc": "#include <boost/any.hpp>\n"}, "cli/output/a.cc:1"),
    "a_test_library_in_code": (rules.libraries_stay_in_their_module, {"cli/output/a.cc": "#include <gtest/gtest.h>\n"}, "cli/output/a.cc:1"),
    "an_operating_system": (rules.systems_stay_in_platform_files, {"cli/output/a.cc": "#if defined(__linux__)\n#endif\n"}, "cli/output/a.cc:1"),
    "a_header_without_words": (rules.headers_introduce_themselves, {"common/wire/json.h": "#pragma once\n"}, "json.h:1"),
    "a_header_without_a_guard": (rules.headers_introduce_themselves, {"common/wire/json.h": "// JSON.\n"}, "json.h:1"),
    "a_rule_across_fields_that_nobody_calls": (
        rules.rules_across_fields_are_called,
        {"common/wire/json.h": "// JSON.\n#pragma once\nstruct A {\n  static constexpr auto describe(auto&& visit);\n  void validate(const wire::Check& check) const;\n};\n"},
        "json.h:5"),
    "sleeping": (rules.nobody_sleeps, {"cli/output/a.cc": "\nvoid f() { std::this_thread::sleep_for(1s); }\n"}, "cli/output/a.cc:2"),
    "sleeping_in_c": (rules.nobody_sleeps, {"cli/output/a.cc": "void f() { usleep(3); }\n"}, "cli/output/a.cc:1"),
    "a_daemon_that_waits_for_a_file": (rules.daemons_wait_for_no_file, {"controller/store/store.cc": '#include "common/os/read_stream.h"\n'}, "store.cc:1"),
    "reading_the_clock": (rules.only_programs_read_the_clock, {"controller/store/store.cc": "SystemClock clock;\n"}, "store.cc:1"),
    "throwing": (rules.nobody_throws, {"cli/output/a.cc": "void f() { throw 1; }\n"}, "cli/output/a.cc:1"),
    "throwing_where_a_library_is_used": (rules.nobody_throws, {"common/wire/json.cc": "#include <rapidjson/reader.h>\nvoid f() { throw 1; }\n"}, "json.cc:2"),
    "a_phase_that_a_handler_sets": (rules.phases_are_decided_in_one_file, {"controller/api/routes.cc": "void f(A& a) { a.status.phase = 1; }\n"}, "routes.cc:1"),
    "a_phase_that_is_set_by_reference": (rules.phases_are_decided_in_one_file, {"cli/output/a.cc": "void f(A& a) { auto& it = a.status.phase; }\n"}, "a.cc:1"),
    "a_phase_that_is_initialised": (rules.phases_are_decided_in_one_file, {"cli/output/a.cc": "A f() { return {.status = {.phase = 1}}; }\n"}, "a.cc:1"),
    "streaming": (rules.nobody_streams, {"cli/output/a.cc": "#include <iostream>\n"}, "cli/output/a.cc:1"),
    "a_note_to_self": (rules.nothing_is_unfinished, {"docs/a.md": "\nTO" "DO: more\n"}, "docs/a.md:2"),
    "a_link_to_nothing": (rules.links_lead_somewhere, {"docs/a.md": "\nsee [a](b.md) and [x](../common/base/none.h)\n", "docs/b.md": ""}, "docs/a.md:2"),
    "a_line_that_is_no_command": (rules.blocks_of_commands_have_one_on_each_line,
                                  {"docs/a.md": "x\n```sh\npaddock a \\\n  b\ncat <<END\nin\nEND\n--tail 1\n```\n"}, "docs/a.md:2"),
    "two_commands_on_one_line": (rules.blocks_of_commands_have_one_on_each_line,
                                 {"docs/a.md": "```sh\npaddock a # `paddock b` and so on paddock c\n```\n"}, "docs/a.md:1"),
    "two_commands_on_one_indented_line": (rules.blocks_of_commands_have_one_on_each_line,
                                          {"docs/a.md": "x\n\n    paddock a # and so on paddock c\n"}, "docs/a.md:3"),
    "an_indented_line_that_is_no_command": (rules.blocks_of_commands_have_one_on_each_line,
                                            {"docs/a.md": "```\n\n    none\n```\n\n    paddock a # and\n    so on\n"}, "docs/a.md:6"),
    "a_link_to_no_heading": (rules.links_lead_somewhere, {"docs/a.md": "# A `b` (c)\n[a](#a-b-c)\n[b](#b)\n"}, "docs/a.md:3"),
    "a_document_that_nobody_finds": (rules.every_document_is_in_the_index, {"docs/index.md": "[a](a.md)", "docs/a.md": "", "docs/b.md": ""}, "docs/b.md:1"),
    "a_claim_without_a_suite": (rules.claims_name_suites_that_exist,
                                {"docs/claims.md": "`unit.common_wire`\n`integration.none_test`\n", "docs/index.md": "(claims.md)"}, "docs/claims.md:2"),
    "a_requirement_in_a_document": (rules.readers_meet_no_requirement_and_no_other_product, {"packaging/a.yaml": "\npids: 8  # EL" "V-60\n"}, "packaging/a.yaml:2"),
    "another_product_in_a_document": (rules.readers_meet_no_requirement_and_no_other_product, {"docs/a.md": "as in Eleva" "ite\n"}, "docs/a.md:1"),
    "a_path_of_one_machine": (rules.text_is_neutral, {"docs/a.md": "see /wo" "rk/main\n"}, "docs/a.md:1"),
}
for name, (rule, files, where) in VIOLATIONS.items():
    setattr(PlantedViolations, f"test_finds_{name}", planted(rule, files, where))


def keeps(rule):
    def test(self):
        self.assertEqual(rule(TREE), [])
    return test


TREE = rules.Tree(ROOT)
for rule in rules.RULES:
    setattr(SourceTree, f"test_{rule.__name__}", keeps(rule))

if __name__ == "__main__":
    for hint in rules.long_files(TREE):
        print("long file:", hint)
    unittest.main()
