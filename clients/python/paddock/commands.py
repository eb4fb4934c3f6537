# Made by scripts/generate from _aio/commands.py: change that, not this.
"""Commands that are under way: what they write as soon as they write it, and how they ended."""
from __future__ import annotations

import base64
import codecs
import json
from typing import Any, Iterator, Mapping, Optional, Union

from . import types
from ._codec import decode
from ._event import Output
from ._http import Lock, Response, Stream, HangUp, closing
from ._transport import Transport
from .errors import PaddockError, unexpected
from .events import messages

# None once the server has taken the command and as it begins, then what it writes, then how it ended.
Piece = Union[None, Output, types.RunResult]
Pieces = Stream[Piece]


def command_left() -> PaddockError:
    return PaddockError("the command was left before its end", code="STREAM_LEFT")


class Command:
    """One that is under way: iterate over its output, then ask for its `result`. Who leaves before its end ends it. Others may end
    it while somebody waits for its output, who hears STREAM_LEFT."""

    def __init__(self, id: str, pieces: Pieces, hang_up: HangUp, first: Piece = None) -> None:
        self.id = id
        self._pieces, self._hang_up = pieces, hang_up
        self._first = first  # of the pieces, where it was asked for already
        self._reading = Lock()
        self._result: Optional[types.RunResult] = None

    def __iter__(self) -> Iterator[Output]:
        return self

    def __next__(self) -> Output:
        output = self._next()
        if output is None:
            raise StopIteration
        return output

    def _next(self) -> Optional[Output]:
        """None: it has ended, and its result is there."""
        with self._reading:
            first, self._first = self._first, None
            output = self._seen(first)
            if output is not None:
                return output
            try:
                for piece in self._pieces:
                    output = self._seen(piece)
                    if output is not None:
                        return output
            except PaddockError:
                if not self._hang_up.done:
                    raise
        if self._result is None:
            raise command_left()
        return None

    def _seen(self, piece: Piece) -> Optional[Output]:
        """What is to be handed on of it: who has left wants no more."""
        if isinstance(piece, Output):
            return None if self._hang_up.done else piece
        if piece is not None:
            self._result = piece
        return None

    @property
    def result(self) -> types.RunResult:
        """Waits for it; output that nobody has taken by then is lost."""
        for _ in self:
            pass
        assert self._result is not None
        return self._result

    def close(self) -> None:
        """Ends the command, unless it has ended. At any time, also while others read and write."""
        self._hang_up()
        if not self._reading.locked():  # else whoever reads is at its end now
            with self._reading:
                self._pieces.close()

    def __enter__(self) -> Command:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def pieces_of(transport: Transport, target: str, body: Mapping[str, Any], patience: float, hang_up: HangUp) -> Pieces:
    """Asks for it, once; `patience`: the longest silence, in seconds."""
    headers = {"Accept": "text/event-stream", "Content-Type": "application/json"}
    with transport.open("POST", f"{target}?stream=true", json.dumps(body).encode(), headers, patience, hang_up) as response:
        yield None
        with closing(_read(response)) as pieces:
            for piece in pieces:
                yield piece


def _read(response: Response) -> Pieces:
    decoders = {kind: codecs.getincrementaldecoder("utf-8")("replace") for kind in ("stdout", "stderr")}
    for message in messages(response):
        kind = message.get("event", "")
        try:
            fields = json.loads(message["data"])
            data = base64.b64decode(fields["base64"], validate=True) if kind in decoders else b""
        except (ValueError, KeyError, TypeError):
            raise unexpected("an event without data") from None
        if kind in decoders:
            yield Output(kind, data, decoders[kind].decode(data))
        elif kind == "started":
            yield None
        elif kind == "result":
            response.read()  # nothing follows
            yield decode(types.RunResult, fields)
            return
        elif kind == "error":
            raise PaddockError(str(fields.get("message", "")), code=str(fields.get("code", "UNEXPECTED_ANSWER")),
                               retryable=fields.get("retryable") is True)
    raise PaddockError("the connection to the command was lost, and the command ended with it", code="STREAM_LOST")
