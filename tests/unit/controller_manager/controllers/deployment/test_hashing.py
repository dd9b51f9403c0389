from __future__ import annotations

import pytest

from controller_manager.controllers.deployment import hashing
from steersman.api.core import PodTemplateSpec
from tests.unit.controller_manager.workloads import template


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"", 0x811C9DC5, id="empty"),
        pytest.param(b"a", 0xE40C292C, id="a"),
        pytest.param(b"foobar", 0xBF9CF968, id="foobar"),
    ],
)
def test_fnv1a_as_published(data: bytes, expected: int) -> None:
    assert hashing.fnv1a(data) == expected


def test_the_hash_is_pinned() -> None:
    """Names and selectors in stored objects depend on it: whoever changes this changes every running Deployment."""
    assert hashing.template_hash(template()) == "868cc8b778"
    assert hashing.template_hash(template(), 1) == "6cdb5dd6dc"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        pytest.param(template(), True, id="equal"),
        pytest.param(template(**{hashing.LABEL: "x"}), True, id="with the label"),
        pytest.param(template("nginx:2"), False, id="another image"),
        pytest.param(template(tier="front"), False, id="another label"),
    ],
)
def test_sameness(other: PodTemplateSpec, same: bool) -> None:
    assert hashing.is_same(template(), other) is same
    assert (hashing.template_hash(template()) == hashing.template_hash(other)) is same


def test_collisions_give_new_hashes() -> None:
    hashes = {hashing.template_hash(template(), count) for count in (None, 0, 1, 2)}
    assert len(hashes) == 4


def test_the_order_of_labels_does_not_matter() -> None:
    one, other = template(a="1", b="2"), template(b="2", a="1")
    assert hashing.template_hash(one) == hashing.template_hash(other)


def test_long_names_are_cut() -> None:
    assert hashing.replicaset_name("web", "bcd") == "web-bcd"
    assert len(hashing.replicaset_name("x" * 253, "bcdfg")) == 253


def test_the_template_itself_is_left_alone() -> None:
    with_label = template(**{hashing.LABEL: "x"})
    assert hashing.without_hash(with_label) == template()
    assert with_label.metadata.labels[hashing.LABEL] == "x"
