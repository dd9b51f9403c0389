"""Warnings about labels of nodes that have been given other names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from steersman.api import names
from steersman.api.core import NodeSelectorTerm
from steersman.api.fields import Path
from steersman.api.meta import LabelSelector

DEPRECATED: Final[Mapping[str, str]] = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}


def of_required(term: NodeSelectorTerm, path: Path) -> list[str]:
    return _of_keys((expression.key for expression in term.match_expressions), path)


def of_preferred(term: NodeSelectorTerm, path: Path) -> list[str]:
    """A mere preference may ask for what can never be; a requirement would have been refused."""
    warnings: list[str] = []
    for index, expression in enumerate(term.match_expressions):
        here = path.child("matchExpressions").index(index)
        if expression.key in DEPRECATED:
            warnings.append(f"{here.child('key')}: {expression.key} is {DEPRECATED[expression.key]}")
        for place, value in enumerate(expression.values):
            where = here.child("values").index(place)
            warnings += [f"{where}: {value} is invalid, {why}" for why in names.label_value(value)]
    return warnings


def of_selector(selector: LabelSelector | None, path: Path) -> list[str]:
    if selector is None:
        return []
    warnings = _of_keys((expression.key for expression in selector.match_expressions), path)
    labels = [label for label in selector.match_labels if label in DEPRECATED]
    return warnings + [f"{path.child('matchLabels', label)}: {DEPRECATED[label]}" for label in labels]


def _of_keys(keys: Iterable[str], path: Path) -> list[str]:
    return [
        f"{path.child('matchExpressions').index(index).child('key')}: {key} is {DEPRECATED[key]}"
        for index, key in enumerate(keys)
        if key in DEPRECATED
    ]
