#!/usr/bin/env python3
"""The one table of reasons: a word that it lacks does not compile, and what is written beside its words is true of the sources."""
import collections
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", pathlib.Path(__file__).resolve().parent.parent.parent))
COMPILER = os.environ.get("PADDOCK_CXX", "c++")
sys.path.insert(0, str(ROOT / "scripts"))
from reasons import TABLE, read_reasons  # noqa: E402

TESTS = re.compile(r"_(test|fuzz)\.cc$|_(fixture|test_support)\.(h|cc)$")
BEGIN = '#include "common/base/error.h"\nnamespace paddock {\n'
END = "\n}  // namespace paddock\n"
KNOWN = {
    "an error": 'Error f() { return Error{Code::kUnavailable, "STORE_FULL", "m"}; }',
    "a wrong argument": 'Error f() { return invalid_argument("USAGE", "m"); }',
    "a comparison": 'bool f(const Error& e) { return e.reason == "STORE_FULL"; }',
    "an assignment": 'void f(Error& e) { e.reason = "STORE_FULL"; }',
    "one of several": 'bool f(const Error& e) { return is_one_of(e.reason, {"STORE_FULL", "USAGE"}); }',
    "a constant": 'inline constexpr Reason kFull = "STORE_FULL";',
    "an object's field": 'bool f(const std::string& field) { return field == Reason("STORE_FULL"); }',
}
# Reasons that do not come from a literal of the table but compile anyway.
NEVER = {
    "text of another program": 'bool f(const Error& e, const std::string& text) { return e.reason == Reason(text); }',
    "text as the reason": 'Error f(std::string text) { return Error{Code::kUnavailable, text, "m"}; }',
    "a choice at run time": 'Error f(const char* word) { return Error{Code::kUnavailable, word, "m"}; }',
}
# Fields of objects and of the log take any text, so the compiler takes any literal there: it is written as Reason("THE_WORD").
ERRORS = r"(?:error|cause|refused|refusal|failure)(?:\(\))?"  # whose reason is a Reason
CHOICE = r'(?:[^",;{}]*\?\s*)?'  # of two that are both literals, or one a field
UNCHECKED = re.compile("|".join((
    rf'(?<![\w)])(?!{ERRORS}(?:\.|->)reason)\w+(?:\(\))?(?:\.|->)(?:reason|code)\s*(?:==|!=|=)\s*{CHOICE}"[A-Z]\w*"',
    rf'[{{,(]\s*\.(?:reason|code)\s*=\s*{CHOICE}"[A-Z]\w*"',
    rf'"(?:True|False|Unknown)",\s*{CHOICE}"(?!(?i:true|false|unknown)")[A-Z]\w*"',  # of a condition
    rf'\{{"reason",\s*{CHOICE}"[A-Z]\w*"',  # of a log line
)))
PLANTED = {
    "an assignment": 'run.status.reason = "CANCEL_REQUESTED";',
    "a choice": 'result.code = hit == DiskHit::kFiles ? "E_LIMIT_FILES" : "E_LIMIT_FS";',
    "a comparison": 'if (status.reason != "NODE_LOST") return;',
    "through a pointer": 'if (event->reason == "Canceled") return;',
    "a field by its name": 'RunOutcome out{.phase = P::kFailed, .reason = "ATTEMPT_REPEATED"};',
    "a condition": 'set_condition(status, {"Scheduled", "True", "BOUND", cat("to node ", node)}, now);',
    "a condition's choice": 'return {"Ready", "False", status.reason.empty() ? "NO_LEASE" : status.reason};',
    "a log line": 'log_error(full, {{"reason", "STORE_FULL"}});',
}
CHECKED = {
    "an error's": 'if (!lock && lock.error().reason == "LOCK_HELD") return;',
    "another error's": 'if (body.failure()->reason == "BODY_TOO_SLOW") return;',
    "a sentence": 'result.reason = "canceled before it began";',
    "one of two reasons": 'out.reason = fault ? fault->reason : "LAUNCHER_LOST";',
    "states of a condition": 'is_one_of(each.status, {"True", "False", "Unknown"});',
    "a reason": 'run.status.reason = Reason("CANCEL_REQUESTED");',
}


def compile_text(text):
    """What the compiler says; empty when it takes it."""
    with tempfile.TemporaryDirectory() as home:
        path = pathlib.Path(home, "planted.cc")
        path.write_text(BEGIN + text + END)
        done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-I", ROOT, path], text=True, capture_output=True)
    return done.stderr if done.returncode else ""


