"""run_pytests and run_pytests_v2: tests in a sandbox on this host, never without one."""
import json
import os
import pathlib
import subprocess
import uuid
from typing import Dict, Mapping, Optional, Sequence, Tuple, Union

from .policy import SandboxPolicy
from .result import SandboxResultV2

Path = Union[str, "os.PathLike[str]"]
WORKSPACE = "/workspace"  # the current folder, inside


def run_pytests(paths: Sequence[Path], timeout_s: float = 60) -> Tuple[int, str]:
    """Returns (rc, text): a line that names the run, then its standard output and error."""
    result = run_pytests_v2(paths, SandboxPolicy(wall_time_s=timeout_s))
    header = f"[sandbox] traceId={result.traceId} duration_ms={result.duration_ms}\n"
    reason = "" if result.status in ("OK", "FAILED") else f"{result.header()}\n"
    return result.rc, header + reason + result.stdout + result.stderr


def run_pytests_v2(paths: Sequence[Path], policy: Optional[SandboxPolicy] = None,
                   env_overrides: Optional[Mapping[str, str]] = None) -> SandboxResultV2:
    """Runs the tests at `paths`, below the current folder, under `policy`.

    The environment inside is fixed; `env_overrides` adds variables to it, as do those of this process by which coverage is measured
    (`coverage_variables`). Whatever keeps the sandbox from
    being made is an INTERNAL_ERROR: nothing was run then. The program is $PADDOCK_BIN, or `paddock` of PATH.
    """
    paths = [os.fspath(path) for path in paths]
    if not paths:
        return _internal_error("no test paths provided")
    policy = policy or SandboxPolicy()
    program = os.environ.get("PADDOCK_BIN") or "paddock"
    command = [program, "pytest", "--output", "json", "--policy", "-", "--", *paths]
    try:
        done = subprocess.run(command, input=json.dumps(policy.document({**coverage_variables(os.environ), **(env_overrides or {})})).encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        return _internal_error(f"{program} cannot be run ({error.strerror}): install it, or set PADDOCK_BIN")
    try:
        return SandboxResultV2.from_json(done.stdout.decode(errors="replace"))
    except ValueError:
        return _internal_error(done.stderr.decode(errors="replace").strip() or f"{program} gave no result")


def coverage_variables(env: Mapping[str, str]) -> Dict[str, str]:
    """COVERAGE_PROCESS_START and PYTHONPATH as they are inside, as far as they lie below the current folder: it alone is there."""
    inside = {"COVERAGE_PROCESS_START": _inside(env.get("COVERAGE_PROCESS_START", "")),
              "PYTHONPATH": ":".join(filter(None, map(_inside, env.get("PYTHONPATH", "").split(os.pathsep))))}
    return {name: value for name, value in inside.items() if value}


def _inside(path: str) -> str:
    """The path inside for a path of this host; empty where it is not below the current folder."""
    here, meant = pathlib.Path.cwd().resolve(), pathlib.Path(path).resolve()
    return pathlib.PurePosixPath(WORKSPACE, meant.relative_to(here).as_posix()).as_posix() if path and meant.is_relative_to(here) else ""


def _internal_error(reason: str) -> SandboxResultV2:
    return SandboxResultV2(reason=reason, traceId=uuid.uuid4().hex)
