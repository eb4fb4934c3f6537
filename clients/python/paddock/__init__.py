"""Paddock from Python: runs, sessions, workspaces and short code by a controller's API (`Client`; `AsyncClient` for asyncio), and a
project's tests in a sandbox on this host (`run_pytests`, which needs the program `paddock`). Standard library only."""
from . import types
from ._aio.attached import AsyncAttachedCommand
from ._aio.client import AsyncClient
from ._aio.commands import AsyncCommand
from ._aio.runs import AsyncRuns
from ._aio.sandboxes import AsyncSandboxes, AsyncSession
from ._aio.workspaces import AsyncWorkspaces
from ._event import Event, Output
from .attached import AttachedCommand
from .client import Client
from .commands import Command
from .errors import Cause, CommandTimedOut, PaddockError
from .policy import SandboxPolicy
from .pytests import run_pytests, run_pytests_v2
from .reasons import Reason
from .result import SandboxResult, SandboxResultV2
from .runs import Runs
from .sandboxes import Sandboxes, Session
from .types import RunSpec
from .workspaces import Workspaces

__all__ = ["AsyncAttachedCommand", "AsyncClient", "AsyncCommand", "AsyncRuns", "AsyncSandboxes", "AsyncSession", "AsyncWorkspaces",
           "AttachedCommand", "Cause", "Client", "Command", "CommandTimedOut", "Event", "Output", "PaddockError", "Reason", "RunSpec", "Runs",
           "SandboxPolicy", "SandboxResult", "SandboxResultV2", "Sandboxes", "Session", "Workspaces", "run_pytests", "run_pytests_v2",
           "types"]
