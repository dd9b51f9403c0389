"""Events: old ones say where they belong, new ones (those with an `eventTime`) also who saw what.

Both group-versions are stored in the core form, so both strategies judge that form, and complaints name its fields.
Through core/v1 anything that the old rules allow is taken; events.k8s.io/v1 takes new events only, and of an existing
one lets nothing change but its series.
"""

from __future__ import annotations

from collections.abc import Callable

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks
from steersman.api import fields, names
from steersman.api.core import Event
from steersman.api.errors import Cause
from steersman.api.fields import Path

MAX_LENGTH = 128
MAX_MESSAGE_LENGTH = 1024
TYPES = ("Normal", "Warning")

_NAMESPACE_OF_OBJECT = Path("involvedObject").child("namespace")
_FIXED = (
    ("involved_object", "involvedObject"),
    ("reason", "reason"),
    ("message", "message"),
    ("source", "source"),
    ("first_timestamp", "firstTimestamp"),
    ("last_timestamp", "lastTimestamp"),
    ("count", "count"),
    ("type", "type"),
    ("event_time", "eventTime"),
    ("action", "action"),
    ("related", "related"),
    ("reporting_component", "reportingController"),
    ("reporting_instance", "reportingInstance"),
)


def _validate(reporter: Path) -> Callable[[Event], list[Cause]]:
    """The rules of every event; `reporter` is what the group-version calls the component that reports."""

    def validate(new: Event) -> list[Cause]:
        causes = _validate_old_form(new) if new.event_time is None else _validate_new_form(new, reporter)
        return causes + checks.name(new.metadata.namespace, Path("namespace"), names.dns_subdomain)

    return validate


def _validate_old_form(event: Event) -> list[Cause]:
    """Events about objects without a namespace go to the default one."""
    here, theirs = event.metadata.namespace, event.involved_object.namespace
    if here == theirs or (not theirs and here == "default"):
        return []
    return [fields.invalid(_NAMESPACE_OF_OBJECT, theirs, "does not match event.namespace")]


def _validate_new_form(event: Event, reporter: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not event.involved_object.namespace and event.metadata.namespace not in ("default", "kube-system"):
        causes.append(fields.invalid(_NAMESPACE_OF_OBJECT, "", "does not match event.namespace"))
    if not event.reporting_component:
        causes.append(fields.required(reporter))
    causes += checks.name(event.reporting_component, reporter, names.qualified_name)
    causes += _validate_text(event.reporting_instance, Path("reportingInstance"))
    causes += _validate_text(event.action, Path("action"))
    causes += _validate_text(event.reason, Path("reason"))
    return causes + _validate_length(event.message, Path("message"), MAX_MESSAGE_LENGTH)


def _validate_text(text: str, path: Path) -> list[Cause]:
    return _validate_length(text, path, MAX_LENGTH) if text else [fields.required(path)]


def _validate_length(text: str, path: Path, most: int) -> list[Cause]:
    if len(text.encode()) <= most:
        return []
    return [fields.invalid(path, "", f"can have at most {most} characters")]


def validate_new(new: Event) -> list[Cause]:
    """What events.k8s.io/v1 asks of a new event: the new form, and nothing of the old one."""
    causes = _validate_series(new)
    if new.event_time is None:
        causes.append(fields.required(Path("eventTime")))
    if new.type not in TYPES:
        causes.append(fields.invalid(Path("type"), "", f"has invalid value: {new.type}"))
    old_form = (
        ("firstTimestamp", new.first_timestamp),
        ("lastTimestamp", new.last_timestamp),
        ("count", new.count),
        ("source", new.source.component or new.source.host),
    )
    return causes + [fields.invalid(Path(name), "", "needs to be unset") for name, value in old_form if value]


def validate_update(new: Event, old: Event) -> list[Cause]:
    """Through events.k8s.io/v1 an event may only be seen again."""
    causes = _validate_series(new) if new.series != old.series else []
    for attribute, shown in _FIXED:
        value = getattr(new, attribute)
        if value != getattr(old, attribute):
            causes.append(fields.invalid(Path(shown), value, IMMUTABLE))
    return causes


def _validate_series(event: Event) -> list[Cause]:
    if event.series is None:
        return []
    causes: list[Cause] = []
    if event.series.count < 2:
        causes.append(fields.invalid(Path("series").child("count"), "", "should be at least 2"))
    if event.series.last_observed_time is None:
        causes.append(fields.required(Path("series").child("lastObservedTime")))
    return causes


def path_segment(name: str) -> list[str]:
    """Complaints about a name that could not stand in a URL: all that the old rules have against one."""
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{character}'" for character in "/%" if character in name]


EVENT = Strategy(validate=_validate(Path("reportingComponent")), name_rule=path_segment)
NEWER_EVENT = Strategy(
    validate=_validate(Path("reportingController")), validate_create=validate_new, validate_update=validate_update
)
