"""PersistentVolumes: one source that never changes, a capacity, and a place from which nodes can reach it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from apiserver.registry.defaults import resources as amounts
from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import persistentvolumes as rules
from apiserver.registry.validation import podform
from apiserver.registry.warnings import storage as warned
from steersman.api import fields, times
from steersman.api.core import (
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PersistentVolume,
    PersistentVolumeSpec,
    PersistentVolumeStatus,
    VolumeNodeAffinity,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.part import Time

_SPEC = Path("spec")
_NOT_SOURCES = frozenset(
    {
        "capacity",
        "access_modes",
        "claim_ref",
        "persistent_volume_reclaim_policy",
        "storage_class_name",
        "mount_options",
        "volume_mode",
        "node_affinity",
        "volume_attributes_class_name",
    }
)
_SOURCE_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "host_path": {"type": ""},
    "iscsi": {"iscsi_interface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "azure_disk": {"caching_mode": "ReadWrite", "fs_type": "ext4", "read_only": False, "kind": "Shared"},
    "scale_io": {"storage_mode": "ThinProvisioned", "fs_type": "xfs"},
}
_NEWER_LABELS = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}


# --- Defaults


def default(new: PersistentVolume) -> PersistentVolume:
    """A newborn, which is known by having no phase yet, is pending since its creation."""
    new = replace(new, spec=_default_spec(new.spec))
    if new.status.phase:
        return new
    born = new.metadata.creation_timestamp
    return replace(new, status=PersistentVolumeStatus(phase="Pending", last_phase_transition_time=born))


def _default_spec(spec: PersistentVolumeSpec) -> PersistentVolumeSpec:
    changes: dict[str, Any] = {
        "capacity": amounts.rounded(spec.capacity),
        "persistent_volume_reclaim_policy": spec.persistent_volume_reclaim_policy or "Retain",
        "volume_mode": "Filesystem" if spec.volume_mode is None else spec.volume_mode,
    }
    for attribute, wanted in _SOURCE_DEFAULTS.items():
        source = getattr(spec, attribute)
        if source is not None:
            missing = {name: value for name, value in wanted.items() if getattr(source, name) in (None, "")}
            changes[attribute] = replace(source, **missing)
    return replace(spec, **changes)


# --- Updates


def validate_update(new: PersistentVolume, old: PersistentVolume) -> list[Cause]:
    causes: list[Cause] = []
    before, after = _source_alone(old.spec), _source_alone(_without_added_secret(new.spec, old.spec))
    if before != after:
        detail = f"spec.persistentvolumesource is immutable after creation\n{podform.difference(before, after)}"
        causes.append(fields.forbidden(_SPEC.child("persistentvolumesource"), detail))
    if new.spec.volume_mode != old.spec.volume_mode:
        causes.append(fields.invalid(Path("volumeMode"), new.spec.volume_mode, IMMUTABLE))
    where = old.spec.node_affinity
    if where is not None and not _same_nodes(new.spec.node_affinity, where):
        detail = f"{IMMUTABLE}, except for updating from beta label to GA"
        shown = podform.as_json(new.spec.node_affinity)
        causes.append(fields.invalid(Path("nodeAffinity"), shown, detail))
    if old.spec.volume_attributes_class_name is not None and new.spec.volume_attributes_class_name is None:
        path = _SPEC.child("volumeAttributesClassName")
        causes.append(fields.forbidden(path, "update from non-nil value to nil is forbidden"))
    return causes


def stamped(new: PersistentVolume, old: PersistentVolume | None, now: datetime) -> PersistentVolume:
    """Since when the volume is in its phase; whoever reports the phase may also say that."""
    told = new.status.last_phase_transition_time
    if old is None:
        since: Time | None = times.from_datetime(now)
    elif new.status.phase == old.status.phase:
        since = told or old.status.last_phase_transition_time
    else:
        since = times.from_datetime(now) if told in (None, old.status.last_phase_transition_time) else told
    return new if since == told else replace(new, status=replace(new.status, last_phase_transition_time=since))


def _source_alone(spec: PersistentVolumeSpec) -> PersistentVolumeSpec:
    sources = {name: getattr(spec, name) for name in spec.__struct_fields__ if name not in _NOT_SOURCES}
    return PersistentVolumeSpec(**sources)


def _without_added_secret(new: PersistentVolumeSpec, old: PersistentVolumeSpec) -> PersistentVolumeSpec:
    """A driver that learns to expand volumes later may be given its secret later."""
    if new.csi is None or old.csi is None or old.csi.controller_expand_secret_ref is not None:
        return new
    return replace(new, csi=replace(new.csi, controller_expand_secret_ref=None))


def _same_nodes(new: VolumeNodeAffinity | None, old: VolumeNodeAffinity) -> bool:
    """Labels may be spelled the newer way."""
    if new is None or new.required is None or old.required is None:
        return new == old
    return new == old or new.required == _spelled_newer(old.required, new.required)


def _spelled_newer(old: NodeSelector, new: NodeSelector) -> NodeSelector:
    """The old selector, each label in the newer spelling where the new selector has it."""
    pairs = zip(old.node_selector_terms, new.node_selector_terms, strict=False)
    terms = tuple(_term_spelled_newer(before, after) for before, after in pairs)
    return NodeSelector(node_selector_terms=(*terms, *old.node_selector_terms[len(terms) :]))


def _term_spelled_newer(old: NodeSelectorTerm, new: NodeSelectorTerm) -> NodeSelectorTerm:
    def spelled(before: NodeSelectorRequirement, after: NodeSelectorRequirement) -> NodeSelectorRequirement:
        return replace(before, key=after.key) if _NEWER_LABELS.get(before.key) == after.key else before

    pairs = zip(old.match_expressions, new.match_expressions, strict=False)
    expressions = tuple(spelled(before, after) for before, after in pairs)
    return replace(old, match_expressions=(*expressions, *old.match_expressions[len(expressions) :]))


PERSISTENT_VOLUME = Strategy(
    default=default,
    validate=rules.validate_volume,
    validate_update=validate_update,
    warn=warned.of_volume,
    stamp=stamped,
)
