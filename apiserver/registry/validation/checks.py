"""The rules that many fields share: one of several words, a well-formed name, labels, annotations, selectors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

from steersman.api import fields, names
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.meta import LabelSelector, LabelSelectorRequirement

MAX_ANNOTATIONS_BYTES = 256 * 1024
LARGEST_ID = 2**31 - 1


Rule = Callable[[str], Collection[str]]
_LONGEST_REMEMBERED = 256  # no name is longer, and memory must not fill up with those that are


def complaints(rule: Rule, text: str) -> Collection[str]:
    """What `rule` has against `text`. The same few names come by all the time, so answers are remembered."""
    return _remembered(rule, text) if len(text) <= _LONGEST_REMEMBERED else rule(text)


@lru_cache(maxsize=8192)
def _remembered(rule: Rule, text: str) -> Collection[str]:
    return tuple(rule(text))


def choice(value: str, path: Path, supported: Sequence[str]) -> list[Cause]:
    return [] if value in supported else [fields.not_supported(path, value, supported)]


def required_choice(value: str, path: Path, supported: Sequence[str]) -> list[Cause]:
    if value in supported:
        return []
    return [fields.not_supported(path, value, supported)] if value else [fields.required(path)]


def name(value: str, path: Path, rule: Rule) -> list[Cause]:
    return [fields.invalid(path, value, complaint) for complaint in complaints(rule, value)]


def required_name(value: str, path: Path, rule: Rule) -> list[Cause]:
    return name(value, path, rule) if value else [fields.required(path)]


def prefixable(rule: Rule) -> Rule:
    """The rule for what may still get a suffix: a dash at the end is fine."""
    return lambda value: rule(f"{value[:-2]}a" if len(value) > 1 and value.endswith("-") else value)


def in_range(value: int, path: Path, lowest: int, highest: int) -> list[Cause]:
    if lowest <= value <= highest:
        return []
    return [fields.invalid(path, value, f"must be between {lowest} and {highest}, inclusive")]


def user_or_group_id(value: int, path: Path) -> list[Cause]:
    return in_range(value, path, 0, LARGEST_ID)


def port_number(value: int, path: Path) -> list[Cause]:
    return in_range(value, path, 1, 65535)


def not_negative(value: int, path: Path) -> list[Cause]:
    return [] if value >= 0 else [fields.invalid(path, value, "must be greater than or equal to 0")]


def validate_labels(given: Mapping[str, str], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for key, value in given.items():
        causes += name(key, path, names.qualified_name)
        causes += name(value, path, names.label_value)
    return causes


def validate_annotations(given: Mapping[str, str], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    size = 0
    for key, value in given.items():
        causes += [fields.invalid(path, key, complaint) for complaint in complaints(names.qualified_name, key.lower())]
        size += len(key.encode()) + len(value.encode())
    if size > MAX_ANNOTATIONS_BYTES:
        causes.append(fields.too_long(path, MAX_ANNOTATIONS_BYTES))
    return causes


def validate_label_selector(selector: LabelSelector | None, path: Path) -> list[Cause]:
    if selector is None:
        return []
    causes = validate_labels(selector.match_labels, path.child("matchLabels")) if selector.match_labels else []
    for index, requirement in enumerate(selector.match_expressions):
        causes += _requirement(requirement, path.child("matchExpressions").index(index))
    return causes


def _requirement(requirement: LabelSelectorRequirement, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    match requirement.operator:
        case "In" | "NotIn":
            if not requirement.values:
                detail = "must be specified when `operator` is 'In' or 'NotIn'"
                causes.append(fields.required(path.child("values"), detail))
        case "Exists" | "DoesNotExist":
            if requirement.values:
                detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                causes.append(fields.forbidden(path.child("values"), detail))
        case operator:
            causes.append(fields.invalid(path.child("operator"), operator, "not a valid selector operator"))
    causes += name(requirement.key, path.child("key"), names.qualified_name)
    for index, value in enumerate(requirement.values):
        causes += name(value, path.child("values").index(index), names.label_value)
    return causes
