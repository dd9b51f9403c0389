"""Pods and templates for tests: valid by default, a test names only what matters, in the words of a manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from apiserver.registry.defaults.pod import default_pod, default_pod_template
from apiserver.registry.validation.pod import validate_new_pod, validate_pod, validate_pod_template
from steersman.api import codec
from steersman.api.core import Pod, PodTemplateSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.part import Part

Manifest = Mapping[str, Any]
T = TypeVar("T", bound=Part)

REASONS = {
    "Required value": "FieldValueRequired",
    "Invalid value": "FieldValueInvalid",
    "Unsupported value": "FieldValueNotSupported",
    "Duplicate value": "FieldValueDuplicate",
    "Not found": "FieldValueNotFound",
    "Forbidden": "FieldValueForbidden",
    "Too long": "FieldValueTooLong",
    "Too many": "FieldValueTooMany",
    "Internal error": "InternalError",
}

DNS_LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
DNS_SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
NAME_PART = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
CONFIG_KEY = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
ENV_NAME = "a valid environment variable name must consist only of printable ASCII characters other than '='"


@dataclass(frozen=True)
class Case:
    """A manifest with something wrong, and the complaints about it, each as `field: message`."""

    id: str
    spec: Manifest = field(default_factory=dict)
    complaints: tuple[str, ...] = ()
    metadata: Manifest = field(default_factory=dict)
    also_in_templates: bool = True

    def pod(self) -> Pod:
        return make_pod(self.spec, self.metadata)

    def template(self) -> PodTemplateSpec:
        return make_template(self.spec, self.metadata)


def in_container(id: str, container: Manifest, *complaints: str, **spec: Any) -> Case:
    """Complaints begin behind `spec.containers[0]`."""
    wanted = tuple(f"spec.containers[0]{complaint}" for complaint in complaints)
    return Case(id, {**spec, "containers": [{**CONTAINER, **container}]}, wanted)


def in_volume(id: str, source: Manifest, *complaints: str) -> Case:
    """Complaints begin behind `spec.volumes[0]`. A broken volume cannot be mounted, so nobody does."""
    wanted = tuple(f"spec.volumes[0]{complaint}" for complaint in complaints)
    return Case(id, {"volumes": [{"name": "v", **source}]}, wanted)


def in_spec(id: str, spec: Manifest, *complaints: str) -> Case:
    """Complaints begin behind `spec`."""
    return Case(id, spec, tuple(f"spec{complaint}" for complaint in complaints))


CONTAINER: Manifest = {"name": "c", "image": "nginx:1.27"}


def make_pod(spec: Manifest | None = None, metadata: Manifest | None = None) -> Pod:
    """A pod as admission hands it on: with defaults, and with an account."""
    whole = {"containers": [CONTAINER], "serviceAccountName": "default", **(spec or {})}
    return default_pod(decode(Pod, {"metadata": {"name": "p", **(metadata or {})}, "spec": whole}))


def make_template(spec: Manifest | None = None, metadata: Manifest | None = None) -> PodTemplateSpec:
    whole = {"containers": [CONTAINER], **(spec or {})}
    return default_pod_template(decode(PodTemplateSpec, {"metadata": metadata or {}, "spec": whole}))


def decode(struct: type[T], manifest: Manifest) -> T:
    return codec.decode(struct, msgspec.json.encode(manifest))[0]


def shown(causes: Sequence[Cause]) -> list[str]:
    """Causes as `field: message`, after a look at whether the reason goes with the message."""
    for cause in causes:
        assert cause.reason == REASONS[cause.message.split(": ")[0]]
    return [f"{cause.field}: {cause.message}" for cause in causes]


def complaints(pod: Pod) -> list[str]:
    """About a new pod."""
    return shown([*validate_pod(pod), *validate_new_pod(pod)])


def check(case: Case) -> None:
    """The pod, and a template with the same spec, draw exactly these complaints."""
    assert complaints(case.pod()) == list(case.complaints)
    if case.also_in_templates:
        wanted = [f"template.{complaint}" for complaint in case.complaints]
        assert shown(validate_pod_template(case.template(), Path("template"))) == wanted


def ids(cases: Sequence[Case]) -> list[str]:
    names = [case.id for case in cases]
    assert len(set(names)) == len(names)
    return names
