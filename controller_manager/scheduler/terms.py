"""The clauses of a pod's wishes about nodes and neighbours, made ready to be asked of thousands of them.

A clause is compiled once per class of pods. What Kubernetes' validation refuses is not handled here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from steersman.api import selectors
from steersman.api.core import (
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodAffinityTerm,
    Taint,
    Toleration,
    TopologySpreadConstraint,
)
from steersman.api.selectors import LabelMatcher, Operator, Requirement

Labels = Mapping[str, str]
Namespaces = Callable[[str], Labels]
"""The labels of a namespace, for terms that choose namespaces by label."""

_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.ABSENT,
    "Gt": Operator.GREATER,
    "Lt": Operator.LESS,
}


@dataclass(frozen=True, slots=True)
class NodeTerm:
    """Nodes whose labels and name match all of the demands. A term without demands matches nothing."""

    labels: LabelMatcher
    fields: LabelMatcher

    def matches(self, name: str, labels: Labels) -> bool:
        if not self.labels.requirements and not self.fields.requirements:
            return False
        if self.fields.requirements and not self.fields.matches({"metadata.name": name}):
            return False
        return self.labels.matches(labels)

    def only_name(self) -> str | None:
        """The one node that the term can match, where it names one (as the pods of a DaemonSet do)."""
        return self.fields.exact("metadata.name")


@dataclass(frozen=True, slots=True)
class PodTerm:
    """Pods of some namespaces with some labels, seen per domain of `topology_key`."""

    topology_key: str
    namespaces: frozenset[str]
    namespace_labels: LabelMatcher | None
    labels: LabelMatcher | None

    def matches(self, namespace: str, labels: Labels, namespaces: Namespaces) -> bool:
        if self.labels is None or not self.labels.matches(labels):
            return False
        if namespace in self.namespaces:
            return True
        chosen = self.namespace_labels
        return chosen is not None and (not chosen.requirements or chosen.matches(namespaces(namespace)))


@dataclass(frozen=True, slots=True)
class SpreadTerm:
    """How evenly pods of one namespace with some labels should lie over the domains of `topology_key`."""

    topology_key: str
    max_skew: int
    min_domains: int
    labels: LabelMatcher | None
    honors_affinity: bool
    honors_taints: bool

    def matches(self, labels: Labels) -> bool:
        return self.labels is not None and self.labels.matches(labels)


def node_term(term: NodeSelectorTerm) -> NodeTerm:
    return NodeTerm(_node_matcher(term.match_expressions), _node_matcher(term.match_fields))


def pod_term(term: PodAffinityTerm, namespace: str, labels: Labels) -> PodTerm:
    """`matchLabelKeys` and `mismatchLabelKeys` borrow the values of the pod's own labels."""
    borrowed = [Requirement(key, Operator.IN, (labels[key],)) for key in term.match_label_keys if key in labels]
    avoided = [Requirement(key, Operator.NOT_IN, (labels[key],)) for key in term.mismatch_label_keys if key in labels]
    own = not term.namespaces and term.namespace_selector is None
    return PodTerm(
        term.topology_key,
        frozenset((namespace,) if own else term.namespaces),
        selectors.of_struct(term.namespace_selector),
        _with(selectors.of_struct(term.label_selector), *borrowed, *avoided),
    )


def spread_term(constraint: TopologySpreadConstraint, labels: Labels) -> SpreadTerm:
    borrowed = [Requirement(key, Operator.IN, (labels[key],)) for key in constraint.match_label_keys if key in labels]
    return SpreadTerm(
        constraint.topology_key,
        constraint.max_skew,
        constraint.min_domains or 1,
        _with(selectors.of_struct(constraint.label_selector), *borrowed),
        honors_affinity=constraint.node_affinity_policy != "Ignore",
        honors_taints=constraint.node_taints_policy == "Honor",
    )


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "Exists":
            return True
        case "Lt" | "Gt":
            return _compares(toleration, taint)
    return toleration.value == taint.value


def _compares(toleration: Toleration, taint: Taint) -> bool:
    try:
        ours, theirs = int(toleration.value), int(taint.value)
    except ValueError:
        return False
    return theirs < ours if toleration.operator == "Lt" else theirs > ours


def _node_matcher(requirements: tuple[NodeSelectorRequirement, ...]) -> LabelMatcher:
    return LabelMatcher(tuple(Requirement(each.key, _OPERATORS[each.operator], each.values) for each in requirements))


def _with(matcher: LabelMatcher | None, *more: Requirement) -> LabelMatcher | None:
    return None if matcher is None else LabelMatcher((*matcher.requirements, *more))
