"""Rules for references to fields, resources and keys: where variables and downward API files get their values."""

from __future__ import annotations

from collections.abc import Sequence

from apiserver.registry.validation import checks, filepaths
from steersman.api import fields, names, quantity
from steersman.api.core import (
    ConfigMapKeySelector,
    FileKeySelector,
    ObjectFieldSelector,
    ResourceFieldSelector,
    SecretKeySelector,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path

ENVIRONMENT_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
FILE_FIELDS = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
_WITH_SUBSCRIPT = ("metadata.annotations", "metadata.labels")
_KNOWN_FIELDS = frozenset(
    {*ENVIRONMENT_FIELDS, *FILE_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase"}
)
_RENAMED_FIELDS = {"spec.host": "spec.nodeName"}

_RESOURCES = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")
_CPU_DIVISORS = ("1m", "1")
_BYTE_DIVISORS = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")


def validate_field_selector(selector: ObjectFieldSelector, path: Path, supported: Sequence[str]) -> list[Cause]:
    if not selector.api_version:
        return [fields.required(path.child("apiVersion"))]
    if not selector.field_path:
        return [fields.required(path.child("fieldPath"))]
    field, subscript = _split(selector.field_path)
    problem = _unknown_field(selector, field, subscript)
    if problem:
        return [fields.invalid(path.child("fieldPath"), selector.field_path, f"error converting fieldPath: {problem}")]
    if subscript is not None:
        key = subscript.lower() if field == "metadata.annotations" else subscript
        return checks.name(key, path, names.qualified_name)
    field = _RENAMED_FIELDS.get(field, field)
    return checks.choice(field, path.child("fieldPath"), supported)


def validate_resource_selector(selector: ResourceFieldSelector, path: Path, *, names_container: bool) -> list[Cause]:
    """`names_container`: in a file the container must be named; in a container's environment it is that container."""
    causes: list[Cause] = []
    resource = selector.resource
    if names_container and not selector.container_name:
        causes.append(fields.required(path.child("containerName")))
    elif not resource:
        causes.append(fields.required(path.child("resource")))
    elif resource not in _RESOURCES and not resource.startswith(_HUGE_PAGES):
        causes.append(fields.not_supported(path.child("resource"), resource, _RESOURCES))
    return causes + _validate_divisor(resource, selector.divisor, path.child("divisor"))


def validate_key_selector(selector: ConfigMapKeySelector | SecretKeySelector, path: Path) -> list[Cause]:
    causes = checks.name(selector.name, path.child("name"), names.dns_subdomain)
    return causes + checks.required_name(selector.key, path.child("key"), names.config_map_key)


def validate_file_key_selector(selector: FileKeySelector, path: Path) -> list[Cause]:
    causes = checks.required_name(selector.key, path.child("key"), names.env_var_name)
    causes += checks.required_name(selector.volume_name, path.child("volumeName"), names.dns_label)
    if not selector.path:
        return [*causes, fields.required(path.child("path"))]
    return causes + filepaths.no_backsteps(selector.path, path.child("path"))


def _split(field_path: str) -> tuple[str, str | None]:
    """`metadata.labels['app']` is a field and its subscript."""
    field, bracket, rest = field_path.partition("['")
    if field and bracket and rest.endswith("']"):
        return field, rest.removesuffix("']")
    return field_path, None


def _unknown_field(selector: ObjectFieldSelector, field: str, subscript: str | None) -> str:
    if selector.api_version != "v1":
        return f"unsupported pod version: {selector.api_version}"
    if subscript is not None:
        if field in _WITH_SUBSCRIPT:
            return ""
        return f"field label does not support subscript: {selector.field_path}"
    if field in _KNOWN_FIELDS or field in _RENAMED_FIELDS:
        return ""
    return f"field label not supported: {field}"


def _validate_divisor(resource: str, divisor: str, path: Path) -> list[Cause]:
    if divisor == "0" or quantity.value(divisor) == 0:
        return []
    words = ", ".join(_BYTE_DIVISORS)
    supported: Sequence[str] = _BYTE_DIVISORS
    if resource.endswith(".cpu"):
        supported, what, words = _CPU_DIVISORS, "cpu", "1m and 1"
    elif resource.endswith(".memory"):
        what = "memory"
    elif resource.endswith(".ephemeral-storage"):
        what = "local ephemeral storage"
    elif resource.startswith(_HUGE_PAGES):
        what = "hugepages"
    else:
        return []
    if divisor in supported:
        return []
    return [fields.invalid(path, resource, f"only divisor's values {words} are supported with the {what} resource")]
