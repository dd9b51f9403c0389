"""IngressClasses: which controller serves an ingress, chosen once, and where that controller finds its parameters."""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, pathsegments
from steersman.api import fields, names
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.networking import IngressClass, IngressClassParametersReference

MAX_CONTROLLER_BYTES: Final = 250
CLUSTER, NAMESPACE = "Cluster", "Namespace"

_CONTROLLER: Final = Path("spec").child("controller")
_PARAMETERS: Final = Path("spec").child("parameters")
_URL_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"


def default(new: IngressClass) -> IngressClass:
    parameters = new.spec.parameters
    if parameters is None or parameters.scope is not None:
        return new
    return replace(new, spec=replace(new.spec, parameters=replace(parameters, scope=CLUSTER)))


def validate(new: IngressClass) -> list[Cause]:
    controller, parameters = new.spec.controller, new.spec.parameters
    causes: list[Cause] = []
    if len(controller.encode()) > MAX_CONTROLLER_BYTES:
        causes.append(fields.too_long(_CONTROLLER, MAX_CONTROLLER_BYTES))
    causes += _validate_controller(controller)
    return causes if parameters is None else causes + _validate_parameters(parameters)


def validate_update(new: IngressClass, old: IngressClass) -> list[Cause]:
    if new.spec.controller == old.spec.controller:
        return []
    return [fields.invalid(_CONTROLLER, new.spec.controller, IMMUTABLE)]


def _validate_controller(controller: str) -> list[Cause]:
    """A domain and a path, such as `example.com/gateway`."""
    if not controller:
        return [fields.required(_CONTROLLER)]
    domain, _, rest = controller.partition("/")
    if not domain or not rest:
        return [fields.invalid(_CONTROLLER, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    causes = checks.name(domain, _CONTROLLER, names.dns_subdomain)
    if not re.fullmatch(_URL_PATH, rest):
        detail = f"Invalid path (regex used for validation is '{_URL_PATH}')"
        causes.append(fields.invalid(_CONTROLLER, rest, detail))
    return causes


def _validate_parameters(parameters: IngressClassParametersReference) -> list[Cause]:
    causes: list[Cause] = []
    if parameters.api_group is not None:
        causes += checks.name(parameters.api_group, _PARAMETERS.child("apiGroup"), names.dns_subdomain)
    causes += pathsegments.validate_required(parameters.kind, _PARAMETERS.child("kind"))
    causes += pathsegments.validate_required(parameters.name, _PARAMETERS.child("name"))
    return causes + _validate_scope(parameters.scope, parameters.namespace)


def _validate_scope(scope: str | None, namespace: str | None) -> list[Cause]:
    if scope is None:
        return [fields.required(_PARAMETERS.child("scope"))]
    path = _PARAMETERS.child("namespace")
    if scope == NAMESPACE:
        if namespace is None:
            return [fields.required(path, "`parameters.scope` is set to 'Namespace'")]
        return checks.name(namespace, path, names.dns_label)
    if scope == CLUSTER:
        return [] if namespace is None else [fields.forbidden(path, "`parameters.scope` is set to 'Cluster'")]
    return [fields.not_supported(_PARAMETERS.child("scope"), scope, (CLUSTER, NAMESPACE))]


INGRESS_CLASS = Strategy(default=default, validate=validate, validate_update=validate_update)
