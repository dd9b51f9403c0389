"""Rules for what an ingress sends its traffic to: a port of a service, or an object that the controller knows."""

from __future__ import annotations

from apiserver.registry.validation import checks, pathsegments
from steersman.api import fields, names
from steersman.api.core import TypedLocalObjectReference
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.networking import IngressBackend, IngressServiceBackend, ServiceBackendPort


def validate_backend(backend: IngressBackend, path: Path) -> list[Cause]:
    if backend.resource is not None and backend.service is not None:
        return [fields.invalid(path, "", "cannot set both resource and service backends")]
    if backend.resource is not None:
        return _validate_resource(backend.resource, path.child("resource"))
    if backend.service is not None:
        return _validate_service(backend.service, path)
    return [fields.invalid(path, "", "resource or service backend is required")]


def _validate_service(service: IngressServiceBackend, path: Path) -> list[Cause]:
    where = path.child("service")
    causes = checks.required_name(service.name, where.child("name"), names.dns_label)
    return causes + _validate_port(service.port, path, where.child("port"))


def _validate_port(port: ServiceBackendPort, backend: Path, path: Path) -> list[Cause]:
    """What concerns name and number together is said of the backend as a whole."""
    if port.name and port.number:
        return [fields.invalid(backend, "", "cannot set both port name & port number")]
    if port.name:
        return checks.name(port.name, path.child("name"), names.port_name)
    if port.number:
        return checks.port_number(port.number, path.child("number"))
    return [fields.required(backend, "port name or number is required")]


def _validate_resource(resource: TypedLocalObjectReference, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if resource.api_group is not None:
        causes += checks.name(resource.api_group, path.child("apiGroup"), names.dns_subdomain)
    causes += pathsegments.validate_required(resource.kind, path.child("kind"))
    return causes + pathsegments.validate_required(resource.name, path.child("name"))
