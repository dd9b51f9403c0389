"""How long a pod stays on a node that is lost."""

from __future__ import annotations

import pytest

from apiserver.admission import tolerations
from steersman.api.core import Toleration
from tests.unit.apiserver.admission.conftest import Fields, make_pod

NOT_READY = Toleration(key="node.kubernetes.io/not-ready", operator="Exists", effect="NoExecute", toleration_seconds=5)
UNREACHABLE = Toleration(
    key="node.kubernetes.io/unreachable", operator="Exists", effect="NoExecute", toleration_seconds=7
)

ADDED: dict[str, tuple[list[Fields], tuple[Toleration, ...]]] = {
    "nothing said": ([], (NOT_READY, UNREACHABLE)),
    "something else said": ([{"key": "gpu", "operator": "Exists"}], (NOT_READY, UNREACHABLE)),
    "not ready: for ever": (
        [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
        (UNREACHABLE,),
    ),
    "unreachable: in all ways": ([{"key": "node.kubernetes.io/unreachable", "operator": "Exists"}], (NOT_READY,)),
    "not ready, but only not to be scheduled there": (
        [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoSchedule"}],
        (NOT_READY, UNREACHABLE),
    ),
    "everything": ([{"operator": "Exists"}], ()),
    "every eviction": ([{"operator": "Exists", "effect": "NoExecute"}], ()),
}


@pytest.mark.parametrize(("said", "added"), ADDED.values(), ids=ADDED)
def test_what_is_added(said: list[Fields], added: tuple[Toleration, ...]) -> None:
    pod = make_pod(tolerations=said)
    assert tolerations.admit(pod, 5, 7).spec.tolerations == (*pod.spec.tolerations, *added)


def test_a_second_time_changes_nothing() -> None:
    once = tolerations.admit(make_pod(), 5, 7)
    assert tolerations.admit(once, 60, 60) is once
