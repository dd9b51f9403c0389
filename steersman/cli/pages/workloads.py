"""Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import structs

from steersman.api import selectors
from steersman.api.apps import (
    DaemonSet,
    Deployment,
    DeploymentCondition,
    ReplicaSet,
    ReplicaSetCondition,
    StatefulSet,
)
from steersman.api.batch import Job
from steersman.api.core import PersistentVolumeClaim, Pod, PodTemplateSpec
from steersman.api.meta import LabelSelector, Object
from steersman.cli import ages, rollouts
from steersman.cli.pages import around, pods
from steersman.cli.pages import page as pages
from steersman.cli.pages.around import Around
from steersman.cli.pages.page import NONE, UNSET, Page, flag


def of_deployment(deployment: Deployment, beside: Around) -> Page:
    page, spec, status = Page(), deployment.spec, deployment.status
    _write_names(page, deployment)
    page.pair("CreationTimestamp", pages.when(deployment.metadata.creation_timestamp))
    _write_marks(page, deployment)
    page.pair("Selector", selector_text(spec.selector))
    page.pair(
        "Replicas",
        f"{_wanted(spec.replicas)} desired | {status.updated_replicas} updated | {status.replicas} total"
        f" | {status.available_replicas} available | {status.unavailable_replicas} unavailable",
    )
    page.pair("StrategyType", spec.strategy.type)
    page.pair("MinReadySeconds", spec.min_ready_seconds)
    rolling = spec.strategy.rolling_update
    if rolling is not None:
        told = f"{rolling.max_unavailable} max unavailable, {rolling.max_surge} max surge"
        page.pair("RollingUpdateStrategy", told)
    pods.write_template(page, spec.template)
    _write_conditions(page, status.conditions)
    old, new = old_and_new(deployment, beside.replicasets)
    if old or new:
        page.pair("OldReplicaSets", _created(old))
        page.pair("NewReplicaSet", _created(new))
    return page


def old_and_new(deployment: Deployment, replicasets: Sequence[ReplicaSet]) -> tuple[list[ReplicaSet], list[ReplicaSet]]:
    """The one with the Deployment's own template is the new one."""
    ordered = sorted(replicasets, key=lambda each: (each.metadata.creation_timestamp or "", each.metadata.name))
    wanted = _without_hash(deployment.spec.template)
    new = [each for each in ordered if _without_hash(each.spec.template) == wanted][:1]
    return [each for each in ordered if each not in new], new


def _without_hash(template: PodTemplateSpec) -> PodTemplateSpec:
    labels = {key: value for key, value in template.metadata.labels.items() if key != rollouts.HASH}
    return structs.replace(template, metadata=structs.replace(template.metadata, labels=labels))


def _created(replicasets: Sequence[ReplicaSet]) -> str:
    told = (
        f"{each.metadata.name} ({each.status.replicas}/{_wanted(each.spec.replicas)} replicas created)"
        for each in replicasets
    )
    return ", ".join(told) or NONE


def of_replicaset(replicaset: ReplicaSet, beside: Around) -> Page:
    page = Page()
    _write_names(page, replicaset)
    page.pair("Selector", selector_text(replicaset.spec.selector))
    _write_marks(page, replicaset)
    _write_owner(page, replicaset)
    page.pair("Replicas", f"{replicaset.status.replicas} current / {_wanted(replicaset.spec.replicas)} desired")
    page.pair("Pods Status", _phases(beside.pods))
    pods.write_template(page, replicaset.spec.template)
    _write_conditions(page, replicaset.status.conditions)
    return page


def of_statefulset(statefulset: StatefulSet, beside: Around) -> Page:
    page, spec = Page(), statefulset.spec
    _write_names(page, statefulset)
    page.pair("CreationTimestamp", pages.when(statefulset.metadata.creation_timestamp))
    page.pair("Selector", selector_text(spec.selector))
    _write_marks(page, statefulset)
    page.pair("Replicas", f"{_wanted(spec.replicas)} desired | {statefulset.status.replicas} total")
    page.pair("Update Strategy", spec.update_strategy.type)
    rolling = spec.update_strategy.rolling_update
    if rolling is not None and rolling.partition is not None:
        page.pairs({"Partition": rolling.partition, "MaxUnavailable": rolling.max_unavailable}, 1)
    page.pair("Pods Status", _phases(beside.pods))
    pods.write_template(page, spec.template)
    page.line("Volume Claims:" if spec.volume_claim_templates else f"Volume Claims:\t{NONE}")
    for claim in spec.volume_claim_templates:
        _write_claim(page, claim)
    return page