def sources():
    for folder in ("common", "controller", "node-agent", "cli"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cc", ".h") and not TESTS.search(path.name) and str(path.relative_to(ROOT)) != TABLE:
                yield path, path.read_text()


CODED = {
    "a literal": 'return Error{Code::kUnavailable, "NODE_LOST", why};',
    "a choice": 'return {Code::kUnavailable, lost ? Reason("NODE_LOST") : "INTERNAL", why};',
    "a constant": 'return {Code::kUnavailable, contracts::kNodeLost, why};',
    "a helper": 'Error lost(Reason reason, std::string why) { return {Code::kUnavailable, reason, why}; }\n return lost("NODE_LOST", why);',
}
# What may be written as a reason: the name of a constant, a literal, or a Reason of one.
WORD = re.compile(r'(?:\w+::)*(k[A-Z]\w*)|"([A-Z][A-Z0-9_]+)"')
HELPER = re.compile(r"Error (\w+)\((?:const )?Reason&? reason[^)]*\)\s*\{[^}]*?Code::k(\w+),\s*(?:std::move\()?reason")


@functools.cache
def constants():
    """The words of reasons that have a name in the code."""
    out = collections.defaultdict(set, {"kNodeLost": {"NODE_LOST"}})  # of the planted one
    for _, text in sources():
        for name, word in re.findall(r'constexpr Reason (k\w+) = "([A-Z]\w+)"', text):
            out[name].add(word)
    return out


def coded_words(text):
    """The code and the reason of each error that is made there: of a choice, both of its reasons."""
    made = re.findall(r"Code::k(\w+),\s*([^,;{}]{1,120})", text)
    made += [("InvalidArgument", rest) for rest in re.findall(r"invalid_argument\(\s*([^,;{}]{1,120})", text)]
    for name, code in HELPER.findall(text):
        made += [(code, rest) for rest in re.findall(rf"\b{name}\(\s*([^,;{{}}]{{1,120}}),", text)]
    return {(code, word) for code, rest in made for name, literal in WORD.findall(rest)
            for word in (constants()[name] if name else {literal})}


class Reasons(unittest.TestCase):
    def test_known_words_compile(self):
        self.assertEqual(compile_text("\n".join(f"namespace n{i} {{ {text} }}" for i, text in enumerate(KNOWN.values()))), "")

    def test_an_unknown_word_does_not_compile(self):
        for what, text in KNOWN.items():
            with self.subTest(what):
                self.assertRegex(compile_text(re.sub('"(STORE_FULL|USAGE)"', '"STORE_FUL"', text, count=1)), "consteval|constexpr|constant")

    def test_a_word_that_is_not_known_while_compiling_does_not_compile(self):
        for what, text in NEVER.items():
            with self.subTest(what):
                self.assertNotEqual(compile_text(text), "")

    def test_every_word_is_there_once(self):
        times = collections.Counter(each.word for each in read_reasons(ROOT))
        self.assertEqual([word for word, count in times.items() if count > 1], [])

    def test_errors_have_the_codes_of_the_table(self):
        table = {each.word: each.codes for each in read_reasons(ROOT)}
        wrong = {f"{path.relative_to(ROOT)}: {word} with {code}; the table has {table[word]}"
                 for path, text in sources() for code, word in coded_words(text) if word in table and code not in table[word]}
        self.assertEqual(wrong, set())

    def test_a_wrong_code_is_seen_however_the_error_is_made(self):
        self.assertIn("SESSION_LOST", constants()["kSessionLost"])
        for what, text in CODED.items():
            with self.subTest(what):
                self.assertIn(("Unavailable", "NODE_LOST"), coded_words(text))

    def test_the_clients_say_words_of_the_table(self):
        said = set()
        for folder, pattern in (("clients/python/paddock", r'code="([A-Z_]+)"'), ("clients/typescript/src", r'\bcode: "([A-Z_]+)"')):
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in (".py", ".ts"):
                    said |= set(re.findall(pattern, path.read_text()))
        self.assertIn("UNREACHABLE", said)
        self.assertEqual(said - {each.word for each in read_reasons(ROOT)}, set())

    def test_reasons_are_compared_as_reasons(self):
        """Not by their beginnings, which a new word would change, nor as the text of an error."""
        loose = re.compile(r"error\(?\)?\.reason(\.text\(\)|\.str\(\))?\.(starts_with|find)\(|error\(?\)?\.reason\.(text|str)\(\) [!=]=")
        self.assertEqual([f"{path.relative_to(ROOT)}: {found.group()}" for path, text in sources() for found in loose.finditer(text)], [])

    def test_fields_of_objects_hold_words_that_are_written_as_reasons(self):
        self.assertEqual([f"{path.relative_to(ROOT)}: {found.group()}" for path, text in sources() for found in UNCHECKED.finditer(text)], [])

    def test_a_word_that_the_compiler_would_not_check_is_found(self):
        for what, text in PLANTED.items():
            with self.subTest(what):
                self.assertRegex(text, UNCHECKED)
        for what, text in CHECKED.items():
            with self.subTest(what):
                self.assertNotRegex(text, UNCHECKED)


if __name__ == "__main__":
    unittest.main()
