# Made by scripts/generate from _aio/sandboxes.py: change that, not this.
"""Sandboxes: sessions that are created, used and destroyed. What may be done in one is fixed when it is created."""
from __future__ import annotations

import contextlib
import itertools
import math
import uuid
from typing import Any, Iterator, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import types
from ._backoff import backoff
from ._codec import decode, encode
from ._objects import content_bytes, naming, new_object, part, path_inside, query, shell_text
from ._wire import Answer
from ._transport import Transport
from .errors import CommandTimedOut, PaddockError, unexpected
from ._http import Lock, HangUp, Pause, closing, beside
from .commands import Command, Pieces, pieces_of

MARGIN_S = 75.0  # beside what a command may take: the server opens the session for 20 s, and waits for 30 s more for the answer
DEFAULT_TIMEOUT_MS = 10_000
LONGEST_S = 7 * 86_400.0  # that a session lives
CANCEL_S = 10.0  # that the answer to a cancel is waited for


class TimeLimit:
    """The time that a caller gives to one command."""

    def __init__(self, seconds: Optional[float]) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self.begun = False  # as far as its server has said
        self.is_over = False  # and the command was canceled for that
        self.asking = Lock()  # who has it waits for the answer to a cancel

    def goes_on(self, error: PaddockError) -> bool:
        """Whether a cancel that failed so may succeed later. As long as the command has not begun nobody knows it."""
        return error.retryable or (error.code == "COMMAND_NOT_FOUND" and not self.begun)

    def check(self, result: types.RunResult) -> None:
        """A command that had ended by itself is in time, and so is one that somebody else canceled."""
        if result.errorClass != "CANCELLED":
            return
        with self.asking:  # its end may come before the answer to what ended it
            if self.is_over:
                raise CommandTimedOut(self.seconds, result)


class Files:
    """The files of a session, by their path beneath its folder: `src/a.py`, or `/workspace/src/a.py` as programs there have it."""

    def __init__(self, transport: Transport, base: str) -> None:
        self._transport, self._base = transport, f"{base}/files"

    def _get(self, path: str) -> Answer:
        inside = path_inside(path)
        with naming(path):
            return self._transport.request("GET", f"{self._base}/{inside}" if inside else self._base, headers={"Accept": "*/*"})

    def _below(self, path: str) -> str:
        inside = path_inside(path)
        if not inside:
            raise PaddockError(f"{path!r} is the session's folder itself; name what is in it", code="INVALID_NAME")
        return f"{self._base}/{inside}"

    def read(self, path: str) -> bytes:
        answer = self._get(path)
        if answer.content_type.startswith("application/json"):
            raise PaddockError(f"{path} is a folder; list() shows what is in it", code="IS_A_FOLDER")
        return answer.body

    def read_text(self, path: str) -> str:
        return (self.read(path)).decode("utf-8", "replace")

    def list(self, path: str = "") -> List[types.SessionFile]:
        answer = self._get(path)
        if not answer.content_type.startswith("application/json"):
            raise PaddockError(f"{path} is no folder", code="NOT_A_FOLDER")
        return decode(types.SessionFileList, answer.json()).files

    def write(self, path: str, data: Union[bytes, str]) -> None:
        """The whole file; folders on the way to it are made."""
        body = content_bytes(data)
        with naming(path):
            self._transport.request("PUT", self._below(path), body, headers={"Content-Type": "application/octet-stream"})

    def make_folder(self, path: str) -> None:
        with naming(path):
            self._transport.request("PUT", self._below(path) + query(folder=True), b"",
                                    headers={"Content-Type": "application/octet-stream"})

    def remove(self, path: str) -> None:
        with naming(path):
            self._transport.request("DELETE", self._below(path))


