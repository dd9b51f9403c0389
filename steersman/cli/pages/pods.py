"""Pods, and the templates that workloads make them from. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from steersman.api import podresources, selectors
from steersman.api.core import Pod, PodSpec, PodTemplateSpec, Toleration
from steersman.cli import ages
from steersman.cli.pages import around, containers, volumes
from steersman.cli.pages import page as pages
from steersman.cli.pages.around import Around
from steersman.cli.pages.page import NONE, Page


def of_pod(pod: Pod, beside: Around) -> Page:
    page = Page()
    _write_head(page, pod, beside)
    spec, status = pod.spec, pod.status
    if spec.resources is not None:
        page.line("Resources:")
        containers.write_resources(page, spec.resources, 1)
    if spec.init_containers:
        containers.write(page, "Init Containers", spec.init_containers, status.init_container_statuses, pod)
    containers.write(page, "Containers", spec.containers, status.container_statuses, pod)
    if spec.ephemeral_containers:
        seen = status.ephemeral_container_statuses
        containers.write(page, "Ephemeral Containers", spec.ephemeral_containers, seen, pod)
    by_type = {each.type: each.status for each in status.conditions}
    if spec.readiness_gates:
        gates = {gate.condition_type: by_type.get(gate.condition_type, NONE) for gate in spec.readiness_gates}
        _write_conditions(page, "Readiness Gates", gates)
    if by_type:
        _write_conditions(page, "Conditions", by_type)
    volumes.write(page, spec.volumes, in_template=False)
    page.pair("QoS Class", status.qos_class or podresources.qos_class(pod))
    page.labels("Node-Selectors", spec.node_selector)
    page.several("Tolerations", tolerations(spec.tolerations))
    _write_spread(page, spec, 0)
    return page


def _write_head(page: Page, pod: Pod, beside: Around) -> None:
    meta, spec, status = pod.metadata, pod.spec, pod.status
    page.pair("Name", meta.name)
    page.pair("Namespace", meta.namespace)
    page.pairs(
        {
            "Priority": spec.priority,
            "Priority Class Name": spec.priority_class_name,
            "Runtime Class Name": spec.runtime_class_name,
            "Service Account": spec.service_account_name,
        }
    )
    page.pair("Node", f"{spec.node_name}/{status.host_ip}" if spec.node_name else NONE)
    if status.start_time is not None:
        page.pair("Start Time", pages.when(status.start_time))
    page.labels("Labels", meta.labels)
    page.annotations("Annotations", meta.annotations)
    if meta.deletion_timestamp is not None and status.phase not in ("Failed", "Succeeded"):
        page.pair("Status", f"Terminating (lasts {ages.since(meta.deletion_timestamp, beside.now)})")
        page.pair("Termination Grace Period", f"{meta.deletion_grace_period_seconds or 0}s")
    else:
        page.pair("Status", status.phase)
    page.pairs({"Reason": status.reason, "Message": status.message})
    profile = spec.security_context.seccomp_profile if spec.security_context is not None else None
    if profile is not None:
        page.pairs({"SeccompProfile": profile.type, "LocalhostProfile": profile.localhost_profile})
    page.pair("IP", status.pod_ip)
    page.line("IPs:" if status.pod_ips else f"IPs:\t{NONE}")
    for address in status.pod_ips:
        page.pair("IP", address.ip, 1)
    owner = around.controller_of(pod)
    page.pairs({"Controlled By": f"{owner.kind}/{owner.name}" if owner is not None else ""})
    page.pairs({"NominatedNodeName": status.nominated_node_name})


def _write_conditions(page: Page, label: str, by_type: dict[str, str]) -> None:
    page.line(f"{label}:")
    page.row(["Type", "Status"], 1)
    for name, status in by_type.items():
        page.line(f"{name} \t{status} ", 1)


def _write_spread(page: Page, spec: PodSpec, level: int) -> None:
    told = []
    for each in sorted(spec.topology_spread_constraints, key=lambda each: each.topology_key):
        of = f" for selector {selectors.text_of(each.label_selector)}" if each.label_selector is not None else ""
        told.append(f"{each.topology_key}:{each.when_unsatisfiable} when max skew {each.max_skew} is exceeded{of}")
    if told:
        page.several("Topology Spread Constraints", told, level)


def tolerations(given: Sequence[Toleration]) -> list[str]:
    return [_toleration(each) for each in sorted(given, key=lambda each: each.key)]


def _toleration(given: Toleration) -> str:
    told = given.key + (f"={given.value}" if given.value else "") + (f":{given.effect}" if given.effect else "")
    if given.operator == "Exists" and not given.value:
        told += " op=Exists" if told else "op=Exists"
    if given.toleration_seconds is not None:
        told += f" for {given.toleration_seconds}s"
    return told


def write_template(page: Page, template: PodTemplateSpec) -> None:
    spec = template.spec
    page.line("Pod Template:")
    page.labels("Labels", template.metadata.labels, 1)
    if template.metadata.annotations:
        page.annotations("Annotations", template.metadata.annotations, 1)
    page.pairs({"Service Account": spec.service_account_name}, 1)
    if spec.init_containers:
        containers.write(page, "Init Containers", spec.init_containers)
    containers.write(page, "Containers", spec.containers)
    volumes.write(page, spec.volumes, in_template=True)
    _write_spread(page, spec, 1)
    page.pairs({"Priority Class Name": spec.priority_class_name}, 1)
    page.labels("Node-Selectors", spec.node_selector, 1)
    page.several("Tolerations", tolerations(spec.tolerations), 1)
