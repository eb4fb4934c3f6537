"""What a call may end with."""
from __future__ import annotations

import dataclasses
import json
from typing import Any, Mapping, Optional, Sequence, Union

from .reasons import Reason
from .types import RunResult


@dataclasses.dataclass(frozen=True)
class Cause:
    field: str  # path in what was sent: spec.command[2]
    message: str


class PaddockError(Exception):
    """The server refused, or could not be reached.

    status_code: of HTTP; 0 where there was no answer
    code:        stable, for programs: COMMAND_NOT_ALLOWED, RUN_NOT_FOUND, UNREACHABLE, …; all of them: `Reason`
    reason:      the wider class, in Kubernetes' words: BadRequest, NotFound, Conflict, …
    field:       the first field that is wrong, or None; `causes` has all of them
    message:     for people
    retryable:   the same request may succeed later
    retry_after: seconds that the server wants to pass before
    details:     what else the server says
    """

    def __init__(self, message: str, *, code: Union[Reason, str], status_code: int = 0, reason: str = "", causes: Sequence[Cause] = (),
                 retryable: bool = False, retry_after: float = 0.0, details: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        self.message = message
        self.code: str = code
        self.status_code = status_code
        self.reason = reason
        self.causes = tuple(causes)
        self.retryable = retryable
        self.retry_after = retry_after
        self.details = dict(details or {})

    @property
    def field(self) -> Optional[str]:
        return self.causes[0].field if self.causes else None

    def __str__(self) -> str:
        # The first is mostly what the message says; of the others it says how many there are.
        told = [index == 0 and each.message in self.message for index, each in enumerate(self.causes)]
        causes = "; ".join(f"{each.field}: {each.message}" for each, known in zip(self.causes, told) if not known)
        return f"{self.code}: {self.message}" + (f" ({causes})" if causes else "")


class CommandTimedOut(PaddockError):
    """A session's command took longer than its caller's `timeout`, and was ended (COMMAND_TIMEOUT).

    timeout: those seconds
    result:  how it was ended, with its output up to then; what came as a stream is not repeated
    """

    def __init__(self, timeout: float, result: RunResult) -> None:
        super().__init__(f"the command took longer than the {timeout:g} s that its caller gave it (timeout), and was ended", code="COMMAND_TIMEOUT")
        self.timeout = timeout
        self.result = result


def _text(value: Any, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def error_of(status_code: int, body: bytes, retry_after: float = 0.0) -> PaddockError:
    """From an answer that is no success, whatever is in it."""
    try:
        value = json.loads(body)
    except ValueError:
        value = None
    error = value.get("error") if isinstance(value, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    details = details if isinstance(details, dict) else {}
    causes = details.get("causes")
    found = [Cause(_text(each, "field"), _text(each, "message")) for each in causes] if isinstance(causes, list) else []
    retryable = error.get("retryable") if isinstance(error, dict) else None
    return PaddockError(_text(value, "message") or f"the server answered {status_code}",
                        code=_text(error, "code") or "UNEXPECTED_ANSWER", status_code=status_code,
                        reason=_text(value, "reason"), causes=found,
                        retryable=retryable if isinstance(retryable, bool) else status_code in (429, 502, 503, 504), retry_after=retry_after,
                        details={name: each for name, each in details.items() if name != "causes"})


def unexpected(what: str) -> PaddockError:
    return PaddockError(f"the server's answer is not understood: {what}", code="UNEXPECTED_ANSWER")
