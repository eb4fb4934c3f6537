"""Runs: one execution each, of a command in a sandbox on a node."""
from __future__ import annotations

import base64
import dataclasses
import hashlib
import os
import pathlib
import time
import uuid
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from .. import types
from .._backoff import Waited
from .._codec import decode, encode
from .._retry import nobody_there
from .._objects import new_object, part, path_in, query
from ._http import AsyncStream, aclosing, in_thread, sleep
from ._transport import AsyncTransport
from .._event import Event
from ..errors import PaddockError, unexpected
from .attached import AsyncAttachedCommand, attached
from .events import follow

PIECE = 1 << 20
MOST_S = 3600.0  # that a command may take, and one with a terminal:
MOST_TERMINAL_S = 86_400.0
MARGIN_S = 75.0  # beside what a command may take: waiting for its node, its grace and its answer
ENDED = ("Succeeded", "Failed", "Canceled")


class AsyncRuns:
    def __init__(self, transport: AsyncTransport, base: str) -> None:
        self._transport, self._base = transport, f"{base}/runs"

    def _path(self, name: str, *more: str) -> str:
        return "/".join([self._base, part(name), *more])

    async def create(self, spec: Union[types.RunSpec, Mapping[str, Any]], *, name: str = "", labels: Optional[Mapping[str, str]] = None,
                     idempotency_key: Optional[str] = None) -> types.Run:
        """The same key with the same spec gives the same run; without one, a try that is repeated has one of its own."""
        body = new_object("Run", name, "run-", spec, labels)
        headers = {"Idempotency-Key": idempotency_key or uuid.uuid4().hex}
        return decode(types.Run, await self._transport.json("POST", self._base, body, headers=headers, safe=True))

    async def create_runs(self, specs: Iterable[Union[types.RunSpec, Mapping[str, Any]]], *, prefix: str = "run-",
                          labels: Optional[Mapping[str, str]] = None, idempotency_key: Optional[str] = None) -> List[types.Run]:
        """Up to 1,000 in one request: all of them are made, in this order, or none. The names begin with `prefix`."""
        items = [new_object("Run", "", prefix, spec, labels) for spec in specs]
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "RunList", "items": items}
        headers = {"Idempotency-Key": idempotency_key or uuid.uuid4().hex}
        answer = await self._transport.json("POST", self._base, body, headers=headers, safe=True)
        if not isinstance(answer, dict) or not isinstance(answer.get("items"), list):
            raise unexpected("it is no list")
        return [decode(types.Run, each) for each in answer["items"]]

    async def get(self, name: str) -> types.Run:
        return decode(types.Run, await self._transport.json("GET", self._path(name)))

    async def list(self, *, label_selector: Optional[str] = None, field_selector: Optional[str] = None, page: int = 100) -> AsyncStream[types.Run]:
        """All of them, the newest first, read page by page."""
        token: Optional[str] = None
        while True:
            where = query(labelSelector=label_selector, fieldSelector=field_selector, order="newest", limit=page,
                          **{"continue": token})
            answer = await self._transport.json("GET", self._base + where)
            if not isinstance(answer, dict) or not isinstance(answer.get("items"), list):
                raise unexpected("it is no list")
            for each in answer["items"]:
                yield decode(types.Run, each)
            token = (answer.get("metadata") or {}).get("continue")
            if not token:
                return

    async def cancel(self, name: str, now: bool = False) -> types.Run:
        """Asks for it; wait() says when it has ended. Again is the same. `now`: without what its grace leaves it."""
        how = {"now": True} if now else {}
        return decode(types.Run, await self._transport.json("POST", self._path(name, "cancel"), how, safe=True))

    async def delete(self, name: str, now: bool = False) -> None:
        """One that has not ended is canceled first, and gone once its node has ended it: get() says RUN_NOT_FOUND then. `now`:
        without what its grace leaves it."""
        await self._transport.request("DELETE", self._path(name) + ("?gracePeriodSeconds=1" if now else ""))

    def stream_events(self, name: str, *, after: int = 0, patience: Optional[float] = None) -> AsyncStream[Event]:
        """From its first event, or the one behind `after`, to `end`. A connection that breaks is taken up again where it
        was; only after `patience` seconds (the client's unless given) without an answer that is PaddockError STREAM_LOST. The run goes
        on then."""
        return follow(self._transport, self._path(name, "events"), after, patience)

    async def wait(self, name: str, *, timeout: Optional[float] = None, patience: Optional[float] = None) -> types.Run:
        """Until it has ended. TimeoutError after `timeout` seconds; the run goes on then. A server that is away is waited
        for as well, for `patience` seconds or the client's."""
        waited = Waited()
        patience = self._transport.patience if patience is None else patience
        deadline = time.monotonic() + (float("inf") if timeout is None else timeout)
        while True:
            try:
                run = decode(types.Run, await self._transport.json("GET", self._path(name), until=deadline, patience=patience))
                waited.again()
            except PaddockError as error:
                over = nobody_there(error) or waited.seconds() > patience  # where nobody is there, it was used up already
                if not error.retryable or (over and time.monotonic() < deadline):
                    raise
            else:
                if run.status.phase in ENDED:
                    return run
                await self._wait_for_change(run, deadline - time.monotonic())
            if time.monotonic() >= deadline:
                raise TimeoutError(f"run {name} has not ended after {timeout} s; it goes on")

    async def _wait_for_change(self, run: types.Run, left: float) -> None:
        """Returns when the run may be another than this; the server holds the answer back until then."""
        seconds = max(1, int(min(left, 60)))
        where = query(watch=True, fieldSelector=f"metadata.name={run.metadata.name}", timeoutSeconds=seconds,
                      resourceVersion=run.metadata.resourceVersion)
        try:
            async with self._transport.open("GET", self._base + where, timeout=max(0.01, min(left, seconds + 15.0))) as response:
                await response.readline(PIECE)
        except PaddockError:
            await sleep(max(0.0, min(left, 0.5)))  # whether that matters, the next look says

    async def exec(self, name: str, command: Union[str, Sequence[str]], *, stdin: Union[bytes, str] = b"", timeout: float = 60.0,
                   command_id: Optional[str] = None) -> types.RunResult:
        """A command in the sandbox of a run while it runs: what it printed and how it ended; it is never sent twice.

        Words are executed as they are, text is for the shell inside. `stdin` (8 MiB at most) is its whole input; `timeout`: seconds
        that it may take, an hour at most. Whoever leaves this call ends the command; with a `command_id` another caller can, too.
        """
        words = ["sh", "-c", command] if isinstance(command, str) else list(command)
        body: Dict[str, Any] = {"command": words, "commandId": command_id or uuid.uuid4().hex, "timeoutMs": max(1, round(timeout * 1000))}
        if stdin:
            body["stdin"] = base64.b64encode(stdin.encode() if isinstance(stdin, str) else stdin).decode()
        answer = await self._transport.request("POST", self._path(name, "commands"), body, timeout=timeout + MARGIN_S)
        return decode(types.RunResult, answer.json())

    async def exec_stream(self, name: str, command: Union[str, Sequence[str]], *, stdin: Union[bytes, str, None] = None,
                          terminal: Optional[types.TerminalSize] = None, timeout: Optional[float] = None,
                          command_id: Optional[str] = None, patience: Optional[float] = None) -> AsyncAttachedCommand:
        """The same while it runs: its output as it comes, and its input by write() and end_input(), unless all of it is given as
        `stdin`. With a `terminal` all that it prints is `stdout`, as it is, and its input has keys: Ctrl-C is write(b"\x03").

        `timeout`: an hour unless given, with a terminal a day. Who leaves it, or loses the connection, ends the command; input that
        no answer says is taken is sent again for `patience` seconds (the client's unless given), and never read twice.
        """
        words = ["sh", "-c", command] if isinstance(command, str) else list(command)
        limit = (MOST_S if terminal is None else MOST_TERMINAL_S) if timeout is None else timeout
        body: Dict[str, Any] = {"command": words, "commandId": command_id or uuid.uuid4().hex, "timeoutMs": max(1, round(limit * 1000))}
        if stdin is None:
            body["stdinComes"] = True
        elif stdin:
            body["stdin"] = base64.b64encode(stdin.encode() if isinstance(stdin, str) else stdin).decode()
        if terminal is not None:
            body["terminal"] = encode(terminal)
        return await attached(self._transport, self._path(name, "commands"), body, limit + MARGIN_S, patience)

    async def cancel_exec(self, name: str, command_id: str) -> None:
        """COMMAND_NOT_FOUND where it has ended, or has not begun."""
        await self._transport.request("POST", self._path(name, "commands", part(command_id), "cancel"), {})

    async def logs(self, name: str, *, tail_lines: Optional[int] = None, since_seconds: Optional[int] = None, timestamps: bool = False) -> str:
        """Standard output and error as they were written, up to now."""
        where = query(tailLines=tail_lines, sinceSeconds=since_seconds, timestamps=timestamps or None)
        answer = await self._transport.request("GET", self._path(name, "log") + where, headers={"Accept": "text/plain"})
        return answer.body.decode("utf-8", "replace")

    async def follow_logs(self, name: str, *, patience: Optional[float] = None) -> AsyncStream[str]:
        """The same in pieces, until the run ends."""
        async with aclosing(self.stream_events(name, patience=patience)) as events:
            async for event in events:
                if event.type in ("stdout", "stderr"):
                    yield event.data

    async def artifacts(self, name: str) -> List[types.Artifact]:
        """What came back; what did not, and why, is in status.leftOut."""
        answer = await self._transport.json("GET", self._path(name, "artifacts"))
        return decode(_Artifacts, answer).items

    async def read_artifact(self, name: str, artifact: types.Artifact) -> bytes:
        """The bytes of one, which are what its digest says."""
        target = self._path(name, "artifacts", path_in(artifact.path))
        answer = await self._transport.request("GET", target, headers={"Accept": "*/*"})
        if hashlib.sha256(answer.body).hexdigest() != artifact.digest:
            raise _not_the(artifact)
        return answer.body

    async def download(self, name: str, folder: Union[str, "os.PathLike[str]"]) -> List[pathlib.Path]:
        """All artifacts below `folder`, each seen under its name only when all of it is there and its digest fits."""
        root = pathlib.Path(folder).resolve()
        return [await self._fetch(name, artifact, root) for artifact in await self.artifacts(name)]

    async def _fetch(self, name: str, artifact: types.Artifact, root: pathlib.Path) -> pathlib.Path:
        path = root / artifact.path
        leads_out = ".." in pathlib.PurePosixPath(artifact.path).parts or root not in (path.parent.resolve() / "x").parents
        if leads_out:
            raise unexpected("the path of an artifact leads out of its folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".paddock-{uuid.uuid4().hex}.part")
        try:
            await self._transport.repeated(lambda most: self._write(name, artifact, unfinished, most), True)
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)
        return path

    async def _write(self, name: str, artifact: types.Artifact, path: pathlib.Path, most: float) -> None:
        digest = hashlib.sha256()
        target = self._path(name, "artifacts", path_in(artifact.path))
        with open(path, "wb") as file:
            async with self._transport.open("GET", target, timeout=self._transport.within(most)) as response:
                while piece := await response.read(PIECE):
                    digest.update(piece)
                    await in_thread(file.write, piece)
        if digest.hexdigest() != artifact.digest:
            raise _not_the(artifact)
        if artifact.executable:
            path.chmod(path.stat().st_mode | 0o111)


def _not_the(artifact: types.Artifact) -> PaddockError:
    return PaddockError(f"what the server sent is not {artifact.path}", code="DIGEST_MISMATCH", retryable=True)


@dataclasses.dataclass
class _Artifacts:
    items: List[types.Artifact]
