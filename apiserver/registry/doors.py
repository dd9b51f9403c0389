"""The doors through which a stored object may be changed, and what each of them lets through. Pure.

The main door takes everything but status, the status door takes status alone, and a few kinds have doors of their own.
Whoever comes through gets the object to store and the complaints about the step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from apiserver.registry import certificatesigningrequest as requests
from apiserver.registry import lifecycle, looks, namespace, pod, subresources
from apiserver.registry.metadata import Findings
from apiserver.registry.requests import Subresource
from apiserver.registry.strategy import Strategy
from steersman.api.errors import Cause
from steersman.api.kinds import Kind

Step = Callable[[Any, Any], Any]
"""From (new, present) to new: something that changes an object on its way in."""

Passage = tuple[Any, Sequence[Cause]]


@dataclass(frozen=True, slots=True)
class Guards:
    """What stands at the main door beside the kind's own strategy."""

    admit: Step
    allocate: Step
    """Gives an object what it is to have of what only one may have."""


def step(
    door: Subresource, new: Any, present: Any, kind: Kind, strategy: Strategy, guards: Guards, now: datetime
) -> Passage:
    """The object to store in place of `present`, and the complaints about it."""
    later: Sequence[Cause] = ()
    match door:
        case Subresource.STATUS:
            result, causes = _status(new, present, strategy, now)
        case Subresource.FINALIZE:
            result = strategy.default(subresources.finalized(lifecycle.updated(new, present, kind), present))
            causes = namespace.validate_finalize(result, present)
        case Subresource.APPROVAL:
            result = requests.approved(new, present, now)
            causes = requests.validate_approval(result, present)
        case Subresource.EPHEMERAL_CONTAINERS:
            whole = pod.prepare_ephemeral_containers_update(lifecycle.updated(new, present, kind), present)
            result = lifecycle.counted(strategy.default(whole), present, kind)
            causes = pod.validate_ephemeral_containers_update(result, present)
        case Subresource.RESIZE:
            sized = pod.prepare_resize(strategy.default(lifecycle.updated(new, present, kind)), present)
            result = lifecycle.counted(sized, present, kind)
            causes = pod.validate_resize(result, present)
        case _:
            defaulted = strategy.default(lifecycle.updated(new, present, kind))
            admitted = guards.admit(strategy.prepare_update(defaulted, present), present)
            result = lifecycle.counted(guards.allocate(admitted, present), present, kind)
            causes, later = strategy.validate(result), strategy.validate_update(result, present)
    found, own = Findings.of(result.metadata, present.metadata), looks.of(kind, door)
    return result, [*found.of_every_kind(), *found.own(*own.first), *causes, *found.own(*own.then), *later]


def warnings(door: Subresource, result: Any, present: Any, strategy: Strategy) -> Sequence[str]:
    """What to tell whoever came through, each text once."""
    match door:
        case Subresource.NONE:
            return tuple(dict.fromkeys(strategy.warn(result, present)))
        case Subresource.STATUS:
            return tuple(strategy.warn_of_status(result))
        case _:
            return ()


def _status(new: Any, present: Any, strategy: Strategy, now: datetime) -> Passage:
    """Defaults see the object as a whole, but only what they say about status counts here."""
    reported = lifecycle.with_status_of(new, present, strategy.status_keeps)
    reported = replace(reported, status=strategy.default(reported).status)
    result = strategy.stamp(strategy.prepare_status_update(reported, present), present, now)
    if strategy.validate_status_update is not None:
        return result, strategy.validate_status_update(result, present)
    return result, [*strategy.validate(result), *strategy.validate_update(result, present)]
