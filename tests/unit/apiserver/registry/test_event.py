"""Events in both group-versions: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.event import EVENT, NEWER_EVENT, path_segment
from steersman.api.core import Event
from tests.unit.apiserver.registry.pods import DNS_SUBDOMAIN, NAME_PART, shown
from tests.unit.apiserver.registry.tables import Patch, Row, Step, Subject, ids, row, step

OLD = {
    "metadata": {"name": "web.1", "namespace": "default"},
    "involvedObject": {"kind": "Pod", "namespace": "default", "name": "web"},
    "reason": "Started",
    "message": "Container started",
    "source": {"component": "agent"},
    "firstTimestamp": "2026-11-18T07:00:00Z",
    "lastTimestamp": "2026-11-18T07:00:00Z",
    "count": 1,
    "type": "Normal",
}
NEW = {
    "metadata": {"name": "web.1", "namespace": "default"},
    "involvedObject": {"kind": "Pod", "namespace": "default", "name": "web"},
    "eventTime": "2026-11-18T07:00:00.000000Z",
    "reason": "Started",
    "message": "Container started",
    "action": "Start",
    "type": "Normal",
    "reportingComponent": "example.com/agent",
    "reportingInstance": "agent-1",
}
CORE_OLD, CORE_NEW = Subject(Event, EVENT, OLD), Subject(Event, EVENT, NEW)
NEWER = Subject(Event, NEWER_EVENT, NEW)
ELSEWHERE = "does not match event.namespace"

OLD_ROWS = [
    row("whole", {}),
    row("nothing but its place", {"reason": None, "source": None, "count": None, "type": None}),
    row("about something without a namespace", {"involvedObject": {"namespace": None}}),
    row(
        "about something elsewhere",
        {"involvedObject": {"namespace": "b"}},
        f'involvedObject.namespace: Invalid value: "b": {ELSEWHERE}',
    ),
    row(
        "about something without a namespace, not in default",
        {"metadata": {"namespace": "a"}, "involvedObject": {"namespace": None}},
        f'involvedObject.namespace: Invalid value: "": {ELSEWHERE}',
    ),
    row(
        "a bad namespace",
        {"metadata": {"namespace": "A"}, "involvedObject": {"namespace": "A"}},
        f'namespace: Invalid value: "A": {DNS_SUBDOMAIN}',
    ),
]
NEW_ROWS = [
    row("whole", {}),
    row("about something elsewhere", {"involvedObject": {"namespace": "b"}}),
    row(
        "about something without a namespace, in kube-system",
        {"metadata": {"namespace": "kube-system"}, "involvedObject": {"namespace": None}},
    ),
    row(
        "about something without a namespace",
        {"metadata": {"namespace": "a"}, "involvedObject": {"namespace": None}},
        f'involvedObject.namespace: Invalid value: "": {ELSEWHERE}',
    ),
    row(
        "nobody reports",
        {"reportingComponent": None},
        "reportingComponent: Required value",
        'reportingComponent: Invalid value: "": name part must be non-empty',
        f'reportingComponent: Invalid value: "": {NAME_PART}',
    ),
    row("a bad reporter", {"reportingComponent": "!"}, f'reportingComponent: Invalid value: "!": {NAME_PART}'),
    row("no instance", {"reportingInstance": None}, "reportingInstance: Required value"),
    row(
        "a long instance",
        {"reportingInstance": "x" * 129},
        'reportingInstance: Invalid value: "": can have at most 128 characters',
    ),
    row("no action", {"action": None}, "action: Required value"),
    row("a long action", {"action": "x" * 129}, 'action: Invalid value: "": can have at most 128 characters'),
    row("no reason", {"reason": None}, "reason: Required value"),
    row("a long reason", {"reason": "x" * 129}, 'reason: Invalid value: "": can have at most 128 characters'),
    row("a long message", {"message": "x" * 1025}, 'message: Invalid value: "": can have at most 1024 characters'),
]


@pytest.mark.parametrize("case", OLD_ROWS, ids=ids(OLD_ROWS))
def test_rules_of_the_old_form(case: Row) -> None:
    assert CORE_OLD.complaints(case.patch) == list(case.complaints)


@pytest.mark.parametrize("case", NEW_ROWS, ids=ids(NEW_ROWS))
def test_rules_of_the_new_form(case: Row) -> None:
    assert CORE_NEW.complaints(case.patch) == list(case.complaints)
    newer = [complaint.replace("reportingComponent:", "reportingController:") for complaint in case.complaints]
    assert NEWER.complaints(case.patch) == newer


CREATE_ROWS = [
    row("whole", {}),
    row("a series", {"series": {"count": 2, "lastObservedTime": "2026-11-18T07:00:00.000000Z"}}),
    row(
        "a bad series",
        {"series": {"count": 1}},
        'series.count: Invalid value: "": should be at least 2',
        "series.lastObservedTime: Required value",
    ),
    row("no time", {"eventTime": None}, "eventTime: Required value"),
    row("a strange type", {"type": "Odd"}, 'type: Invalid value: "": has invalid value: Odd'),
    row(
        "the old form",
        {
            "firstTimestamp": "2026-11-18T07:00:00Z",
            "lastTimestamp": "2026-11-18T07:00:00Z",
            "count": 1,
            "source": {"host": "n"},
        },
        'firstTimestamp: Invalid value: "": needs to be unset',
        'lastTimestamp: Invalid value: "": needs to be unset',
        'count: Invalid value: "": needs to be unset',
        'source: Invalid value: "": needs to be unset',
    ),
]


@pytest.mark.parametrize("case", CREATE_ROWS, ids=ids(CREATE_ROWS))
def test_what_the_newer_version_asks_of_new_events(case: Row) -> None:
    made = NEWER.make(case.patch)
    assert shown(NEWER_EVENT.validate_create(made)) == list(case.complaints)
    assert EVENT.validate_create(made) == ()


SEEN_AGAIN: Patch = {"series": {"count": 3, "lastObservedTime": "2026-11-18T07:00:00.000000Z"}}
STEPS = [
    step("seen again", SEEN_AGAIN),
    step("labels", {"metadata": {"labels": {"a": "b"}}}),
    step(
        "badly seen again",
        {"series": {"count": 1}},
        'series.count: Invalid value: "": should be at least 2',
        "series.lastObservedTime: Required value",
    ),
    step(
        "about something else",
        {"involvedObject": {"name": "db"}},
        'involvedObject: Invalid value: {"kind":"Pod","namespace":"default","name":"db"}: field is immutable',
    ),
    step("reason", {"reason": "B"}, 'reason: Invalid value: "B": field is immutable'),
    step("message", {"message": "B"}, 'message: Invalid value: "B": field is immutable'),
    step("source", {"source": {"host": "b"}}, 'source: Invalid value: {"host":"b"}: field is immutable'),
    step(
        "first time",
        {"firstTimestamp": "2026-11-18T07:00:00Z"},
        'firstTimestamp: Invalid value: "2026-11-18T07:00:00Z": field is immutable',
    ),
    step("count", {"count": 2}, "count: Invalid value: 2: field is immutable"),
    step("type", {"type": "Warning"}, 'type: Invalid value: "Warning": field is immutable'),
    step(
        "time",
        {"eventTime": "2026-11-18T07:00:01.000000Z"},
        'eventTime: Invalid value: "2026-11-18T07:00:01.000000Z": field is immutable',
    ),
    step("action", {"action": "B"}, 'action: Invalid value: "B": field is immutable'),
    step("reporter", {"reportingComponent": "b"}, 'reportingController: Invalid value: "b": field is immutable'),
    step("instance", {"reportingInstance": "b"}, 'reportingInstance: Invalid value: "b": field is immutable'),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates_through_the_newer_version(case: Step) -> None:
    assert NEWER.complaints_about_step(case) == list(case.complaints)


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates_through_the_core_version_may_be_anything(case: Step) -> None:
    assert CORE_NEW.complaints_about_step(case) == []


@pytest.mark.parametrize(
    ("name", "complaints"),
    [
        ("web.17f0a", []),
        ("Web_1:x", []),
        (".", ["may not be '.'"]),
        ("..", ["may not be '..'"]),
        ("a/b%c", ["may not contain '/'", "may not contain '%'"]),
    ],
)
def test_names(name: str, complaints: list[str]) -> None:
    assert path_segment(name) == complaints
