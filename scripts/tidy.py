#!/usr/bin/env python3
"""Runs clang-tidy on the given .cc files; a file known to be clean is not checked again.

Known clean: ${XDG_CACHE_HOME:-~/.cache}/paddock-tidy holds an empty file whose name is the SHA-256 of all
that a result depends on: clang-tidy's version, .clang-tidy, the compile command, and the preprocessed text
with its comments (NOLINT), macros and line markers. The checkout's own path is taken out, so that every
clone shares the cache.

Usage: scripts/tidy.py BUILD_FOLDER FILE...
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "paddock-tidy"
KEEP_S = 30 * 86400  # an entry that no run asked for in this time is dropped


def compile_commands(build):
    """The commands of each file; a file may belong to several targets."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
        arguments = shlex.split(entry["command"])
        at = arguments.index("-o")
        commands.setdefault(path, []).append(arguments[:at] + arguments[at + 2 :])
    return commands


def cache_key(commands, common):
    """Names the result of a file, or None where it does not even preprocess."""
    digest = hashlib.sha256(common)
    root = os.fsencode(ROOT) + b"/"
    for command in commands:
        preprocess = ["-E", "-C", "-dD"] + [a for a in command[1:] if a != "-c"]
        done = subprocess.run(command[:1] + preprocess, capture_output=True)
        if done.returncode != 0:
            return None
        for part in (shlex.join(command).encode(), done.stdout):
            text = part.replace(root, b"").replace(root[:-1], b".")
            digest.update(b"%d\n" % len(text) + text)
    return digest.hexdigest()


def check(path, commands, build, common):
    """Returns (was known clean, findings)."""
    key = cache_key(commands, common)
    if key and (CACHE / key).exists():
        (CACHE / key).touch()
        return True, ""
    done = subprocess.run(
        ["clang-tidy", "-p", str(build), "--quiet", path], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode != 0 or done.stdout.strip():
        ended = f"{path}: clang-tidy ended with {done.returncode}\n"
        return False, done.stdout or done.stderr or ended
    # What was edited while it was checked is not known.
    if key and key == cache_key(commands, common):
        (CACHE / key).touch()
    return False, ""


def drop_old_entries():
    for entry in CACHE.iterdir():
        if time.time() - entry.stat().st_mtime > KEEP_S:
            entry.unlink(missing_ok=True)


def main():
    build, files = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    CACHE.mkdir(parents=True, exist_ok=True)
    drop_old_entries()
    commands = compile_commands(build)
    unbuilt = [path for path in files if path not in commands]
    for path in unbuilt:
        print(f"{path}: no target compiles it")
    files = [path for path in files if path in commands]

    version = subprocess.run(["clang-tidy", "--version"], check=True, capture_output=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    known, bad = 0, list(unbuilt)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        jobs = {pool.submit(check, path, commands[path], build, common): path for path in files}
        for job in concurrent.futures.as_completed(jobs):
            was_known, findings = job.result()
            known += was_known
            if findings:
                bad.append(jobs[job])
                print(findings, end="", flush=True)
    print(f"clang-tidy: {len(files) - known} checked, {known} known clean, {len(bad)} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
