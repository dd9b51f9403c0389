"""When a call is made again, and what its caller is told when nobody knows what became of it.

A try that failed has one of four fates (`Fate`). A *read* is repeated when it was untouched or lost. A *write* is
repeated when it was untouched, and never when it may have landed, unless it is of a sort that cannot land twice:

| write                                         | after a try that may have landed                           |
|-----------------------------------------------|------------------------------------------------------------|
| create, patch, apply, scale, deletecollection | `Timeout` at once: the outcome is unknown                  |
| update without resourceVersion                | `Timeout` at once                                          |
| delete, evict, bind without uid               | `Timeout` at once                                          |
| update (also of status) with resourceVersion  | repeated; if refused, success if the object is as we sent  |
| delete, evict with uid                        | repeated; if refused, success if it is gone or marked      |
| bind with uid                                 | repeated; if refused, success if that pod is on that node  |
| anything with dry_run                         | repeated like a read, for it never lands                   |

(A caller may know more: a controller repeats a create unchanged, and AlreadyExists with its own mark is success.)

While a write is in doubt, no refusal is final except Deposed, which ends the caller's term whatever became of the
write. Where the reading settles nothing, or the deadline comes first, the caller gets `Timeout`: a try that was lost
may even land later. Every repeat of a write is the same request, fence included.

TooManyRequests from a disruption budget is an answer about the pod, not about the server's load: it is not repeated.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import Enum, auto
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from steersman.api.errors import ApiError, Deposed, Timeout, TooManyRequests, Unavailable
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock

BETWEEN_TRIES = Backoff(initial=0.02, maximum=1.0, jitter=0.5)
DISRUPTION_BUDGET = "DisruptionBudget"

R = TypeVar("R")

Attempt = Callable[[float], Awaitable[R]]
"""One try with so many seconds left. Raises Failed."""

Settle = Callable[[ApiError], Awaitable[R]]
"""Finds out what a refusal means for a write in doubt: its reply if it has landed, or raises `Unsettled`."""


class Fate(Enum):
    """What became of a request that failed."""

    REFUSED = auto()
    """The server has decided."""
    UNTOUCHED = auto()
    """Nothing was done: it was never sent, or the server said so."""
    LOST = auto()
    """Sent, and no answer came."""
    UNDECIDED = auto()
    """The server answered that it does not know."""


class Failed(Exception):
    """One try failed: `error` is what a caller would be told."""

    def __init__(self, error: ApiError, fate: Fate) -> None:
        super().__init__(error.message)
        self.error = error
        self.fate = fate


class Unsettled(Exception):
    """Reading did not tell whether the write has landed."""


class Step(Enum):
    REPEAT = auto()
    RAISE = auto()
    SETTLE = auto()
    GIVE_UP = auto()
    """Tell the caller that the outcome is unknown."""


def fate_of(error: ApiError) -> Fate:
    """The fate of a request that the server answered with `error`."""
    match error:
        case Timeout():
            return Fate.UNDECIDED
        case TooManyRequests() if _is_budget(error):
            return Fate.REFUSED
        case Unavailable() | TooManyRequests():
            return Fate.UNTOUCHED
        case _:
            return Fate.REFUSED


def _is_budget(error: ApiError) -> bool:
    return error.details is not None and any(cause.reason == DISRUPTION_BUDGET for cause in error.details.causes)


def after_read(failed: Failed) -> Step:
    return Step.REPEAT if failed.fate in (Fate.UNTOUCHED, Fate.LOST) else Step.RAISE


def after_write(failed: Failed, *, in_doubt: bool, lands_once: bool) -> Step:
    """`in_doubt`: an earlier try may have landed. `lands_once`: a repeat cannot land beside an earlier try."""
    match failed.fate:
        case Fate.UNTOUCHED:
            return Step.REPEAT
        case Fate.LOST | Fate.UNDECIDED:
            return Step.REPEAT if lands_once else Step.GIVE_UP
        case _ if not in_doubt or isinstance(failed.error, Deposed):
            return Step.RAISE
        case _:
            return Step.SETTLE


def unknown(last: ApiError) -> Timeout:
    return Timeout(f"the outcome of the write is unknown: {last.message}", details=last.details)


class _Again(Exception):
    """This try failed, and another may be made."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.error.message)
        self.failed = failed


class Repeater:
    """Makes reads and writes until they have an answer, or their deadline has come."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def read(self, attempt: Attempt[R], timeout_seconds: float) -> R:
        deadline = self._clock.monotonic() + timeout_seconds

        async def once() -> R:
            try:
                return await attempt(deadline - self._clock.monotonic())
            except Failed as failed:
                if after_read(failed) is Step.REPEAT:
                    raise _Again(failed) from failed
                raise failed.error from failed

        try:
            return await self._repeated(once, deadline)
        except _Again as last:
            raise last.failed.error from last

    async def write(self, attempt: Attempt[R], timeout_seconds: float, settle: Settle[R] | None = None) -> R:
        """`settle` None: a write that could land twice."""
        deadline = self._clock.monotonic() + timeout_seconds
        in_doubt = False

        async def once() -> R:
            nonlocal in_doubt
            try:
                return await attempt(deadline - self._clock.monotonic())
            except Failed as failed:
                match after_write(failed, in_doubt=in_doubt, lands_once=settle is not None):
                    case Step.REPEAT:
                        in_doubt = in_doubt or failed.fate is not Fate.UNTOUCHED
                        raise _Again(failed) from failed
                    case Step.RAISE:
                        raise failed.error from failed
                    case Step.SETTLE if settle is not None:
                        return await _settled(settle, failed.error)
                    case _:
                        raise unknown(failed.error) from failed

        try:
            return await self._repeated(once, deadline)
        except _Again as last:
            error = last.failed.error
            raise (unknown(error) if in_doubt else error) from last

    async def _repeated(self, once: Callable[[], Awaitable[R]], deadline: float) -> R:
        """`once` until it raises something other than _Again, or there is no time for another try."""
        try:
            return await once()
        except _Again as again:
            failure: _Again | None = again

        async def replay_then_repeat() -> R:
            """The first try is made outside, as nearly all succeed and tenacity costs: it begins with the failure."""
            nonlocal failure
            if failure is not None:
                first, failure = failure, None
                raise first
            return await once()

        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, _Again)),
            wait=_delay,
            stop=lambda state: self._clock.monotonic() + state.upcoming_sleep >= deadline,
            sleep=self._clock.sleep,
            reraise=True,
        )
        return await retrying(replay_then_repeat)


async def _settled(settle: Settle[R], refusal: ApiError) -> R:
    try:
        return await settle(refusal)
    except Unsettled as unsettled:
        raise unknown(refusal) from unsettled
    except ApiError as error:  # could not even read it
        raise unknown(error) from refusal


def _delay(state: RetryCallState) -> float:
    """Our own backoff, or as long as the server asks for if that is longer."""
    delay = BETWEEN_TRIES.delay(state.attempt_number - 1)
    failure = state.outcome.exception() if state.outcome is not None else None
    details = failure.failed.error.details if isinstance(failure, _Again) else None
    return delay if details is None else max(delay, float(details.retry_after_seconds))
