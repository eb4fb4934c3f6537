"""How long to wait before trying again."""
from __future__ import annotations

import random
from typing import Optional

MOST_ASKED_FOR_S = 30.0


def backoff(failed: int) -> float:
    """Seconds after the `failed`-th failure in a row: doubles from 0.2 to 5, drawn from the upper half of that."""
    most = min(5.0, 0.2 * 2.0 ** min(failed - 1, 10))
    return most * (0.5 + random.random() / 2)


def asked_for(retry_after: Optional[str]) -> float:
    """Of a Retry-After header in seconds; dates are not understood."""
    text = (retry_after or "").strip()
    return min(float(text), MOST_ASKED_FOR_S) if text.isascii() and text.isdigit() and len(text) < 7 else 0.0
