"""Whether a request is sent again after a failure. How long to wait before that: _backoff.py; streams of events: events.py."""
from __future__ import annotations

import math
from typing import List

from .errors import PaddockError

MAX_ATTEMPTS = 4
FEWEST_TRIES = 2  # however long they take: this process may have stood still during the first
SHORTEST_TRY_S = 3.0  # in which a try can be answered, however little is left of a patience
REPEATABLE = ("GET", "PUT", "DELETE")
# Nothing has been begun: such a request may be sent again whatever it asks for.
NEVER_BEGUN = ("UNREACHABLE", "SERVER_NAME_UNKNOWN", "NOT_LEADER", "STORE_FENCED", "NO_NODE", "NODES_BUSY", "TOO_MANY_CALLS")
# What does not become right by waiting, as far as one can tell.
WRONG_ADDRESS = ("SERVER_NAME_UNKNOWN", "SERVER_NOT_TRUSTED", "WRONG_PROTOCOL", "CERTIFICATE_NOT_VALID_NOW")
# Nothing has been begun, and another address of the same instance may answer.
PASSED_OVER = ("UNREACHABLE", "NOT_LEADER", "STORE_FENCED", *WRONG_ADDRESS)


def nobody_there(error: PaddockError) -> bool:
    """There was no answer, or one that the server cannot work now: it is being started, mended or moved."""
    return error.code in ("UNREACHABLE", "NOT_LEADER", "CONNECTION_LOST", "TIMEOUT", "UNEXPECTED_ANSWER") or error.code.startswith("STORE_")


def should_retry(error: PaddockError, failed: int, safe: bool, patient: bool) -> bool:
    """Whether a request is sent again after its `failed`-th failure. `safe`: that does it once; `patient`: time is left to wait for
    a server that is not there."""
    may_repeat = error.retryable and (safe or error.code in NEVER_BEGUN)
    return may_repeat and (failed < MAX_ATTEMPTS or (patient and nobody_there(error)))


def longest_try(patience: float, waited: float) -> float:
    """Seconds that a try may be without a sign of an answer, for somebody who has `waited` of his patience; without one, as long as others."""
    return math.inf if patience <= 0 else max(patience - waited, SHORTEST_TRY_S)


def is_used_up(patience: float, waited: float, failed: int) -> bool:
    """Whether he tries no more after the `failed`-th failure, whatever it was: so much has been used up by tries without an answer."""
    return 0 < patience <= waited - SHORTEST_TRY_S and failed >= FEWEST_TRIES


def is_stream_lost(patience: float, waited: float, failed: int) -> bool:
    """Whether a stream that brought nothing `failed` times in a row is given up: it is asked for a few times in any case."""
    return is_used_up(patience, waited, failed) or (failed >= MAX_ATTEMPTS and waited >= patience)


def worth_telling(failed: List[PaddockError]) -> PaddockError:
    """Of those who were passed over: the last, unless it is a wrong address while another server may come back."""
    return next((each for each in reversed(failed) if each.code not in WRONG_ADDRESS), failed[-1])


def input_was_not_taken(error: PaddockError, doubtful: bool) -> bool:
    """Whether a numbered piece of a command's input that failed so is not with its command. `doubtful`: an earlier try of it had no
    answer, so only who looked into the piece and refused what it says tells that the command has it not."""
    if doubtful:
        return error.status_code in (400, 412, 413)
    return 400 <= error.status_code < 500 or error.code in NEVER_BEGUN


def input_may_be_sent_again(error: PaddockError) -> bool:
    """Whether a numbered piece of a command's input that failed so may be taken later. A gap in the numbers stays one."""
    return error.retryable and error.status_code != 409
