"""How long to wait before trying again. Whether to try again is decided in _retry.py; for streams in events.py."""
from __future__ import annotations

import random
import time
from typing import Optional

MOST_ASKED_FOR_S = 30.0
PATIENCE_S = 120.0  # unless somebody says otherwise: as `paddock` has it
SOON_OF_SEVERAL = 30  # failures


class Waited:
    """For how long somebody has waited, by looks after each try: of a stretch longer than any try no more counts, as this process or
    its host stood still."""
    LONGEST_TRY_S = 95.0  # the longest answer that is waited for, and the longest pause

    def __init__(self) -> None:
        self.again()

    def again(self) -> None:
        self._seconds, self._last = 0.0, time.monotonic()

    def seconds(self) -> float:
        now = time.monotonic()
        self._seconds += min(now - self._last, self.LONGEST_TRY_S)
        self._last = now
        return self._seconds


def backoff(failed: int, several: bool = False) -> float:
    """Seconds after the `failed`-th failure in a row: doubles from 0.2 to 5, drawn from the upper half of that. Where `several` servers
    may be asked, another one may lead by now: it is 1 at most for the first 30 failures."""
    longest = 1.0 if several and failed <= SOON_OF_SEVERAL else 5.0
    most = min(longest, 0.2 * 2.0 ** min(max(failed, 1) - 1, 10))
    return most * (0.5 + random.random() / 2)


def pause(failed: int, asked: float, patience: float, waited: float, several: bool = False) -> float:
    """Seconds until the next try, when the server asked for `asked` of them: no more than is left of a patience, but a moment for the
    few tries that come in any case. Without a patience, what was asked for."""
    least = backoff(failed, several)
    left = patience - waited
    return asked + least if patience <= 0 else min(asked + least, left if left > 0 else least)


def asked_for(retry_after: Optional[str]) -> float:
    """The wait that a Retry-After header in seconds asks for; dates are not understood."""
    text = (retry_after or "").strip()
    return min(float(text), MOST_ASKED_FOR_S) if text.isascii() and text.isdigit() and len(text) < 7 else 0.0
