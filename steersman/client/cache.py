"""A copy of the objects of one kind, for reading, with indexes. Kept by an informer; the objects are frozen.

Reads answer from memory and never wait. `revision` says how far the copy is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from steersman.api.meta import Object
from steersman.api.names import Revision

T = TypeVar("T", bound=Object)

Index = Callable[[T], Iterable[str]]
"""The values under which an object is found."""


class ObjectKey(NamedTuple):
    """Which object of a kind. `namespace` is empty for kinds that live outside namespaces."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


def key_of(value: Object) -> ObjectKey:
    return ObjectKey(value.metadata.namespace, value.metadata.name)


class Difference(NamedTuple, Generic[T]):
    """One object before and after. `old` None: it is new; `new` None: it is gone."""

    old: T | None
    new: T | None


class _Indexed(Generic[T]):
    """Objects by the values of one index."""

    def __init__(self, values_of: Index[T]) -> None:
        self._values_of = values_of
        self._found: dict[str, dict[ObjectKey, T]] = {}

    def get(self, value: str) -> list[T]:
        return list(self._found.get(value, {}).values())

    def put(self, key: ObjectKey, value: T) -> None:
        for text in self._values_of(value):
            self._found.setdefault(text, {})[key] = value

    def drop(self, key: ObjectKey, value: T) -> None:
        for text in self._values_of(value):
            bucket = self._found.get(text)
            if bucket is not None:
                bucket.pop(key, None)
                if not bucket:
                    del self._found[text]


class Cache(Generic[T]):
    """`put`, `drop` and `replace` are for the informer that keeps the cache; everybody else reads."""

    def __init__(self, indexes: Mapping[str, Index[T]] | None = None) -> None:
        self.revision = Revision(0)
        self._objects: dict[ObjectKey, T] = {}
        self._namespaces: _Indexed[T] = _Indexed(lambda value: (value.metadata.namespace,))
        self._indexes = {name: _Indexed(values_of) for name, values_of in (indexes or {}).items()}
        self._all_indexes = (self._namespaces, *self._indexes.values())

    def __len__(self) -> int:
        return len(self._objects)

    def get(self, key: ObjectKey) -> T | None:
        return self._objects.get(key)

    def list(self, namespace: str = "") -> Sequence[T]:
        """All of them, or those of one namespace, in no particular order."""
        return self._namespaces.get(namespace) if namespace else [*self._objects.values()]

    def by_index(self, name: str, value: str) -> Sequence[T]:
        """KeyError for an index that the cache was not made with."""
        return self._indexes[name].get(value)

    def put(self, value: T) -> Difference[T]:
        key = key_of(value)
        old = self._objects.get(key)
        for index in self._all_indexes:
            if old is not None:
                index.drop(key, old)
            index.put(key, value)
        self._objects[key] = value
        return Difference(old, value)

    def drop(self, key: ObjectKey) -> Difference[T]:
        old = self._objects.pop(key, None)
        if old is not None:
            for index in self._all_indexes:
                index.drop(key, old)
        return Difference(old, None)

    def replace(self, values: Iterable[T]) -> Sequence[Difference[T]]:
        """Make `values` the whole content; what has changed by that, a namesake as a deletion and a creation."""
        wanted = {key_of(value): value for value in values}
        found = [self.drop(key) for key in [*self._objects] if key not in wanted]
        for key, value in wanted.items():
            old = self._objects.get(key)
            if old is not None and old.metadata.uid != value.metadata.uid:
                found.append(self.drop(key))
                old = None
            if old is None or old.metadata.resource_version != value.metadata.resource_version:
                found.append(self.put(value))
        return found
