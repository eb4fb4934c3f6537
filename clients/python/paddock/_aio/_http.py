"""Connections of an event loop, kept while they are good. HTTP/1.1, and no more of it than a controller speaks."""
from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import http.client
import io
import re
import time
from typing import Any, AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, List, Mapping, Optional, TypeVar

from .._silence import ANSWERS_S, JOINS_S, STEP_S, Silence
from .._wire import KEPT, KEPT_S, MAX_ERROR, Server, Servers, ask_for_signs_of_life, closed
from ..errors import PaddockError, unexpected

T = TypeVar("T")
AsyncStream = AsyncGenerator[T, None]
PIECE = 1 << 16
MAX_HEAD = 1 << 16
SIZE = re.compile(rb"[0-9A-Fa-f]{1,12}")  # of a chunk
MAX_INTERIM = 10  # answers that only say that one will come
UNKNOWN = 1 << 62  # bytes left of a body that the end of its connection ends
sleep = asyncio.sleep
AsyncLock = asyncio.Lock


async def in_thread(action: Callable[..., T], *given: Any) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, lambda: action(*given))


@contextlib.asynccontextmanager
async def aclosing(stream: AsyncStream[T]) -> AsyncIterator[AsyncStream[T]]:
    try:
        yield stream
    finally:
        await stream.aclose()


Pause = Callable[[float], Awaitable[bool]]


async def _pause(seconds: float) -> bool:
    await asyncio.sleep(seconds)
    return False


@contextlib.asynccontextmanager
async def beside(work: Callable[[Pause], Awaitable[None]]) -> AsyncIterator[None]:
    """Does `work` beside the block, in a task that is canceled when the block is left. It gets a pause, which says whether it was:
    here, where it would be canceled, never."""
    worker = asyncio.ensure_future(work(_pause))
    try:
        yield
    finally:
        worker.cancel()
        await asyncio.wait([worker])


