"""A watch is the log: whether what a watcher saw, over all its resumptions, is what happened. Pure."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from tests.histories import Entry, Event, Kind, Seen, Violation

Scope = Callable[[str], bool]


def everything(_: str) -> bool:
    return True


def expected_events(entries: Iterable[Entry], scope: Scope = everything, after: int = 0) -> Iterator[Event]:
    """What a watcher of the keys in `scope` must be told."""
    present: dict[str, str] = {}
    for entry in entries:
        before = present.get(entry.key)
        if entry.value is None:
            kind, value = Seen.DELETED, present.pop(entry.key, "")
        else:
            kind, value = Seen.ADDED if before is None else Seen.MODIFIED, entry.value
            present[entry.key] = entry.value
        if entry.revision > after and scope(entry.key):
            yield Event(kind, entry.revision, entry.key, value)


def violations(
    seen: Sequence[Event], entries: Sequence[Entry], scope: Scope = everything, after: int = 0
) -> list[Violation]:
    """Where what a watcher saw, over all its resumptions, differs from the log of its scope behind revision `after`."""
    expected = list(expected_events(entries, scope, after))
    if list(seen) == expected:
        return []
    found = []
    wanted, counts = set(expected), Counter(seen)
    for event in counts:
        if event not in wanted:
            found.append(Violation(Kind.WATCH_WRONG, event))
        elif counts[event] > 1:
            found.append(Violation(Kind.WATCH_REPEATED, event))
    found += [Violation(Kind.WATCH_MISSED, event) for event in expected if event not in counts]
    for earlier, later in itertools.pairwise(seen):
        if later.revision < earlier.revision:
            found.append(Violation(Kind.WATCH_ORDER, later, f"after {earlier.revision}"))
    return found
