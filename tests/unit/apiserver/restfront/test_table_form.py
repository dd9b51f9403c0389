"""The Table among the forms that a client can ask for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apiserver.registry.requests import Found, FoundList
from apiserver.restfront import listing, query, representation, watching
from apiserver.restfront.representation import Form
from apiserver.watchcache.items import Change, Event, EventType, Item
from steersman.api import kinds
from steersman.api.errors import BadRequest
from steersman.api.names import Revision

CONFIG_MAP = next(kind for kind in kinds.ALL if kind.resource == "configmaps")
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
KUBECTL = f"{TABLE},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
STORED = b'{"metadata":{"name":"a"},"apiVersion":"v1","kind":"ConfigMap","data":{"k":"v"}}'


def form(accept: str = TABLE, asked: str = "") -> Form:
    return representation.form_of(representation.accepted(accept), CONFIG_MAP, query.parse(asked))


def event() -> Event:
    change = Change(Revision(7), None, Item("/registry/configmaps/x/a", "x", "a", STORED, Revision(7), {}, {}), 0.0)
    change.encoded = {}
    return Event(EventType.ADDED, Revision(7), change)


def line(seen: Event, shown: Form) -> Any:
    return json.loads(watching.line(seen, shown, CONFIG_MAP))


@pytest.mark.parametrize(
    ("accept", "version"),
    [
        pytest.param(KUBECTL, "v1", id="what kubectl sends"),
        pytest.param("application/json;as=Table;v=v1beta1;g=meta.k8s.io", "v1beta1", id="of old"),
        pytest.param(f"application/json;as=Table;v=v9;g=meta.k8s.io,{TABLE}", "v1", id="the first that there is"),
    ],
)
def test_the_version_that_is_asked_for(accept: str, version: str) -> None:
    assert json.loads(form(accept).one(STORED))["apiVersion"] == f"meta.k8s.io/{version}"


async def test_a_list() -> None:
    made = json.loads(await listing.encode(form(), FoundList((Found(STORED, Revision(7)),), Revision(9))))
    assert (made["kind"], made["metadata"], len(made["rows"])) == ("Table", {"resourceVersion": "9"}, 1)
    assert made["rows"][0]["cells"][:2] == ["a", 1]


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("", "PartialObjectMetadata"),
        ("includeObject=", "PartialObjectMetadata"),
        ("includeObject=Metadata", "PartialObjectMetadata"),
        ("includeObject=Object", "ConfigMap"),
        ("includeObject=None", None),
    ],
)
def test_what_stands_beside_the_cells(asked: str, kind: str | None) -> None:
    beside = json.loads(form(asked=asked).one(STORED))["rows"][0]["object"]
    assert (beside and beside["kind"]) == kind


def test_what_cannot_stand_there() -> None:
    expected = (
        'Unable to convert to Table as requested: includeObject: Invalid value: "All": '
        "must be 'Metadata', 'Object', 'None', or empty"
    )
    with pytest.raises(BadRequest) as refusal:
        form(asked="includeObject=All")
    assert refusal.value.message == expected


def test_every_watch_begins_with_the_columns() -> None:
    """Also one whose first event another watch has been shown already, as its first or later."""
    seen, other = event(), event()
    first, second = form(), form()
    assert line(seen, first)["object"]["columnDefinitions"]
    assert line(other, first)["object"]["columnDefinitions"] is None
    assert line(seen, second)["object"]["columnDefinitions"]
    assert line(other, second)["object"]["columnDefinitions"] is None


def test_later_events_are_encoded_once() -> None:
    seen = event()
    watches = form(), form()
    for watch in watches:
        watching.line(event(), watch, CONFIG_MAP)
    assert watching.line(seen, watches[0], CONFIG_MAP) is watching.line(seen, watches[1], CONFIG_MAP)