class Connection:
    """Whoever waits for it waits `silence` seconds for each piece."""

    def __init__(self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server, self._reader, self._writer = server, reader, writer
        self.loop = asyncio.get_running_loop()
        self.silence = self.kept_since = 0.0
        self.expired = self.left = False  # it was ended here: nothing came for too long, or another server leads
        self.heard: Callable[[], None] = lambda: None  # told of whatever comes

    @contextlib.contextmanager
    def _waiting(self) -> Iterator[None]:
        timer = self.loop.call_later(self.silence, self._expire)
        try:
            yield
        finally:
            timer.cancel()

    def _expire(self) -> None:
        self.expired = True
        self._writer.transport.abort()

    def close(self) -> None:
        if not self.loop.is_closed():  # what its loop held is gone with it
            self._writer.transport.abort()

    def socket(self) -> Any:
        return self._writer.get_extra_info("socket")

    def good(self) -> bool:
        return time.monotonic() - self.kept_since < KEPT_S and not self._writer.transport.is_closing() and not self._reader.at_eof()

    async def send(self, data: bytes) -> None:
        for at in range(0, len(data), PIECE):
            self._writer.write(data[at:at + PIECE])
            with self._waiting():
                await self._writer.drain()

    async def until(self, end: bytes) -> bytes:
        with self._waiting():
            found = await self._reader.readuntil(end)
        self.heard()
        return found

    async def some(self, most: int) -> bytes:
        with self._waiting():
            found = await self._reader.read(most)
        self.heard()
        return found


class HangUp:
    """Cancels one request from outside of it: call it in the request's loop, before the request, while it waits or after it."""

    def __init__(self) -> None:
        self.done = False
        self._connection: Optional[Connection] = None

    def __call__(self) -> None:
        self.done = True
        self.watch(self._connection)

    def watch(self, connection: Optional[Connection]) -> None:
        """What is to be broken; None once it is another's."""
        self._connection = connection
        if self.done and connection is not None:
            connection.close()


class AsyncResponse:
    def __init__(self, connection: Connection, status: int, headers: http.client.HTTPMessage) -> None:
        self._connection, self.status, self._headers = connection, status, headers
        self._chunked = (headers.get("Transfer-Encoding") or "").lower() == "chunked"
        self._left = 0 if self._chunked or status == 204 else _length(headers)
        self._ended = self._left == 0 and not self._chunked
        self._buffer = b""

    def getheader(self, name: str) -> Optional[str]:
        return self._headers.get(name)

    def reusable(self) -> bool:
        """Its body has been read to its end, and the server does not close."""
        return self._ended and not self._buffer and self._left == 0 and (self._headers.get("Connection") or "").lower() != "close"

    async def _chunk(self) -> None:
        size = (await self._connection.until(b"\r\n")).split(b";")[0].strip()
        if not SIZE.fullmatch(size):
            raise unexpected("a chunk without a size")
        self._left = int(size, 16)
        if self._left == 0:
            while await self._connection.until(b"\r\n") != b"\r\n":
                pass  # trailers
            self._ended = True

    async def _piece(self) -> bytes:
        """What comes next; empty at the end."""
        if self._chunked and self._left == 0 and not self._ended:
            await self._chunk()
        if self._ended:
            return b""
        data = await self._connection.some(min(PIECE, self._left))
        if not data and (self._connection.expired or self._connection.left or self._left < UNKNOWN >> 1):
            raise ConnectionResetError  # an end that came too soon, or that we made
        self._left -= len(data)
        if self._chunked and self._left == 0:
            await self._connection.until(b"\r\n")
        self._ended = not data or (self._left == 0 and not self._chunked)
        return data

    async def read(self, size: int = -1) -> bytes:
        """All of the rest, or `size` bytes at most, fewer at the end alone."""
        found = [self._buffer]
        have = len(self._buffer)
        while size < 0 or have < size:
            piece = await self._piece()
            if not piece:
                break
            found.append(piece)
            have += len(piece)
        data = b"".join(found)
        cut = len(data) if size < 0 else size
        self._buffer = data[cut:]
        return data[:cut]

    async def readline(self, most: int) -> bytes:
        """To the end of a line, `most` bytes at most."""
        found, seen = bytearray(self._buffer), 0
        while (end := found.find(b"\n", seen)) < 0 and len(found) < most:
            seen = len(found)
            piece = await self._piece()
            if not piece:
                break
            found += piece
        cut = min(end + 1 if end >= 0 else len(found), most)
        self._buffer = bytes(found[cut:])
        return bytes(found[:cut])


def _length(headers: http.client.HTTPMessage) -> int:
    given = headers.get("Content-Length")
    if given is None:
        return UNKNOWN
    if not (given.isascii() and given.isdigit() and len(given) < 16):
        raise unexpected("its length is no number")
    return int(given)


async def _answer(connection: Connection) -> AsyncResponse:
    for _ in range(MAX_INTERIM):
        try:
            first = await connection.until(b"\n")  # what speaks something else may never come to an empty line
        except asyncio.IncompleteReadError as error:
            if not error.partial:
                raise
            raise http.client.BadStatusLine(error.partial.decode("latin-1")) from error
        words = first.split(None, 2)
        if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit() or len(words[1]) != 3:
            raise http.client.BadStatusLine(first.decode("latin-1"))
        rest = b""
        while not rest.endswith(b"\r\n\r\n") and rest != b"\r\n":
            rest += await connection.until(b"\r\n")
            if len(rest) > MAX_HEAD:
                raise http.client.LineTooLong("head")
        if words[1][:1] != b"1":
            return AsyncResponse(connection, int(words[1]), http.client.parse_headers(io.BytesIO(rest)))
    raise unexpected("it never comes to its end")


class AsyncConnections:
    """The connections of the event loop that uses it; one loop after another may."""

    def __init__(self, base_url: str, token: str, ca_file: Optional[str], timeout: float) -> None:
        self._servers, self._timeout = Servers(base_url, token, ca_file), timeout
        self._kept: List[Connection] = []
        self._closed = False

    @property
    def several(self) -> bool:
        """Another address may answer where one does not."""
        return len(self._servers) > 1

    async def aclose(self) -> None:
        """Ends no request that is under way; none begins after it."""
        self._closed = True
        kept, self._kept = self._kept, []
        for connection in kept:
            connection.close()
        await asyncio.sleep(0)  # aborted transports are gone with the loop's next turn

    def _take(self, server: Server) -> Optional[Connection]:
        while self._kept:
            connection = self._kept.pop()
            if connection.server is server and connection.loop is asyncio.get_running_loop() and connection.good():
                return connection
            connection.close()
        return None

    def _keep(self, connection: Connection) -> None:
        if len(self._kept) >= KEPT or self._closed:
            return connection.close()
        connection.kept_since = time.monotonic()
        self._kept.append(connection)

    @staticmethod
    async def _dial(server: Server, timeout: float) -> Connection:
        port = server.port or (80 if server.tls is None else 443)
        opening = asyncio.open_connection(server.host, port, ssl=server.tls, limit=MAX_HEAD)
        return Connection(server, *await asyncio.wait_for(opening, timeout))

    async def _connect(self, server: Server, timeout: float) -> Connection:
        try:
            connection = await self._dial(server, timeout)
        except (OSError, asyncio.TimeoutError) as error:
            raise self._servers.not_connected(server, error) from error
        ask_for_signs_of_life(connection.socket())
        return connection

    async def _says_yes(self, server: Server, target: str, seconds: float) -> bool:
        """By a connection of its own, without a token: what is asked is answered to everybody."""
        connection: Optional[Connection] = None
        try:
            connection = await self._dial(server, seconds)
            connection.silence = seconds
            await connection.send(self._head(dataclasses.replace(server, headers={}), "GET", target, None, {}))
            return (await _answer(connection)).status == 200
        except (OSError, EOFError, ValueError, PaddockError, asyncio.TimeoutError, asyncio.LimitOverrunError, http.client.HTTPException):
            return False
        finally:
            if connection is not None:
                connection.close()

    async def _look(self, server: Server, silence: Silence) -> None:
        if await self._says_yes(server, "/livez", silence.patience()):
            return silence.heard()
        for other in self._servers.besides(server):
            if await self._says_yes(other, "/readyz", ANSWERS_S):
                self._servers.lead(other, silence)
                return None
        silence.unanswered()

    async def _watch(self, connection: Connection, silence: Silence) -> None:
        """Breaks it once its server gives no sign of life and another one leads."""
        before = silence.given_way
        await asyncio.sleep(JOINS_S)
        while silence.given_way == before:
            await asyncio.sleep(max(STEP_S, silence.rest()))
            if silence.rest() > 0 or not silence.asking.acquire(blocking=False):
                continue
            try:
                await self._look(connection.server, silence)
            finally:
                silence.asking.release()
        connection.left = True
        connection.close()

    @contextlib.asynccontextmanager
    async def _watched(self, connection: Connection) -> AsyncIterator[None]:
        """Of several servers: who waits in silence for one is told when another one leads."""
        if not self.several:
            yield
            return
        silence = self._servers.silence_of(connection.server)
        connection.heard = silence.heard
        watch = asyncio.ensure_future(self._watch(connection, silence))
        try:
            yield
        finally:
            watch.cancel()

    @staticmethod
    def _head(server: Server, method: str, target: str, body: Optional[bytes], headers: Mapping[str, str]) -> bytes:
        host = f"[{server.host}]" if ":" in server.host else server.host
        sent = {"Host": host + (f":{server.port}" if server.port else ""), "Accept-Encoding": "identity", **server.headers, **headers}
        if body is not None or method in ("POST", "PUT"):
            sent["Content-Length"] = str(len(body or b""))
        lines = [f"{method} {server.prefix}{target} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
        if any("\r" in line or "\n" in line for line in lines):
            raise ValueError("a header has no line ends")
        return "\r\n".join((*lines, "", "")).encode("latin-1")

    @contextlib.asynccontextmanager
    async def open(self, method: str, target: str, body: Optional[bytes] = None, headers: Optional[Mapping[str, str]] = None,
                   timeout: Optional[float] = None, hang_up: Optional[HangUp] = None) -> AsyncIterator[AsyncResponse]:
        """One try. A successful answer whose body is still to be read; `timeout` is of silence. Who is canceled in it leaves the
        connection closed."""
        limit = self._timeout if timeout is None else timeout
        if self._closed:
            raise closed()
        server = self._servers.now()
        connection = self._take(server) or await self._connect(server, self._servers.connect_limit(limit))
        done = False
        hang_up = hang_up or HangUp()
        try:
            hang_up.watch(connection)
            connection.silence = limit
            async with self._watched(connection):
                await connection.send(self._head(server, method, target, body, headers or {}) + (body or b""))
                response = await _answer(connection)
                self._servers.meet(server)
                if not 200 <= response.status < 300:
                    said = await response.read(MAX_ERROR)
                    done = response.reusable()
                    raise self._servers.refused(server, response.status, said, response.getheader("Retry-After"))
                yield response
                done = response.reusable()
        except (OSError, EOFError, asyncio.LimitOverrunError, http.client.HTTPException) as failed:
            raise self._servers.lost(server, failed, connection.expired) from failed
        finally:
            hang_up.watch(None)
            if done and not hang_up.done:
                self._keep(connection)
            else:
                connection.close()
