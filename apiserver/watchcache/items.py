"""What the cache holds: objects as stored, and the changes that made them so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from apiserver.watchcache.projection import Fields, Labels
from steersman.api import codec
from steersman.api.names import Revision


class Item:
    """One object as of one revision. Immutable by convention: the same Item is in the cache, in events and in lists."""

    __slots__ = ("fields", "key", "labels", "name", "namespace", "revision", "value")

    def __init__(
        self, key: str, namespace: str, name: str, value: bytes, revision: Revision, labels: Labels, fields: Fields
    ) -> None:
        self.key = key
        self.namespace = namespace
        self.name = name
        self.value = value
        self.revision = revision
        self.labels = labels
        self.fields = fields

    @property
    def json(self) -> bytes:
        """The object as clients see it, with its resourceVersion."""
        return codec.with_revision(self.value, self.revision)


Matches = Callable[[Item], bool]


class EventType(StrEnum):
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"


class Change:
    """One object's step in one revision: `old` None is a creation, `new` None a deletion.

    `encoded` keeps what fronts made of it, so that a new change is encoded once however many watchers it goes to. It is
    None when nothing is to be kept: on a change that has aged, or that only one watcher gets.
    """

    __slots__ = ("at", "encoded", "new", "old", "revision")

    def __init__(self, revision: Revision, old: Item | None, new: Item | None, at: float) -> None:
        self.revision = revision
        self.old = old
        self.new = new
        self.at = at
        self.encoded: dict[object, bytes] | None = None

    @property
    def key(self) -> str:
        item = self.new if self.new is not None else self.old
        assert item is not None
        return item.key

    @property
    def carried(self) -> int:
        """Bytes of the object that an event of this change carries, at most."""
        return max(len(side.value) for side in (self.old, self.new) if side is not None)

    @property
    def size(self) -> int:
        """Bytes that only this change keeps alive, at most: the value it replaced."""
        return (len(self.old.value) if self.old is not None else 0) + 200

    def seen_by(self, matches: Matches | None) -> EventType | None:
        """What this change is to a watcher that sees only what `matches`; None: nothing."""
        before = self.old is not None and (matches is None or matches(self.old))
        after = self.new is not None and (matches is None or matches(self.new))
        if after:
            return EventType.MODIFIED if before else EventType.ADDED
        return EventType.DELETED if before else None

    def json_for(self, event: EventType) -> bytes:
        """The object that an event of this type carries: the last seen state, but the revision of this change."""
        item = self.old if event is EventType.DELETED else self.new
        assert item is not None
        return codec.with_revision(item.value, self.revision)


@dataclass(frozen=True, slots=True)
class Event:
    """What a watcher gets: a change and what it means to that watcher, or a bookmark (`change` None)."""

    type: EventType
    revision: Revision
    change: Change | None = None
    ends_initial_events: bool = False
