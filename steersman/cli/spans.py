"""A trace as a tree of lines: who did what, when it began, how long it took. Pure; reads OTLP's JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_MILLION = 1_000_000
_TOLD = ("controller", "key", "resource", "node", "outcome", "pod")
_ERROR = 2


@dataclass(frozen=True, slots=True)
class Span:
    """Times in nanoseconds. `parent` empty: the first of the trace."""

    id: str
    parent: str
    service: str
    name: str
    begins: int
    ends: int
    failed: bool
    attributes: dict[str, str]


def of_otlp(answer: dict[str, Any]) -> list[Span]:
    """By the time of their beginning."""
    found = list(_spans(answer.get("result", answer)))
    return sorted(found, key=lambda span: span.begins)


def _spans(result: dict[str, Any]) -> Iterator[Span]:
    for resource in result.get("resourceSpans", ()):
        service = _attributes(resource.get("resource", {}).get("attributes", ())).get("service.name", "")
        for scope in resource.get("scopeSpans", ()):
            for span in scope.get("spans", ()):
                yield Span(
                    id=span["spanId"],
                    parent=span.get("parentSpanId", ""),
                    service=service,
                    name=span.get("name", ""),
                    begins=int(span["startTimeUnixNano"]),
                    ends=int(span["endTimeUnixNano"]),
                    failed=span.get("status", {}).get("code") in (_ERROR, "STATUS_CODE_ERROR"),
                    attributes=_attributes(span.get("attributes", ())),
                )


def _attributes(listed: Any) -> dict[str, str]:
    return {each["key"]: str(next(iter(each.get("value", {}).values()), "")) for each in listed}


def drawn(spans: Sequence[Span]) -> list[str]:
    """Children below their parents, in time order. A span whose parent is not there stands at the top."""
    if not spans:
        return []
    known = {span.id for span in spans}
    children: dict[str, list[Span]] = {}
    for span in spans:
        children.setdefault(span.parent if span.parent in known else "", []).append(span)
    zero = spans[0].begins
    return [line for span in children.get("", []) for line in _lines(span, children, zero, "", "")]


def _lines(span: Span, children: dict[str, list[Span]], zero: int, here: str, inner: str) -> Iterator[str]:
    began, took = (span.begins - zero) / _MILLION, (span.ends - span.begins) / _MILLION
    said = {"", *span.name.split()}  # what the name says already is not repeated
    told = " ".join(value for key in _TOLD if (value := span.attributes.get(key, "")) not in said)
    failed = "  FAILED" if span.failed else ""
    label = f"{here}{span.name}" + (f" {told}" if told else "")
    yield f"{began:>9,.1f} ms {took:>9,.1f} ms  {span.service.removeprefix('steersman-'):<18} {label}{failed}"
    below = children.get(span.id, [])
    for number, child in enumerate(below):
        last = number == len(below) - 1
        yield from _lines(child, children, zero, inner + ("└─ " if last else "├─ "), inner + ("   " if last else "│  "))
