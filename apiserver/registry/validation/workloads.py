"""Rules that workloads share: a selector of their own template, pods that run for ever, steps of a rollout."""

from __future__ import annotations

import re
from collections.abc import Mapping

from apiserver.registry.validation import checks, pod
from steersman.api import fields, names, selectors
from steersman.api.core import PodTemplateSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.meta import LabelSelector
from steersman.api.part import IntOrString

MISMATCH = "`selector` does not match template `labels`"
_LARGEST = 2**63 - 1
_LONGEST_NUMBER = 19


def validate_replicated(selector: LabelSelector | None, template: PodTemplateSpec, path: Path) -> list[Cause]:
    """Selector and template of ReplicaSets and Deployments; `path` is of the spec that holds them."""
    where = path.child("selector")
    causes = validate_selector(selector, where, workload="deployment")
    if not is_usable(selector):
        return [*causes, fields.invalid(where, selector, "invalid label selector")]
    where = path.child("template")
    causes += validate_selected(selector, template, where)
    causes += pod.validate_pod_template(template, where)
    return causes + validate_runs_forever(template, where, workload="ReplicaSet")


def validate_selector(selector: LabelSelector | None, path: Path, *, workload: str) -> list[Cause]:
    """A selector that must be there and must not select everything."""
    if selector is None:
        return [fields.required(path)]
    causes = checks.validate_label_selector(selector, path)
    return causes + validate_selects_something(selector, path, workload=workload)


def validate_selects_something(selector: LabelSelector, path: Path, *, workload: str) -> list[Cause]:
    if selector.match_labels or selector.match_expressions:
        return []
    return [fields.invalid(path, selector, f"empty selector is invalid for {workload}")]


def is_usable(selector: LabelSelector | None) -> bool:
    """Whether it can be asked what it selects. None can: it selects nothing."""
    return selector is None or not checks.validate_label_selector(selector, Path())


def selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether a selector that can be asked selects these labels; of one that cannot, others complain."""
    if not is_usable(selector):
        return True
    matcher = selectors.of_struct(selector)
    return matcher is not None and matcher.matches(labels)


def validate_selected(selector: LabelSelector | None, template: PodTemplateSpec, path: Path) -> list[Cause]:
    """The complaint about a (usable) selector that does not select the pods which the template makes."""
    labels = template.metadata.labels
    if selects(selector, labels):
        return []
    return [fields.invalid(path.child("metadata").child("labels"), labels or None, MISMATCH)]


def validate_runs_forever(template: PodTemplateSpec, path: Path, *, workload: str) -> list[Cause]:
    causes: list[Cause] = []
    spec, where = template.spec, path.child("spec")
    if spec.restart_policy != "Always":
        causes.append(fields.not_supported(where.child("restartPolicy"), spec.restart_policy, ("Always",)))
    if spec.active_deadline_seconds is not None:
        detail = f"activeDeadlineSeconds in {workload} is not Supported"
        causes.append(fields.forbidden(where.child("activeDeadlineSeconds"), detail))
    return causes


# --- Numbers of pods, given as such or as a percentage


def counted(value: IntOrString | None) -> IntOrString:
    """What was left out is none."""
    return 0 if value is None else value


def validate_count_or_percent(value: IntOrString, path: Path) -> list[Cause]:
    if isinstance(value, str):
        return [fields.invalid(path, value, complaint) for complaint in names.percent(value)]
    return checks.not_negative(value, path)


def validate_at_most_all(value: IntOrString, path: Path) -> list[Cause]:
    percent = _percentage(value)
    if percent is None or percent <= 100:
        return []
    return [fields.invalid(path, value, "must not be greater than 100%")]


def magnitude(value: IntOrString) -> int:
    """The number before a percent sign, or the number itself; what is no number counts as zero."""
    percent = _percentage(value)
    if percent is not None:
        return percent
    if isinstance(value, int):
        return value
    return int(value) if re.fullmatch(f"[+-]?[0-9]{{1,{_LONGEST_NUMBER}}}", value) else 0


def _percentage(value: IntOrString) -> int | None:
    if not isinstance(value, str) or names.percent(value):
        return None
    digits = value[:-1]
    # However long it is: Python refuses to read very long numbers, and beyond this they all mean "too many".
    return min(int(digits), _LARGEST) if len(digits) <= _LONGEST_NUMBER else _LARGEST
