"""What to do about a Deployment: which ReplicaSet to create, to resize, to forget. Pure.

A pass works on values: it decides how every ReplicaSet should look, and the actions are the differences. So each
ReplicaSet is written at most once a pass, and a pass that finds everything in place plans nothing. Within a rollout a
pass either lets the new ReplicaSet grow or the old ones shrink; what follows from that, the next pass sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from controller_manager import ownership, pods
from controller_manager.controllers.deployment import hashing, history, rolling, status
from controller_manager.controllers.deployment.rolling import Bounds, Sizes
from controller_manager.controllers.deployment.status import Course, Outlook
from steersman.api import kinds
from steersman.api.apps import Deployment, ReplicaSet, ReplicaSetSpec
from steersman.api.core import Pod
from steersman.api.meta import LabelSelector, ObjectMeta

_KIND = next(kind for kind in kinds.ALL if kind.struct is Deployment)


@dataclass(frozen=True, slots=True)
class CreateReplicaSet:
    replicaset: ReplicaSet


@dataclass(frozen=True, slots=True)
class UpdateReplicaSet:
    """`after` carries the resourceVersion that was looked at: whoever changed it since is not overwritten."""

    before: ReplicaSet
    after: ReplicaSet


@dataclass(frozen=True, slots=True)
class DeleteReplicaSet:
    replicaset: ReplicaSet


Action = CreateReplicaSet | UpdateReplicaSet | DeleteReplicaSet


@dataclass(frozen=True, slots=True)
class Plan:
    actions: tuple[Action, ...]
    outlook: Outlook


def plan(deployment: Deployment, replicasets: Sequence[ReplicaSet], owned_pods: Iterable[Pod] = ()) -> Plan:
    """`replicasets` are the Deployment's own; their pods are asked for only by the Recreate strategy."""
    new, old = split(deployment, replicasets)
    if deployment.metadata.deletion_timestamp is not None:
        return Plan((), Outlook(Course.HOLDING, new, old))
    before = {each.metadata.name: each for each in replicasets}
    if new is not None:
        new = _current(new, deployment, history.next_revision(old))
    if deployment.spec.paused or rolling.is_scaling(deployment, replicasets):
        outlook = _held(deployment, new, old)
    elif deployment.spec.strategy.type == rolling.RECREATE:
        outlook = _recreated(deployment, new, old, owned_pods)
    else:
        outlook = _rolled(deployment, new, old)
    forgettable = deployment.spec.paused or status.is_complete(deployment, deployment.status)
    forgotten = history.superfluous(deployment, outlook.old) if forgettable else []
    return Plan((*_differences(before, outlook), *map(DeleteReplicaSet, forgotten)), outlook)


def split(
    deployment: Deployment, replicasets: Iterable[ReplicaSet]
) -> tuple[ReplicaSet | None, tuple[ReplicaSet, ...]]:
    """The ReplicaSet of the current template, if there is one, and the others. The oldest of equals is the current one,
    so that everybody who looks chooses the same."""
    by_age = sorted(replicasets, key=rolling.by_age)
    template = deployment.spec.template
    new = next((each for each in by_age if hashing.is_same(each.spec.template, template)), None)
    return new, tuple(each for each in by_age if each is not new)


def _differences(before: dict[str, ReplicaSet], outlook: Outlook) -> list[Action]:
    actions: list[Action] = []
    if outlook.created and outlook.new is not None:
        actions.append(CreateReplicaSet(outlook.new))
    for after in outlook.everyone:
        held = before.get(after.metadata.name)
        if held is not None and held != after:
            actions.append(UpdateReplicaSet(held, after))
    return actions


# --- The new ReplicaSet


def _current(new: ReplicaSet, deployment: Deployment, revision: int) -> ReplicaSet:
    new = history.annotated(new, deployment, revision)
    if new.spec.min_ready_seconds == deployment.spec.min_ready_seconds:
        return new
    return replace(new, spec=replace(new.spec, min_ready_seconds=deployment.spec.min_ready_seconds))


