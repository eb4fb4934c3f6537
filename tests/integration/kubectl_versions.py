"""Which real, unmodified kubectl programs this machine has."""
import json
import os
import pathlib
import shutil
import subprocess

from harness import SOURCE

DEBIANS = (1, 20)
HOW_TO_GET_A_CURRENT_ONE = ("no kubectl of 1.29 or later is on this machine; get one from https://dl.k8s.io/ and name it in "
                            "PADDOCK_KUBECTL")
HOW_TO_GET_OLDER_ONES = ("this machine has one kubectl at the most; get others of 1.27 or later from https://dl.k8s.io/ and name them, "
                         "separated by colons, in PADDOCK_KUBECTL")
HOW_TO_GET_1_20 = "Debian 12's kubectl 1.20 is not on this machine: run scripts/debian-kubectl"
DEBIANS_PROGRAM = SOURCE / "build/debian-kubectl/usr/bin/kubectl"


def version_of(program):
    """(1, 32) or None for what is no kubectl. A vendor's dispatcher, which starts others, is none."""
    with_json = subprocess.run([program, "version", "--client", "-o", "json"], text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, check=False)
    try:
        info = json.loads(with_json.stdout)["clientVersion"]
    except (ValueError, KeyError):
        return None
    if "dispatcher" in info["gitVersion"]:
        return None
    return int(info["major"]), int(info["minor"].rstrip("+"))


def run(command, timeout=300, **settings):
    """As subprocess.run, with its output kept; again where no handshake came about, for which kubectl has ten seconds and a busy machine may
    give a controller no processor. Not for what makes several objects: some may be there then."""
    for last in (False, False, True):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, check=False, **settings)
        if last or "TLS handshake timeout" not in str(done.stderr):
            return done


def candidates():
    yield from filter(None, os.environ.get("PADDOCK_KUBECTL", "").split(":"))
    found = shutil.which("kubectl")
    if found:
        yield found
        yield from map(str, sorted(pathlib.Path(found).resolve().parent.glob("kubectl.1.*")))
    if DEBIANS_PROGRAM.exists():
        yield str(DEBIANS_PROGRAM)


def programs():
    """{(major, minor): path}"""
    found = {}
    for program in candidates():
        version = version_of(program)
        if version:
            found.setdefault(version, program)
    return found


def newest():
    """The same with one in it, or none."""
    found = programs()
    return {version: found[version] for version in sorted(found)[-1:]}
