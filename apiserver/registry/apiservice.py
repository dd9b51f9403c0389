"""APIServices: a group-version and who serves it, named after both. Those without a service are our own: available."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from apiserver.registry.strategy import METADATA, Strategy
from apiserver.registry.validation import checks, pathsegments
from steersman.api import fields, names
from steersman.api.apiregistration import APIService, APIServiceCondition, APIServiceSpec, APIServiceStatus
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

DEFAULT_PORT: Final = 443
MAX_GROUP_PRIORITY: Final = 20000
MAX_VERSION_PRIORITY: Final = 1000
CONDITION_STATUSES: Final = ("True", "False", "Unknown")

_SPEC: Final = Path("spec")


def default(new: APIService) -> APIService:
    service = new.spec.service
    if service is not None:
        if service.port is not None:
            return new
        return replace(new, spec=replace(new.spec, service=replace(service, port=DEFAULT_PORT)))
    if new.status.conditions:
        return new
    available = APIServiceCondition(
        type="Available",
        status="True",
        reason="Local",
        message="Local APIServices are always available",
        last_transition_time=new.metadata.creation_timestamp,
    )
    return replace(new, status=APIServiceStatus(conditions=(available,)))


def validate(new: APIService) -> list[Cause]:
    spec, name = new.spec, new.metadata.name
    causes: list[Cause] = []
    wanted = f"{spec.version}.{spec.group}"
    if name and name != wanted and not pathsegments.path_segment(name):
        detail = f'must be `spec.version+"."+spec.group`: {quoted(wanted)}'
        causes.append(fields.invalid(Path("metadata").child("name"), name, detail))
    if spec.group:
        causes += checks.name(spec.group, _SPEC.child("group"), names.dns_subdomain)
    elif spec.version != "v1":
        detail = "only v1 may have an empty group and it better be legacy kube"
        causes.append(fields.required(_SPEC.child("group"), detail))
    causes += checks.name(spec.version, _SPEC.child("version"), names.dns_1035_label)
    if not 0 < spec.group_priority_minimum <= MAX_GROUP_PRIORITY:
        detail = f"must be positive and less than {MAX_GROUP_PRIORITY}"
        causes.append(fields.invalid(_SPEC.child("groupPriorityMinimum"), spec.group_priority_minimum, detail))
    if not 0 < spec.version_priority <= MAX_VERSION_PRIORITY:
        detail = f"must be positive and less than {MAX_VERSION_PRIORITY}"
        causes.append(fields.invalid(_SPEC.child("versionPriority"), spec.version_priority, detail))
    return causes + (_validate_local(spec) if spec.service is None else _validate_remote(spec))


def validate_update(new: APIService, old: APIService) -> list[Cause]:
    """The rules of the status endpoint; the main one leaves status alone."""
    if new.status == old.status:
        return []
    causes: list[Cause] = []
    for index, condition in enumerate(new.status.conditions):
        path = Path("status").child("conditions").index(index).child("status")
        causes += checks.choice(condition.status, path, CONDITION_STATUSES)
    return causes


def _validate_local(spec: APIServiceSpec) -> list[Cause]:
    causes: list[Cause] = []
    if spec.ca_bundle:
        detail = "local APIServices may not have a caBundle"
        causes.append(fields.invalid(_SPEC.child("caBundle"), f"{len(spec.ca_bundle)} bytes", detail))
    if spec.insecure_skip_tls_verify:
        detail = "local APIServices may not have insecureSkipTLSVerify"
        causes.append(fields.invalid(_SPEC.child("insecureSkipTLSVerify"), spec.insecure_skip_tls_verify, detail))
    return causes


def _validate_remote(spec: APIServiceSpec) -> list[Cause]:
    service, path = spec.service, _SPEC.child("service")
    assert service is not None
    causes = [
        fields.required(path.child(field))
        for field, value in (("namespace", service.namespace), ("name", service.name))
        if not value
    ]
    port = service.port or 0
    if complaints := names.port_number(port):
        causes.append(fields.invalid(path.child("port"), port, f"port is not valid: {', '.join(complaints)}"))
    if spec.insecure_skip_tls_verify and spec.ca_bundle:
        detail = "may not be true if caBundle is present"
        causes.append(fields.invalid(_SPEC.child("insecureSkipTLSVerify"), spec.insecure_skip_tls_verify, detail))
    return causes


API_SERVICE = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    name_rule=pathsegments.path_segment,
    status_keeps=METADATA,
)
