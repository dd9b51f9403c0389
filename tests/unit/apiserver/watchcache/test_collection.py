"""One resource in memory: what readers and watchers see of a sequence of changes."""

from __future__ import annotations

import json

import pytest

from apiserver.watchcache import subscription as subscriptions
from apiserver.watchcache.collection import KEEP_ENCODED, KEEP_ENCODED_BYTES, Collection
from apiserver.watchcache.items import Change, EventType, Item, Matches
from apiserver.watchcache.subscription import Bucket, Finished, Subscription
from steersman.api.errors import Expired
from steersman.api.names import Revision

PODS = "/registry/pods/"


def pod(name: str, *, node: str = "", **labels: str) -> bytes:
    body = {"metadata": {"name": name, "labels": labels}, "spec": {"nodeName": node}}
    return json.dumps(body, separators=(",", ":")).encode()


def filled(*changes: tuple[str, bytes | None]) -> Collection:
    """A collection that has seen these (key, value) changes at revisions 1, 2, …"""
    collection = Collection("pods", Revision(0), ("spec.nodeName",))
    for number, (key, value) in enumerate(changes, 1):
        collection.apply(PODS + key, value, Revision(number), at=float(number))
    return collection


def told(watcher: Subscription) -> list[tuple[str, str, int]]:
    """What is pending for a watcher: (type, name, resourceVersion in the object)."""
    found: list[tuple[str, str, int]] = []
    for event in watcher._pending:
        if event.change is None:
            found.append((event.type.value, "", event.revision))
        else:
            body = json.loads(event.change.json_for(event.type))
            found.append((event.type.value, body["metadata"]["name"], int(body["metadata"]["resourceVersion"])))
    return found


def labelled(value: str) -> Matches:
    return lambda item: item.labels.get("app") == value


def test_scan_gives_a_prefix_in_key_order() -> None:
    collection = filled(("b/2", pod("2")), ("a/9", pod("9")), ("b/1", pod("1")), ("c/0", pod("0")))
    assert [item.name for item in collection.scan(PODS + "b/")] == ["1", "2"]
    assert [item.key for item in collection.scan()] == [PODS + key for key in ("a/9", "b/1", "b/2", "c/0")]
    assert [item.name for item in collection.scan(PODS + "b/", PODS + "b/1")] == ["2"]


def test_a_namespace_that_begins_like_another_is_not_its_prefix() -> None:
    collection = filled(("team/x", pod("x")), ("team-b/y", pod("y")), ("team0/z", pod("z")))
    assert [item.name for item in collection.scan(PODS + "team/")] == ["x"]


def test_past_view_takes_changes_back() -> None:
    collection = filled(("a/1", pod("1", app="old")), ("a/2", pod("2")), ("a/1", pod("1", app="new")), ("a/2", None))
    assert [(item.name, item.revision) for item in collection.at(Revision(2)).scan(PODS)] == [("1", 1), ("2", 2)]
    assert [(item.name, item.revision) for item in collection.at(Revision(3)).scan(PODS)] == [("1", 3), ("2", 2)]
    assert [item.name for item in collection.at(Revision(1)).scan(PODS)] == ["1"]
    assert [item.name for item in collection.at(Revision(4)).scan(PODS)] == ["1"]


def test_past_view_of_what_is_forgotten_is_expired() -> None:
    collection = filled(("a/1", pod("1")), ("a/2", pod("2")))
    collection.drop_oldest()
    assert [item.name for item in collection.at(Revision(1)).scan(PODS)] == ["1"]
    with pytest.raises(Expired, match=r"too old resource version: 0 \(1\)"):
        collection.at(Revision(0))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("web", "web", EventType.MODIFIED, id="still matches"),
        pytest.param("db", "web", EventType.ADDED, id="begins to match"),
        pytest.param("web", "db", EventType.DELETED, id="stops matching"),
        pytest.param("db", "db", None, id="never matched"),
        pytest.param(None, "web", EventType.ADDED, id="created matching"),
        pytest.param(None, "db", None, id="created not matching"),
        pytest.param("web", None, EventType.DELETED, id="deleted while matching"),
        pytest.param("db", None, None, id="deleted while not matching"),
    ],
)
def test_selector_transitions(before: str | None, after: str | None, expected: EventType | None) -> None:
    collection = filled(("a/1", pod("1", app=before) if before else None))
    watcher = collection.subscribe(Bucket(), labelled("web"), Revision(1))
    collection.apply(PODS + "a/1", pod("1", app=after) if after else None, Revision(2), at=0.0)
    assert [kind for kind, _, _ in told(watcher)] == ([expected.value] if expected else [])


