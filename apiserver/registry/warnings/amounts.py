"""Warnings about amounts of bytes that are no whole number of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from steersman.api import quantity
from steersman.api.core import PersistentVolumeClaimSpec
from steersman.api.errors import quoted
from steersman.api.fields import Path


def are_fractional(amounts: Mapping[str, str], names: Iterable[str]) -> bool:
    return any(name in amounts and quantity.milli(amounts[name]) % 1000 for name in names)


def of_bytes(amounts: Mapping[str, str], names: Iterable[str], path: Path) -> list[str]:
    return [
        f"{path.key(name)}: fractional byte value {quoted(amounts[name])} is invalid, must be an integer"
        for name in names
        if name in amounts and quantity.milli(amounts[name]) % 1000
    ]


def of_claim(spec: PersistentVolumeClaimSpec, path: Path) -> list[str]:
    where = path.child("resources")
    return [
        *of_bytes(spec.resources.requests, ("storage",), where.child("requests")),
        *of_bytes(spec.resources.limits, ("storage",), where.child("limits")),
    ]
