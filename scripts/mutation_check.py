#!/usr/bin/env python3
"""Breaks the code on purpose and demands that the test of the broken claim fails.

Usage: scripts/mutation_check.py [--seed WORD] [--count N] [--only NAME...] [--list]

Some claims of scripts/mutations.py (five, chosen by the seed: the newest commit unless given) are tried in a copy of the tree
below build/mutations. For each: its test passes as the code stands; its line is changed; the one test program concerned is built;
its test must fail; the line is put back. An edit that no longer applies, a build that fails and a test that does not exist are
errors. The exit code is 0 if every claim was caught.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import conformance  # noqa: E402  (beside this file)
from mutations import MUTATIONS  # noqa: E402  (beside this file)

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ("cli", "common", "controller", "node-agent")
PATIENCE_S = 60  # beyond twenty times what the test needs as the code stands
# Stands before the broken file's text: an edit may leave a name unread, and such a warning, an error elsewhere, is none here.
MAY_BE_UNREAD = "".join(f'#pragma clang diagnostic ignored "-Wunused{kind}"\n' for kind in ("", "-parameter"))


class Trouble(Exception):
    """The check itself cannot go on; what it says is the reason."""


def sources(root):
    """The product's own source files, without tests."""
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in (".cc", ".h") and not path.stem.endswith(("_test", "_fuzz", "_bench")) and path.is_file():
                yield path


def place(mutation, root):
    """The one file in which the edit applies."""
    found = {path: count for path in sources(root) if (count := path.read_text(encoding="utf-8").count(mutation.find))}
    if sum(found.values()) == 1:
        return next(iter(found))
    where = ", ".join(f"{path.relative_to(root)} ({count})" for path, count in found.items()) or "no file"
    raise Trouble(f"{mutation.name}: the edit no longer applies: its line stands in {where}, and must stand once: {mutation.find}\n"
                  "  say in scripts/mutations.py which line breaks this claim now")


def program(mutation, root):
    """The test program that has its test: of the module in which the test stands."""
    suite, name = mutation.test.split(".")
    test = re.compile(rf"^TEST(?:_F|_P)?\(\s*{suite},\s*{name}\)", re.M)
    found = [str(path.relative_to(root)) for room in ROOMS for path in (root / room).rglob("*_test.cc") if test.search(path.read_text(encoding="utf-8"))]
    if len(found) != 1:
        raise Trouble(f"{mutation.name}: the test {mutation.test} stands in {', '.join(found) or 'no file'}, and must stand in one")
    modules = re.findall(r"^\s*module\(([\w/-]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)
    return max((each for each in modules if found[0].startswith(each + "/")), key=len).replace("/", "_") + "_test"


def requirements(root):
    """{SUITE.NAME: ids}, as the comments above the tests claim them: the claims of scripts/mutations.py get theirs from there."""
    found = {}
    for proof in conformance.collect(root)[0]:
        found.setdefault(proof.test.rpartition(": ")[2], []).append(proof.requirement)
    return found


def described(mutation, ids):
    """A claim in words, with the requirements that its test proves."""
    return f"{mutation.claim} ({', '.join(ids)})" if ids else mutation.claim


def chosen(mutations, count, seed):
    """So many of them, the same ones for the same seed."""
    return random.Random(str(seed)).sample(list(mutations), min(count, len(mutations)))


def newest_commit(root):
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.strip() or "none"


def copy_tree(root, target):
    """What git has or would take, as it stands now. A file that is alike keeps its time, so that little is built anew."""
    listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=root, stdout=subprocess.PIPE)
    if listed.returncode != 0:
        raise Trouble(f"{root} is no git checkout: what belongs to the tree is asked of git")
    names = {name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()}
    for name in names:
        to = target / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if not to.is_file() or to.read_bytes() != (root / name).read_bytes():
            shutil.copy(root / name, to)
    for room in ROOMS:  # what moved away would be compiled too
        for path in list((target / room).rglob("*")):
            if path.is_file() and str(path.relative_to(target)) not in names:
                path.unlink()


