"""The trace that a write leaves on its object, so that whoever acts upon the object continues it.

The annotation TRACEPARENT holds the place in the trace of the last write that changed what is wanted of the object. It
is the server's: whatever a request says about it is taken for what is there already. It is never by itself a reason to
write, nor for a new generation; status writes leave it alone; Leases and Events, which nobody acts upon, have none.
While tracing is off nothing here does anything.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from steersman.api import codec
from steersman.api.coordination import Lease
from steersman.api.core import Event
from steersman.api.names import TRACEPARENT
from steersman.base import tracing

_UNTRACED = (Lease, Event)


def is_on(value: Any) -> bool:
    return tracing.enabled() and not isinstance(value, _UNTRACED)


def left_on_new(made: Any) -> Any:
    """A new object with the trace of its creation."""
    return _with(made, tracing.inject()) if is_on(made) else made


def as_present(new: Any, present: Any) -> Any:
    """What is wanted, with the trace that is there: so nothing that compares the two takes it for a change."""
    return _with(new, present.metadata.annotations.get(TRACEPARENT)) if is_on(present) else new


def encoded(result: Any, stored: bytes) -> bytes:
    """The bytes to store in place of `stored`: with the trace of this write, unless it changes nothing else."""
    value = codec.encode(result)
    if not is_on(result) or value == stored:
        return value
    return codec.encode(_with(result, tracing.inject()))


def _with(value: Any, traceparent: str | None) -> Any:
    """`value` itself where it says that already."""
    annotations = value.metadata.annotations
    if annotations.get(TRACEPARENT) == traceparent:
        return value
    others = {key: text for key, text in annotations.items() if key != TRACEPARENT}
    if traceparent is not None:
        others[TRACEPARENT] = traceparent
    return replace(value, metadata=replace(value.metadata, annotations=others))
