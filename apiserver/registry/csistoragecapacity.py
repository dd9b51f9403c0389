"""CSIStorageCapacities: how much room there is, for a class and a part of the cluster that never change."""

from __future__ import annotations

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks
from apiserver.registry.warnings import storage as warned
from steersman.api import fields, names, quantity
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.storage import CSIStorageCapacity


def validate(new: CSIStorageCapacity) -> list[Cause]:
    causes = [
        *checks.validate_label_selector(new.node_topology, Path("nodeTopology")),
        *checks.name(new.storage_class_name, Path("storageClassName"), names.dns_subdomain),
    ]
    if new.capacity is not None and quantity.value(new.capacity) < 0:
        causes.append(fields.invalid(Path("capacity"), str(new.capacity), "must be greater than or equal to 0"))
    return causes


def validate_update(new: CSIStorageCapacity, old: CSIStorageCapacity) -> list[Cause]:
    causes: list[Cause] = []
    if new.node_topology != old.node_topology:
        causes.append(fields.invalid(Path("nodeTopology"), new.node_topology, IMMUTABLE))
    if new.storage_class_name != old.storage_class_name:
        causes.append(fields.invalid(Path("storageClassName"), new.storage_class_name, IMMUTABLE))
    return causes


CSI_STORAGE_CAPACITY = Strategy(
    validate=validate,
    validate_update=validate_update,
    warn=warned.of_capacity,
)
