"""What a step of an object means to pods that wait: the changes that may cure what keeps them waiting. Pure."""

from __future__ import annotations

from controller_manager.scheduler import requirements, snapshot, volumebinding
from controller_manager.scheduler.reasons import Change
from steersman.api.core import Node, PersistentVolume, PersistentVolumeClaim, Pod
from steersman.api.storage import StorageClass

NOTHING: frozenset[Change] = frozenset()
_VOLUMES = frozenset({Change.VOLUME_CHANGED})


def of_node(old: Node | None, new: Node | None) -> frozenset[Change]:
    """A node that goes takes its labels along: where pods are spread over places, one place less may be what helps."""
    if old is None:
        return NOTHING if new is None else frozenset({Change.NODE_ADDED})
    if new is None:
        return frozenset({Change.NODE_LABELED})
    before, after = snapshot.facts_of(old), snapshot.facts_of(new)
    found = set()
    if before.allocatable != after.allocatable:
        found.add(Change.NODE_RESIZED)
    if before.labels != after.labels:
        found.add(Change.NODE_LABELED)
    if (before.taints, before.unschedulable) != (after.taints, after.unschedulable):
        found.add(Change.NODE_TAINTED)
    return frozenset(found)


def of_pod(old: Pod | None, new: Pod | None) -> frozenset[Change]:
    """Only pods that take room on a node matter to others."""
    stood = old is not None and snapshot.takes_room(old)
    stands = new is not None and snapshot.takes_room(new)
    if old is None or new is None or stood is not stands:
        placed = {Change.POD_PLACED} if stands else set()
        return frozenset({Change.POD_LEFT} if stood else placed)
    if not stands:
        return NOTHING
    before, after = old.metadata, new.metadata
    found = set()
    # A pod that is going is no longer counted where pods are spread, as if it had lost its labels.
    if before.labels != after.labels or before.deletion_timestamp != after.deletion_timestamp:
        found.add(Change.POD_LABELED)
    # Comparing first: most steps of a pod are reports of its status, and there are many.
    if old.spec != new.spec and requirements.of(old).requests != requirements.of(new).requests:
        found.add(Change.POD_LEFT)
    return frozenset(found)


def of_claim(old: PersistentVolumeClaim | None, new: PersistentVolumeClaim | None) -> frozenset[Change]:
    """Sizes and conditions of a claim are nobody's business here, and change often."""
    return NOTHING if _use_of(old) == _use_of(new) else _VOLUMES


def _use_of(claim: PersistentVolumeClaim | None) -> tuple[object, ...] | None:
    if claim is None:
        return None
    going = claim.metadata.deletion_timestamp is not None
    is_bound, class_name = volumebinding.is_bound(claim), volumebinding.class_of(claim)
    return claim.spec.volume_name, claim.status.phase, is_bound, class_name, going


def of_volume(old: PersistentVolume | None, new: PersistentVolume | None) -> frozenset[Change]:
    if old is not None and new is not None and old.spec.node_affinity == new.spec.node_affinity:
        return NOTHING
    return _VOLUMES


def of_class(old: StorageClass | None, new: StorageClass | None) -> frozenset[Change]:
    if old is not None and new is not None and old.volume_binding_mode == new.volume_binding_mode:
        return NOTHING
    return _VOLUMES
