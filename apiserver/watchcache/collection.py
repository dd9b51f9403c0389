"""One resource in memory: its current objects in key order, the window of its latest changes, and who watches it.

All methods are synchronous, so a revision is applied whole: no reader ever sees half of one.
"""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Iterator, Sequence

import msgspec

from apiserver.storage import keys
from apiserver.watchcache.items import Change, Event, EventType, Item, Matches
from apiserver.watchcache.projection import Project, projector
from apiserver.watchcache.subscription import Bucket, Subscription
from steersman.api.errors import ApiError, Expired
from steersman.api.names import Revision
from steersman.base import log

KEEP_ENCODED = 64
KEEP_ENCODED_BYTES = 8 * 1024 * 1024
"""For how many of the newest changes, and objects of what size, the encoded forms are kept: enough for every watcher
that keeps up, and never for what is not new."""

INDEXED_FIELD = "spec.nodeName"
"""The one field besides the name by which watchers are indexed: every node agent watches just its own pods."""

_HEAD = b'{"metadata":{'
_log = log.get("watchcache")


class Collection:
    def __init__(self, resource: str, start: Revision, selectable_fields: Sequence[str] = ()) -> None:
        self.resource = resource
        self.window_bytes = 0
        self._project: Project = projector(selectable_fields)
        self._indexes_node = INDEXED_FIELD in selectable_fields
        self._prefix = keys.collection(resource)
        self._items: dict[str, Item] = {}
        self._keys: list[str] = []
        self._window: deque[Change] = deque()
        self._window_start = start
        self._kept_encoded: deque[Change] = deque()
        self._kept_encoded_bytes = 0
        self._watchers: dict[Bucket, dict[Subscription, None]] = {}

    def __len__(self) -> int:
        return len(self._items)

    @property
    def watchers(self) -> int:
        return sum(map(len, self._watchers.values()))

    @property
    def window_start(self) -> Revision:
        """Changes above this revision are all in the window."""
        return self._window_start

    # -- following the store

    def load(self, key: str, value: bytes, revision: Revision) -> None:
        """Take an object as it was when the cache began; nobody is told."""
        item = self._readable(key, value, revision)
        if item is not None:
            self._put(item)

    def apply(self, key: str, value: bytes | None, revision: Revision, at: float) -> None:
        old = self._items.get(key)
        new = None if value is None else self._readable(key, value, revision)
        if new is not None:
            self._put(new)
        elif old is not None:
            del self._items[key]
            self._keys.pop(bisect.bisect_left(self._keys, key))
        else:
            return
        change = Change(revision, old, new, at)
        self._window.append(change)
        self.window_bytes += change.size
        self._keep_encoded(change)
        for bucket in self._buckets(change):
            for watcher in self._watchers.get(bucket, ()):
                watcher.offer(change)

    def _keep_encoded(self, change: Change) -> None:
        change.encoded = {}
        self._kept_encoded.append(change)
        self._kept_encoded_bytes += change.carried
        while len(self._kept_encoded) > KEEP_ENCODED or self._kept_encoded_bytes > KEEP_ENCODED_BYTES:
            aged = self._kept_encoded.popleft()
            self._kept_encoded_bytes -= aged.carried
            aged.encoded = None

    def drop_oldest(self) -> None:
        """Forget the oldest change of the window."""
        change = self._window.popleft()
        self.window_bytes -= change.size
        self._window_start = change.revision

    @property
    def oldest_at(self) -> float | None:
        """When the oldest change of the window was applied."""
        return self._window[0].at if self._window else None

    def bookmark_idle_watches(self, revision: Revision) -> None:
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.bookmark_if_idle(revision)

    def finish_watches(self) -> None:
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.finish()

    def end_watches(self, error: ApiError) -> None:
        for watchers in self._watchers.values():
            for watcher in watchers:
                watcher.end(error)

    # -- reading

    def get(self, key: str) -> Item | None:
        return self._items.get(key)

    def scan(self, prefix: str = "", after_key: str = "") -> Iterator[Item]:
        """Current objects under `prefix` above `after_key`, in key order."""
        return map(self._items.__getitem__, self._range(self._keys, prefix, after_key))

    def count(self, prefix: str = "", after_key: str = "") -> int:
        low, high = self._bounds(self._keys, prefix, after_key)
        return max(0, high - low)

    def at(self, revision: Revision) -> PastView:
        """The objects as they were at `revision`: today's, with the changes since taken back. Expired if not kept."""
        if revision < self._window_start:
            raise Expired(too_old(revision, self._window_start))
        undone: dict[str, Item | None] = {}
        for change in reversed(self._window):
            if change.revision <= revision:
                break
            undone[change.key] = change.old
        return PastView(self._items, self._keys, undone)

    # -- watching

    def subscribe(self, bucket: Bucket, matches: Matches | None, after: Revision) -> Subscription:
        """A watcher that gets every change above `after`. Expired when they are not all kept."""
        if after < self._window_start:
            raise Expired(too_old(after, self._window_start))
        backlog = []
        for change in self._since(after):
            kind = change.seen_by(matches)
            if kind is not None:
                backlog.append(Event(kind, change.revision, change))
        return self._register(bucket, matches, backlog)

    def subscribe_with_state(
        self, bucket: Bucket, matches: Matches | None, prefix: str, then: Sequence[Event] = ()
    ) -> Subscription:
        """A watcher that first gets the present objects as ADDED, then the events `then`, then every change."""
        present = (item for item in self.scan(prefix) if matches is None or matches(item))
        backlog = [Event(EventType.ADDED, item.revision, Change(item.revision, None, item, at=0.0)) for item in present]
        return self._register(bucket, matches, [*backlog, *then])

    def _register(self, bucket: Bucket, matches: Matches | None, backlog: list[Event]) -> Subscription:
        watcher = Subscription(bucket, matches, backlog, on_close=self._forget)
        self._watchers.setdefault(bucket, {})[watcher] = None
        return watcher

    def _forget(self, watcher: Subscription) -> None:
        watchers = self._watchers.get(watcher.bucket)
        if watchers is not None:
            watchers.pop(watcher, None)
            if not watchers:
                del self._watchers[watcher.bucket]

    def _buckets(self, change: Change) -> set[Bucket]:
        """Every bucket in which a watcher of this change may be."""
        item = change.new if change.new is not None else change.old
        assert item is not None
        found = {Bucket(), Bucket("namespace", item.namespace), Bucket("name", item.name)}
        if self._indexes_node:
            found.update(
                Bucket(INDEXED_FIELD, side.fields[INDEXED_FIELD])
                for side in (change.old, change.new)
                if side is not None
            )
        return found

    def _since(self, revision: Revision) -> list[Change]:
        found = []
        for change in reversed(self._window):
            if change.revision <= revision:
                break
            found.append(change)
        found.reverse()
        return found

    def _readable(self, key: str, value: bytes, revision: Revision) -> Item | None:
        """None for what is no object: somebody else wrote it, and it must not take the server down with it."""
        try:
            if not value.startswith(_HEAD):
                raise ValueError("the metadata does not come first")
            return self.item(key, value, revision)
        except (msgspec.MsgspecError, ValueError) as error:
            _log.error("not an object, taken as absent", key=key, revision=revision, reason=str(error))
            return None

    def item(self, key: str, value: bytes, revision: Revision) -> Item:
        labels, fields = self._project(value)
        namespace, _, name = key[len(self._prefix) :].rpartition("/")
        return Item(key, namespace, name, value, revision, labels, fields)

    def _put(self, item: Item) -> None:
        if item.key not in self._items:
            if not self._keys or item.key > self._keys[-1]:
                self._keys.append(item.key)
            else:
                bisect.insort(self._keys, item.key)
        self._items[item.key] = item

    @staticmethod
    def _bounds(ordered: Sequence[str], prefix: str, after_key: str) -> tuple[int, int]:
        low = bisect.bisect_right(ordered, after_key) if after_key > prefix else bisect.bisect_left(ordered, prefix)
        high = bisect.bisect_left(ordered, after_prefix(prefix)) if prefix else len(ordered)
        return low, high

    @classmethod
    def _range(cls, ordered: Sequence[str], prefix: str, after_key: str) -> Sequence[str]:
        low, high = cls._bounds(ordered, prefix, after_key)
        return ordered[low:high]


class PastView:
    """A collection as it was at an older revision."""

    def __init__(self, items: dict[str, Item], ordered: list[str], undone: dict[str, Item | None]) -> None:
        self._items = items
        self._undone = undone
        gone_since = [key for key, item in undone.items() if item is not None and key not in items]
        self._keys = sorted([*ordered, *gone_since]) if gone_since else ordered

    def scan(self, prefix: str, after_key: str = "") -> Iterator[Item]:
        low, high = Collection._bounds(self._keys, prefix, after_key)
        for key in self._keys[low:high]:
            item = self._undone[key] if key in self._undone else self._items.get(key)
            if item is not None:
                yield item

    def count(self, prefix: str, after_key: str = "") -> int:
        return sum(1 for _ in self.scan(prefix, after_key))


def after_prefix(prefix: str) -> str:
    """The first string above every string that begins with `prefix`."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def too_old(revision: Revision, oldest: Revision) -> str:
    return f"too old resource version: {revision} ({oldest})"
