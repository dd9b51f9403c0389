"""What a pod's claims say to it, in Kubernetes' words."""

from __future__ import annotations

from typing import Any

import pytest

from controller_manager.scheduler import filters, reasons, snapshot
from controller_manager.scheduler.equivalence import Equivalence, Unplaceable
from controller_manager.scheduler.filters import Hooks
from controller_manager.scheduler.reasons import Change
from controller_manager.scheduler.snapshot import NodeView
from controller_manager.scheduler.volumebinding import BIND_COMPLETED, CLASS_OF_OLD, VolumeBinding
from steersman.api.core import PersistentVolume, PersistentVolumeClaim
from steersman.api.storage import StorageClass
from steersman.client.cache import Cache
from tests.unit.controller_manager.scheduler.world import (
    ZONE,
    Manifest,
    asking,
    bound,
    claim,
    node,
    pod,
    storage_class,
    volume,
)

UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
ELSEWHERE = "node(s) didn't match PersistentVolume's node affinity"
NOTHING = "node(s) didn't find available persistent volumes to bind"
GOING = "2026-01-01T00:00:00Z"


CLASSES = [storage_class("late", "WaitForFirstConsumer"), storage_class("early", "Immediate")]


def binding(*objects: PersistentVolumeClaim | PersistentVolume | StorageClass) -> VolumeBinding:
    claims: Cache[PersistentVolumeClaim] = Cache()
    volumes: Cache[PersistentVolume] = Cache()
    classes: Cache[StorageClass] = Cache()
    for each in objects:
        match each:
            case PersistentVolumeClaim():
                claims.put(each)
            case PersistentVolume():
                volumes.put(each)
            case StorageClass():
                classes.put(each)
    return VolumeBinding(claims, volumes, classes)


def claiming(*names: str) -> list[Manifest]:
    return [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]


def here() -> NodeView:
    found = snapshot.of([node(labels={ZONE: "a"})]).node("n")
    assert found is not None
    return found


CASES: dict[str, tuple[list[Any], tuple[str, ...]]] = {
    "missing": ([], ('persistentvolumeclaim "data" not found',)),
    "unbound": ([claim()], (UNBOUND,)),
    "bound to a volume, but not yet from both sides": ([claim(volume="disk"), volume()], (UNBOUND,)),
    "bound": ([bound(), volume()], ()),
    "bound by hand": ([claim(volume="disk", phase="Bound"), volume()], ()),
    "bound by a controller that has yet to tell": (
        [claim(volume="disk", annotations={BIND_COMPLETED: "yes"}), volume()],
        (),
    ),
    "going": ([claim(deletionTimestamp=GOING)], ('persistentvolumeclaim "data" is being deleted',)),
    "lost": (
        [claim(volume="disk", phase="Lost")],
        ('persistentvolumeclaim "data" bound to non-existent persistentvolume "disk"',),
    ),
    "without its volume": ([bound()], ('persistentvolume "disk" not found',)),
    "within reach": ([bound(), volume("disk", "a", "b")], ()),
    "out of reach": ([bound(), volume("disk", "b")], (ELSEWHERE,)),
    "of a class that binds at once": ([claim(of_class="early")], (UNBOUND,)),
    "of a class that nobody knows": ([claim(of_class="unknown")], (UNBOUND,)),
    "of a class that waits": ([claim(of_class="late")], (NOTHING,)),
    "of a class that waits, said as of old": ([claim(annotations={CLASS_OF_OLD: "late"})], (NOTHING,)),
    "of a class that waits, with a volume of its choice": ([claim(of_class="late", volume="disk")], (UNBOUND,)),
}


@pytest.mark.parametrize("name", CASES)
def test_one_claim(name: str) -> None:
    there, texts = CASES[name]
    volumes = binding(*there, *CLASSES)
    reason = filters.refusal(
        asking(volumes=claiming("data")), here(), Hooks(claims=volumes.of_pod, volumes=volumes.on_node)
    )
    assert (reason.texts if reason else ()) == texts


@pytest.mark.parametrize(
    ("there", "texts"),
    [
        pytest.param([claim("a"), bound("b"), volume()], (UNBOUND,), id="one is not bound"),
        pytest.param([claim("a")], ('persistentvolumeclaim "b" not found',), id="what is missing is told first"),
        pytest.param([bound("a"), volume("disk", "a"), bound("b", "other"), volume("other")], (), id="both in reach"),
        pytest.param(
            [bound("a"), volume("disk", "b"), claim("b", of_class="late")],
            (ELSEWHERE, NOTHING),
            id="one elsewhere, one nowhere",
        ),
    ],
)
def test_two_claims(there: list[Any], texts: tuple[str, ...]) -> None:
    volumes = binding(*there, *CLASSES)
    asked = asking(volumes=claiming("a", "b"))
    reason = volumes.of_pod(asked) or volumes.on_node(asked, here())
    assert (reason.texts if reason else ()) == texts


def told(volumes: VolumeBinding, *, nodes: int = 3) -> tuple[str, frozenset[Change]]:
    """What a pod with one claim is told in a cluster in which it fits nowhere."""
    hooks = Hooks(claims=volumes.of_pod, volumes=volumes.on_node)
    cluster = snapshot.of([node(f"n{number}") for number in range(nodes)])
    found = Equivalence(hooks).choose(asking(volumes=claiming("data")), cluster, lambda: 0.5)
    assert isinstance(found, Unplaceable)
    return reasons.describe(found.why, found.nodes), reasons.cures(found.why)


def test_what_keeps_a_pod_from_every_node_is_told_once_and_no_node_cures_it() -> None:
    assert told(binding(claim())) == (f"0/3 nodes are available: {UNBOUND}.", frozenset({Change.VOLUME_CHANGED}))


def test_what_a_node_cannot_reach_is_counted_and_a_label_may_cure_it() -> None:
    text, cures = told(binding(bound(), volume("disk", "b")))
    assert text == f"0/3 nodes are available: 3 {ELSEWHERE}."
    assert cures == {Change.VOLUME_CHANGED, Change.NODE_LABELED, Change.NODE_ADDED}


def test_without_nodes_that_is_what_is_told() -> None:
    assert told(binding(claim()), nodes=0)[0] == reasons.NO_NODES


def test_what_was_found_is_remembered_until_it_is_forgotten() -> None:
    claims: Cache[PersistentVolumeClaim] = Cache()
    volumes = VolumeBinding(claims, Cache(), Cache())
    asked = asking(volumes=claiming("data"))
    assert volumes.of_pod(asked) is not None
    claims.put(claim(of_class="unknown"))
    volumes.forget()
    found = volumes.of_pod(asked)
    assert found is not None
    assert found.texts == (UNBOUND,)


@pytest.mark.parametrize(("name", "uses"), [("disk", True), ("other", False)])
def test_whose_volume_it_is(name: str, uses: bool) -> None:
    assert binding(bound()).uses_volume(pod(volumes=claiming("data", "missing")), name) is uses
