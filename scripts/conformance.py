#!/usr/bin/env python3
"""Writes docs/conformance.md from the comments above tests: which test proves which requirement.

    // proves: ORB-24, VLT-45          the test proves the whole requirement
    // proves partly: ORB-117          the test proves a part of it, e.g. a number but not its enforcement

`#` instead of `//` in Python and shell tests and above the stages of scripts/stages.py. A comment may go on in the
lines below it. What no program can prove (a decision, a scope, what is left out) has a row in docs/decisions.md.
--check fails when the committed file is stale. A comment that names an unknown requirement, or stands above no test, above a
test that asserts nothing or above a stage that cannot fail, is an error in both modes.
"""
import argparse
import collections
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import assertions  # noqa: E402  (beside this file)

DESIGNS = {  # requirements are numbered from 1 without gaps
    "ORB": ("compute that is delegated to other hosts", 158),
    "OD": ("runs that an external orchestrator creates", 116),
    "VLT": ("a sandbox by means of the operating system", 114),
    "ELV": ("a service that executes short code", 136),
    "WSM": ("a security baseline for generated code", 111),
}
FOLDERS = ("cli", "common", "controller", "examples", "node-agent", "tests")
STAGES = "scripts/stages.py"
DECISIONS = "docs/decisions.md"
DECISION = re.compile(r"^\| ([A-Z]+-\d+) \| \S")
COMMENT = re.compile(r"^\s*(?://|#) proves( partly)?: (.*)$")
CONTINUED = re.compile(r"^\s*(?://|#) ((?:[A-Z]+-\d+[,. ]*)+)$")
TESTS = {
    ".cc": re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+),\s*(\w+)\)"),
    ".py": re.compile(r"^\s*(?:async )?def (test\w*)\("),
    ".sh": re.compile(r"^\s*(?:function )?(test\w*)\s*\(\)"),
    STAGES: re.compile(r'^\s*Stage\("([^"]+)"'),
}
STATES = ("proven", "documented", "partly", "not yet")
Proof = collections.namedtuple("Proof", "requirement partly test")


def known_requirements():
    return [f"{design}-{number:02}" for design, (_, count) in DESIGNS.items() for number in range(1, count + 1)]


def name_of_test(lines, index, pattern):
    """The test that a comment at lines[index] belongs to: the one below it, else the one around it."""
    below = index + 1
    while below < len(lines) and re.match(r"^\s*(//|#|@|$)", lines[below]):
        below += 1
    declaration = " ".join(line.strip() for line in lines[below:below + 2])  # a TEST(…) may be wrapped
    if match := pattern.match(declaration):
        return ".".join(match.groups())
    for line in reversed(lines[:index]):
        if match := pattern.match(line):
            return ".".join(match.groups())
    return None


def cannot_fail(path, text, root):
    """Names of the tests, or stages, of a file that nothing but an accident fails."""
    if path == STAGES:
        return {match.group(1) for match in re.finditer(r'Stage\("([^"]+)"(?:(?!\n    Stage).)*?\|\| true"', text, re.S)}
    return assertions.tests_without(root, path, text)


def proofs_of_file(path, text, known, root="."):
    """The proofs that a file claims, and what is wrong with its comments."""
    proofs, faults = [], []
    lines = text.splitlines()
    hollow = cannot_fail(path, text, root) if any(map(COMMENT.match, lines)) else set()
    for index, line in enumerate(lines):
        match = COMMENT.match(line)
        if match is None:
            continue
        words = match.group(2)
        for more in lines[index + 1:]:
            if not (continued := CONTINUED.match(more)):
                break
            words += " " + continued.group(1)
        test = name_of_test(lines, index, TESTS[path if path in TESTS else os.path.splitext(path)[1]])
        if test is None:
            faults.append(f"{path}:{index + 1}: stands at no test")
        elif test in hollow:
            faults.append(f"{path}:{index + 1}: {test} cannot fail: it asserts nothing")
        for word in re.split(r"[,\s]+", words.strip(" ,.")):
            if word not in known:
                faults.append(f"{path}:{index + 1}: no requirement is called \"{word}\"")
            elif test is not None:
                proofs.append(Proof(word, bool(match.group(1)), f"{path}: {test}"))
    return proofs, faults


def files_with_tests(root):
    for top in FOLDERS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), root)
                if os.path.splitext(name)[1] in TESTS and path != "tests/tidy/conformance_test.py":
                    yield path
    if os.path.exists(os.path.join(root, STAGES)):
        yield STAGES


def collect(root):
    known, proofs, faults = set(known_requirements()), [], []
    for path in files_with_tests(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            found, wrong = proofs_of_file(path, file.read(), known, root)
        proofs += found
        faults += wrong
    return proofs, faults


def decided(root):
    """The requirements with a row in docs/decisions.md, and what is wrong with those rows."""
    try:
        with open(os.path.join(root, DECISIONS), encoding="utf-8") as file:
            named = [match.group(1) for line in file if (match := DECISION.match(line))]
    except FileNotFoundError:
        return set(), []
    known = set(known_requirements())
    faults = [f"{DECISIONS}: no requirement is called \"{name}\"" for name in named if name not in known]
    faults += [f"{DECISIONS}: {name} has two rows" for name, n in collections.Counter(named).items() if n > 1]
    return set(named), faults


def state_of(proofs, is_decided):
    if any(not proof.partly for proof in proofs):
        return "proven"
    if is_decided:
        return "documented"
    return "partly" if proofs else "not yet"


def render(proofs, decisions):
    by_requirement = collections.defaultdict(list)
    for proof in proofs:
        by_requirement[proof.requirement].append(proof)
    out = ["# Conformance", "",
           "See here which test proves each requirement of the source designs. The page is made by `scripts/conformance.py` from the",
           "comments above the tests; do not edit it.", "",
           "*proven*: a test proves the whole requirement. *partly*: tests prove a part of it, e.g. a number but",
           "not yet its enforcement. *documented*: a decision or a scope, which [decisions.md](decisions.md) answers.",
           "*not yet*: no test claims it.", "",
           "| Design | Requirements | " + " | ".join(STATES) + " |", "|---|---|" + "---|" * len(STATES)]
    total = collections.Counter()
    sections = []
    for design, (title, count) in DESIGNS.items():
        states = collections.Counter()
        rows = ["", f"## {design}: {title}", "", "| Requirement | State | Tests |", "|---|---|---|"]
        for number in range(1, count + 1):
            requirement = f"{design}-{number:02}"
            here = by_requirement[requirement]
            state = state_of(here, requirement in decisions)
            states[state] += 1
            tests = "<br>".join(sorted({f"`{proof.test}`" for proof in here}))
            rows.append(f"| {requirement} | {state} | {tests} |")
        sections += rows
        out.append(f"| {design} | {count} | " + " | ".join(str(states[state]) for state in STATES) + " |")
        total.update(states, all=count)
    out.append(f"| all | {total['all']} | " + " | ".join(str(total[state]) for state in STATES) + " |")
    return "\n".join(out + sections) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="fail when docs/conformance.md is stale")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    arguments = parser.parse_args()
    proofs, faults = collect(arguments.root)
    decisions, wrong = decided(arguments.root)
    faults += wrong
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return 1
    target = os.path.join(arguments.root, "docs", "conformance.md")
    text = render(proofs, decisions)
    if arguments.check:
        with open(target, encoding="utf-8") as file:
            if file.read() == text:
                return 0
        print("docs/conformance.md is stale: run scripts/conformance.py", file=sys.stderr)
        return 1
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
