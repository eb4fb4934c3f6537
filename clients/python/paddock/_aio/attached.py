"""Commands that read what is sent to them while they run, with a terminal if they want one."""
from __future__ import annotations

import base64
import itertools
from typing import Any, Dict, Iterable, Optional, Tuple, Union

from .. import types
from .._backoff import Waited
from .._objects import content_bytes
from .._retry import input_may_be_sent_again, input_was_not_taken
from ._http import AsyncLock, HangUp, sleep
from ._transport import AsyncTransport
from ..errors import PaddockError
from .commands import AsyncCommand, Piece, Pieces, command_left, pieces_of

PIECE = 32 << 10  # bytes of input in one request
PIECE_S = 30.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.02, 0.25  # until a piece that was not taken is sent again


class AsyncInput:
    """Numbered pieces, one after the other, each sent again until it is taken: the server takes a number once."""

    def __init__(self, transport: AsyncTransport, target: str, patience: float) -> None:
        self._transport, self._target, self._patience = transport, target, patience
        self._lock = AsyncLock()
        self._number = 0
        self._in_doubt: Optional[Dict[str, Any]] = None  # it was sent, and nobody said whether it was taken

    async def send(self, pieces: Iterable[Dict[str, Any]], leaving: Optional[HangUp]) -> None:
        """`leaving`: what tells that nobody wants it any more."""
        async with self._lock:
            await self._clear_doubt(leaving)
            for piece in pieces:
                await self._deliver({"seq": self._number + 1, **piece}, leaving)

    async def _clear_doubt(self, leaving: Optional[HangUp]) -> None:
        if self._in_doubt is None:
            return
        try:
            await self._deliver(self._in_doubt, leaving)
        except PaddockError:
            if self._in_doubt is not None:
                raise  # else it is refused now, which is for whoever wrote it and does not stop others

    async def _deliver(self, piece: Dict[str, Any], leaving: Optional[HangUp]) -> None:
        waited, unheard = Waited(), 0
        for failed in itertools.count(1):
            if leaving is not None and leaving.done:
                raise command_left()
            doubtful = self._in_doubt is not None
            self._in_doubt = piece
            try:
                await self._transport.try_json("POST", self._target, piece, PIECE_S)
                break
            except PaddockError as error:
                if input_was_not_taken(error, doubtful):
                    self._in_doubt = None  # another may have its number
                heard = error.code == "INPUT_WAITS"  # and the command is under way
                unheard = 0 if heard else unheard + 1
                if heard:
                    waited.again()
                if not input_may_be_sent_again(error) or (not heard and waited.seconds() > self._patience):
                    raise
                self._transport.tell(unheard, error, self._patience)
            await sleep(min(FIRST_PAUSE_S * 2.0 ** min(failed - 1, 10), LONGEST_PAUSE_S))
        self._number, self._in_doubt = piece["seq"], None


class AsyncAttachedCommand(AsyncCommand):
    """One whose input comes while it runs: others may write while somebody iterates over its output. What a command has not read of
    its input waits, 64 KiB at most, and it does not read while nobody takes what it prints; so who writes more than that and reads in
    turns waits for ever: read in another thread, or another task."""

    def __init__(self, id: str, pieces: Pieces, hang_up: HangUp, first: Piece, given: AsyncInput) -> None:
        super().__init__(id, pieces, hang_up, first)
        self._input = given

    async def __aenter__(self) -> AsyncAttachedCommand:
        return self

    async def _send(self, pieces: Iterable[Dict[str, Any]]) -> None:
        leaving = self._hang_up if self._result is None else None  # of one that ended by itself its server says so
        if leaving is not None and leaving.done:
            raise command_left()
        await self._input.send(pieces, leaving)

    async def write(self, data: Union[bytes, str]) -> None:
        """Returns once all of it is on its way; COMMAND_NOT_FOUND or RUN_NOT_RUNNING once the command has ended. Who is interrupted
        here has written a part of it."""
        given = content_bytes(data)
        await self._send({"data": base64.b64encode(given[at:at + PIECE]).decode()} for at in range(0, len(given), PIECE))

    async def end_input(self) -> None:
        """The command reads the end of its input. One with a terminal reads Ctrl-D: write(b"\\x04")."""
        await self._send([{"end": True}])

    async def resize(self, rows: int, columns: int) -> None:
        """Sets the size of its terminal."""
        await self._send([{"terminal": {"rows": rows, "columns": columns}}])


async def attached(transport: AsyncTransport, target: str, body: Dict[str, Any], silence: float, patience: Optional[float]) -> AsyncAttachedCommand:
    """Begins it: `target` takes commands. What no node took is asked for again."""
    hang_up = HangUp()

    async def begin(_: float) -> Tuple[Pieces, Piece]:
        pieces = pieces_of(transport, target, body, silence, hang_up)
        await pieces.__anext__()  # it is asked for
        return pieces, await pieces.__anext__()  # it is under way, or refused
    number = str(body["commandId"])
    pieces, first = await transport.repeated(begin, False)
    given = AsyncInput(transport, f"{target}/{number}/stdin", transport.patience if patience is None else patience)
    return AsyncAttachedCommand(number, pieces, hang_up, first, given)
