#!/usr/bin/env python3
"""Sums what the programs of a coverage build have counted: covered lines of first-party code, by module.

Fails below the lowest share that the whole project, and the code that enforces the sandbox, may have."""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

LOWEST = {"node-agent/sandbox": 90.0, "all": 85.0}  # percent of lines

SOURCE = pathlib.Path(__file__).resolve().parent.parent
TESTING = re.compile(r"_(test|fuzz)\.cc$|_(fixture|testing|test_support)\.(cc|h)$")
MODULES = ("cli", "common", "controller", "node-agent")


def tool(name):
    return shutil.which(name) or shutil.which(f"{name}-14") or sys.exit(f"{name} is missing: install llvm")


def is_counted(path):
    return (path.is_relative_to(SOURCE) and path.relative_to(SOURCE).parts[0] in MODULES
            and not TESTING.search(path.name))


def programs(build):
    """Everything that was linked here and carries counters."""
    found = [p for folder in ("bin", "tests", "fuzz") for p in (build / folder).glob("*") if p.is_file()]
    return [p for p in found if p.stat().st_mode & 0o100]


def summaries(build):
    """(path, lines, covered lines) of each first-party file."""
    merged = build / "coverage.profdata"
    counted = sorted(str(p) for p in (build / "profiles").glob("*.profraw"))
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", "-o", merged, *counted], check=True)
    objects = [word for program in programs(build) for word in ("-object", str(program))]
    report = subprocess.run(
        [tool("llvm-cov"), "export", "-summary-only", f"-compilation-dir={build}", f"-instr-profile={merged}",
         *objects[1:]],
        check=True, stdout=subprocess.PIPE)
    for entry in json.loads(report.stdout)["data"][0]["files"]:
        path = pathlib.Path(entry["filename"]).resolve()
        if is_counted(path):
            lines = entry["summary"]["lines"]
            yield str(path.relative_to(SOURCE)), lines["count"], lines["covered"]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    sums = collections.defaultdict(lambda: [0, 0])
    files = sorted(summaries(build))
    for name, count, covered in files:
        for key in ("/".join(name.split("/")[:2]), "all"):
            sums[key][0] += covered
            sums[key][1] += count
    if "--files" in sys.argv:
        for name, count, covered in files:
            print(f"{name:60} {covered:6}/{count:<6} {100 * covered / max(count, 1):5.1f} %")
    failed = []
    for key, (covered, count) in sorted(sums.items(), key=lambda item: (item[0] == "all", item[0])):
        share = 100 * covered / max(count, 1)
        print(f"{key:28} {covered:6}/{count:<6} {share:5.1f} %")
        if share < LOWEST.get(key, 0):
            failed.append(f"{key}: {share:.1f} % of lines, at least {LOWEST[key]:.0f} % are asked for")
    failed += [f"{key}: nothing was counted" for key in LOWEST if key not in sums]
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