def test_a_deletion_carries_the_last_state_and_its_own_revision() -> None:
    collection = filled(("a/1", pod("1", app="web")))
    watcher = collection.subscribe(Bucket(), None, Revision(1))
    collection.apply(PODS + "a/1", None, Revision(7), at=0.0)
    assert told(watcher) == [("DELETED", "1", 7)]


def test_a_watch_from_a_past_revision_replays_then_follows() -> None:
    collection = filled(("a/1", pod("1")), ("a/2", pod("2")), ("a/1", None))
    watcher = collection.subscribe(Bucket(), None, Revision(1))
    collection.apply(PODS + "a/3", pod("3"), Revision(4), at=0.0)
    assert told(watcher) == [("ADDED", "2", 2), ("DELETED", "1", 3), ("ADDED", "3", 4)]


def test_a_watch_from_a_forgotten_revision_is_expired() -> None:
    collection = filled(("a/1", pod("1")), ("a/2", pod("2")))
    collection.drop_oldest()
    with pytest.raises(Expired):
        collection.subscribe(Bucket(), None, Revision(0))


def test_a_watch_with_state_begins_with_what_is_there() -> None:
    collection = filled(("a/1", pod("1")), ("b/2", pod("2")))
    watcher = collection.subscribe_with_state(Bucket("namespace", "a"), None, PODS + "a/")
    collection.apply(PODS + "b/2", None, Revision(3), at=0.0)
    collection.apply(PODS + "a/1", pod("1", app="x"), Revision(4), at=0.0)
    assert told(watcher) == [("ADDED", "1", 1), ("MODIFIED", "1", 4)]


@pytest.mark.parametrize(
    ("bucket", "expected"),
    [
        pytest.param(Bucket(), ["1", "2"], id="all"),
        pytest.param(Bucket("namespace", "a"), ["1"], id="namespace"),
        pytest.param(Bucket("name", "2"), ["2"], id="name"),
        pytest.param(Bucket("spec.nodeName", "n1"), ["2"], id="node"),
    ],
)
def test_watchers_are_found_by_bucket(bucket: Bucket, expected: list[str]) -> None:
    collection = filled()
    watcher = collection.subscribe(bucket, None, Revision(0))
    collection.apply(PODS + "a/1", pod("1", node="n0"), Revision(1), at=0.0)
    collection.apply(PODS + "b/2", pod("2", node="n1"), Revision(2), at=0.0)
    assert [name for _, name, _ in told(watcher)] == expected


def test_a_pod_that_moves_is_seen_by_both_nodes() -> None:
    collection = filled(("a/1", pod("1", node="n1")))
    on = {node: (lambda item, node=node: item.fields["spec.nodeName"] == node) for node in ("n1", "n2")}
    watchers = {n: collection.subscribe(Bucket("spec.nodeName", n), on[n], Revision(1)) for n in ("n1", "n2")}
    collection.apply(PODS + "a/1", pod("1", node="n2"), Revision(2), at=0.0)
    assert told(watchers["n1"]) == [("DELETED", "1", 2)]
    assert told(watchers["n2"]) == [("ADDED", "1", 2)]


def test_a_closed_watcher_is_forgotten() -> None:
    collection = filled()
    watcher = collection.subscribe(Bucket(), None, Revision(0))
    watcher.close()
    watcher.close()
    assert collection.watchers == 0


