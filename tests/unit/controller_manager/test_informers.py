"""One informer per kind, with the indexes of all who read it."""

from __future__ import annotations

import pytest

from controller_manager import informers, ownership
from controller_manager.informers import Reads
from steersman.api.core import Node, Pod
from steersman.client import client


def by_node(pod: Pod) -> tuple[str]:
    return (pod.spec.node_name,)


def test_a_kind_that_several_read_has_all_their_indexes() -> None:
    found = informers.union([Reads(Pod), Reads(Pod, {"node": by_node}), informers.children(Pod), Reads(Node)])
    assert found == {
        client.kind_of(Pod): {"node": by_node, ownership.BY_CONTROLLER: ownership.controller_index},
        client.kind_of(Node): {},
    }


def test_one_name_for_two_indexes_is_refused() -> None:
    with pytest.raises(ValueError, match="two different indexes of pods are called 'node'"):
        informers.union([Reads(Pod, {"node": by_node}), Reads(Pod, {"node": ownership.controller_index})])
