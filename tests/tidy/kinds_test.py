#!/usr/bin/env python3
"""A kind that leaves out a hook of KindTraits, or gives it another signature, does not compile: shown by planted violations."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ.get("PADDOCK_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
COMPILER = os.environ.get("PADDOCK_CXX", "c++")
FLAGS = ("-std=c++20", "-I", ROOT)

# Every hook as kind.h states it, for a kind T.
HOOKS = {
    "ReadableKind": (
        "static k8s::Labels selectable_fields(const T&);",
        "static void complete(Services&, T&);",
        "static void narrow(const ListQuery&, store::ListOptions&);",
    ),
    "AuditedKind": ("static std::map<std::string, std::string> audit_details(const T&);",),
    "CreatableKind": (
        "static void note_maker(T&, const std::string&);",
        "static Status check_maker(const auth::Principal&, const T&);",
        "static Status prepare_new(Services&, T&);",
        "static Result<reconciler::QueueReservation> reserve_queue(Services&, const T&);",
        "static Status save_new(Services&, store::WriteTxn&, T&, WallTime);",
        "static Status after_create(const Call&, T&);",
        "static std::string_view create_event(const T&);",
    ),
    "ChangeableKind": (
        "static Status check_changer(const auth::Principal&, const T&, T&);",
        "static Status check_update(Services&, const T&, T&);",
        "static Status check_status_update(const T&, const T&);",
        "static Status save_update(Services&, store::WriteTxn&, T&, WallTime);",
        "static std::vector<std::string_view> update_events(const T&, const T&);",
        "static Status after_update(const Call&, T&);",
        "static Status let_go(store::WriteTxn&, const T&, WallTime);",
    ),
    "DeletableKind": (
        "static T stand_in(contracts::ObjectMeta, const store::ObjectHead&);",
        "static Status check_remover(const auth::Principal&, const T&);",
        "static Status prepare_delete(store::WriteTxn&, const T&, WallTime);",
        "static Status save_marked(store::WriteTxn&, T&, WallTime);",
        "static Result<bool> remove(store::WriteTxn&, const Call&, T&, const DeleteOptions&);",
        "static std::string_view delete_event(const T&);",
        "static std::vector<std::string> deletion_warnings(const T&, const DeleteOptions&);",
    ),
}
ALL = [hook for hooks in HOOKS.values() for hook in hooks]
# What a kind says of itself by a value, and the concept that asks for it.
VALUES = {
    "static constexpr bool kCreatable = true;": "CreatableKind",
    "static constexpr bool kStoredWhole = true;": "ReadableKind",
    "static constexpr bool kOfStoreAlone = true;": "ReadableKind",
    "static constexpr auth::Scope kReadScope = auth::Scope::kRunsRead;": "ReadableKind",
}
HEADERS = '#include "controller/api/objects/deletes.h"\n#include "controller/api/objects/kind.h"\n'
BEGIN = "namespace paddock::api {\n"
END = "}  // namespace paddock::api\n"


def name_of(hook):
    return re.search(r"(\w+)\(", hook).group(1)


def value_name(value):
    return re.search(r"(k\w+) =", value).group(1)


def kind(name, hooks, values=VALUES):
    return (f"struct {name} {{}};\ntemplate <>\nstruct KindTraits<{name}> {{\n  using T = {name};\n"
            f"  {chr(10).join((*values, *hooks))}\n}};\n")


def with_another_signature(hook):
    """The last parameter is by value instead of by reference, or the other way about."""
    head, last = hook.rsplit(", ", 1) if ", " in hook.split("(", 1)[1] else hook.rsplit("(", 1)
    joint = ", " if ", " in hook.split("(", 1)[1] else "("
    other = last.replace("&);", ");") if "&);" in last else last.replace(");", "&);")
    return head + joint + other


def setUpModule():
    """Reads the headers that all planted texts begin with once: they take most of the time."""
    global headers
    headers = os.path.join(unittest.enterModuleContext(tempfile.TemporaryDirectory()), "headers.h")
    with open(headers, "w", encoding="utf-8") as file:
        file.write(HEADERS)
    subprocess.run([COMPILER, *FLAGS, "-x", "c++-header", headers, "-o", headers + ".gch"], check=True, timeout=500)


def compiled(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "planted.cc")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([COMPILER, *FLAGS, "-fsyntax-only", "-include", headers, path], capture_output=True, text=True, timeout=500)
        return done.returncode == 0, done.stderr


class Hooks(unittest.TestCase):
    def test_each_is_stated_with_its_signature(self):
        """One file: a whole kind, and for every hook one without it and one with another signature."""
        text = BEGIN + kind("Whole", ALL)
        text += "".join(f"static_assert({concept}<Whole>);\n" for concept in HOOKS)
        for concept, hooks in HOOKS.items():
            for hook in hooks:
                rest = [each for each in ALL if each != hook]
                for planted, with_it in ((f"Without_{name_of(hook)}", rest),
                                         (f"Other_{name_of(hook)}", rest + [with_another_signature(hook)])):
                    text += kind(planted, with_it) + f"static_assert(!{concept}<{planted}>);\n"
        for value, concept in VALUES.items():
            planted = f"Without_{value_name(value)}"
            text += kind(planted, ALL, [each for each in VALUES if each != value]) + f"static_assert(!{concept}<{planted}>);\n"
        text += kind("Other_kReadScope", ALL, [each.replace("auth::Scope kReadScope = auth::Scope::kRunsRead", "bool kReadScope = true")
                                               for each in VALUES]) + "static_assert(!ReadableKind<Other_kReadScope>);\n"
        ok, errors = compiled(text + END)
        self.assertTrue(ok, errors)

    def test_the_list_here_is_that_of_the_header(self):
        with open(os.path.join(ROOT, "controller/api/objects/kind.h"), encoding="utf-8") as file:
            header = file.read()
        self.assertEqual(sorted(re.findall(r"&KindTraits<T>::(\w+)", header)), sorted([name_of(hook) for hook in ALL] + ["not_creatable"]))
        self.assertEqual(set(re.findall(r"\bKindTraits<T>::(k\w+)", header)), {value_name(value) for value in VALUES})

    def test_the_planted_signatures_are_others(self):
        for hook in ALL:
            self.assertNotEqual(hook, with_another_signature(hook))


class Secrets(unittest.TestCase):
    """The kind of which it matters most who may see it."""

    def test_without_the_scope_that_shows_them_no_route_of_theirs_compiles(self):
        with open(os.path.join(ROOT, "controller/api/handlers/secrets/secret_kind.h"), encoding="utf-8") as file:
            header = file.read().replace("#pragma once", "")
        scope = "static constexpr auth::Scope kReadScope = auth::Scope::kSecretsRead;"
        self.assertIn(scope, header)
        route = '#include "controller/api/objects/objects.h"\n' + BEGIN + "const auto kList = &list_objects<Itself<contracts::Secret>>;\n" + END
        ok, errors = compiled(header + route)
        self.assertTrue(ok, errors)
        ok, errors = compiled(header.replace(scope, "") + route)
        self.assertFalse(ok, "a Secret of which nobody says who may see it was compiled")
        self.assertIn("kReadScope", errors)


class Grants(unittest.TestCase):
    """The kind whose changes and ends are an administrator's, where they are of a quota."""

    def compiled_with(self, old, new):
        with open(os.path.join(ROOT, "controller/api/handlers/access/grant_kind.h"), encoding="utf-8") as file:
            header = file.read()
        self.assertIn(old, header)
        return compiled(header.replace("#pragma once", "").replace(old, new) + BEGIN +
                        "const auto kDelete = &delete_object<contracts::Grant>;\n" + END)

    def test_without_the_check_of_who_ends_them_do_not_compile(self):
        check = "static Status check_remover(const auth::Principal& remover, const Grant& object);"
        ok, errors = self.compiled_with(check, check)
        self.assertTrue(ok, errors)
        for planted in ("", check.replace("const Grant& object", "Grant& object")):
            ok, errors = self.compiled_with(check, planted)
            self.assertFalse(ok, "a grant that anybody may delete was compiled")
            self.assertIn("check_remover", errors)


if __name__ == "__main__":
    unittest.main()
