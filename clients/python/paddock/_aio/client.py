"""A controller, by its API."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional

from .. import types
from .._backoff import PATIENCE_S
from .._codec import decode
from .._connect import default_target
from .._objects import part
from ._transport import AsyncTransport
from .runs import AsyncRuns
from .sandboxes import AsyncSandboxes
from .workspaces import AsyncWorkspaces

ANSWER_S = 20.0  # beside what a piece of code may take


class AsyncClient:
    """`AsyncClient()` is the instance on this host, or the controller that PADDOCK_SERVER, PADDOCK_TOKEN and PADDOCK_CA_FILE
    name; `AsyncClient(url, token, ca_file)` another, with several addresses by commas where controllers take over from each other. All of a
    program may use it at the same time. `timeout`: of one answer, in seconds.
    `patience`: for how many seconds a request is sent again while no server answers (a few times in any case), if it can do nothing
    twice, and a stream that broke is asked for again; two minutes unless given, as with `paddock --patience`.

    Every call may raise PaddockError.
    """

    def __init__(self, base_url: Optional[str] = None, token: str = "", ca_file: Optional[str] = None, *,
                 namespace: str = "default", timeout: float = 30.0, patience: float = PATIENCE_S) -> None:
        if base_url is None:
            base_url, token, ca_file = default_target(os.environ)
        self._transport = AsyncTransport(base_url, token, ca_file, timeout, patience)
        base = f"/apis/paddock.dev/v1alpha1/namespaces/{part(namespace)}"
        self.runs = AsyncRuns(self._transport, base)
        self.sandboxes = AsyncSandboxes(self._transport, base)
        self.workspaces = AsyncWorkspaces(self._transport, base)

    async def execute(self, code: str, input: Optional[Mapping[str, Any]] = None, *, timeout_seconds: int = 30,
                      memory_mb: Optional[int] = None) -> types.ExecuteAnswer:
        """A short piece of Python in a sandbox of its own, answered at once; it finds `input` as `input_data`.

        What the code did is in the answer (`success`, `exit_code`, `error`). It is never sent twice.
        """
        body = {"code": code, "input_data": input, "timeout_seconds": timeout_seconds, "memory_mb": memory_mb}
        answer = await self._transport.request("POST", "/execute", {name: value for name, value in body.items() if value is not None},
                                               timeout=timeout_seconds + ANSWER_S)
        return decode(types.ExecuteAnswer, answer.json())

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
