"""The store's state of now, in memory: what every read without a revision is answered from.

Holds each value once, as the object that was written or loaded, and hands that object out; the watch cache above holds
the same one. Belongs to the event loop.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping

from apiserver.storage.interface import Listing, Page, Stored
from steersman.api.names import Revision

_LAST_CHARACTER = "\U0010ffff"
_BEFORE_SURROGATES, _AFTER_SURROGATES = "\ud7ff", "\ue000"


def key_range(prefix: str, after_key: str) -> tuple[str, str | None]:
    """The keys under `prefix` and above `after_key`: first inclusive, last exclusive (None: no end).

    The order of code points is the order of UTF-8 bytes, so these bounds serve memory and SQLite alike.
    """
    first = max(prefix, after_key + "\0") if after_key else prefix
    stem = prefix.rstrip(_LAST_CHARACTER)
    if not stem:
        return first, None
    last = stem[-1]
    successor = _AFTER_SURROGATES if last == _BEFORE_SURROGATES else chr(ord(last) + 1)
    return first, stem[:-1] + successor


class Present:
    def __init__(self, items: Iterable[Stored], revision: Revision) -> None:
        self.revision = revision
        self._by_key = {item.key: item for item in items}
        self._keys = sorted(self._by_key)

    def find(self, key: str) -> Stored | None:
        return self._by_key.get(key)

    def page(self, prefix: str, page: Page) -> Listing:
        first, last = key_range(prefix, page.after_key)
        start = bisect_left(self._keys, first)
        end = len(self._keys) if last is None else bisect_left(self._keys, last)
        stop = min(end, start + page.limit) if page.limit else end
        items = tuple(self._by_key[key] for key in self._keys[start:stop])
        return Listing(items, self.revision, remaining=max(0, end - stop))

    def apply(self, standing: Mapping[str, Stored | None], revision: Revision) -> None:
        """Make `standing` the truth as of `revision`."""
        for key, stored in standing.items():
            if stored is None:
                if self._by_key.pop(key, None) is not None:
                    del self._keys[bisect_left(self._keys, key)]
                continue
            if key not in self._by_key:
                # Moving a million pointers costs less than the fsync that precedes it; a tree would cost every read.
                insort(self._keys, key)
            self._by_key[key] = stored
        self.revision = revision
