"""Ordinary programs run in the sandbox as they do outside: each file of programs/, in one profile.

A program's first lines say how it is started and what it needs:

    run: WORDS       the command, split as a shell splits words
    needs: PACKAGE…  Debian packages of the host; where one is missing the program is skipped, visibly
    not: PROFILE (…) where it cannot run as it stands, and why; `user`: where an ordinary user has no cgroup
    loopback         it opens ports on localhost; profile compute must be told so
    limits: {…}      in place of the profile's, which are those of short work; none has to end soon

It is right if it exits with 0 and its last line is `ok`. PADDOCK_PROFILE names the profile. With PADDOCK_USER=ID an ordinary user
starts them all.
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", ".")).resolve()
sys.path.insert(0, str(SOURCE / "tests" / "integration"))
from harness import BIN, PATIENCE_S, main, put_programs  # noqa: E402
from ordinary_user_test import user_namespaces_work  # noqa: E402

PROGRAMS = SOURCE / "tests" / "everyday" / "programs"
PROFILE = os.environ.get("PADDOCK_PROFILE", "command")
WITHOUT_LOOPBACK = ("compute", "snippet")
USER = int(os.environ.get("PADDOCK_USER", os.getuid()))
OTHER = USER != os.getuid()


def header(path):
    """{"run": …} of a program's first lines, behind `#` or `//`."""
    out = {}
    for line in path.read_text().splitlines()[1:]:
        if not line.startswith(("# ", "// ")):
            break
        key, _, value = line.split(" ", 1)[1].partition(":")
        out[key.strip()] = value.strip()
    return out


def is_there(package):
    """Installed; a node or npm from elsewhere does as well, where the sandbox finds it."""
    program = {"nodejs": "node", "npm": "npm"}.get(package)
    if program and shutil.which(program, path="/usr/local/bin:/usr/bin:/bin"):
        return True
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", package], capture_output=True, text=True)
    return asked.stdout == "installed"


def policy(facts):
    """What the program's header asks for, on top of the profile."""
    out = {"limits": {**yaml.safe_load(facts.get("limits", "{}")), "wallTime": "10m"}}
    if "loopback" in facts and PROFILE in WITHOUT_LOOPBACK:
        out["network"] = {"loopback": True}
    return out


def why_not(facts):
    """Why it does not run here; None if it does."""
    if OTHER and (os.getuid() != 0 or not user_namespaces_work()):
        return "needs root, and a host that gives ordinary users user namespaces"
    if {PROFILE, "user" if USER else ""} & set(facts.get("not", "").split()):
        return f"not as it stands: {facts['not']}"
    absent = [each for each in facts.get("needs", "").split() if not is_there(each)]
    return f"needs {' '.join(absent)}: scripts/install-deps everyday" if absent else None


def run(programs, path, facts):
    with tempfile.TemporaryDirectory(prefix="paddock-everyday-") as folder:
        workspace = pathlib.Path(folder) / "project"
        workspace.mkdir()
        os.chmod(folder, 0o755)
        shutil.copy(path, workspace)
        for each in (folder, workspace, workspace / path.name):
            os.chown(each, USER, -1)
        env = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
        return subprocess.run(
            [programs / "paddock", "sandbox", "run", "--profile", PROFILE, "--policy", "-", "--", *shlex.split(facts["run"])],
            cwd=workspace, env={**env, "PADDOCK_HOME": folder, "HOME": folder, "NO_COLOR": "1"}, input=json.dumps(policy(facts)),
            capture_output=True, text=True, timeout=10 * PATIENCE_S,
            **({"user": USER, "group": USER, "extra_groups": []} if OTHER else {}))


class Everyday(unittest.TestCase):
    """One test per program, named after its file."""

    programs = BIN

    @classmethod
    def setUpClass(cls):
        if OTHER:  # who may not be able to look into the build's folder
            folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-everyday-"))
            cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
            os.chmod(folder, 0o755)
            cls.programs = folder / "bin"
            put_programs(cls.programs)


def add_test(path):
    facts = header(path)

    def test(self):
        if why := why_not(facts):
            self.skipTest(why)
        done = run(self.programs, path, facts)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1:]), (0, ["ok"]), f"{done.stdout}\n{done.stderr}")

    setattr(Everyday, f"test_{path.name.replace('.', '_')}", test)


for each in sorted(PROGRAMS.iterdir()):
    add_test(each)

if __name__ == "__main__":
    main()
