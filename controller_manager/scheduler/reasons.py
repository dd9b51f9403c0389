"""Why a pod does not fit, counted over nodes, in Kubernetes' words.

A filter answers with a `Reason`; `describe` makes the one sentence of the pod's PodScheduled condition and of the
FailedScheduling Event. A reason also says which changes of the cluster could cure it: those wake the pod up again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Change(StrEnum):
    """What can happen in a cluster that may make room for a waiting pod."""

    NODE_ADDED = "node added"
    NODE_RESIZED = "node allocatable"
    NODE_LABELED = "node labels"
    NODE_TAINTED = "node taints"
    POD_PLACED = "pod placed"
    POD_LEFT = "pod left"
    POD_LABELED = "pod labels"
    VOLUME_CHANGED = "volume or claim"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one node refuses one pod. `texts` are counted one by one: a node may lack both CPU and memory."""

    texts: tuple[str, ...]
    cured_by: frozenset[Change]
    preemptable: bool
    """Whether taking pods off the node could make room."""
    wherever: bool = False
    """It is about the pod itself, the same on every node: told once and not counted."""


def preemptable(*texts: str, cured_by: Iterable[Change]) -> Reason:
    return Reason(texts, frozenset(cured_by) | {Change.NODE_ADDED, Change.POD_LEFT}, preemptable=True)


def final(*texts: str, cured_by: Iterable[Change]) -> Reason:
    """No eviction helps: the node itself must change."""
    return Reason(texts, frozenset(cured_by) | {Change.NODE_ADDED}, preemptable=False)


def wherever(text: str, *, cured_by: Iterable[Change]) -> Reason:
    """No node helps: the pod waits for something else."""
    return Reason((text,), frozenset(cured_by), preemptable=False, wherever=True)


NOT_HELPFUL = final("Preemption is not helpful for scheduling", cured_by=())
NO_VICTIMS = final("No preemption victims found for incoming pod", cured_by=())
NO_NODES = "no nodes available to schedule pods"


def describe(counted: Mapping[Reason, int], nodes: int, preemption: str = "") -> str:
    """`0/3 nodes are available: 1 Insufficient cpu, 2 Insufficient memory. preemption: …`"""
    if not nodes:
        return NO_NODES
    tail = f" preemption: {preemption}" if preemption else ""
    return f"0/{nodes} nodes are available:{_histogram(counted)}{tail}"


def cures(counted: Iterable[Reason]) -> frozenset[Change]:
    """Every change that could help on some node. Without any node only a new one helps."""
    return frozenset().union(*(reason.cured_by for reason in counted)) or frozenset({Change.NODE_ADDED})


def _histogram(counted: Mapping[Reason, int]) -> str:
    whole = next((reason for reason in counted if reason.wherever), None)
    if whole is not None:
        return f" {', '.join(whole.texts)}."
    by_text: dict[str, int] = {}
    for reason, count in counted.items():
        for text in reason.texts:
            by_text[text] = by_text.get(text, 0) + count
    lines = sorted(f"{count} {text}" for text, count in by_text.items())
    return f" {', '.join(lines)}." if lines else ""
