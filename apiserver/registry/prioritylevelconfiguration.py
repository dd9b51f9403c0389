"""PriorityLevelConfigurations: shares, queues and what they may lend. Stored for those who ask; two are fixed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from apiserver.registry.strategy import METADATA, Strategy
from apiserver.registry.validation import checks, flows, internalform
from steersman.api import fields
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.flowcontrol import (
    ExemptPriorityLevelConfiguration,
    LimitedPriorityLevelConfiguration,
    LimitResponse,
    PriorityLevelConfiguration,
    PriorityLevelConfigurationSpec,
    QueuingConfiguration,
)

EXEMPT, CATCH_ALL = "exempt", "catch-all"
DEFAULT_SHARES: Final = 30
DEFAULT_QUEUES, DEFAULT_HAND_SIZE, DEFAULT_QUEUE_LENGTH = 64, 8, 50
MAX_QUEUES: Final = 10_000_000
MAX_HASH_BITS: Final = 60
ZERO_SHARES_ANNOTATION: Final = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"

MANDATORY: Final[Mapping[str, PriorityLevelConfigurationSpec]] = {
    EXEMPT: PriorityLevelConfigurationSpec(
        type="Exempt", exempt=ExemptPriorityLevelConfiguration(nominal_concurrency_shares=0, lendable_percent=0)
    ),
    CATCH_ALL: PriorityLevelConfigurationSpec(
        type="Limited",
        limited=LimitedPriorityLevelConfiguration(
            nominal_concurrency_shares=5, lendable_percent=0, limit_response=LimitResponse(type="Reject")
        ),
    ),
}
"""Levels that are there from the beginning; `exempt` may change its shares, `catch-all` nothing."""

_SPEC: Final = Path("spec")
_NOT_NEGATIVE: Final = "must be a non-negative integer"


def default(new: PriorityLevelConfiguration) -> PriorityLevelConfiguration:
    spec = new.spec
    exempt, limited = spec.exempt, spec.limited
    if exempt is not None:
        exempt = replace(
            exempt,
            nominal_concurrency_shares=exempt.nominal_concurrency_shares or 0,
            lendable_percent=exempt.lendable_percent or 0,
        )
    if limited is not None:
        shares = limited.nominal_concurrency_shares
        limited = replace(
            limited,
            nominal_concurrency_shares=DEFAULT_SHARES if shares is None else shares,
            lendable_percent=limited.lendable_percent or 0,
            limit_response=_default_response(limited.limit_response),
        )
    return replace(new, spec=replace(spec, exempt=exempt, limited=limited))


def validate(new: PriorityLevelConfiguration) -> list[Cause]:
    name, spec = new.metadata.name, new.spec
    causes: list[Cause] = []
    if ZERO_SHARES_ANNOTATION in new.metadata.annotations:
        detail = f"annotation '{ZERO_SHARES_ANNOTATION}' is forbidden"
        causes.append(fields.forbidden(Path("metadata").child("annotations"), detail))
    if (name == EXEMPT) != (spec.type == "Exempt"):
        detail = "must be 'Exempt' if and only if `name` is 'exempt'"
        causes.append(fields.invalid(_SPEC.child("type"), spec.type, detail))
    return causes + _validate_spec(spec) + _validate_mandatory(name, spec)


def validate_update(new: PriorityLevelConfiguration, old: PriorityLevelConfiguration) -> list[Cause]:
    """The rules of the status endpoint; the main one leaves status alone."""
    if new.status == old.status:
        return []
    return flows.validate_conditions([condition.type for condition in new.status.conditions])


def _default_response(response: LimitResponse) -> LimitResponse:
    queuing = response.queuing
    if queuing is None:
        return response
    return replace(
        response,
        queuing=QueuingConfiguration(
            queues=queuing.queues or DEFAULT_QUEUES,
            hand_size=queuing.hand_size or DEFAULT_HAND_SIZE,
            queue_length_limit=queuing.queue_length_limit or DEFAULT_QUEUE_LENGTH,
        ),
    )


def _validate_spec(spec: PriorityLevelConfigurationSpec) -> list[Cause]:
    causes: list[Cause] = []
    match spec.type:
        case "Exempt":
            if spec.limited is not None:
                causes.append(fields.forbidden(_SPEC.child("limited"), "must be nil if the type is not Limited"))
            if spec.exempt is not None:
                causes += _validate_shares(spec.exempt, _SPEC.child("exempt"))
        case "Limited":
            if spec.exempt is not None:
                causes.append(fields.forbidden(_SPEC.child("exempt"), "must be nil if the type is Limited"))
            if spec.limited is None:
                causes.append(fields.required(_SPEC.child("limited"), "must not be empty when type is Limited"))
            else:
                causes += _validate_limited(spec.limited, _SPEC.child("limited"))
        case other:
            causes += checks.required_choice(other, _SPEC.child("type"), ("Exempt", "Limited"))
    return causes


def _validate_mandatory(name: str, spec: PriorityLevelConfigurationSpec) -> list[Cause]:
    fixed = MANDATORY.get(name)
    if fixed is None:
        return []
    if name == EXEMPT:
        detail = f"spec of '{name}' except the 'spec.exempt' field must equal the fixed value"
        differs = replace(spec, exempt=fixed.exempt) != fixed
    else:
        detail = f"spec of '{name}' must equal the fixed value"
        differs = spec != fixed
    return [fields.invalid(_SPEC, internalform.shown(spec), detail)] if differs else []


def _validate_limited(limited: LimitedPriorityLevelConfiguration, path: Path) -> list[Cause]:
    shares = limited.nominal_concurrency_shares
    causes: list[Cause] = []
    if shares is not None and shares < 0:
        causes.append(fields.invalid(path.child("nominalConcurrencyShares"), shares, _NOT_NEGATIVE))
    causes += _validate_response(limited.limit_response, path.child("limitResponse"))
    if limited.lendable_percent is not None:
        causes += checks.in_range(limited.lendable_percent, path.child("lendablePercent"), 0, 100)
    borrowing = limited.borrowing_limit_percent
    if borrowing is not None and borrowing < 0:
        where = path.child("borrowingLimitPercent")
        causes.append(fields.invalid(where, borrowing, f"if specified, {_NOT_NEGATIVE}"))
    return causes


def _validate_shares(exempt: ExemptPriorityLevelConfiguration, path: Path) -> list[Cause]:
    shares = exempt.nominal_concurrency_shares
    causes: list[Cause] = []
    if shares is not None and shares < 0:
        causes.append(fields.invalid(path.child("nominalConcurrencyShares"), shares, _NOT_NEGATIVE))
    if exempt.lendable_percent is not None:
        causes += checks.in_range(exempt.lendable_percent, path.child("lendablePercent"), 0, 100)
    return causes


def _validate_response(response: LimitResponse, path: Path) -> list[Cause]:
    queuing, where = response.queuing, path.child("queuing")
    if response.type == "Reject":
        detail = "must be nil if limited.limitResponse.type is not Limited"
        return [] if queuing is None else [fields.forbidden(where, detail)]
    if response.type == "Queue":
        detail = "must not be empty if limited.limitResponse.type is Limited"
        return [fields.required(where, detail)] if queuing is None else _validate_queuing(queuing, where)
    return checks.required_choice(response.type, path.child("type"), ("Queue", "Reject"))


def _validate_queuing(queuing: QueuingConfiguration, path: Path) -> list[Cause]:
    queues, hand = queuing.queues, queuing.hand_size
    causes: list[Cause] = []
    if queuing.queue_length_limit <= 0:
        causes.append(fields.invalid(path.child("queueLengthLimit"), queuing.queue_length_limit, "must be positive"))
    if queues <= 0:
        causes.append(fields.invalid(path.child("queues"), queues, "must be positive"))
    elif queues > MAX_QUEUES:
        causes.append(fields.invalid(path.child("queues"), queues, f"must not be greater than {MAX_QUEUES}"))
    where = path.child("handSize")
    if hand <= 0:
        causes.append(fields.invalid(where, hand, "must be positive"))
    elif hand > queues:
        causes.append(fields.invalid(where, hand, f"should not be greater than queues ({queues})"))
    elif math.ceil(math.log2(queues) * hand) > MAX_HASH_BITS:
        needed = f"required entropy bits of deckSize {queues} and handSize {hand}"
        causes.append(fields.invalid(where, hand, f"{needed} should not be greater than {MAX_HASH_BITS}"))
    return causes


PRIORITY_LEVEL_CONFIGURATION = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    status_keeps=METADATA,
)
