"""Rules of the `resize` subresource: a pod gets more or less cpu and memory where it runs, and nothing else changes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from apiserver.registry.validation import pod, podannotations
from steersman.api import fields, podresources
from steersman.api.core import Container, Pod, PodSpec, ResourceRequirements
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.part import Quantity

ONLY = "only cpu and memory resources"

_RESIZABLE = ("cpu", "memory")
_SPEC = Path("spec")
_WHOLE_OBJECT = Path("[]")


def only_resources(new: Pod, old: Pod) -> Pod:
    """What the `resize` subresource takes from a request: resources and what to do when they change.

    Containers that have come, gone or moved are taken as they are sent, so that validation finds them.
    """
    kept = replace(new, status=old.status, metadata=old.metadata)
    now, before = new.spec, old.spec
    if len(now.containers) != len(before.containers) or len(now.init_containers) != len(before.init_containers):
        return kept
    spec = replace(
        before,
        resources=now.resources,
        containers=_only_resources_of(now.containers, before.containers),
        init_containers=_only_resources_of(now.init_containers, before.init_containers),
    )
    return replace(kept, spec=spec)


def _only_resources_of(new: tuple[Container, ...], old: tuple[Container, ...]) -> tuple[Container, ...]:
    if [one.name for one in new] != [one.name for one in old]:
        return new
    return tuple(
        replace(before, resources=now.resources, resize_policy=now.resize_policy)
        for now, before in zip(new, old, strict=True)
    )


def validate_resize(new: Pod, old: Pod) -> list[Cause]:
    if podannotations.MIRROR in old.metadata.annotations:
        return [fields.forbidden(_WHOLE_OBJECT, "static pods cannot be resized")]
    if old.spec.os is not None and old.spec.os.name == "windows":
        return [fields.forbidden(_WHOLE_OBJECT, "windows pods cannot be resized")]
    causes = pod.validate_pod(new)
    if (old.status.qos_class or podresources.qos_class(old)) != podresources.qos_class(new):
        detail = "Pod QOS Class may not change as a result of resizing"
        causes.append(fields.invalid(_SPEC, new.status.qos_class, detail))
    if not _is_supported(old):
        causes.append(fields.forbidden(_SPEC, "Pod running on node without support for resize"))
    if _has_any(old.spec.resources) or _has_any(new.spec.resources):
        causes += _validate_whole(new.spec.resources, old.spec.resources)
    moved = _validate_order(new.spec, old.spec)
    return causes + (moved or _validate_containers(new.spec, old.spec))


def _is_supported(present: Pod) -> bool:
    """A node that can resize says in its status what the containers have; before one runs, nobody knows."""
    running = [one for one in present.status.container_statuses if one.state.running is not None]
    return not running or running[0].resources is not None


def _validate_whole(new: ResourceRequirements | None, old: ResourceRequirements | None) -> list[Cause]:
    """The resources of the pod as a whole."""
    path = _SPEC.child("resources")
    if new is None:
        return [fields.forbidden(path, "pod-level resources cannot be removed")]
    causes = [] if old is None else _validate_nothing_removed(new, old, path, "pod-level resource")
    before = old or ResourceRequirements()
    if _with_sizes_of(before, new) != before:
        causes.append(fields.forbidden(_SPEC, f"{ONLY} are mutable at pod-level"))
    return causes


def _validate_order(new: PodSpec, old: PodSpec) -> list[Cause]:
    causes: list[Cause] = []
    for shown, now, before in (
        ("containers", new.containers, old.containers),
        ("initContainers", new.init_containers, old.init_containers),
    ):
        path = _SPEC.child(shown)
        if len(now) != len(before):
            causes.append(fields.forbidden(path, f"{shown} may not be added or removed on resize"))
            continue
        for index, (one, former) in enumerate(zip(now, before, strict=True)):
            if one.name != former.name:
                detail = f"{shown} may not be renamed or reordered on resize"
                causes.append(fields.forbidden(path.index(index).child("name"), detail))
    return causes


def _validate_containers(new: PodSpec, old: PodSpec) -> list[Cause]:
    initial = list(zip(new.init_containers, old.init_containers, strict=True))
    regular = list(zip(new.containers, old.containers, strict=True))
    causes: list[Cause] = []
    for shown, pairs in (("initContainers", initial), ("containers", regular)):
        for index, (now, before) in enumerate(pairs):
            where = _SPEC.child(shown).index(index).child("resources")
            causes += _validate_nothing_removed(now.resources, before.resources, where, "resource")
    for now, before in regular:
        if _is_changed_otherwise(now, before):
            causes.append(fields.forbidden(_SPEC, f"{ONLY} are mutable"))
    for index, (now, before) in enumerate(initial):
        where = _SPEC.child("initContainers").index(index)
        if _is_changed_otherwise(now, before):
            causes.append(fields.forbidden(where, f"{ONLY} for init or sidecar containers are mutable"))
        if now != before and now.restart_policy != "Always":
            detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"
            restarting = [policy for policy in now.resize_policy if policy.restart_policy == "RestartContainer"]
            causes += [fields.forbidden(where, detail) for _ in restarting]
    return causes


def _is_changed_otherwise(new: Container, old: Container) -> bool:
    return replace(new, resources=_with_sizes_of(old.resources, new.resources)) != old


def _with_sizes_of(old: ResourceRequirements, new: ResourceRequirements) -> ResourceRequirements:
    """`new` with the cpu and memory of `old`."""
    return replace(
        new, requests=_with_amounts_of(old.requests, new.requests), limits=_with_amounts_of(old.limits, new.limits)
    )


def _with_amounts_of(old: Mapping[str, Quantity], new: Mapping[str, Quantity]) -> dict[str, Quantity]:
    others = {name: amount for name, amount in new.items() if name not in _RESIZABLE}
    return others | {name: old[name] for name in _RESIZABLE if name in old}


def _validate_nothing_removed(
    new: ResourceRequirements, old: ResourceRequirements, path: Path, what: str
) -> list[Cause]:
    causes: list[Cause] = []
    if not old.requests.keys() <= new.requests.keys():
        causes.append(fields.forbidden(path.child("requests"), f"{what} requests cannot be removed"))
    if not old.limits.keys() <= new.limits.keys():
        causes.append(fields.forbidden(path.child("limits"), f"{what} limits cannot be removed"))
    return causes


def _has_any(resources: ResourceRequirements | None) -> bool:
    return resources is not None and bool(resources.requests or resources.limits)
