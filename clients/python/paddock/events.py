# Made by scripts/generate from _aio/events.py: change that, not this.
"""What a run tells of itself while it runs, in order, each once, also when the connection breaks in between."""
from __future__ import annotations

from typing import Dict, Optional

from ._backoff import Waited, pause
from ._retry import is_stream_lost, longest_try
from ._http import Response, Stream, closing, sleep
from ._transport import Transport
from ._event import Event, event_of
from .errors import PaddockError, unexpected

MAX_EVENT = 4 << 20
SILENCE_S = 15.0  # the server sends a heartbeat every second
MAX_GAPS = 20


def _lines(response: Response) -> Stream[str]:
    while line := response.readline(MAX_EVENT + 1):
        if len(line) > MAX_EVENT:
            raise PaddockError("the server sent an event that is too large", code="EVENT_TOO_LARGE")
        if not line.endswith(b"\n"):
            return  # torn: it comes again
        yield line.decode("utf-8", "replace").rstrip("\r\n")


def messages(response: Response) -> Stream[Dict[str, str]]:
    """Reads a text/event-stream: `event`, `data` and `id` of each whole message."""
    found: Dict[str, str] = {}
    for line in _lines(response):
        if not line:
            if "data" in found:
                yield found
            found = {}
            continue
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data" and "data" in found:
            value = found["data"] + "\n" + value
            if len(value) > MAX_EVENT:
                raise PaddockError("the server sent an event that is too large", code="EVENT_TOO_LARGE")
        if name:
            found[name] = value


def stream_lost() -> PaddockError:
    return PaddockError("the connection to the events is lost; what they tell of goes on", code="STREAM_LOST", retryable=True)


class Follower:
    """Follows one stream of numbered events until `last` says that one was the last."""

    def __init__(self, transport: Transport, target: str, after: int, patience: Optional[float]) -> None:
        self._transport, self._target, self._after = transport, target, after
        self._patience = transport.patience if patience is None else patience
        self._failed = self._gaps = 0
        self._waited = Waited()

    def _connection(self) -> Stream[Event]:
        """The events that one connection brings, from the last seen on."""
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-cache"}
        if self._after:
            headers["Last-Event-ID"] = str(self._after)
        with self._transport.open("GET", self._target, None, headers, min(SILENCE_S, longest_try(self._patience, self._waited.seconds()))) as response:
            if not (response.getheader("Content-Type") or "").startswith("text/event-stream"):
                raise unexpected("it has no events")
            self._waited.again()
            for message in messages(response):
                self._waited.again()
                event = event_of(message)
                if event.id <= self._after:
                    continue  # seen before
                if event.id != self._after + 1:
                    self._gaps += 1
                    return  # something is missing: ask again from the last seen
                self._after, self._failed, self._gaps = event.id, 0, 0
                yield event

    def _wait(self, error: Optional[PaddockError]) -> None:
        waited = self._waited.seconds()
        if is_stream_lost(self._patience, waited, self._failed) or self._gaps > MAX_GAPS:
            raise stream_lost()
        self._transport.tell(self._failed, error or stream_lost(), self._patience)
        asked = error.retry_after if error else 0.0
        sleep(pause(self._failed, asked, self._patience, waited, self._transport.several))

    def events(self) -> Stream[Event]:
        while True:
            lost: Optional[PaddockError] = None
            try:
                with closing(self._connection()) as connection:
                    for event in connection:
                        yield event
                        if event.type == "end":
                            return
            except PaddockError as error:
                if not error.retryable:
                    raise
                lost = error
            self._failed += 1
            self._wait(lost)


def follow(transport: Transport, target: str, after: int = 0, patience: Optional[float] = None) -> Stream[Event]:
    """Ends after the event `end`. PaddockError STREAM_LOST after `patience` seconds, or the client's, without any answer."""
    return Follower(transport, target, after, patience).events()


__all__ = ["Event", "follow"]