def build(tree, targets):
    done = subprocess.run(["scripts/build", "test", *targets], cwd=tree, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode == 0, done.stdout


def run_test(tree, mutation, patience_s):
    """Whether it passed, what it said, and seconds. One that does not end has failed."""
    env = {**os.environ, "PADDOCK_SOURCE_DIR": str(tree), "PADDOCK_BIN_DIR": str(tree / "build/test/bin")}
    began = time.monotonic()
    test = subprocess.Popen([str(tree / "build/test/tests" / program(mutation, tree)), f"--gtest_filter={mutation.test}"], cwd=tree, env=env, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        said = test.communicate(timeout=patience_s)[0]
    except subprocess.TimeoutExpired:
        os.killpg(test.pid, signal.SIGKILL)
        said = test.communicate()[0] + f"\n(did not end within {patience_s:.0f} s)"
    return test.returncode == 0, said, time.monotonic() - began


def baseline(tree, mutation):
    """Seconds of its test as the code stands, in which it passes."""
    passed, said, took = run_test(tree, mutation, 20 * PATIENCE_S)
    if not passed:
        raise Trouble(f"{mutation.name}: {mutation.test} fails as the code stands:\n{said[-2000:]}")
    if "[  PASSED  ] 0 tests" in said or "[  PASSED  ]" not in said:
        raise Trouble(f"{mutation.name}: {program(mutation, tree)} has no test {mutation.test}")
    return took


def is_caught(tree, mutation, took):
    """Whether its test fails once its line is broken."""
    path = place(mutation, tree)
    text = path.read_text(encoding="utf-8")
    path.write_text(MAY_BE_UNREAD + text.replace(mutation.find, mutation.replace), encoding="utf-8")
    try:
        built, said = build(tree, [program(mutation, tree)])
        if not built:
            raise Trouble(f"{mutation.name}: {path.relative_to(tree)} does not compile with this edit:\n{said[-2000:]}")
        passed, said, _ = run_test(tree, mutation, PATIENCE_S + 20 * took)
        return not passed
    finally:
        path.write_text(text, encoding="utf-8")


def check(tree, mutations):
    """Tries them all; returns those that nobody noticed. Trouble with one of them ends no other."""
    for mutation in mutations:
        place(mutation, tree)
    built, said = build(tree, sorted({program(mutation, tree) for mutation in mutations}))
    if not built:
        raise Trouble(f"the tree does not build as it stands:\n{said[-2000:]}")
    missed, troubles, took = [], [], {}
    for mutation in mutations:  # all of them before the first edit: programs stay as they were built last
        try:
            took[mutation] = baseline(tree, mutation)
        except Trouble as trouble:
            troubles.append(str(trouble))
    proven = requirements(tree)
    for mutation in took:
        try:
            caught = is_caught(tree, mutation, took[mutation])
        except Trouble as trouble:
            troubles.append(str(trouble))
            continue
        print(f"{'caught' if caught else 'MISSED':7} {mutation.name}: {described(mutation, proven.get(mutation.test, []))} ({mutation.test})", flush=True)
        missed += [] if caught else [mutation]
    if troubles:
        raise Trouble("\n".join(troubles + [f"{mutation.name}: MISSED" for mutation in missed]))
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", help="chooses the claims; the newest commit unless given")
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--list", action="store_true", help="name them with the requirements that their tests prove and the files that they would change, and build nothing")
    arguments = parser.parse_args()
    unknown = set(arguments.only) - {mutation.name for mutation in MUTATIONS}
    if unknown:
        parser.error(f"no claim is called {', '.join(sorted(unknown))}")
    try:
        if arguments.list:
            proven = requirements(ROOT)
            for mutation in MUTATIONS:
                claim = described(mutation, proven.get(mutation.test, []))
                print(f"{mutation.name:16} {place(mutation, ROOT).relative_to(ROOT)}: {claim}")
            return 0
        seed = arguments.seed or newest_commit(ROOT)
        picked = [each for each in MUTATIONS if each.name in arguments.only] or chosen(MUTATIONS, arguments.count, seed)
        print(f"{len(picked)} of {len(MUTATIONS)} claims" + ("" if arguments.only else f", seed {seed}"), flush=True)
        tree = ROOT / "build/mutations/tree"
        copy_tree(ROOT, tree)
        missed = check(tree, picked)
    except Trouble as trouble:
        print(f"mutation_check: {trouble}", file=sys.stderr)
        return 2
    print(f"{len(picked) - len(missed)} caught, {len(missed)} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
