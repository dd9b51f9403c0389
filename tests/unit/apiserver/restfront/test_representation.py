"""Objects, lists and events in each form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apiserver.registry.requests import Found, FoundList
from apiserver.restfront import listing, query, representation, watching
from apiserver.restfront.representation import Form
from apiserver.watchcache.items import Change, Event, EventType, Item
from steersman.api import kinds
from steersman.api.errors import Expired, NotAcceptable
from steersman.api.kinds import Kind
from steersman.api.names import Revision

POD = next(kind for kind in kinds.ALL if kind.resource == "pods")
METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

OWNED = (
    b'{"metadata":{"resourceVersion":"7","name":"a","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"o"}]},'
    b'"apiVersion":"v1","kind":"Pod","spec":{"nodeName":"},\\"apiVersion\\":\\"v1\\",\\"kind\\":\\"Pod\\""}}'
)


def form(accept: str = "", kind: Kind = POD) -> Form:
    return representation.form_of(representation.accepted(accept), kind, query.NOTHING)


async def listed(shown: Form, *items: bytes, **more: Any) -> Any:
    found = FoundList(tuple(Found(json_, Revision(7)) for json_ in items), Revision(9), **more)
    return json.loads(await listing.encode(shown, found))


async def test_items_of_a_list_do_not_repeat_its_kind() -> None:
    made = await listed(form(), OWNED, OWNED)
    assert (made["kind"], made["apiVersion"], made["metadata"]) == ("PodList", "v1", {"resourceVersion": "9"})
    whole = json.loads(OWNED)
    del whole["kind"], whole["apiVersion"]
    assert made["items"] == [whole, whole]


async def test_an_empty_list() -> None:
    assert (await listed(form()))["items"] == []


async def test_a_list_of_many_chunks() -> None:
    assert len((await listed(form(), *[OWNED] * (2 * listing.CHUNK + 1)))["items"]) == 2 * listing.CHUNK + 1


@pytest.mark.parametrize(("remaining", "expected"), [(3, {"remainingItemCount": 3}), (None, {})])
async def test_a_page_of_a_list(remaining: int | None, expected: dict[str, int]) -> None:
    made = await listed(form(), OWNED, continue_token="t", remaining=remaining)
    assert made["metadata"] == {"resourceVersion": "9", "continue": "t", **expected}


def test_an_object_is_shown_as_it_is() -> None:
    assert form().one(OWNED) is OWNED


def test_metadata_alone() -> None:
    made = json.loads(form(METADATA).one(OWNED))
    assert made == {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": json.loads(OWNED)["metadata"],
    }


async def test_metadata_of_many() -> None:
    made = await listed(form(METADATA_LIST), OWNED)
    assert (made["kind"], made["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert made["items"] == [json.loads(form(METADATA).one(OWNED))]


def test_one_is_not_many() -> None:
    with pytest.raises(NotAcceptable, match="is a list"):
        representation.check_form(representation.accepted(METADATA), POD, is_list=True)
    with pytest.raises(NotAcceptable, match="is not a list"):
        representation.check_form(representation.accepted(METADATA_LIST), POD, is_list=False)
    with pytest.raises(NotAcceptable, match="only the following media types are accepted: application/json"):
        representation.check_watchable(representation.accepted("application/yaml"), POD)


def change() -> Change:
    value = b'{"metadata":{"name":"a"},"apiVersion":"v1","kind":"Pod"}'
    item = Item("/registry/pods/x/a", "x", "a", value, Revision(7), {}, {})
    return Change(Revision(7), None, item, 0.0)


def test_an_event_is_a_line() -> None:
    made = watching.line(Event(EventType.ADDED, Revision(7), change()), form(), POD)
    assert made == (
        b'{"type":"ADDED","object":{"metadata":{"resourceVersion":"7","name":"a"},"apiVersion":"v1","kind":"Pod"}}\n'
    )


def test_an_event_is_encoded_once_in_each_form() -> None:
    seen = change()
    seen.encoded = {}
    event = Event(EventType.ADDED, Revision(7), seen)
    assert watching.line(event, form(), POD) is watching.line(event, form(), POD)
    assert watching.line(event, form(METADATA), POD) is watching.line(event, form(METADATA), POD)
    assert watching.line(event, form(METADATA), POD) != watching.line(event, form(), POD)


def test_a_bookmark() -> None:
    event = Event(EventType.BOOKMARK, Revision(9), ends_initial_events=True)
    made = json.loads(watching.line(event, form(), POD))
    assert made["type"] == "BOOKMARK"
    assert made["object"]["kind"] == "Pod"
    assert made["object"]["metadata"]["resourceVersion"] == "9"
    assert made["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_an_error_in_a_watch() -> None:
    made = json.loads(watching.error_line(Expired("too old resource version: 1 (5)")))
    assert made["type"] == "ERROR"
    assert (made["object"]["kind"], made["object"]["code"], made["object"]["reason"]) == ("Status", 410, "Expired")
