"""Connections that block, kept while they are good. Any thread may ask for one."""
from __future__ import annotations

import contextlib
import http.client
import select
import socket
import threading
import time
from typing import Any, Callable, Generator, Iterator, List, Mapping, Optional, Tuple, TypeVar

from ._silence import ANSWERS_S, JOINS_S, STEP_S, Silence
from ._wire import KEPT, KEPT_S, MAX_ERROR, Server, Servers, ask_for_signs_of_life, closed

T = TypeVar("T")
Stream = Generator[T, None, None]
sleep = time.sleep
Lock = threading.Lock
closing = contextlib.closing


def in_thread(action: Callable[..., T], *given: Any) -> T:
    """Here it is the caller's own; the one of asyncio does not hold up its loop."""
    return action(*given)


Pause = Callable[[float], bool]


@contextlib.contextmanager
def beside(work: Callable[[Pause], None]) -> Iterator[None]:
    """Does `work` beside the block, in a thread of its own. It gets a pause, which says whether the block was left: nobody waits for
    its end."""
    left = threading.Event()
    worker = threading.Thread(target=work, args=(left.wait,), daemon=True)
    try:
        worker.start()
        yield
    finally:
        left.set()


class Response:
    """An answer; `heard` is told of all that comes of it, and `broken` tells whether we ended its connection."""

    def __init__(self, answer: http.client.HTTPResponse, heard: Callable[[], None], broken: Callable[[], bool]) -> None:
        self._answer, self._heard, self._broken, self.status = answer, heard, broken, answer.status
        self._endless = answer.length is None and not answer.chunked  # the end of its connection is its own
        heard()

    def getheader(self, name: str) -> Optional[str]:
        return self._answer.getheader(name)

    def reusable(self) -> bool:
        """Its body has been read to its end, and the server does not close."""
        return self._answer.isclosed() and not self._answer.will_close

    def _came(self, data: bytes) -> bytes:
        if self._endless and self._answer.isclosed() and self._broken():
            raise ConnectionResetError  # an end that we made
        self._heard()
        return data

    def read(self, size: int = -1) -> bytes:
        return self._came(self._answer.read(None if size < 0 else size))

    def readline(self, most: int) -> bytes:
        return self._came(self._answer.readline(most))


