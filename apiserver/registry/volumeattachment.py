"""VolumeAttachments: one volume, one node, one attacher, chosen once; the attacher then tells how it went."""

from __future__ import annotations

from typing import Final

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import METADATA, Strategy
from apiserver.registry.validation import checks, claims, disks, internalform, persistentdisks
from steersman.api import fields, names
from steersman.api.core import PersistentVolumeSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.storage import VolumeAttachment, VolumeAttachmentSource, VolumeAttachmentStatus, VolumeError

MAX_METADATA_BYTES: Final = 256 * 1024
MAX_MESSAGE_BYTES: Final = 1024

_SPEC: Final = Path("spec")
_STATUS: Final = Path("status")
_INLINE: Final = "in the context of inline volumes"
_EXACTLY_ONE: Final = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"


def validate(new: VolumeAttachment) -> list[Cause]:
    spec = new.spec
    source = _SPEC.child("source")
    causes = [
        *disks.validate_driver_name(spec.attacher, _SPEC.child("attacher")),
        *_validate_source(spec.source, source),
        *checks.name(spec.node_name, _SPEC.child("nodeName"), names.dns_subdomain),
    ]
    volume = spec.source.persistent_volume_name
    if volume is not None:
        causes += checks.name(volume, source.child("persistentVolumeName"), names.dns_subdomain)
    return causes


def validate_update(new: VolumeAttachment, old: VolumeAttachment) -> list[Cause]:
    causes = [] if new.status == old.status else _validate_status(new.status)
    if new.spec != old.spec:
        causes.append(fields.invalid(_SPEC, internalform.shown(new.spec), IMMUTABLE))
    return causes


def _validate_source(source: VolumeAttachmentSource, path: Path) -> list[Cause]:
    volume, inline = source.persistent_volume_name, source.inline_volume_spec
    if volume is None and inline is None:
        return [fields.required(path, _EXACTLY_ONE)]
    if volume is not None and inline is not None:
        return [fields.forbidden(path, _EXACTLY_ONE)]
    if volume == "":
        return [fields.required(path.child("persistentVolumeName"), "must specify non empty persistentVolumeName")]
    return [] if inline is None else _validate_inline(inline, path.child("inlineVolumeSpec"))


def _validate_inline(spec: PersistentVolumeSpec, path: Path) -> list[Cause]:
    """A volume without a PersistentVolume: nothing but the driver's view of it."""
    surplus = (("claimRef", spec.claim_ref), ("capacity", spec.capacity))
    causes = [
        fields.forbidden(path.child(field), f"may not be specified {_INLINE}") for field, value in surplus if value
    ]
    if spec.csi is None:
        causes.append(fields.required(path.child("csi"), f"has to be specified {_INLINE}"))
    if not spec.access_modes:
        causes.append(fields.required(path.child("accessModes")))
    causes += claims.validate_access_modes(spec.access_modes, path.child("accessModes"))
    if spec.persistent_volume_reclaim_policy not in ("", "Retain"):
        where = path.child("persistentVolumeReclaimPolicy")
        causes.append(fields.forbidden(where, f"may only be Retain {_INLINE}"))
    if spec.node_affinity is not None:
        causes.append(fields.forbidden(path.child("nodeAffinity"), f"may not be specified {_INLINE}"))
    causes += persistentdisks.validate_sources(spec, "", path)
    if spec.storage_class_name:
        causes.append(fields.forbidden(path.child("storageClassName"), f"may not be specified {_INLINE}"))
    if spec.volume_mode not in (None, "Filesystem"):
        detail = f"may not specify volumeMode other than Filesystem {_INLINE}"
        causes.append(fields.forbidden(path.child("volumeMode"), detail))
    return causes


def _validate_status(status: VolumeAttachmentStatus) -> list[Cause]:
    causes: list[Cause] = []
    size = sum(len(key.encode()) + len(value.encode()) for key, value in status.attachment_metadata.items())
    if size > MAX_METADATA_BYTES:
        causes.append(fields.too_long(_STATUS.child("attachmentMetadata"), MAX_METADATA_BYTES))
    causes += _validate_error(status.attach_error, _STATUS.child("attachError"))
    return causes + _validate_error(status.detach_error, _STATUS.child("detachError"))


def _validate_error(error: VolumeError | None, path: Path) -> list[Cause]:
    if error is None:
        return []
    causes: list[Cause] = []
    if len(error.message.encode()) > MAX_MESSAGE_BYTES:
        # Kubernetes names the limit of the metadata here; what counts is that of messages.
        causes.append(fields.too_long(path.child("message"), MAX_METADATA_BYTES))
    if error.error_code is not None:
        causes += checks.in_range(error.error_code, path.child("errorCode"), 0, 2**31 - 1)
    return causes


VOLUME_ATTACHMENT = Strategy(
    validate=validate,
    validate_update=validate_update,
    status_keeps=METADATA,
)
