"""Paddock from Python: runs, sessions, workspaces and short code by a controller's API, and a project's tests in a sandbox on this
host (`run_pytests`, which needs the program `paddock`). Standard library only."""
from . import types
from .client import Client
from .errors import Cause, PaddockError
from .reasons import Reason
from .events import Event
from .policy import SandboxPolicy
from .pytests import run_pytests, run_pytests_v2
from .result import SandboxResult
from .sandboxes import Command, Output, Session
from .types import RunSpec

__all__ = ["Cause", "Client", "Command", "Event", "Output", "PaddockError", "Reason", "RunSpec", "SandboxPolicy", "SandboxResult",
           "Session", "run_pytests", "run_pytests_v2", "types"]