async def test_a_slow_watcher_is_cut_off_with_expired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MAX_PENDING_EVENTS", 2)
    collection = filled()
    watcher = collection.subscribe(Bucket(), None, Revision(0))
    for number in range(1, 4):
        collection.apply(PODS + f"a/{number}", pod(str(number)), Revision(number), at=0.0)
    with pytest.raises(Expired, match="too slow"):
        await watcher.take()


async def test_a_watcher_that_keeps_up_is_never_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MAX_PENDING_EVENTS", 2)
    collection = filled()
    watcher = collection.subscribe(Bucket(), None, Revision(0))
    for number in range(1, 20):
        collection.apply(PODS + f"a/{number}", pod(str(number)), Revision(number), at=0.0)
        assert [event.revision for event in await watcher.take()] == [number]


async def test_a_finished_watcher_gets_what_is_pending_first() -> None:
    collection = filled()
    watcher = collection.subscribe(Bucket(), None, Revision(0))
    collection.apply(PODS + "a/1", pod("1"), Revision(1), at=0.0)
    collection.finish_watches()
    collection.apply(PODS + "a/2", pod("2"), Revision(2), at=0.0)
    assert [event.revision for event in await watcher.take()] == [1]
    with pytest.raises(Finished):
        await watcher.take()


def test_idle_watchers_that_asked_get_bookmarks() -> None:
    collection = filled()
    idle, silent, busy = (collection.subscribe(Bucket(), None, Revision(0)) for _ in range(3))
    idle.wants_bookmarks = busy.wants_bookmarks = True
    busy.offer(change_of(collection))
    collection.bookmark_idle_watches(Revision(9))
    assert told(idle) == [("BOOKMARK", "", 9)]
    assert told(silent) == []
    assert [kind for kind, _, _ in told(busy)] == ["ADDED"]
    collection.bookmark_idle_watches(Revision(10))
    assert told(busy)[-1] == ("BOOKMARK", "", 10)


def change_of(collection: Collection) -> Change:
    item: Item = collection.item(PODS + "a/1", pod("1"), Revision(1))
    return Change(Revision(1), None, item, at=0.0)


def test_encoded_forms_are_kept_for_the_newest_changes_only() -> None:
    collection = filled()
    for number in range(1, 201):
        collection.apply(PODS + f"a/{number}", pod(str(number)), Revision(number), at=0.0)
        kept_forms = collection._window[-1].encoded
        assert kept_forms is not None
        kept_forms["form"] = b"x"
    kept = [change.revision for change in collection._window if change.encoded]
    assert kept == list(range(201 - KEEP_ENCODED, 201))


def test_encoded_forms_of_large_objects_are_kept_for_fewer() -> None:
    collection = filled()
    large = pod("1")[:-1] + b',"x":"' + b"x" * (KEEP_ENCODED_BYTES // 4) + b'"}'
    for number in range(1, 11):
        collection.apply(PODS + f"a/{number}", large, Revision(number), at=0.0)
    assert [change.revision for change in collection._window if change.encoded is not None] == [8, 9, 10]


def test_bookmarks_that_nobody_takes_do_not_pile_up() -> None:
    collection = filled()
    watcher = collection.subscribe(Bucket(), None, Revision(3))
    for number in range(3, 1_000):
        watcher.bookmark(Revision(number))
    assert told(watcher) == [("BOOKMARK", "", 999)]


def test_absent_and_odd_fields_project_to_text() -> None:
    collection = Collection("pods", Revision(0), ("spec.nodeName", "spec.hostNetwork", "status.phase"))
    item = collection.item(PODS + "a/1", b'{"metadata":{"name":"1"},"spec":{"hostNetwork":true}}', Revision(1))
    assert item.labels == {}
    assert item.fields == {"spec.nodeName": "", "spec.hostNetwork": "true", "status.phase": ""}
