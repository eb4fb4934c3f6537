"""What a run or a command tells of itself, as values."""
from __future__ import annotations

import dataclasses
import json
from typing import Dict, Optional

from .errors import unexpected


@dataclasses.dataclass(frozen=True)
class Event:
    """`type` is stdout, stderr, system (then `data` is text), phase or end; `end` is always the last."""
    id: int
    type: str
    data: str = ""
    time: str = ""
    phase: str = ""
    reason: str = ""
    message: str = ""
    attempt: int = 0
    status: str = ""
    rc: Optional[int] = None


@dataclasses.dataclass(frozen=True)
class Output:
    """A piece of what a command wrote, as soon as it wrote it."""
    type: str  # stdout or stderr
    data: bytes
    _text: Optional[str] = dataclasses.field(default=None, repr=False, compare=False)

    @property
    def text(self) -> str:
        """As UTF-8. In a stream, a character that came in two pieces is in the second one."""
        return self.data.decode("utf-8", "replace") if self._text is None else self._text


def event_of(message: Dict[str, str]) -> Event:
    number, kind = message.get("id", ""), message.get("event", "message")
    try:
        fields = json.loads(message["data"])
    except ValueError:
        fields = None
    if not (number.isascii() and number.isdigit()) or not isinstance(fields, dict):
        raise unexpected("an event without a number or data")

    def text(name: str) -> str:
        value = fields.get(name, "")
        return value if isinstance(value, str) else ""

    def count(name: str) -> Optional[int]:
        value = fields.get(name)
        return value if isinstance(value, int) else None

    return Event(int(number), kind, text("data"), text("time"), text("phase"), text("reason"), text("message"),
                 count("attempt") or 0, text("status"), count("rc"))
