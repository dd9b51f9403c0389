"""Rules for annotations that mean something to pods: mirrors, deletion cost, and profiles from before they were fields.

Where an annotation and its field are both there, they must say the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from apiserver.registry.defaults.birth import APP_ARMOR_PREFIX
from apiserver.registry.validation import filepaths, tolerations, walking
from steersman.api import fields
from steersman.api.core import PodSpec, SeccompProfile, Toleration
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

MIRROR = "kubernetes.io/config.mirror"
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"
SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_PREFIX = "container.seccomp.security.alpha.kubernetes.io/"

_RUNTIME_DEFAULT = "runtime/default"
_UNCONFINED = "unconfined"
_LOCALHOST = "localhost/"
_SECCOMP_DEFAULTS = (_RUNTIME_DEFAULT, "docker/default")


def validate_annotations(annotations: Mapping[str, str], spec: PodSpec, path: Path) -> list[Cause]:
    if not annotations:
        return []
    causes: list[Cause] = []
    if MIRROR in annotations and not spec.node_name:
        detail = "must set spec.nodeName if mirror pod annotation is set"
        causes.append(fields.invalid(path.key(MIRROR), annotations[MIRROR], detail))
    if annotations.get(TOLERATIONS):
        causes += _validate_tolerations(annotations[TOLERATIONS], path)
    cost = annotations.get(DELETION_COST)
    if cost is not None and not _is_cost(cost):
        causes.append(fields.invalid(path.key(DELETION_COST), cost, "must be a 32bit integer"))
    if SECCOMP_POD in annotations:
        causes += _validate_seccomp(annotations[SECCOMP_POD], path.child(SECCOMP_POD))
    for key, value in annotations.items():
        if key.startswith(SECCOMP_PREFIX):
            causes += _validate_seccomp(value, path.child(key))
    profiles = {key: value for key, value in annotations.items() if key.startswith(APP_ARMOR_PREFIX)}
    return causes + _validate_app_armor(profiles, spec, path) if profiles else causes


def validate_fields_agree(annotations: Mapping[str, str], spec: PodSpec, path: Path) -> list[Cause]:
    """Asked at creation only: later on the fields count."""
    if not annotations:
        return []
    return _validate_seccomp_agrees(annotations, spec, path) + _validate_app_armor_agrees(annotations, spec, path)


def validate_annotation_changes(new: Mapping[str, str], old: Mapping[str, str], path: Path) -> list[Cause]:
    """AppArmor profiles and the mark of a mirror pod are given at creation, for good."""
    causes: list[Cause] = []
    for key, value in old.items():
        if new.get(key) == value:
            continue
        if key.startswith(APP_ARMOR_PREFIX):
            causes.append(fields.forbidden(path.key(key), "may not remove or update AppArmor annotations"))
        elif key == MIRROR:
            causes.append(fields.forbidden(path.key(key), "may not remove or update mirror pod annotation"))
    for key in new:
        if key in old:
            continue
        if key.startswith(APP_ARMOR_PREFIX):
            causes.append(fields.forbidden(path.key(key), "may not add AppArmor annotations"))
        elif key == MIRROR:
            causes.append(fields.forbidden(path.key(key), "may not add mirror pod annotation"))
    return causes


def _validate_tolerations(text: str, path: Path) -> list[Cause]:
    try:
        listed = msgspec.json.decode(text, type=tuple[Toleration, ...])
    except (msgspec.DecodeError, RecursionError) as err:
        return [fields.invalid(path, TOLERATIONS, str(err))]
    return tolerations.validate_tolerations(listed, path.child(TOLERATIONS))


def _is_cost(text: str) -> bool:
    """A 32 bit number, written without plus sign and leading zeros."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or (text != "0" and text.startswith("0")) or len(digits) > 64:
        return False
    return -(2**31) <= int(text) < 2**31


def _validate_seccomp(profile: str, path: Path) -> list[Cause]:
    if profile in (*_SECCOMP_DEFAULTS, _UNCONFINED):
        return []
    if profile.startswith(_LOCALHOST):
        return filepaths.descending(profile.removeprefix(_LOCALHOST), path)
    return [fields.invalid(path, profile, "must be a valid seccomp profile")]


def _validate_app_armor(profiles: Mapping[str, str], spec: PodSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    known = {container.name for container, _ in walking.every_container(spec, path)}
    for key, profile in profiles.items():
        name = key.removeprefix(APP_ARMOR_PREFIX)
        if name not in known:
            causes.append(fields.invalid(path.key(key), name, "container not found"))
        if profile not in ("", _RUNTIME_DEFAULT, _UNCONFINED) and not profile.startswith(_LOCALHOST):
            detail = f"invalid AppArmor profile name: {quoted(profile)}"
            causes.append(fields.invalid(path.key(key), profile, detail))
    return causes


def _validate_seccomp_agrees(annotations: Mapping[str, str], spec: PodSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    context = spec.security_context
    if context is not None and context.seccomp_profile is not None and SECCOMP_POD in annotations:
        where = path.child("securityContext").child("seccompProfile")
        causes += _compare_seccomp(annotations[SECCOMP_POD], context.seccomp_profile, where)
    for container, where in walking.every_container(spec, path):
        annotation = annotations.get(SECCOMP_PREFIX + container.name)
        own = container.security_context
        if annotation is not None and own is not None and own.seccomp_profile is not None:
            where = where.child("securityContext").child("seccompProfile")
            causes += _compare_seccomp(annotation, own.seccomp_profile, where)
    return causes


def _compare_seccomp(annotation: str, profile: SeccompProfile, path: Path) -> list[Cause]:
    return _compare(annotation, profile.type, profile.localhost_profile, path, "seccomp", _SECCOMP_DEFAULTS)


def _validate_app_armor_agrees(annotations: Mapping[str, str], spec: PodSpec, path: Path) -> list[Cause]:
    if spec.os is not None and spec.os.name == "windows":
        return []
    whole_pod = spec.security_context.app_armor_profile if spec.security_context is not None else None
    causes: list[Cause] = []
    for container, where in walking.every_container(spec, path):
        own = container.security_context
        profile = own.app_armor_profile if own is not None and own.app_armor_profile is not None else whole_pod
        annotation = annotations.get(APP_ARMOR_PREFIX + container.name)
        if annotation is not None and profile is not None:
            where = where.child("securityContext").child("appArmorProfile")
            kind, name = profile.type, profile.localhost_profile
            causes += _compare(annotation, kind, name, where, "apparmor", (_RUNTIME_DEFAULT,))
    return causes


def _compare(
    annotation: str, kind: str, profile: str | None, path: Path, what: str, defaults: tuple[str, ...]
) -> list[Cause]:
    types_differ = [fields.forbidden(path.child("type"), f"{what} type in annotation and field must match")]
    if kind == "Unconfined":
        return [] if annotation == _UNCONFINED else types_differ
    if kind == "RuntimeDefault":
        return [] if annotation in defaults else types_differ
    if kind != "Localhost":
        return []
    if not annotation.startswith(_LOCALHOST):
        return types_differ
    if annotation.removeprefix(_LOCALHOST) == profile:
        return []
    return [fields.forbidden(path.child("localhostProfile"), f"{what} profile in annotation and field must match")]