class Session:
    """`with client.sandboxes.create() as session:` destroys it at the end. Any thread may use it, also at the same time."""

    def __init__(self, transport: Transport, base: str, sandbox: types.Sandbox) -> None:
        self._transport, self._path = transport, f"{base}/{part(sandbox.metadata.name)}"
        self.sandbox = sandbox
        self.name = sandbox.metadata.name
        self.files = Files(transport, self._path)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @property
    def _patience(self) -> float:
        limit = self.sandbox.spec.security.limits.timeoutMs
        return (DEFAULT_TIMEOUT_MS if limit is None else limit) / 1000 + MARGIN_S

    def _end(self, command_id: str, limit: TimeLimit, pause: Pause) -> None:
        """Cancels the command once its time is over."""
        seconds = min(limit.seconds, LONGEST_S)
        for failed in itertools.count(1):
            if pause(seconds):
                return
            try:
                with limit.asking:
                    self._transport.try_json("POST", self._cancel_path(command_id), {}, CANCEL_S)
                    limit.is_over = True
                return
            except PaddockError as error:
                if not limit.goes_on(error):
                    return
                seconds = error.retry_after + backoff(failed)

    @contextlib.contextmanager
    def _limited(self, command_id: str, seconds: Optional[float]) -> Iterator[TimeLimit]:
        limit = TimeLimit(seconds)
        if seconds is None:
            yield limit
            return
        with beside(lambda pause: self._end(command_id, limit, pause)):
            yield limit

    def _pieces(self, command_id: str, body: Mapping[str, Any], seconds: Optional[float], hang_up: HangUp) -> Pieces:
        with self._limited(command_id, seconds) as limit:
            patience = min(self._patience, limit.seconds + MARGIN_S)
            with closing(pieces_of(self._transport, f"{self._path}/commands", body, patience, hang_up)) as pieces:
                taken = False
                for piece in pieces:
                    limit.begun = taken  # the first only says that the server has it
                    taken = True
                    yield piece
                    if isinstance(piece, types.RunResult):
                        limit.check(piece)

    def _cancel_path(self, command_id: str) -> str:
        return f"{self._path}/commands/{part(command_id)}/cancel"

    @staticmethod
    def _request(command: Union[str, Sequence[str]], command_id: Optional[str]) -> Tuple[str, Dict[str, str]]:
        chosen = command_id or uuid.uuid4().hex
        return chosen, {"command": shell_text(command), "commandId": chosen}

    def run(self, command: Union[str, Sequence[str]], *, timeout: Optional[float] = None,
            command_id: Optional[str] = None) -> types.RunResult:
        """Text for the shell inside, or words that reach the program as they are. What the command did is in the result; it is never
        sent twice.

        `timeout`: seconds from this call on, beside the session's own `limits.timeoutMs`. A command that takes longer is canceled, and
        CommandTimedOut has its output up to then. With a `command_id` another caller can cancel it.
        """
        chosen, body = self._request(command, command_id)
        with self._limited(chosen, timeout) as limit:
            silence = min(self._patience, limit.seconds + MARGIN_S)
            answer = self._transport.request("POST", f"{self._path}/commands", body, timeout=silence,
                                             patience=min(self._transport.patience, limit.seconds))
            result = decode(types.RunResult, answer.json())
            limit.check(result)
        return result

    def stream(self, command: Union[str, Sequence[str]], *, timeout: Optional[float] = None,
               command_id: Optional[str] = None) -> Command:
        """The same, with its output while it comes. CommandTimedOut comes behind all of it, where more of it is asked for."""
        chosen, body = self._request(command, command_id)
        hang_up = HangUp()
        pieces = self._pieces(chosen, body, timeout, hang_up)
        pieces.__next__()  # it is under way, or refused, before anybody looks
        return Command(chosen, pieces, hang_up)

    def cancel(self, command_id: str) -> None:
        """COMMAND_NOT_FOUND where it has ended, or has not begun."""
        self._transport.request("POST", self._cancel_path(command_id), {})

    def destroy(self) -> None:
        """Ends what runs in it and removes its files; again is the same."""
        try:
            self._transport.request("DELETE", self._path)
        except PaddockError as error:
            if error.status_code != 404:
                raise

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()


class Sandboxes:
    def __init__(self, transport: Transport, base: str) -> None:
        self._transport, self._base = transport, f"{base}/sandboxes"

    def create(self, security: Union[types.SecurityOptions, Mapping[str, Any], None] = None, *, name: str = "",
               idle_timeout: Optional[str] = None, lifetime: Optional[str] = None, labels: Optional[Mapping[str, str]] = None,
               node_selector: Optional[Mapping[str, str]] = None, idempotency_key: Optional[str] = None) -> Session:
        """`security` holds for the session's whole life: network, mounts, programs, limits. `idle_timeout` and `lifetime` are
        durations such as 15m."""
        spec = {"security": encode(security), "idleTimeout": idle_timeout, "lifetime": lifetime,
                "nodeSelector": dict(node_selector) if node_selector else None}
        body = new_object("Sandbox", name, "sandbox-", {key: value for key, value in spec.items() if value is not None}, labels)
        headers = {"Idempotency-Key": idempotency_key or uuid.uuid4().hex}
        answer = self._transport.request("POST", self._base, body, headers=headers, safe=True)
        return Session(self._transport, self._base, decode(types.Sandbox, answer.json()))

    def get(self, name: str) -> types.Sandbox:
        return decode(types.Sandbox, self._transport.json("GET", f"{self._base}/{part(name)}"))

    def attach(self, name: str) -> Session:
        """One that is there already; a `with` destroys it at its end all the same."""
        return Session(self._transport, self._base, self.get(name))

    def list(self) -> List[types.Sandbox]:
        """All of them, the newest first, read page by page."""
        found: List[types.Sandbox] = []
        token: Optional[str] = None
        while True:
            answer = self._transport.json("GET", self._base + query(order="newest", limit=100, **{"continue": token}))
            if not isinstance(answer, dict) or not isinstance(answer.get("items"), list):
                raise unexpected("it is no list")
            found += [decode(types.Sandbox, each) for each in answer["items"]]
            token = (answer.get("metadata") or {}).get("continue")
            if not token:
                return found

    def delete(self, name: str) -> None:
        self._transport.request("DELETE", f"{self._base}/{part(name)}")
