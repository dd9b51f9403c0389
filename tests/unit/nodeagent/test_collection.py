"""Which images go when the disk fills up."""

from __future__ import annotations

import pytest

from nodeagent import imagecollection
from nodeagent.imagecollection import Disk, Thresholds
from nodeagent.runtime.seen import Image

USUAL = Thresholds(85, 80)
NOW = 10_000.0


def image(name: str, size: int = 10) -> Image:
    return Image(id=name, tags=(), digests=(), size_bytes=size, user=None)


@pytest.mark.parametrize(
    ("free", "thresholds", "excess"),
    [
        pytest.param(16, USUAL, 0, id="below the threshold"),
        pytest.param(15, USUAL, 5, id="at the threshold, down to the lower one"),
        pytest.param(0, USUAL, 20, id="full"),
        pytest.param(0, Thresholds(100, 80), 0, id="switched off"),
    ],
)
def test_how_much_has_to_go(free: int, thresholds: Thresholds, excess: int) -> None:
    assert imagecollection.excess_bytes(Disk(100, free), thresholds) == excess


@pytest.mark.parametrize(
    ("last_used", "in_use", "excess", "chosen"),
    [
        pytest.param({"a": 2.0, "b": 1.0, "c": 3.0}, set(), 15, ["b", "a"], id="the longest unused first"),
        pytest.param({"a": 2.0, "b": 1.0}, {"b"}, 99, ["a"], id="not what is used"),
        pytest.param({"a": 1.0}, set(), 99, ["a"], id="not what is not ours"),
        pytest.param({"a": NOW - 60, "b": 1.0}, set(), 99, ["b"], id="not what was used lately"),
        pytest.param({}, set(), 99, [], id="nothing to spare"),
    ],
)
def test_which_images_go(last_used: dict[str, float], in_use: set[str], excess: int, chosen: list[str]) -> None:
    images = [image(name) for name in "abc"]
    found = imagecollection.choose(images, last_used, in_use, excess, NOW)
    assert [each.id for each in found] == chosen
