"""Events: what happened to an object, for people to read. Noted at once, sent in the background, never in the way.

    recorder = Recorder(api.of(Event), "replicaset-controller")
    tasks.create_task(recorder.run())
    recorder.normal(replicaset, "SuccessfulCreate", "Created pod: web-x7k2p")

The same thing said again about the same object within WINDOW_SECONDS is one Event with a count. An object may have
BURST Events at once and then one every REFILL_SECONDS; what it repeats beyond that is counted and told later, what is
new beyond that is dropped. So is what waits beyond MAX_PENDING, and what the server does not take in a few tries.
"""

from __future__ import annotations

import secrets
from asyncio import Event as Signal
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar

import msgspec

from steersman.api import times
from steersman.api.core import Event, EventSource, ObjectReference
from steersman.api.errors import AlreadyExists, ApiError, Deposed, NotFound, Timeout
from steersman.api.meta import Object, ObjectMeta
from steersman.base import log
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock, SystemClock
from steersman.client import client, retrying
from steersman.client.retrying import Fate
from steersman.client.writing import Writes

WINDOW_SECONDS = 600.0
BURST = 25
REFILL_SECONDS = 300.0
MAX_PENDING = 10_000
MAX_REMEMBERED = 4_096
MAX_MESSAGE_BYTES = 1_024
TRIES = 5
BETWEEN_TRIES = Backoff(initial=0.1, maximum=5.0, jitter=0.5)

_log = log.get("events")

K = TypeVar("K")
V = TypeVar("V")


class _Said(NamedTuple):
    """What is said about whom; equal ones are one Event."""

    about: ObjectReference
    type: str
    reason: str
    message: str


@dataclass(slots=True)
class _Series:
    """One Event of ours: how often it was said, and how often of that the server knows (0: not created yet)."""

    name: str
    first: datetime
    last: datetime
    said_at: float
    count: int = 0
    told: int = 0


@dataclass(slots=True)
class _Allowance:
    """A token bucket."""

    left: float
    at: float

    def take(self, now: float) -> bool:
        self.left = min(BURST, self.left + (now - self.at) / REFILL_SECONDS)
        self.at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class _Recent(Generic[K, V]):
    """The values used last, at most MAX_REMEMBERED."""

    def __init__(self) -> None:
        self._values: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> V:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > MAX_REMEMBERED:
            self._values.popitem(last=False)
        return value


class Recorder:
    """`events` may be a leader's, whose writes name its term; `run` then ends with Deposed when the term has."""

    def __init__(
        self,
        events: Writes[Event],
        component: str,
        *,
        instance: str = "",
        clock: Clock | None = None,
        random_hex: Callable[[int], str] = secrets.token_hex,
    ) -> None:
        self._events = events
        self._component = component
        self._instance = instance
        self._clock = clock or SystemClock()
        self._random_hex = random_hex
        self._series: _Recent[_Said, _Series] = _Recent()
        self._allowances: _Recent[tuple[str, str, str], _Allowance] = _Recent()
        self._pending: OrderedDict[_Said, _Series] = OrderedDict()
        self._arrived = Signal()

    def normal(self, about: Object, reason: str, message: str) -> None:
        """Something happened as it should."""
        self._note(_Said(reference(about), "Normal", reason, _shortened(message)))

    def warning(self, about: Object, reason: str, message: str) -> None:
        """Something needs a human's attention."""
        self._note(_Said(reference(about), "Warning", reason, _shortened(message)))

    def _note(self, said: _Said) -> None:
        moment, now = self._clock.now(), self._clock.monotonic()
        series = self._series.get(said)
        if series is None or now - series.said_at > WINDOW_SECONDS:
            series = self._series.put(said, self._begin(said, moment, now))
        series.count += 1
        series.last, series.said_at = moment, now
        if said in self._pending:
            return
        if len(self._pending) >= MAX_PENDING or not self._may_write(said.about, now):
            _log.debug("event not sent", kind=said.about.kind, name=said.about.name, reason=said.reason)
            return
        self._pending[said] = series
        self._arrived.set()

    def _begin(self, said: _Said, moment: datetime, now: float) -> _Series:
        # Lists are ordered by name, and users read Events in the order in which things happened.
        microsecond = int(moment.timestamp() * 1e6)
        return _Series(f"{said.about.name}.{microsecond:x}{self._random_hex(3)}", moment, moment, now)

    def _may_write(self, about: ObjectReference, now: float) -> bool:
        whom = (about.kind, about.namespace, about.uid or about.name)
        allowance = self._allowances.get(whom) or self._allowances.put(whom, _Allowance(BURST, now))
        return allowance.take(now)

    async def run(self) -> None:
        """Send what is noted, until cancelled, or until Deposed."""
        while True:
            await self._arrived.wait()
            while self._pending:
                said, series = self._pending.popitem(last=False)
                await self._send(said, series)
            self._arrived.clear()

    async def _send(self, said: _Said, series: _Series) -> None:
        for attempt in range(TRIES):
            try:
                await self._tell(said, series)
                return
            except Deposed:
                raise
            except ApiError as error:
                if retrying.fate_of(error) is Fate.REFUSED or attempt == TRIES - 1:
                    # Often the namespace is going away; an Event is not worth more than a line.
                    _log.info("event lost", name=said.about.name, reason=said.reason, error=error.message)
                    return
            await self._clock.sleep(BETWEEN_TRIES.delay(attempt))

    async def _tell(self, said: _Said, series: _Series) -> None:
        """Create the Event, or bring the count of one that the server knows up to date."""
        count = series.count
        if series.told:
            news = {"count": count, "lastTimestamp": str(times.from_datetime(series.last))}
            try:
                await self._events.patch(series.name, _namespace(said.about), msgspec.json.encode(news))
                series.told = count
                return
            except NotFound:
                pass  # it has expired, or somebody has tidied up
        try:
            await self._events.create(self._event(said, series))
            series.told = count
        except (AlreadyExists, Timeout) as error:
            series.told = count  # an earlier try has landed, or may have: from now on it is patched, if it is there
            if isinstance(error, Timeout):
                raise

    def _event(self, said: _Said, series: _Series) -> Event:
        return Event(
            metadata=ObjectMeta(name=series.name, namespace=_namespace(said.about)),
            involved_object=said.about,
            reason=said.reason,
            message=said.message,
            source=EventSource(component=self._component, host=self._instance),
            first_timestamp=times.from_datetime(series.first),
            last_timestamp=times.from_datetime(series.last),
            count=series.count,
            type=said.type,
            reporting_component=self._component,
            reporting_instance=self._instance,
        )


def reference(about: Object) -> ObjectReference:
    """Which object; without its resourceVersion, so that what is said about two states of it is one Event."""
    meta, named, version = about.metadata, about.kind, about.api_version
    if not named or not version:  # as ever with objects that were not read from a server
        kind = client.kind_of(type(about))
        named, version = kind.kind, kind.api_version
    return ObjectReference(kind=named, api_version=version, namespace=meta.namespace, name=meta.name, uid=meta.uid)


def _namespace(about: ObjectReference) -> str:
    return about.namespace or "default"


def _shortened(message: str) -> str:
    """What the server takes, cut between two characters."""
    encoded = message.encode()
    return message if len(encoded) <= MAX_MESSAGE_BYTES else encoded[:MAX_MESSAGE_BYTES].decode(errors="ignore")
