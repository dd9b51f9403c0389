"""What is seen of stored bytes: labels, and the fields that were asked for."""

from __future__ import annotations

import msgspec
import pytest

from apiserver.watchcache.projection import SHARED_UP_TO_BYTES, projector

LARGE = "x" * SHARED_UP_TO_BYTES


def stored(labels: str) -> bytes:
    return b'{"metadata":{"name":"a","labels":%s},"spec":{"nodeName":"n"}}' % labels.encode()


@pytest.mark.parametrize(
    ("value", "labels"),
    [
        pytest.param(stored('{"app":"web"}'), {"app": "web"}, id="some"),
        pytest.param(stored(f'{{"app":"{LARGE}"}}'), {"app": LARGE}, id="large"),
        pytest.param(stored("{}"), {}, id="empty"),
        pytest.param(stored("null"), {}, id="null"),
        pytest.param(b'{"metadata":{"name":"a"}}', {}, id="none"),
        pytest.param(b"{}", {}, id="no metadata"),
    ],
)
def test_labels(value: bytes, labels: dict[str, str]) -> None:
    assert projector()(value)[0] == labels


def test_objects_with_the_same_labels_share_them() -> None:
    first, second = (projector()(stored('{"app":"web","tier":"front"}'))[0] for _ in range(2))
    assert first is second


@pytest.mark.parametrize("labels", ['{"app":1}', "[]", f'{{"app":["{LARGE}"]}}'])
def test_labels_that_are_none(labels: str) -> None:
    with pytest.raises(msgspec.MsgspecError):
        projector()(stored(labels))


def test_fields_as_texts() -> None:
    assert projector(["spec.nodeName", "status.phase", "metadata.name"])(stored("{}"))[1] == {
        "spec.nodeName": "n",
        "status.phase": "",
    }
