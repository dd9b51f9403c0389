"""What stands behind a persistentVolumeClaim: a folder of this machine, if the claim is bound to one. Pure."""

from __future__ import annotations

from nodeagent import admission
from nodeagent.volumes.interface import VolumeProblem
from steersman.api.core import HostPathVolumeSource, Node, PersistentVolume, PersistentVolumeClaim

PROTECTION = "kubernetes.io/pvc-protection"


def volume_name(claim: PersistentVolumeClaim) -> str:
    """The PersistentVolume that the claim is bound to. Raises VolumeProblem."""
    meta = claim.metadata
    if meta.deletion_timestamp is not None and PROTECTION not in meta.finalizers:
        raise VolumeProblem("PVC is being deleted")
    if claim.status.phase != "Bound":
        raise VolumeProblem("PVC is not bound")
    if not claim.spec.volume_name:
        raise VolumeProblem("PVC has empty pvc.Spec.VolumeName")
    return claim.spec.volume_name


def check_bound(volume: PersistentVolume, claim: PersistentVolumeClaim) -> None:
    """The volume must know of the claim, too."""
    name, reference = volume.metadata.name, volume.spec.claim_ref
    if reference is None:
        why = "it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim"
        raise VolumeProblem(f"found PV object {name} but {why}")
    if reference.uid != claim.metadata.uid:
        why = f"its pv.Spec.ClaimRef.UID {reference.uid} does not point to claim.UID {claim.metadata.uid}"
        raise VolumeProblem(f"found PV object {name} but {why}")


def check_reachable(volume: PersistentVolume, node: Node | None) -> None:
    affinity = volume.spec.node_affinity
    required = affinity.required if affinity is not None else None
    if required is not None and node is not None and not admission.selects(required, node):
        raise VolumeProblem("no matching NodeSelectorTerms")


def folder(volume: PersistentVolume, mounted_as: str) -> HostPathVolumeSource:
    """Where it is on this machine. A local volume must be there; a hostPath is as strict as it says."""
    if volume.spec.volume_mode == "Block":
        raise VolumeProblem(f"volume {mounted_as} has volumeMode Block, but is specified in volumeMounts")
    if volume.spec.host_path is not None:
        return volume.spec.host_path
    if volume.spec.local is not None:
        return HostPathVolumeSource(path=volume.spec.local.path, type="Directory")
    raise VolumeProblem("this node has only hostPath and local persistent volumes")
