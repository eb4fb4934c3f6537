"""Requests over kept connections, repeated only where that can do nothing twice. Any thread may call."""
from __future__ import annotations

import contextlib
import dataclasses
import http.client
import itertools
import json
import select
import socket
import ssl
import threading
import time
import urllib.parse
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, TypeVar

from ._backoff import asked_for, backoff
from .errors import PaddockError, error_of, unexpected

T = TypeVar("T")

MAX_ATTEMPTS = 4
MAX_ANSWER = 256 << 20
MAX_ERROR = 1 << 20
KEPT = 8  # connections
KEPT_S = 20.0  # the server closes after 60 s without a request
NOT_VALID_NOW = (9, 10)  # X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED
REPEATABLE = ("GET", "PUT", "DELETE")
# Nothing has been begun: such a request may be sent again whatever it asks for.
NEVER_BEGUN = ("UNREACHABLE", "NO_NODE", "NODES_BUSY", "TOO_MANY_CALLS")
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclasses.dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    content_type: str

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise unexpected("it is no JSON") from None


def nobody_there(error: PaddockError) -> bool:
    """There was no answer, or one that the server cannot work now: it is being started, mended or moved."""
    return error.code in ("UNREACHABLE", "CONNECTION_LOST", "TIMEOUT", "UNEXPECTED_ANSWER") or error.code.startswith("STORE_")


def repeated(action: Callable[[], T], safe: bool, patience: float = 0.0) -> T:
    """Until it succeeds, fails for good, or has been tried often enough: a few times in any case, and for `patience` seconds while
    nobody is there."""
    since = time.monotonic()
    for failed in itertools.count(1):
        try:
            return action()
        except PaddockError as error:
            may_repeat = error.retryable and (safe or error.code in NEVER_BEGUN)
            patient = nobody_there(error) and time.monotonic() - since < patience
            if not may_repeat or (failed >= MAX_ATTEMPTS and not patient):
                raise
            time.sleep(error.retry_after + backoff(failed))
    raise AssertionError("never reached")


def _invalid(message: str) -> PaddockError:
    return PaddockError(message, code="INVALID_SERVER")


def _lost(error: Exception) -> PaddockError:
    if isinstance(error, socket.timeout):
        return PaddockError("the server did not answer in time", code="TIMEOUT", retryable=True)
    return PaddockError("the connection was lost before the whole answer was there", code="CONNECTION_LOST", retryable=True)


def _still_open(connection: http.client.HTTPConnection) -> bool:
    """A server that closed, or spoke unasked, has made the socket readable."""
    return connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]


class Transport:
    def __init__(self, base_url: str, token: str, ca_file: Optional[str], timeout: float, patience: float = 0.0) -> None:
        url = urllib.parse.urlsplit(base_url)
        try:
            port = url.port
        except ValueError:
            raise _invalid(f"{base_url}: the port must be a number up to 65535") from None
        if url.scheme not in ("http", "https") or not url.hostname or url.username or url.query or url.fragment:
            raise _invalid(f"{base_url} must be an address such as https://host:port")
        if token and url.scheme == "http" and url.hostname not in LOOPBACK:
            raise _invalid(f"{base_url}: a token is sent over https:// only, or to this host")
        if not (token.isascii() and token.isprintable() and " " not in token):
            raise PaddockError("a token has visible ASCII characters only", code="INVALID_TOKEN")
        self.patience = patience
        self._host, self._prefix, self._timeout = (url.hostname, port), url.path.rstrip("/"), timeout
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._tls = self._trust(ca_file) if url.scheme == "https" else None
        self._lock = threading.Lock()
        self._kept: List[Tuple[float, http.client.HTTPConnection]] = []

    @staticmethod
    def _trust(ca_file: Optional[str]) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=ca_file)
        except (OSError, ssl.SSLError):
            raise PaddockError("the CA file cannot be read as certificates (PEM)", code="CA_FILE_UNREADABLE") from None

    def close(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, []
        for _, connection in kept:
            connection.close()

    def _take(self) -> Optional[http.client.HTTPConnection]:
        while True:
            with self._lock:
                if not self._kept:
                    return None
                since, connection = self._kept.pop()
            if time.monotonic() - since < KEPT_S and _still_open(connection):
                return connection
            connection.close()

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._kept) < KEPT:
                self._kept.append((time.monotonic(), connection))
                return
        connection.close()

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        host, port = self._host
        connection = http.client.HTTPConnection(host, port, timeout=timeout) if self._tls is None else \
            http.client.HTTPSConnection(host, port, timeout=timeout, context=self._tls)
        try:
            connection.connect()
        except ssl.SSLCertVerificationError as refused:
            if refused.verify_code in NOT_VALID_NOW:
                raise PaddockError("the server's certificate is not valid by this host's clock: set the clock, or renew the certificate",
                                   code="CERTIFICATE_NOT_VALID_NOW") from None
            raise PaddockError("the server's certificate is not trusted; give its CA as ca_file", code="SERVER_NOT_TRUSTED") from None
        except (OSError, http.client.HTTPException) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or "no answer"
            raise PaddockError(f"the server cannot be reached: {reason}", code="UNREACHABLE", retryable=True) from None
        if connection.sock is not None:
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    @contextlib.contextmanager
    def open(self, method: str, target: str, body: Optional[bytes] = None, headers: Optional[Mapping[str, str]] = None,
             timeout: Optional[float] = None) -> Iterator[http.client.HTTPResponse]:
        """One try, up to the head of a successful answer. A connection that is not read to the end is not used again."""
        limit = self._timeout if timeout is None else timeout
        connection = self._take() or self._connect(limit)
        done = False
        try:
            if connection.sock is not None:
                connection.sock.settimeout(limit)
            connection.request(method, self._prefix + target, body, {**self._headers, **(headers or {})})
            response = connection.getresponse()
            if not 200 <= response.status < 300:
                error = error_of(response.status, response.read(MAX_ERROR), asked_for(response.getheader("Retry-After")))
                done = response.isclosed() and not response.will_close
                raise error
            yield response
            done = response.isclosed() and not response.will_close
        except (OSError, http.client.HTTPException) as error:
            raise _lost(error) from None
        finally:
            if done and connection.sock is not None:
                self._keep(connection)
            else:
                connection.close()

    def _once(self, method: str, target: str, body: Optional[bytes], headers: Mapping[str, str], timeout: Optional[float]) -> Answer:
        with self.open(method, target, body, headers, timeout) as response:
            data = response.read(MAX_ANSWER + 1)
            if len(data) > MAX_ANSWER:
                raise PaddockError("the answer is too large to be kept in memory", code="ANSWER_TOO_LARGE")
            response.read()  # nothing is left: the connection can be used again
            return Answer(response.status, data, response.getheader("Content-Type") or "")

    def request(self, method: str, target: str, body: Any = None, *, headers: Optional[Mapping[str, str]] = None,
                safe: bool = False, timeout: Optional[float] = None) -> Answer:
        """`body`: bytes, or what is sent as JSON. `safe`: sending it twice does it once."""
        sent: Dict[str, str] = {"Accept": "application/json", **(headers or {})}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body, allow_nan=False).encode()
            sent["Content-Type"] = "application/json"
        return repeated(lambda: self._once(method, target, body, sent, timeout), safe or method in REPEATABLE, self.patience)
