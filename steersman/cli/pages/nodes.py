"""Nodes: what they are, how they are, and what runs there. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steersman.api import podresources, quantity
from steersman.api.coordination import Lease
from steersman.api.core import Node, Pod, Taint
from steersman.api.podresources import Side
from steersman.cli import ages
from steersman.cli.pages import page as pages
from steersman.cli.pages.around import Around
from steersman.cli.pages.page import NONE, UNSET, Page, flag

ROLE_PREFIX, ROLE = "node-role.kubernetes.io/", "kubernetes.io/role"
COUNTED = ("cpu", "memory", "ephemeral-storage")


def of_node(node: Node, beside: Around) -> Page:
    page, meta, spec, status = Page(), node.metadata, node.spec, node.status
    page.pair("Name", meta.name)
    page.pair("Roles", ",".join(roles(meta.labels)) or NONE)
    page.labels("Labels", meta.labels)
    page.annotations("Annotations", meta.annotations)
    page.pair("CreationTimestamp", pages.when(meta.creation_timestamp))
    page.several("Taints", [taint_text(each) for each in sorted(spec.taints, key=_effect_first)])
    page.pair("Unschedulable", flag(spec.unschedulable))
    _write_lease(page, meta.name, beside.lease)
    _write_conditions(page, node)
    page.line("Addresses:")
    for address in status.addresses:
        page.pair(address.type, address.address, 1)
    for label, amounts in (("Capacity", status.capacity), ("Allocatable", status.allocatable)):
        if amounts:
            page.line(f"{label}:")
            for name, amount in sorted(amounts.items()):
                page.pair(name, amount, 1)
    _write_system(page, node)
    page.pairs({"PodCIDR": spec.pod_cidr, "PodCIDRs": ",".join(spec.pod_cidrs), "ProviderID": spec.provider_id})
    _write_pods(page, node, beside)
    return page


def roles(labels: Mapping[str, str]) -> list[str]:
    found = {key.removeprefix(ROLE_PREFIX) for key in labels if key.startswith(ROLE_PREFIX)}
    return sorted(filter(None, found | {labels.get(ROLE, "")}))


def taint_text(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}" if taint.effect or value else taint.key


def _effect_first(taint: Taint) -> str:
    return f"{taint.effect},{taint.key}"


def _write_lease(page: Page, name: str, lease: Lease | None) -> None:
    if lease is None:
        page.pair("Lease", f'Failed to get lease: leases.coordination.k8s.io "{name}" not found')
        return
    page.line("Lease:")
    page.pair("HolderIdentity", lease.spec.holder_identity or UNSET, 1)
    page.pair("AcquireTime", pages.when(lease.spec.acquire_time), 1)
    page.pair("RenewTime", pages.when(lease.spec.renew_time), 1)


def _write_conditions(page: Page, node: Node) -> None:
    if not node.status.conditions:
        return
    page.line("Conditions:")
    header = ["Type", "Status", "LastHeartbeatTime", "LastTransitionTime", "Reason", "Message"]
    page.row(header, 1)
    page.row(["-" * len(each) for each in header], 1)
    for each in node.status.conditions:
        times = pages.when(each.last_heartbeat_time), pages.when(each.last_transition_time)
        page.row([*(f"{cell} " for cell in (each.type, each.status, *times, each.reason)), each.message], 1)


def _write_system(page: Page, node: Node) -> None:
    info = node.status.node_info
    page.line("System Info:")
    told = {
        "Machine ID": info.machine_id,
        "System UUID": info.system_uuid,
        "Boot ID": info.boot_id,
        "Kernel Version": info.kernel_version,
        "OS Image": info.os_image,
        "Operating System": info.operating_system,
        "Architecture": info.architecture,
        "Container Runtime Version": info.container_runtime_version,
        "Kubelet Version": info.kubelet_version,
    }
    for label, value in told.items():
        page.pair(label, value, 1)


def _write_pods(page: Page, node: Node, beside: Around) -> None:
    room = node.status.allocatable or node.status.capacity
    page.pair("Non-terminated Pods", f"({len(beside.pods)} in total)")
    header = ["Namespace", "Name", "CPU Requests", "CPU Limits", "Memory Requests", "Memory Limits", "Age"]
    for row in (header, ["-" * len(each) for each in header]):
        page.row([*row[:2], "", *row[2:]], 1)
    for pod in beside.pods:
        requests, limits = amounts_of(pod, Side.REQUESTS), amounts_of(pod, Side.LIMITS)
        shares = [share(side, name, room) for name in ("cpu", "memory") for side in (requests, limits)]
        age = ages.since(pod.metadata.creation_timestamp, beside.now)
        page.row([pod.metadata.namespace, pod.metadata.name, "", *shares, age], 1)
    page.line("Allocated resources:")
    page.line("(Total limits may be over 100 percent, i.e., overcommitted.)", 1)
    page.row(["Resource", "Requests", "Limits"], 1)
    page.row(["--------", "--------", "------"], 1)
    requests, limits = total(beside.pods, Side.REQUESTS), total(beside.pods, Side.LIMITS)
    huge = sorted(name for name in room if name.startswith(podresources.HUGE_PAGES))
    for name in (*COUNTED, *huge):
        page.row([name, share(requests, name, room), share(limits, name, room)], 1)
    for name in sorted(set(room) - {*COUNTED, *huge, "pods"}):
        page.row([name, requests.get(name, "0"), limits.get(name, "0")], 1)


def amounts_of(pod: Pod, side: Side) -> dict[str, str]:
    """What the pod's containers need together, or what the pod as a whole says; its overhead comes on top."""
    found: dict[str, str] = dict(podresources.effective(pod.spec, side))
    whole = pod.spec.resources
    if whole is not None:
        found |= whole.requests if side is Side.REQUESTS else whole.limits
    for name, amount in pod.spec.overhead.items():
        if name in found or side is Side.REQUESTS:
            found[name] = quantity.add(found.get(name, "0"), amount)
    return found


def total(pods: Sequence[Pod], side: Side) -> dict[str, str]:
    found: dict[str, str] = {}
    for pod in pods:
        for name, amount in amounts_of(pod, side).items():
            found[name] = quantity.add(found[name], amount) if name in found else amount
    return found


def share(amounts: Mapping[str, str], name: str, room: Mapping[str, str]) -> str:
    """An amount, and how much that is of all there is."""
    amount, all_of_it = amounts.get(name, "0"), quantity.value(room.get(name, "0"))
    percent = int(quantity.value(amount) / all_of_it * 100) if all_of_it else 0
    return f"{quantity.canonical(amount)} ({percent}%)"
