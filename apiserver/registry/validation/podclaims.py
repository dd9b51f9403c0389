"""Rules for what a pod's status says about the resource claims that were made for it."""

from __future__ import annotations

from collections.abc import Sequence

from apiserver.registry.validation import checks
from steersman.api import fields, names
from steersman.api.core import (
    ContainerExtendedResourceRequest,
    PodExtendedResourceClaimStatus,
    PodResourceClaim,
    PodResourceClaimStatus,
    PodSpec,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path

_NO_SUCH_CLAIM = "must match the name of an entry in `spec.resourceClaims`"
_NO_SUCH_CONTAINER = "must match the name of an entry in spec.initContainers.name or spec.containers.name"
_NOT_REQUESTED = (
    "must match the extended resource name of an entry in spec.initContainers.resources.requests or "
    "spec.containers.resources.requests"
)


def validate_claims(
    statuses: Sequence[PodResourceClaimStatus], claims: Sequence[PodResourceClaim], path: Path
) -> list[Cause]:
    known = {claim.name for claim in claims}
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, status in enumerate(statuses):
        where = path.index(index)
        if status.name not in known:
            causes.append(fields.invalid(where.child("name"), status.name, _NO_SUCH_CLAIM))
        if status.name in seen:
            causes.append(fields.duplicate(where.child("name"), status.name))
        seen.add(status.name)
        if status.resource_claim_name is not None:
            causes += checks.name(status.resource_claim_name, where.child("resourceClaimName"), names.dns_subdomain)
    return causes


def validate_extended(status: PodExtendedResourceClaimStatus | None, spec: PodSpec, path: Path) -> list[Cause]:
    if status is None:
        return []
    where = path.child("requestMappings")
    causes: list[Cause] = []
    if not status.request_mappings:
        causes.append(fields.required(where, "at least one request mapping is required"))
    seen: set[ContainerExtendedResourceRequest] = set()
    for index, mapping in enumerate(status.request_mappings):
        causes += _validate_mapping(mapping, spec, where.index(index))
        # Kubernetes says it of the status as a whole.
        causes += checks.name(mapping.request_name, path.child("requestName"), names.dns_label)
        if mapping in seen:
            causes += _duplicates(mapping, where.index(index))
        seen.add(mapping)
    return causes + checks.required_name(
        status.resource_claim_name, path.child("resourceClaimName"), names.dns_subdomain
    )


def _validate_mapping(mapping: ContainerExtendedResourceRequest, spec: PodSpec, path: Path) -> list[Cause]:
    requested = {each.name: each.resources.requests for each in (*spec.init_containers, *spec.containers)}
    if mapping.container_name not in requested:
        return [fields.invalid(path.child("containerName"), mapping.container_name, _NO_SUCH_CONTAINER)]
    if mapping.resource_name not in requested[mapping.container_name]:
        return [fields.invalid(path.child("resourceName"), mapping.resource_name, _NOT_REQUESTED)]
    return []


def _duplicates(mapping: ContainerExtendedResourceRequest, path: Path) -> list[Cause]:
    return [
        fields.duplicate(path.child("containerName"), mapping.container_name),
        fields.duplicate(path.child("resourceName"), mapping.resource_name),
        fields.duplicate(path.child("requestName"), mapping.request_name),
    ]
