"""CSIDrivers: what a storage driver needs of the cluster, with defaults for drivers that do not say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks
from apiserver.registry.warnings import storage as warned
from steersman.api import fields
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.storage import CSIDriver, CSIDriverSpec, TokenRequest

LIFECYCLE_MODES: Final = ("Persistent", "Ephemeral")
FS_GROUP_POLICIES: Final = ("File", "None", "ReadWriteOnceWithFSType")
SHORTEST_TOKEN_SECONDS: Final = 600
LONGEST_TOKEN_SECONDS: Final = 2**32
SHORTEST_UPDATE_SECONDS: Final = 10

_SPEC: Final = Path("spec")
_ATTACH_REQUIRED: Final = _SPEC.child("attachedRequired")  # spelled as Kubernetes' complaints do


def default(new: CSIDriver) -> CSIDriver:
    spec = new.spec
    return replace(
        new,
        spec=replace(
            spec,
            attach_required=True if spec.attach_required is None else spec.attach_required,
            pod_info_on_mount=bool(spec.pod_info_on_mount),
            storage_capacity=bool(spec.storage_capacity),
            fs_group_policy="ReadWriteOnceWithFSType" if spec.fs_group_policy is None else spec.fs_group_policy,
            volume_lifecycle_modes=spec.volume_lifecycle_modes or ("Persistent",),
            requires_republish=bool(spec.requires_republish),
            se_linux_mount=bool(spec.se_linux_mount),
            prevent_pod_scheduling_if_missing=None,  # behind a gate that is closed in the version we speak
        ),
    )


def validate(new: CSIDriver) -> list[Cause]:
    spec = new.spec
    causes = _validate_presence(spec)
    if spec.fs_group_policy is not None:
        causes += checks.choice(spec.fs_group_policy, _SPEC.child("fsGroupPolicy"), FS_GROUP_POLICIES)
    causes += _validate_tokens(spec.token_requests, _SPEC.child("tokenRequests"))
    for mode in spec.volume_lifecycle_modes:
        causes += checks.choice(mode, _SPEC.child("volumeLifecycleModes"), LIFECYCLE_MODES)
    if spec.se_linux_mount is None:
        causes.append(fields.required(_SPEC.child("seLinuxMount")))
    period = spec.node_allocatable_update_period_seconds
    if period is not None and period < SHORTEST_UPDATE_SECONDS:
        path = _SPEC.child("nodeAllocatableUpdatePeriodSeconds")
        causes.append(fields.invalid(path, period, "must be greater than or equal to 10 seconds"))
    if spec.service_account_token_in_secrets is not None and not spec.token_requests:
        path = _SPEC.child("serviceAccountTokenInSecrets")
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        causes.append(fields.invalid(path, spec.service_account_token_in_secrets, detail))
    return causes


def validate_update(new: CSIDriver, old: CSIDriver) -> list[Cause]:
    causes: list[Cause] = []
    if new.spec.attach_required != old.spec.attach_required:
        causes.append(fields.invalid(_ATTACH_REQUIRED, new.spec.attach_required, IMMUTABLE))
    if new.spec.volume_lifecycle_modes != old.spec.volume_lifecycle_modes:
        path = _SPEC.child("volumeLifecycleModes")
        causes.append(fields.invalid(path, new.spec.volume_lifecycle_modes, IMMUTABLE))
    return causes


def _validate_presence(spec: CSIDriverSpec) -> list[Cause]:
    """What must be said; defaults have said it, unless a patch was made to take it away again."""
    given = (
        (_ATTACH_REQUIRED, spec.attach_required),
        (_SPEC.child("podInfoOnMount"), spec.pod_info_on_mount),
        (_SPEC.child("storageCapacity"), spec.storage_capacity),
    )
    return [fields.required(path) for path, value in given if value is None]


def _validate_tokens(requests: Sequence[TokenRequest], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    audiences: set[str] = set()
    for index, request in enumerate(requests):
        where = path.index(index)
        if request.audience in audiences:
            causes.append(fields.duplicate(where.child("audience"), request.audience))
            continue
        audiences.add(request.audience)
        seconds = request.expiration_seconds
        if seconds is None:
            continue
        if seconds < SHORTEST_TOKEN_SECONDS:
            detail = "may not specify a duration less than 10 minutes"
            causes.append(fields.invalid(where.child("expirationSeconds"), seconds, detail))
        if seconds > LONGEST_TOKEN_SECONDS:
            detail = "may not specify a duration larger than 2^32 seconds"
            causes.append(fields.invalid(where.child("expirationSeconds"), seconds, detail))
    return causes


CSI_DRIVER = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    warn=warned.of_driver,
)
