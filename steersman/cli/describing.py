"""An object as prose for people: every field under its name in words, nested by indentation. Pure.

For every kind without a page of its own (`pages/`): what is told is what is there, so a kind that is new tomorrow is
described as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Document = dict[str, Any]

LABEL_WIDTH = 14
HIDDEN_ANNOTATIONS = frozenset({"kubectl.kubernetes.io/last-applied-configuration"})
_TOLD_ABOVE = frozenset({"name", "namespace", "labels", "annotations", "managedFields", "resourceVersion", "uid"})

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s$)")


def title(name: str) -> str:
    """`containerStatuses` is Container Statuses, `podIPs` Pod IPs."""
    words = _HUMP.sub(" ", name)
    return words[:1].upper() + words[1:]


def text(document: Document) -> str:
    """Name, labels and annotations first, then the rest of metadata, spec, status and whatever else there is."""
    metadata = document.get("metadata") or {}
    annotations = {
        key: value for key, value in (metadata.get("annotations") or {}).items() if key not in HIDDEN_ANNOTATIONS
    }
    lines = [_pair("Name", metadata.get("name", ""))]
    if metadata.get("namespace"):
        lines.append(_pair("Namespace", metadata["namespace"]))
    lines += _pairs("Labels", metadata.get("labels") or {}, "=")
    lines += _pairs("Annotations", annotations, ": ")
    lines += [_pair("API Version", document.get("apiVersion", "")), _pair("Kind", document.get("kind", ""))]
    rest = {key: value for key, value in metadata.items() if key not in _TOLD_ABOVE}
    lines += ["Metadata:", *_object(rest, 1)]
    for key, value in document.items():
        if key not in ("apiVersion", "kind", "metadata"):
            lines += _field(key, value, 0)
    return "".join(f"{line}\n" for line in lines)


def _pair(label: str, value: object) -> str:
    return f"{label + ':':<{LABEL_WIDTH}}{value}".rstrip()


def _pairs(label: str, values: dict[str, str], between: str) -> list[str]:
    if not values:
        return [_pair(label, "<none>")]
    first, *others = (f"{key}{between}{value}" for key, value in sorted(values.items()))
    return [_pair(label, first), *(" " * LABEL_WIDTH + each for each in others)]


def _object(value: Document, depth: int) -> Iterator[str]:
    for key, inner in value.items():
        yield from _field(key, inner, depth)


def _field(name: str, value: Any, depth: int) -> Iterator[str]:
    indent = "  " * depth
    label = title(name) if re.fullmatch(r"[a-zA-Z0-9]+", name) else name
    if isinstance(value, dict):
        yield f"{indent}{label}:"
        yield from _object(value, depth + 1)
    elif isinstance(value, list):
        yield f"{indent}{label}:"
        for item in value:
            yield from _item(item, depth + 1)
    elif isinstance(value, str) and "\n" in value:
        yield f"{indent}{label}:"
        yield from (f"{indent}  {line}" for line in value.splitlines())
    else:
        yield f"{indent}{label}:  {_plain(value)}"


def _item(item: Any, depth: int) -> Iterator[str]:
    """Objects of a list are set apart by a dash."""
    indent = "  " * depth
    if not isinstance(item, dict):
        yield f"{indent}{_plain(item)}"
        return
    lines = list(_object(item, depth + 1))
    if lines:
        yield f"{indent}- {lines[0].lstrip()}"
        yield from lines[1:]


def _plain(value: Any) -> str:
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
