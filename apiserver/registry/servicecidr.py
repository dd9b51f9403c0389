"""ServiceCIDRs: one range of addresses per family. A second family may join later; nothing else changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import METADATA, Strategy
from apiserver.registry.validation import cidrs, internalform
from steersman.api import fields
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path
from steersman.api.networking import ServiceCIDR

_CIDRS: Final = Path("spec").child("cidrs")
_ONE_PER_FAMILY: Final = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"


def validate_create(new: ServiceCIDR) -> list[Cause]:
    ranges = new.spec.cidrs
    if not ranges:
        return [fields.required(_CIDRS, "at least one CIDR required")]
    if len(ranges) > 2:
        return [fields.invalid(_CIDRS, internalform.shown(new.spec), "may only hold up to 2 values")]
    causes: list[Cause] = []
    for index, text in enumerate(ranges):
        causes += _validate_range(text, _CIDRS.index(index))
    if len(ranges) == 2 and _are_of_one_family(ranges):
        causes.append(fields.invalid(_CIDRS, ranges, _ONE_PER_FAMILY))
    return causes


def validate_update(new: ServiceCIDR, old: ServiceCIDR) -> list[Cause]:
    now, before = new.spec.cidrs, old.spec.cidrs
    joins = len(before) == 1 and len(now) == 2
    if len(now) != len(before) and not joins:
        return [fields.invalid(_CIDRS, now or None, IMMUTABLE)]
    causes = [
        fields.invalid(_CIDRS.index(index), text, IMMUTABLE)
        for index, (text, kept) in enumerate(zip(now, before, strict=False))
        if text != kept
    ]
    return [*causes, *validate_create(new)] if joins else causes


def _validate_range(text: str, path: Path) -> list[Cause]:
    """There is one way to write a range."""
    causes = cidrs.validate_cidr(text, path)
    canonical = str(cidrs.parse(text))
    if causes or text == canonical:
        return causes
    return [fields.invalid(path, text, f"must be in canonical form ({quoted(canonical)})")]


def _are_of_one_family(ranges: Sequence[str]) -> bool:
    first, second = map(cidrs.parse, ranges)
    return first is not None and second is not None and first.version == second.version


SERVICE_CIDR = Strategy(
    validate_create=validate_create,
    validate_update=validate_update,
    status_keeps=METADATA,
)
