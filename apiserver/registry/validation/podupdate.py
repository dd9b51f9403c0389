"""Rules for the step from one pod to the next. A pod's spec is a promise to its containers: hardly anything may change.

Images may, deadlines may come nearer, tolerations may be added, and while scheduling gates hold the pod back, its
demands on nodes may become narrower. Ephemeral containers come in through a door of their own and never leave.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from apiserver.registry.validation import checks, container, pod, podannotations, podform, tolerations
from apiserver.registry.validation.affinity import REQUIRED
from steersman.api import fields
from steersman.api.core import Affinity, Container, NodeAffinity, NodeSelectorTerm, Pod, PodSchedulingGate, PodSpec
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

MUTABLE = (
    "`spec.containers[*].image`",
    "`spec.initContainers[*].image`",
    "`spec.activeDeadlineSeconds`",
    "`spec.tolerations` (only additions to existing tolerations)",
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
)

_ANNOTATIONS = Path("metadata").child("annotations")
_SPEC = Path("spec")
_WHOLE_OBJECT = Path("[]")
_LONGEST_DEADLINE_SECONDS = 2**31 - 1


def validate_pod_update(new: Pod, old: Pod) -> list[Cause]:
    """Complaints about the step; that `new` is a valid pod at all is `validate_pod`."""
    causes = _validate_annotation_step(new, old)
    if new.spec is old.spec or new.spec == old.spec:
        return causes
    for shown, now, before in (
        ("containers", new.spec.containers, old.spec.containers),
        ("initContainers", new.spec.init_containers, old.spec.init_containers),
    ):
        where = _SPEC.child(shown)
        if len(now) != len(before):
            return [*causes, fields.forbidden(where, "pod updates may not add or remove containers")]
        causes += _validate_images(now, where)
    complaints, hopeless = _validate_deadline(new.spec.active_deadline_seconds, old.spec.active_deadline_seconds)
    causes += complaints
    if hopeless:
        return causes
    where = _SPEC.child("tolerations")
    causes += tolerations.validate_only_added(new.spec.tolerations, old.spec.tolerations, where)
    where = _SPEC.child("schedulingGates")
    causes += _validate_only_removed(new.spec.scheduling_gates, old.spec.scheduling_gates, where)
    if old.spec.scheduling_gates:
        causes += _validate_narrowing(new.spec, old.spec)
    return causes + _validate_nothing_else(new.spec, old.spec)


def validate_ephemeral_containers_update(new: Pod, old: Pod) -> list[Cause]:
    """Rules of the `ephemeralcontainers` subresource: containers are added, never changed or taken away."""
    if podannotations.MIRROR in old.metadata.annotations:
        return [fields.forbidden(_WHOLE_OBJECT, "static pods do not support ephemeral containers")]
    causes = pod.validate_pod(new) + _validate_annotation_step(new, old)
    where = _SPEC.child("ephemeralContainers")
    present = {one.name: one for one in new.spec.ephemeral_containers}
    for before in old.spec.ephemeral_containers:
        now = present.get(before.name)
        if now is None:
            detail = f"existing ephemeral containers {quoted(before.name)} may not be removed\n"
            causes.append(fields.forbidden(where, detail))
        elif now != before:
            changes = podform.difference(before, now)
            detail = f"existing ephemeral containers {quoted(before.name)} may not be changed\n{changes}"
            causes.append(fields.forbidden(where, detail))
    return causes


def only_ephemeral_containers(new: Pod, old: Pod) -> Pod:
    """What the `ephemeralcontainers` subresource takes from a request: these containers."""
    spec = replace(old.spec, ephemeral_containers=new.spec.ephemeral_containers)
    return replace(new, spec=spec, status=old.status, metadata=old.metadata)


def _validate_annotation_step(new: Pod, old: Pod) -> list[Cause]:
    now, before = new.metadata.annotations, old.metadata.annotations
    return [] if now == before else podannotations.validate_annotation_changes(now, before, _ANNOTATIONS)


def _validate_images(containers: tuple[Container, ...], path: Path) -> list[Cause]:
    missing = [fields.required(path.index(i).child("image")) for i, one in enumerate(containers) if not one.image]
    return missing + container.validate_images_of_pod(containers, path)


def _validate_deadline(new: int | None, old: int | None) -> tuple[list[Cause], bool]:
    """A deadline may be set and may come nearer. The second value: whether it makes no sense to look further."""
    path = _SPEC.child("activeDeadlineSeconds")
    if new is None:
        detail = "must not update from a positive integer to nil value"
        return ([] if old is None else [fields.invalid(path, None, detail)]), False
    out_of_range = checks.in_range(new, path, 0, _LONGEST_DEADLINE_SECONDS)
    if out_of_range:
        return out_of_range, True
    if old is not None and new > old:
        return [fields.invalid(path, new, "must be less than or equal to previous value")], True
    return [], False


def _validate_only_removed(
    new: tuple[PodSchedulingGate, ...], old: tuple[PodSchedulingGate, ...], path: Path
) -> list[Cause]:
    known = {gate.name for gate in old}
    added = {gate.name: index for index, gate in enumerate(new) if gate.name not in known}
    return [
        fields.forbidden(
            path.index(index).child("name"), f"only deletion is allowed, but found new scheduling gate '{name}'"
        )
        for name, index in added.items()
    ]


def _validate_nothing_else(new: PodSpec, old: PodSpec) -> list[Cause]:
    """The new spec with everything that may change put back must be the old one."""
    kept: dict[str, Any] = {
        "containers": _with_images_of(old.containers, new.containers),
        "init_containers": _with_images_of(old.init_containers, new.init_containers),
        "active_deadline_seconds": old.active_deadline_seconds,
        "scheduling_gates": old.scheduling_gates,
        "tolerations": old.tolerations,
    }
    grace = old.termination_grace_period_seconds
    if grace is not None and grace < 0 and new.termination_grace_period_seconds == 1:
        kept["termination_grace_period_seconds"] = grace
    if old.scheduling_gates:
        kept["node_selector"] = old.node_selector
        kept["affinity"] = _with_node_affinity_of(old.affinity, new.affinity)
    rest = replace(new, **kept)
    if rest == old:
        return []
    detail = f"pod updates may not change fields other than {','.join(MUTABLE)}\n{podform.difference(old, rest)}"
    return [fields.forbidden(_SPEC, detail)]


def _with_images_of(old: tuple[Container, ...], new: tuple[Container, ...]) -> tuple[Container, ...]:
    return tuple(replace(now, image=before.image) for now, before in zip(new, old, strict=True))


# --- Pods held back by scheduling gates


def _validate_narrowing(new: PodSpec, old: PodSpec) -> list[Cause]:
    causes = _validate_more_labels(new.node_selector, old.node_selector, _SPEC.child("nodeSelector"))
    where = _SPEC.child("affinity").child("nodeAffinity").child(REQUIRED).child("nodeSelectorTerms")
    terms, earlier = _required_terms(_node_affinity(new.affinity)), _required_terms(_node_affinity(old.affinity))
    if terms == earlier or not earlier:
        return causes
    if len(terms) != len(earlier):
        detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        return [*causes, fields.invalid(where, podform.as_json(terms), detail)]
    for index, (now, before) in enumerate(zip(terms, earlier, strict=True)):
        if not _only_adds(now, before):
            detail = "only additions are allowed (no mutations or deletions)"
            causes.append(fields.invalid(where.index(index), podform.as_json(now), detail))
    return causes


def _validate_more_labels(new: Mapping[str, str], old: Mapping[str, str], path: Path) -> list[Cause]:
    if old.items() <= new.items():
        return []
    detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
    return [fields.invalid(path, dict(sorted(new.items())), detail)]


def _only_adds(new: NodeSelectorTerm, old: NodeSelectorTerm) -> bool:
    """A term without any demand matches nothing, so adding to it would widen what matches."""
    if not old.match_expressions and not old.match_fields:
        return not new.match_expressions and not new.match_fields
    return (
        new.match_expressions[: len(old.match_expressions)] == old.match_expressions
        and new.match_fields[: len(old.match_fields)] == old.match_fields
    )


def _node_affinity(affinity: Affinity | None) -> NodeAffinity | None:
    return None if affinity is None else affinity.node_affinity


def _required_terms(affinity: NodeAffinity | None) -> tuple[NodeSelectorTerm, ...]:
    if affinity is None or affinity.required_during_scheduling_ignored_during_execution is None:
        return ()
    return affinity.required_during_scheduling_ignored_during_execution.node_selector_terms


def _with_node_affinity_of(old: Affinity | None, new: Affinity | None) -> Affinity | None:
    """`new` with the node affinity of `old`; nothing at all where that leaves nothing."""
    before = _node_affinity(old)
    if _node_affinity(new) == before:
        return new
    if new is None:
        return Affinity(node_affinity=before)
    if old is None and new.pod_affinity is None and new.pod_anti_affinity is None:
        return None
    return replace(new, node_affinity=before)