def _begotten(deployment: Deployment, bounds: Bounds, replicas: int, revision: int) -> ReplicaSet:
    """A ReplicaSet for the current template. Its name follows from the template, so making it twice makes one."""
    meta, spec = deployment.metadata, deployment.spec
    digest = hashing.template_hash(spec.template, deployment.status.collision_count)
    labels = {**spec.template.metadata.labels, hashing.LABEL: digest}
    selector = spec.selector or LabelSelector()
    born = ReplicaSet(
        api_version=_KIND.api_version,
        kind="ReplicaSet",
        metadata=ObjectMeta(
            name=hashing.replicaset_name(meta.name, digest),
            namespace=meta.namespace,
            labels=labels,
            owner_references=(ownership.reference_to(deployment, _KIND),),
        ),
        spec=ReplicaSetSpec(
            replicas=0,
            min_ready_seconds=spec.min_ready_seconds,
            selector=replace(selector, match_labels={**selector.match_labels, hashing.LABEL: digest}),
            template=replace(spec.template, metadata=replace(spec.template.metadata, labels=labels)),
        ),
    )
    born = history.annotated(born, deployment, revision)
    return history.sized(born, replicas, desired=bounds.desired, most=bounds.most)


# --- The three courses


def _held(deployment: Deployment, new: ReplicaSet | None, old: tuple[ReplicaSet, ...]) -> Outlook:
    """Paused or scaling: sizes follow the desired number, templates do not move."""
    bounds = rolling.bounds_of(deployment)
    sizes = rolling.rescaled(deployment, bounds, new, old)
    resized_new = None if new is None else _resized(new, sizes, bounds)
    return Outlook(Course.HOLDING, resized_new, _all_resized(old, sizes, bounds))


def _rolled(deployment: Deployment, new: ReplicaSet | None, old: tuple[ReplicaSet, ...]) -> Outlook:
    bounds = rolling.bounds_of(deployment)
    if new is None:
        replicas = rolling.grown(bounds, 0, old)
        new = _begotten(deployment, bounds, replicas, history.next_revision(old))
        return Outlook(Course.ROLLING, new, _all_resized(old, rolling.shrunk(bounds, new, old), bounds), created=True)
    present = rolling.size(new)
    target = bounds.desired if present > bounds.desired else rolling.grown(bounds, present, (*old, new))
    if target != present:
        return Outlook(Course.ROLLING, _resized(new, {new.metadata.name: target}, bounds), old)
    return Outlook(Course.ROLLING, new, _all_resized(old, rolling.shrunk(bounds, new, old), bounds))


def _recreated(
    deployment: Deployment, new: ReplicaSet | None, old: tuple[ReplicaSet, ...], owned_pods: Iterable[Pod]
) -> Outlook:
    """No pod of the new template before the last one of the old templates has ended."""
    bounds = rolling.bounds_of(deployment)
    if any(map(rolling.size, old)):
        gone: Sizes = {each.metadata.name: 0 for each in old if rolling.size(each)}
        return Outlook(Course.ROLLING, new, _all_resized(old, gone, bounds))
    if _are_running(old, owned_pods):
        return Outlook(Course.ROLLING, new, old)
    if new is None:
        new = _begotten(deployment, bounds, bounds.desired, history.next_revision(old))
        return Outlook(Course.ROLLING, new, old, created=True)
    if rolling.size(new) == bounds.desired:
        return Outlook(Course.ROLLING, new, old)
    return Outlook(Course.ROLLING, _resized(new, {new.metadata.name: bounds.desired}, bounds), old)


def _are_running(old: Iterable[ReplicaSet], owned_pods: Iterable[Pod]) -> bool:
    """Pods that are going away still run."""
    uids = {each.metadata.uid for each in old}
    if any(each.status.replicas for each in old):
        return True
    return any(
        reference.uid in uids and not pods.is_finished(pod)
        for pod in owned_pods
        if (reference := ownership.controller_of(pod)) is not None
    )


def _resized(replicaset: ReplicaSet, sizes: Sizes, bounds: Bounds) -> ReplicaSet:
    replicas = sizes.get(replicaset.metadata.name)
    if replicas is None:
        return replicaset
    return history.sized(replicaset, replicas, desired=bounds.desired, most=bounds.most)


def _all_resized(old: tuple[ReplicaSet, ...], sizes: Sizes, bounds: Bounds) -> tuple[ReplicaSet, ...]:
    return tuple(_resized(each, sizes, bounds) for each in old)
