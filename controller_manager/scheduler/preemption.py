"""Which pods of lower priority have to go so that a pod finds room, and on which node.

On a node, first all pods of lower priority are thought away; if the pod then fits, as many as possible are let stay,
those first whose disruption budget would be broken, then the more important. Of the nodes, the one that is hurt least
wins: fewest broken budgets, least important victims, fewest of them, the youngest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from controller_manager.scheduler import filters, reasons
from controller_manager.scheduler.equivalence import Candidates
from controller_manager.scheduler.filters import Hooks
from controller_manager.scheduler.reasons import NO_VICTIMS, NOT_HELPFUL, Reason
from controller_manager.scheduler.requirements import Requirements
from controller_manager.scheduler.snapshot import NodeView, Resident
from controller_manager.scheduler.topology import Topology
from steersman.api import selectors
from steersman.api.policy import PodDisruptionBudget
from steersman.api.selectors import LabelMatcher

NEVER = "not eligible due to preemptionPolicy=Never."
TERMINATING = "not eligible due to a terminating pod on the nominated node."
_SHARE_TRIED = 10
_FEWEST_TRIED = 100
"""A tenth of the nodes is tried, at least a hundred: a good choice soon is worth more than the best one late."""


class Budget(NamedTuple):
    """How many of the pods that match may still be disturbed."""

    namespace: str
    labels: LabelMatcher
    already_disturbed: frozenset[str]
    allowed: int

    def covers(self, pod: Resident) -> bool:
        return (
            pod.namespace == self.namespace
            and pod.name not in self.already_disturbed
            and self.labels.matches(pod.requirements.labels)
        )


@dataclass(frozen=True, slots=True)
class Preemption:
    """Take these pods off this node, most important first, and the pod will fit."""

    node: str
    victims: tuple[Resident, ...]
    broken_budgets: int


@dataclass(frozen=True, slots=True)
class Hopeless:
    """No preemption helps; `message` says why, in the words of the pod's condition."""

    message: str


def budget(pdb: PodDisruptionBudget) -> Budget | None:
    """None for a budget that covers nothing."""
    labels = selectors.of_struct(pdb.spec.selector)
    if labels is None or not labels.requirements:
        return None
    disturbed = frozenset(pdb.status.disrupted_pods)
    return Budget(pdb.metadata.namespace, labels, disturbed, pdb.status.disruptions_allowed)


def plan(
    pod: Requirements,
    candidates: Candidates,
    budgets: Sequence[Budget],
    *,
    hooks: Hooks,
    nominated: NodeView | None = None,
) -> Preemption | Hopeless:
    """The least harmful preemption for a pod that `candidates` has found unplaceable.

    `nominated` is the node where an earlier preemption is making room: while its victims are still going, wait.
    """
    if not pod.may_preempt:
        return Hopeless(NEVER)
    if nominated is not None and _victims_still_going(pod, nominated):
        return Hopeless(TERMINATING)
    refused: Counter[Reason] = Counter()
    found: list[Preemption] = []
    nodes = 0
    for node, reason in candidates.refusals():
        nodes += 1
        if not reason.preemptable:
            refused[NOT_HELPFUL] += 1
        elif len(found) < max(_FEWEST_TRIED, nodes // _SHARE_TRIED):
            attempt = on_node(pod, node, budgets, candidates.topology, hooks)
            if isinstance(attempt, Preemption):
                found.append(attempt)
            else:
                refused[attempt] += 1
    return min(found, key=_harm) if found else Hopeless(reasons.describe(refused, nodes))


def on_node(
    pod: Requirements, node: NodeView, budgets: Sequence[Budget], topology: Topology, hooks: Hooks
) -> Preemption | Reason:
    """Who must leave this node, or why not even that would help."""
    lower = sorted((each for each in node.pods.values() if each.requirements.priority < pod.priority), key=_importance)
    if not lower:
        return NO_VICTIMS
    left = node
    for each in lower:
        left = left.without(each.uid)
    reason = _refusal(pod, node, left, topology, hooks)
    if reason is not None:
        return reason
    breaking, harmless = _by_budget(lower, budgets)
    victims: list[Resident] = []
    broken = 0
    for each in (*breaking, *harmless):
        fuller = left.with_resident(each)
        if _refusal(pod, node, fuller, topology, hooks) is None:
            left = fuller
        else:
            victims.append(each)
            broken += each in breaking
    return Preemption(node.name, tuple(sorted(victims, key=_importance)), broken)


def _refusal(pod: Requirements, node: NodeView, changed: NodeView, topology: Topology, hooks: Hooks) -> Reason | None:
    return filters.refusal(pod, changed, hooks) or topology.with_changed(node, changed)


def _victims_still_going(pod: Requirements, nominated: NodeView) -> bool:
    return any(each.terminating and each.priority < pod.priority for each in nominated.classes)


def _by_budget(pods: Iterable[Resident], budgets: Sequence[Budget]) -> tuple[list[Resident], list[Resident]]:
    """Those whose going breaks a budget, and the others. Each going uses up what its budgets still allow."""
    allowed = [each.allowed for each in budgets]
    breaking: list[Resident] = []
    harmless: list[Resident] = []
    for pod in pods:
        covering = [index for index, each in enumerate(budgets) if each.covers(pod)]
        for index in covering:
            allowed[index] -= 1
        (breaking if any(allowed[index] < 0 for index in covering) else harmless).append(pod)
    return breaking, harmless


def _importance(pod: Resident) -> tuple[int, bool, str]:
    """Most important first: the higher priority, then who has been running for longer."""
    return -pod.requirements.priority, not pod.started, pod.started


def _harm(preemption: Preemption) -> tuple[int, int, int, int, tuple[int, ...]]:
    victims = preemption.victims
    highest = max((each.requirements.priority for each in victims), default=-(2**31))
    total = sum(each.requirements.priority + 2**31 for each in victims)
    oldest = min(
        (each.started for each in victims if each.requirements.priority == highest and each.started), default=""
    )
    # The later its most important victims began, the less work is lost: RFC 3339 sorts as text, so it is turned round.
    youth = tuple(-ord(character) for character in oldest)
    return preemption.broken_budgets, highest, total, len(victims), youth
