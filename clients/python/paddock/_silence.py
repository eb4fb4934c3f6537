"""When a client that waits for one of several servers asks it whether it lives, and the others whether they lead: as paddock itself does.
A server that is stopped, or whose host is gone, closes no connection. One that is only slow is waited for, as long as no other one leads."""
from __future__ import annotations

import threading
import time

JOINS_S = 1.0  # of an exchange, before it is watched at all
ASKS_S = 2.0  # of a server's silence, before it is asked whether it lives
ANSWERS_S = 1.0  # for its answer, and for that of others whether they lead
AGAIN_S = 0.3  # between two looks at one that gave no sign of life
STEP_S = 0.05  # until somebody else's look is over


class Silence:
    """Of one server: what is known of it while somebody waits for it."""

    def __init__(self) -> None:
        self.asking = threading.Lock()  # held by the one who asks, for all who wait
        self.given_way = 0  # how often another one was found to lead in its place
        self.heard()

    def heard(self) -> None:
        """Anything came from it."""
        self._since, self._asked, self._doubted = time.monotonic(), 0.0, False

    def unanswered(self) -> None:
        """It was asked whether it lives, and said nothing; and no other one leads yet."""
        self._asked, self._doubted = time.monotonic(), True

    def rest(self) -> float:
        """Seconds until it is asked; none are left at 0."""
        due = self._asked + AGAIN_S if self._doubted else self._since + ASKS_S
        return max(0.0, due - time.monotonic())

    def patience(self) -> float:
        """Seconds that it has to say that it lives."""
        return AGAIN_S if self._doubted else ANSWERS_S
