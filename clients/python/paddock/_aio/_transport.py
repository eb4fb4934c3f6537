"""Requests, repeated only where that can do nothing twice."""
from __future__ import annotations

import itertools
import json
import logging
import math
import time
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, TypeVar

from .._backoff import PATIENCE_S, Waited, pause
from .._retry import MAX_ATTEMPTS, PASSED_OVER, REPEATABLE, is_used_up, longest_try, should_retry, worth_telling
from .._wire import MAX_ANSWER, Answer
from ..errors import PaddockError
from ._http import AsyncConnections, sleep

T = TypeVar("T")
LOG = logging.getLogger("paddock")
A_LOOK_S = 1.0  # that an answer is given even if nobody waits longer


class AsyncTransport(AsyncConnections):
    def __init__(self, base_url: str, token: str, ca_file: Optional[str], timeout: float, patience: float = PATIENCE_S) -> None:
        super().__init__(base_url, token, ca_file, timeout)
        self.patience = patience

    @staticmethod
    def tell(failed: int, error: PaddockError, patience: float) -> None:
        """Once of whatever goes on after the few tries."""
        if failed == MAX_ATTEMPTS:
            LOG.warning("%s; trying again for %g s (patience)", error, patience)

    async def repeated(self, action: Callable[[float], Awaitable[T]], safe: bool, until: float = math.inf,
                       patience: Optional[float] = None) -> T:
        """Until it succeeds, fails for good, or has been tried often enough: a few times in any case, and for `patience` seconds, or
        the client's, while nobody is there. Neither goes on, nor pauses, beyond the time `until` (of time.monotonic()). `action` is told for how many
        seconds it may be without a sign of an answer."""
        waited, patience = Waited(), self.patience if patience is None else patience
        for failed in itertools.count(1):
            try:
                return await action(longest_try(patience, waited.seconds()))
            except PaddockError as error:
                seconds = waited.seconds()
                left = until - time.monotonic()
                if left <= 0 or is_used_up(patience, seconds, failed) or not should_retry(error, failed, safe, seconds < patience):
                    raise
                self.tell(failed, error, patience)
                await sleep(min(left, pause(failed, error.retry_after, patience, seconds, self.several)))
        raise AssertionError("never reached")

    def within(self, most: float) -> float:
        """The silence that ends a try of those that may last `most` seconds."""
        return min(self._timeout, most)

    async def _once(self, method: str, target: str, body: Optional[bytes], headers: Mapping[str, str], timeout: Optional[float]) -> Answer:
        async with self.open(method, target, body, headers, timeout) as response:
            data = await response.read(MAX_ANSWER + 1)
            if len(data) > MAX_ANSWER:
                raise PaddockError("the answer is too large to be kept in memory", code="ANSWER_TOO_LARGE")
            await response.read()  # nothing is left: the connection can be used again
            return Answer(response.status, data, response.getheader("Content-Type") or "")

    async def _somewhere(self, method: str, target: str, body: Optional[bytes], headers: Mapping[str, str], timeout: Optional[float]) -> Answer:
        """Asks each of several addresses once, until one answers that leads."""
        failed: List[PaddockError] = []
        for _ in range(len(self._servers)):
            try:
                return await self._once(method, target, body, headers, timeout)
            except PaddockError as error:
                if error.code not in PASSED_OVER:
                    raise
                failed.append(error)
        raise worth_telling(failed)

    async def request(self, method: str, target: str, body: Any = None, *, headers: Optional[Mapping[str, str]] = None,
                      safe: bool = False, timeout: Optional[float] = None, until: float = math.inf, patience: Optional[float] = None) -> Answer:
        """`body`: bytes, or what is sent as JSON. `safe`: sending it twice does it once. `until`, `patience`: as for repeated()."""
        sent: Dict[str, str] = {"Accept": "application/json", **(headers or {})}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body, allow_nan=False).encode()
            sent["Content-Type"] = "application/json"
        limit = self._timeout if timeout is None else timeout

        safe = safe or method in REPEATABLE
        bounded = safe and timeout is None  # another may be at work, or was given its own time

        async def ask(most: float) -> Answer:
            left = max(A_LOOK_S, until - time.monotonic())
            return await self._somewhere(method, target, body, sent, min(limit, left, most if bounded else limit))
        return await self.repeated(ask, safe, until, patience)

    async def try_json(self, method: str, target: str, body: Any, timeout: float) -> Any:
        """One try, for those who repeat by a rule of their own."""
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        return (await self._somewhere(method, target, json.dumps(body, allow_nan=False).encode(), headers, timeout)).json()

    async def json(self, method: str, target: str, body: Any = None, *, headers: Optional[Mapping[str, str]] = None,
                   safe: bool = False, timeout: Optional[float] = None, until: float = math.inf, patience: Optional[float] = None) -> Any:
        answer = await self.request(method, target, body, headers=headers, safe=safe, timeout=timeout, until=until, patience=patience)
        return answer.json()
