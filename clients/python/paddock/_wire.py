"""What both transports, the blocking one and the one of asyncio, do alike: addresses, trust, and the errors of connections."""
from __future__ import annotations

import contextlib
import dataclasses
import http.client
import json
import os
import socket
import ssl
import sys
import urllib.parse
from typing import Any, Dict, List, Optional, Tuple

from ._backoff import asked_for
from ._retry import PASSED_OVER
from ._silence import Silence
from .errors import PaddockError, error_of, unexpected

MAX_ANSWER = 256 << 20
MAX_ERROR = 1 << 20
CONNECT_S = 3.0  # as paddock itself
KEPT = 8  # connections
KEPT_S = 20.0  # the server closes after 60 s without a request
NOT_VALID_NOW = (9, 10)  # X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED
# Of TCP's own: a peer that is silently gone is noticed within two minutes. macOS has another word for the first.
KEEPALIVE = (("TCP_KEEPIDLE", 30), ("TCP_KEEPALIVE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 9))
# That it cannot be found out now is EAI_AGAIN. Not every system has the second.
# macOS and Windows say the same of every name while there is no network.
NAME_FAULTS = tuple(getattr(socket, name) for name in ("EAI_NONAME", "EAI_NODATA") if hasattr(socket, name))
NO_SUCH_NAME: Tuple[int, ...] = () if sys.platform in ("darwin", "win32") else NAME_FAULTS
NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")  # the second is what OpenSSL says of it from 3.2 on
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


@dataclasses.dataclass(frozen=True)
class Server:
    """Where requests go, and what each of them carries."""
    host: str
    port: Optional[int]
    prefix: str
    headers: Dict[str, str]
    tls: Optional[ssl.SSLContext]


def server_at(base_url: str, token: str, ca_file: Optional[str]) -> Server:
    url = urllib.parse.urlsplit(base_url)
    try:
        port = url.port
    except ValueError:
        raise _invalid(f"{base_url}: the port must be a number up to 65535") from None
    if url.scheme not in ("http", "https") or not url.hostname or url.username or url.query or url.fragment:
        raise _invalid(f"{base_url} must be an address such as https://host:port")
    if not _is_host(url.hostname):
        raise _invalid(f"{base_url}: {url.hostname} cannot be the name of a host")
    if token and url.scheme == "http" and url.hostname not in LOOPBACK:
        raise _invalid(f"{base_url}: a token is sent over https:// only, or to this host")
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise PaddockError("a token has visible ASCII characters only", code="INVALID_TOKEN")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return Server(url.hostname, port, url.path.rstrip("/"), headers, _trust(ca_file) if url.scheme == "https" else None)


class Servers:
    """The addresses of one instance, by commas, of which one answers at a time. Any thread."""

    def __init__(self, base_url: str, token: str, ca_file: Optional[str]) -> None:
        self._all = [server_at(each.strip(), token, ca_file) for each in base_url.split(",")]
        self._turn = 0
        self._met: List[Server] = []
        self._forget()

    def _forget(self) -> None:
        self._silences, self._process = [Silence() for _ in self._all], os.getpid()

    def __len__(self) -> int:
        return len(self._all)

    def now(self) -> Server:
        return self._all[self._turn % len(self._all)]

    def connect_limit(self, limit: float) -> float:
        """How long a connection may take: less where another address can be asked instead."""
        return limit if len(self._all) == 1 else min(limit, CONNECT_S)

    def meet(self, server: Server) -> None:
        """It has answered."""
        if not self._has_met(server):
            self._met.append(server)

    def _has_met(self, server: Server) -> bool:
        return any(each is server for each in self._met)

    def not_connected(self, server: Server, error: Exception) -> PaddockError:
        self.move_on(server)
        return not_connected(error, server, self._has_met(server))

    def lost(self, server: Server, error: Exception, timed_out: bool) -> PaddockError:
        """A connection that stood brought no answer, or not all of one."""
        self.move_on(server)
        begun = str(error.args[0])[:5] if isinstance(error, http.client.BadStatusLine) and not timed_out else ""
        if not "HTTP/".startswith(begun) and not isinstance(error, http.client.RemoteDisconnected) and not self._has_met(server):
            return wrong_protocol("HTTP", "https://")
        return lost(timed_out)

    def refused(self, server: Server, status: int, said: bytes, retry_after: Optional[str]) -> PaddockError:
        """It has answered with an error."""
        error = error_of(status, said, asked_for(retry_after))
        if error.code in PASSED_OVER:
            self.move_on(server)
        return error

    def silence_of(self, asked: Server) -> Silence:
        if self._process != os.getpid():  # after a fork whoever looked then is not here, and would never be done
            self._forget()
        return next(silence for each, silence in zip(self._all, self._silences) if each is asked)

    def besides(self, asked: Server) -> List[Server]:
        return [each for each in self._all if each is not asked]

    def lead(self, leader: Server, silence: Silence) -> None:
        """It is asked from now on, in place of one that is silent."""
        while self.now() is not leader:
            self._turn += 1
        silence.given_way += 1

    def move_on(self, asked: Server) -> None:
        """From one that gave no answer or does not lead, unless somebody has moved on already."""
        if self.now() is asked:
            self._turn += 1


def _is_host(name: str) -> bool:
    try:
        name.encode("idna")  # as sockets do; an IPv6 address stays what it is
    except UnicodeError:
        return False
    return name.isprintable() and " " not in name


def _invalid(message: str) -> PaddockError:
    return PaddockError(message, code="INVALID_SERVER")


def _trust(ca_file: Optional[str]) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError):
        raise PaddockError(f"the CA file `{ca_file}` cannot be read as certificates (PEM)", code="CA_FILE_UNREADABLE") from None


def ask_for_signs_of_life(connection: Any) -> None:
    """An answer may be silent for long, and whatever is between may forget a connection that is. One that is broken
    already says so when it is used."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in KEEPALIVE:
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def not_connected(error: Exception, server: Server, met: bool) -> PaddockError:
    """`met`: it has answered before, so that its name is not found now, or something else answers, passes."""
    if isinstance(error, socket.gaierror) and error.errno in NO_SUCH_NAME and not met:
        return PaddockError(f"there is no host of the name {server.host}: correct the address of the server", code="SERVER_NAME_UNKNOWN")
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code in NOT_VALID_NOW:
            return PaddockError("the server's certificate is not valid by this host's clock: set the clock, or renew the certificate",
                                code="CERTIFICATE_NOT_VALID_NOW")
        return PaddockError("the server's certificate is not trusted; give its CA as ca_file", code="SERVER_NOT_TRUSTED")
    if isinstance(error, ssl.SSLError) and error.reason in NO_TLS and not met:
        return wrong_protocol("TLS", "http:// for a server on this host")
    reason = (error.strerror if isinstance(error, OSError) else None) or "no answer"
    return PaddockError(f"the server cannot be reached: {reason}", code="UNREACHABLE", retryable=True)


def wrong_protocol(spoken: str, instead: str) -> PaddockError:
    return PaddockError(f"the server speaks no {spoken} on this port: correct the port, or write {instead}", code="WRONG_PROTOCOL")


def closed() -> PaddockError:
    return PaddockError("the client is closed: make another one", code="CLIENT_CLOSED")


def lost(timed_out: bool) -> PaddockError:
    if timed_out:
        return PaddockError("the server did not answer in time", code="TIMEOUT", retryable=True)
    return PaddockError("the connection was lost before the whole answer was there", code="CONNECTION_LOST", retryable=True)
