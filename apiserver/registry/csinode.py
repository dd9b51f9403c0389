"""CSINodes: the storage drivers of a node. An entry may come and go; while it stands, only its limits change."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, disks, internalform
from steersman.api import fields, names
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.storage import CSINode, CSINodeDriver, CSINodeStatus

MAX_NODE_ID_BYTES: Final = 256

_DRIVERS: Final = Path("spec").child("drivers")


def default(new: CSINode) -> CSINode:
    """Without a status, which is behind a gate that is closed in the version we speak."""
    return replace(new, status=CSINodeStatus())


def validate(new: CSINode) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, driver in enumerate(new.spec.drivers or ()):
        path = _DRIVERS.index(index)
        causes += _validate_identity(driver, path)
        if driver.name in seen:
            causes.append(fields.duplicate(path.child("name"), driver.name))
        seen.add(driver.name)
        causes += _validate_topology_keys(driver, path)
    return causes


def validate_update(new: CSINode, old: CSINode) -> list[Cause]:
    causes: list[Cause] = []
    for before in old.spec.drivers or ():
        for now in new.spec.drivers or ():
            settled = replace(now, allocatable=None)
            if now.name == before.name and settled != replace(before, allocatable=None):
                causes.append(fields.invalid(_DRIVERS, internalform.shown(settled), IMMUTABLE))
    return causes


def _validate_identity(driver: CSINodeDriver, path: Path) -> list[Cause]:
    causes = disks.validate_driver_name(driver.name, path.child("name"))
    if not driver.node_id:
        causes.append(fields.required(path.child("nodeID")))
    if len(driver.node_id.encode()) > MAX_NODE_ID_BYTES:
        detail = f"must be {MAX_NODE_ID_BYTES} characters or less"
        causes.append(fields.invalid(path.child("nodeID"), driver.node_id, detail))
    if driver.allocatable is not None and driver.allocatable.count is not None:
        causes += checks.not_negative(driver.allocatable.count, path.child("allocatable").child("count"))
    return causes


def _validate_topology_keys(driver: CSINodeDriver, path: Path) -> list[Cause]:
    """Kubernetes says it of the driver as a whole."""
    causes: list[Cause] = []
    seen: set[str] = set()
    for key in driver.topology_keys or ():
        if not key:
            causes.append(fields.required(path))
        if key in seen:
            causes.append(fields.duplicate(path, key))
        seen.add(key)
        causes += checks.name(key, path, names.qualified_name)
    return causes


CSI_NODE = Strategy(default=default, validate=validate, validate_update=validate_update)
