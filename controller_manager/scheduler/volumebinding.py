"""Whether a pod's PersistentVolumeClaims let it go to a node: the volume binding hook of the filters.

Reads PersistentVolumeClaims, PersistentVolumes and StorageClasses. A claim that is missing, going, or not yet bound by
whoever binds it keeps its pod waiting, wherever that might go; a bound one lets it go where its volume can be reached
from. A claim that is to be bound where its first consumer goes (WaitForFirstConsumer) is not promised a volume on any
node: its pod waits until somebody has bound it.

What was found for a class of pods is remembered until `forget`: thousands of nodes are asked about one pod.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller_manager.scheduler import reasons, requirements, terms
from controller_manager.scheduler.reasons import Change, Reason
from controller_manager.scheduler.requirements import Requirements
from controller_manager.scheduler.snapshot import NodeView
from controller_manager.scheduler.terms import NodeTerm
from steersman.api.core import PersistentVolume, PersistentVolumeClaim, Pod
from steersman.api.storage import StorageClass
from steersman.client.cache import Cache, ObjectKey

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
CLASS_OF_OLD = "volume.beta.kubernetes.io/storage-class"
DELAYED = "WaitForFirstConsumer"

NOT_REACHED = "node(s) didn't match PersistentVolume's node affinity"
NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
_CURES = frozenset({Change.VOLUME_CHANGED, Change.NODE_LABELED})
_REMEMBERED = 1_024


def _waiting(text: str) -> Reason:
    return reasons.wherever(text, cured_by={Change.VOLUME_CHANGED})


UNBOUND = _waiting("pod has unbound immediate PersistentVolumeClaims")


@dataclass(frozen=True, slots=True)
class Reach:
    """Which nodes a pod's volumes allow: one of the terms of each must match. `delayed`: some have no volume yet."""

    volumes: tuple[tuple[NodeTerm, ...], ...]
    delayed: bool

    def refusal(self, node: NodeView) -> Reason | None:
        texts = [] if self._includes(node) else [NOT_REACHED]
        if self.delayed:
            texts.append(NOTHING_TO_BIND)
        return reasons.final(*texts, cured_by=_CURES) if texts else None

    def _includes(self, node: NodeView) -> bool:
        labels = node.known.labels
        return all(any(term.matches(node.name, labels) for term in volume) for volume in self.volumes)


class VolumeBinding:
    """`of_pod` and `on_node` are the hooks; whoever hears that a volume, claim or class has changed calls `forget`."""

    def __init__(
        self, claims: Cache[PersistentVolumeClaim], volumes: Cache[PersistentVolume], classes: Cache[StorageClass]
    ) -> None:
        self._claims = claims
        self._volumes = volumes
        self._classes = classes
        self._known: dict[Requirements, Reach | Reason] = {}

    def of_pod(self, pod: Requirements) -> Reason | None:
        """What keeps the pod waiting, whichever the node."""
        found = self._found(pod)
        return found if isinstance(found, Reason) else None

    def on_node(self, pod: Requirements, node: NodeView) -> Reason | None:
        found = self._found(pod)
        return found if isinstance(found, Reason) else found.refusal(node)

    def forget(self) -> None:
        self._known.clear()

    def uses_volume(self, pod: Pod, name: str) -> bool:
        """Whether a claim of the pod is, or is to be, bound to that volume."""
        claims = (self._claims.get(key) for key in requirements.claims_of(pod))
        return any(claim is not None and claim.spec.volume_name == name for claim in claims)

    def _found(self, pod: Requirements) -> Reach | Reason:
        known = self._known.get(pod)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[pod] = self._look_up(pod)
        return known

    def _look_up(self, pod: Requirements) -> Reach | Reason:
        bound: list[PersistentVolumeClaim] = []
        delayed = False
        unbound = False
        for name in pod.claims:
            claim = self._claims.get(ObjectKey(pod.namespace, name))
            if claim is None:
                return _waiting(f'persistentvolumeclaim "{name}" not found')
            if (flaw := _flaw(claim)) is not None:
                return flaw
            if is_bound(claim):
                bound.append(claim)
            elif self._is_delayed(claim):
                delayed = True
            else:
                unbound = True
        return UNBOUND if unbound else self._reach(bound, delayed=delayed)

    def _reach(self, bound: list[PersistentVolumeClaim], *, delayed: bool) -> Reach | Reason:
        affinities: list[tuple[NodeTerm, ...]] = []
        for claim in bound:
            volume = self._volumes.get(ObjectKey("", claim.spec.volume_name))
            if volume is None:
                return _waiting(f'persistentvolume "{claim.spec.volume_name}" not found')
            affinity = volume.spec.node_affinity
            if affinity is not None and affinity.required is not None:
                affinities.append(tuple(terms.node_term(term) for term in affinity.required.node_selector_terms))
        return Reach(tuple(affinities), delayed)

    def _is_delayed(self, claim: PersistentVolumeClaim) -> bool:
        """Whether its class binds it only when a node is chosen. A claim that names its volume does not wait."""
        found = self._classes.get(ObjectKey("", class_of(claim)))
        return found is not None and found.volume_binding_mode == DELAYED and not claim.spec.volume_name


def is_bound(claim: PersistentVolumeClaim) -> bool:
    """By a controller, which leaves a note, or by hand: then its phase says so."""
    said = BIND_COMPLETED in claim.metadata.annotations or claim.status.phase == "Bound"
    return said and bool(claim.spec.volume_name)


def class_of(claim: PersistentVolumeClaim) -> str:
    return claim.metadata.annotations.get(CLASS_OF_OLD) or claim.spec.storage_class_name or ""


def _flaw(claim: PersistentVolumeClaim) -> Reason | None:
    """Why a claim that is there is of no use."""
    name = claim.metadata.name
    if claim.status.phase == "Lost":
        volume = claim.spec.volume_name
        return _waiting(f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume}"')
    if claim.metadata.deletion_timestamp is not None:
        return _waiting(f'persistentvolumeclaim "{name}" is being deleted')
    return None
