"""Rules for what keeps pods off a node: taints, and the annotations in which nodes once carried such wishes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec

from apiserver.registry.validation import checks, internalform
from apiserver.registry.validation.tolerations import EFFECTS
from steersman.api import fields, jsontext, names
from steersman.api.core import Taint
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.meta import OwnerReference
from steersman.api.part import Part

_Shape = TypeVar("_Shape")

TAINTS_ANNOTATION = "scheduler.alpha.kubernetes.io/taints"
AVOID_PODS_ANNOTATION = "scheduler.alpha.kubernetes.io/preferAvoidPods"


class _WrittenTaint(Taint, forbid_unknown_fields=False):
    """A taint as annotations carry it: what it says beyond our fields is not looked at."""


class _PodSignature(Part, forbid_unknown_fields=False):
    pod_controller: OwnerReference | None = None


class _AvoidedPod(Part, forbid_unknown_fields=False):
    pod_signature: _PodSignature = msgspec.field(default_factory=_PodSignature)


class _AvoidedPods(Part, forbid_unknown_fields=False):
    prefer_avoid_pods: tuple[_AvoidedPod, ...] = ()


def validate_taints(taints: Sequence[Taint], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        where = path.index(index)
        causes += checks.name(taint.key, where.child("key"), names.qualified_name)
        complaints = checks.complaints(names.label_value, taint.value)
        if complaints:
            causes.append(fields.invalid(where.child("value"), taint.value, ";".join(complaints)))
        causes += checks.required_choice(taint.effect, where.child("effect"), EFFECTS)
        if (taint.key, taint.effect) in seen:
            causes.append(_repeated(taint, where))
        seen.add((taint.key, taint.effect))
    return causes


def validate_annotations(annotations: Mapping[str, str], path: Path) -> list[Cause]:
    """The scheduler no longer reads them, but what is there must still be well formed."""
    causes: list[Cause] = []
    if text := annotations.get(TAINTS_ANNOTATION):
        try:
            taints = _decode(text, tuple[_WrittenTaint, ...], "[]core.Taint")
        except ValueError as err:
            causes.append(fields.invalid(path, TAINTS_ANNOTATION, str(err)))
        else:
            causes += validate_taints(taints, path.child(TAINTS_ANNOTATION))
    if text := annotations.get(AVOID_PODS_ANNOTATION):
        try:
            avoided = _decode(text, _AvoidedPods, "v1.AvoidPods")
        except ValueError as err:
            causes.append(fields.invalid(path.child("AvoidPods"), AVOID_PODS_ANNOTATION, str(err)))
        else:
            for index, entry in enumerate(avoided.prefer_avoid_pods):
                causes += _validate_avoided(entry, path.child(AVOID_PODS_ANNOTATION).index(index))
    return causes


def _repeated(taint: Taint, path: Path) -> Cause:
    found = fields.duplicate(path, internalform.shown(taint))
    return Cause(found.reason, f"{found.message}: taints must be unique by key and effect pair", found.field)


def _validate_avoided(entry: _AvoidedPod, path: Path) -> list[Cause]:
    where = path.child("PodSignature")
    controller = entry.pod_signature.pod_controller
    if controller is None:
        return [fields.required(where)]
    if controller.controller:
        return []
    where = where.child("PodController").child("Controller")
    return [fields.invalid(where, value=False, detail="must point to a controller")]


def _decode(text: str, shape: type[_Shape], go_type: str) -> _Shape:
    """ValueError, in the words of Go's decoder, for what is no JSON or JSON of another shape."""
    tree = jsontext.parse(text.encode())
    try:
        return msgspec.convert(jsontext.plain(tree), shape, dec_hook=lambda kind, value: kind(value))
    except msgspec.ValidationError as err:
        kind = jsontext.kind_of(tree)
        raise ValueError(f"json: cannot unmarshal {kind} into Go value of type {go_type}") from err