class HangUp:
    """Cancels one request from outside of it: call it from any thread, before the request, while it waits or after it."""

    def __init__(self) -> None:
        self.done = False
        self._lock = threading.RLock()  # a signal's handler may interrupt the one that has it
        self._socket: Optional[socket.socket] = None

    def __call__(self) -> None:
        with self._lock:
            self.done = True
            self._break()

    def watch(self, connection: Optional[http.client.HTTPConnection]) -> None:
        """What is to be broken; None once it is another's."""
        with self._lock:
            self._socket = connection.sock if connection is not None else None
            if self.done:
                self._break()

    def _break(self) -> None:
        """Whoever reads or writes finds its end. To close it is for whoever has it; TLS is not asked, another thread is in it."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


def _still_open(connection: http.client.HTTPConnection) -> bool:
    """A server that closed, or spoke unasked, has made the socket readable."""
    return connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]


def _connection_to(server: Server, timeout: float) -> http.client.HTTPConnection:
    if server.tls is None:
        return http.client.HTTPConnection(server.host, server.port, timeout=timeout)
    return http.client.HTTPSConnection(server.host, server.port, timeout=timeout, context=server.tls)


def _says_yes(server: Server, target: str, seconds: float) -> bool:
    """By a connection of its own, without a token: what is asked is answered to everybody."""
    connection = _connection_to(server, seconds)
    try:
        connection.request("GET", server.prefix + target)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


class Connections:
    def __init__(self, base_url: str, token: str, ca_file: Optional[str], timeout: float) -> None:
        self._servers, self._timeout = Servers(base_url, token, ca_file), timeout
        self._lock = threading.Lock()
        self._kept: List[Tuple[float, Server, http.client.HTTPConnection]] = []
        self._closed = False

    @property
    def several(self) -> bool:
        """Another address may answer where one does not."""
        return len(self._servers) > 1

    def close(self) -> None:
        """Ends no request that is under way; none begins after it."""
        with self._lock:
            self._closed = True
            kept, self._kept = self._kept, []
        for _, _, connection in kept:
            connection.close()

    def _take(self, server: Server) -> Optional[http.client.HTTPConnection]:
        while True:
            with self._lock:
                if not self._kept:
                    return None
                since, where, connection = self._kept.pop()
            if where is server and time.monotonic() - since < KEPT_S and _still_open(connection):
                return connection
            connection.close()

    def _keep(self, server: Server, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._kept) < KEPT and not self._closed:
                self._kept.append((time.monotonic(), server, connection))
                return
        connection.close()

    def _connect(self, server: Server, timeout: float) -> http.client.HTTPConnection:
        connection = _connection_to(server, timeout)
        try:
            connection.connect()
        except (OSError, http.client.HTTPException) as error:
            raise self._servers.not_connected(server, error) from error
        if connection.sock is not None:
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            ask_for_signs_of_life(connection.sock)
        return connection

    def _look(self, server: Server, silence: Silence) -> None:
        if _says_yes(server, "/livez", silence.patience()):
            return silence.heard()
        for other in self._servers.besides(server):
            if _says_yes(other, "/readyz", ANSWERS_S):
                self._servers.lead(other, silence)
                return None
        silence.unanswered()

    def _watch(self, server: Server, silence: Silence, over: threading.Event, end: HangUp) -> None:
        """Breaks the exchange once its server gives no sign of life and another one leads."""
        before = silence.given_way
        wait = JOINS_S
        while silence.given_way == before:
            if over.wait(wait):
                return
            wait = max(STEP_S, silence.rest())
            if silence.rest() > 0 or not silence.asking.acquire(blocking=False):
                continue
            try:
                self._look(server, silence)
            finally:
                silence.asking.release()
        if not over.is_set():
            end()

    @contextlib.contextmanager
    def _watched(self, server: Server, connection: http.client.HTTPConnection, end: HangUp) -> Iterator[Callable[[], None]]:
        """Of several servers: who waits in silence for one is told by `end` when another one leads. Gives what is to be told of
        anything that came."""
        if not self.several:
            yield lambda: None
            return
        silence, over = self._servers.silence_of(server), threading.Event()
        end.watch(connection)
        watcher = threading.Thread(target=self._watch, args=(server, silence, over, end), daemon=True)
        try:  # from here on: who is interrupted in start() leaves nobody behind who asks for ever
            with contextlib.suppress(RuntimeError):  # no thread is to be had: it goes on unwatched
                watcher.start()
            yield silence.heard
        finally:
            over.set()
            end.watch(None)

    @contextlib.contextmanager
    def open(self, method: str, target: str, body: Optional[bytes] = None, headers: Optional[Mapping[str, str]] = None,
             timeout: Optional[float] = None, hang_up: Optional[HangUp] = None) -> Iterator[Response]:
        """One try. A successful answer whose body is still to be read; `timeout` is of silence."""
        limit = self._timeout if timeout is None else timeout
        if self._closed:
            raise closed()
        server = self._servers.now()
        connection = self._take(server) or self._connect(server, self._servers.connect_limit(limit))
        done = False
        hang_up = hang_up or HangUp()
        try:
            hang_up.watch(connection)
            if connection.sock is not None:
                connection.sock.settimeout(limit)
            end = HangUp()
            with self._watched(server, connection, end) as heard:
                connection.request(method, server.prefix + target, body, {**server.headers, **(headers or {})})
                response = Response(connection.getresponse(), heard, lambda: end.done)
                self._servers.meet(server)
                if not 200 <= response.status < 300:
                    said = response.read(MAX_ERROR)
                    done = response.reusable()
                    raise self._servers.refused(server, response.status, said, response.getheader("Retry-After"))
                yield response
                done = response.reusable()
        except (OSError, http.client.HTTPException) as failed:
            raise self._servers.lost(server, failed, isinstance(failed, socket.timeout)) from failed
        finally:
            hang_up.watch(None)
            if done and not hang_up.done and connection.sock is not None:
                self._keep(server, connection)
            else:
                connection.close()
