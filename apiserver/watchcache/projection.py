"""What the cache knows of an object without decoding it whole: its labels and the fields that selectors may name.

One small Struct per resource is made from the list of field paths; decoding into it is a single pass in C that skips
everything else.

Objects of one template have the same labels, and then share one copy of them: to look for a label in thousands of
objects takes as long as it takes to fetch them from memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

Labels = Mapping[str, str]
Fields = Mapping[str, str]
Project = Callable[[bytes], tuple[Labels, Fields]]

SHARED_LABELS = 4096
SHARED_UP_TO_BYTES = 1024
"""How many sets of labels are remembered to be shared, and up to which size: no more than what a cluster really has."""

_NO_LABELS: Labels = {}
_read_labels = msgspec.json.Decoder(dict[str, str] | None).decode


def projector(paths: Sequence[str] = ()) -> Project:
    """A function from stored bytes to (labels, {path: value as text}); an absent field is the empty string.

    Name and namespace are not among the fields: they are in the key.
    """
    wanted = tuple(path for path in paths if path not in ("metadata.name", "metadata.namespace"))
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(
        _struct("Projection", [*(path.split(".") for path in wanted), ["metadata", "labels"]])
    )
    steps = tuple((path, tuple(path.split("."))) for path in wanted)

    def project(value: bytes) -> tuple[Labels, Fields]:
        seen = decoder.decode(value)
        labels = _labels(bytes(seen.metadata.labels)) if seen.metadata is not None else _NO_LABELS
        fields = {path: _text(seen, parts) for path, parts in steps} if steps else _NO_LABELS
        return labels, fields

    return project


def _labels(text: bytes) -> Labels:
    if not text:
        return _NO_LABELS
    return _shared_labels(text) if len(text) <= SHARED_UP_TO_BYTES else _read_labels(text) or _NO_LABELS


@lru_cache(maxsize=SHARED_LABELS)
def _shared_labels(text: bytes) -> Labels:
    return _read_labels(text) or _NO_LABELS


def _struct(name: str, paths: Sequence[Sequence[str]]) -> type[msgspec.Struct]:
    """A Struct with just these paths; every leaf is optional and of any type."""
    below: dict[str, list[Sequence[str]]] = {}
    for head, *rest in paths:
        below.setdefault(head, []).append(rest)
    fields: list[tuple[str, Any, Any]] = []
    for head, rests in below.items():
        nested = [rest for rest in rests if rest]
        kind: Any = _struct(head.title(), nested) | None if nested else Any
        fields.append((head, msgspec.Raw, msgspec.Raw()) if head == "labels" else (head, kind, None))
    return msgspec.defstruct(name, fields, frozen=True, gc=False)


def _text(seen: Any, parts: Sequence[str]) -> str:
    for part in parts:
        seen = getattr(seen, part, None)
        if seen is None:
            return ""
    if seen is True or seen is False:
        return "true" if seen else "false"
    return seen if isinstance(seen, str) else str(seen)