def _write_claim(page: Page, claim: PersistentVolumeClaim) -> None:
    page.pair("Name", claim.metadata.name, 1)
    page.pair("StorageClass", claim.spec.storage_class_name or "", 1)
    page.labels("Labels", claim.metadata.labels, 1)
    page.labels("Annotations", claim.metadata.annotations, 1)
    page.pair("Capacity", claim.spec.resources.requests.get("storage") or "<default>", 1)
    page.pair("Access Modes", f"[{' '.join(claim.spec.access_modes)}]", 1)


def of_daemonset(daemonset: DaemonSet, beside: Around) -> Page:
    page, spec, status = Page(), daemonset.spec, daemonset.status
    _write_names(page, daemonset)
    page.pair("Selector", selector_text(spec.selector))
    wanted = spec.template.spec.node_selector
    page.pair("Node-Selector", ",".join(f"{key}={value}" for key, value in sorted(wanted.items())) or NONE)
    _write_marks(page, daemonset)
    page.line(f"Desired Number of Nodes Scheduled: {status.desired_number_scheduled}")
    page.line(f"Current Number of Nodes Scheduled: {status.current_number_scheduled}")
    page.line(f"Number of Nodes Scheduled with Up-to-date Pods: {status.updated_number_scheduled}")
    page.line(f"Number of Nodes Scheduled with Available Pods: {status.number_available}")
    page.line(f"Number of Nodes Misscheduled: {status.number_misscheduled}")
    page.pair("Pods Status", _phases(beside.pods))
    pods.write_template(page, spec.template)
    return page


def of_job(job: Job, beside: Around) -> Page:
    page, spec, status = Page(), job.spec, job.status
    _write_names(page, job)
    page.pair("Selector", selector_text(spec.selector))
    _write_marks(page, job)
    _write_owner(page, job)
    page.pairs({"Parallelism": spec.parallelism})
    page.pair("Completions", spec.completions if spec.completions is not None else UNSET)
    page.pairs(
        {
            "Completion Mode": spec.completion_mode,
            "Suspend": flag(spec.suspend) if spec.suspend is not None else None,
            "Backoff Limit": spec.backoff_limit,
            "TTL Seconds After Finished": spec.ttl_seconds_after_finished,
            "Start Time": pages.when(status.start_time) if status.start_time else None,
            "Completed At": pages.when(status.completion_time) if status.completion_time else None,
            "Duration": _duration(status.start_time, status.completion_time),
        }
    )
    if spec.active_deadline_seconds is not None:
        page.pair("Active Deadline Seconds", f"{spec.active_deadline_seconds}s")
    ready = f" ({status.ready} Ready)" if status.ready is not None else ""
    page.pair("Pods Statuses", f"{status.active} Active{ready} / {status.succeeded} Succeeded / {status.failed} Failed")
    if spec.completion_mode == "Indexed":
        page.pair("Completed Indexes", status.completed_indexes or NONE)
    pods.write_template(page, spec.template)
    return page


def selector_text(given: LabelSelector | None) -> str:
    return (selectors.text_of(given) if given is not None else "") or NONE


def _duration(begin: str | None, end: str | None) -> str | None:
    if not begin or not end:
        return None
    return ages.age(ages.moment(end) - ages.moment(begin))


def _wanted(replicas: int | None) -> int:
    return 1 if replicas is None else replicas


def _phases(given: Sequence[Pod]) -> str:
    counted = Counter(pod.status.phase for pod in given)
    return (
        f"{counted['Running']} Running / {counted['Pending']} Waiting"
        f" / {counted['Succeeded']} Succeeded / {counted['Failed']} Failed"
    )


def _write_names(page: Page, value: Object) -> None:
    page.pair("Name", value.metadata.name)
    page.pair("Namespace", value.metadata.namespace)


def _write_marks(page: Page, value: Object) -> None:
    page.labels("Labels", value.metadata.labels)
    page.annotations("Annotations", value.metadata.annotations)


def _write_owner(page: Page, value: Object) -> None:
    owner = around.controller_of(value)
    page.pairs({"Controlled By": f"{owner.kind}/{owner.name}" if owner is not None else ""})


def _write_conditions(page: Page, conditions: Sequence[DeploymentCondition | ReplicaSetCondition]) -> None:
    if not conditions:
        return
    page.line("Conditions:")
    page.row(["Type", "Status", "Reason"], 1)
    page.row(["----", "------", "------"], 1)
    for each in conditions:
        page.row([f"{each.type} ", each.status, each.reason], 1)
