"""Claims and the objects that hold them, compared now and then: leaks are freed, missing claims are put.

Object and claim are written in one transaction, so neither should ever happen; it takes a store restored from parts, or
somebody's own hand in it. Claims and objects are read at one revision, and an object's claims are put only while it is
at that revision. A claim that nobody holds stays so until it is deleted (whoever wants it finds it taken), so deleting
it at the revision that was read is safe. Any number of API servers may therefore do this at the same time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from apiserver.registry.claiming import NOTHING, Claim, Claiming, Occasion
from apiserver.registry.strategy import Strategy
from apiserver.storage import keys
from apiserver.storage.interface import Expect, Guard, GuardFailed, Page, Store, Stored
from steersman.api import codec, kinds
from steersman.api.errors import AlreadyExists, ApiError, Conflict, NotFound
from steersman.api.kinds import Kind
from steersman.api.names import Revision
from steersman.base.clock import Clock

log = structlog.get_logger(__name__)

INTERVAL_SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class Missing:
    """A claim that an object should hold."""

    key: str
    owner: Stored


@dataclass(frozen=True, slots=True)
class Contested:
    """A claim that several objects live on. Which of them is to move is not for us to say."""

    key: str
    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    leaked: tuple[Stored, ...] = ()
    missing: tuple[Missing, ...] = ()
    contested: tuple[Contested, ...] = ()


def compare(claims: Iterable[Stored], wanted: Iterable[tuple[str, Stored]]) -> Findings:
    """What is wrong, given the claims that stand and every (claim, object) pair that should."""
    owners: dict[str, list[Stored]] = {}
    for key, owner in wanted:
        owners.setdefault(key, []).append(owner)
    standing = {claim.key: claim for claim in claims}
    return Findings(
        leaked=tuple(claim for key, claim in standing.items() if key not in owners),
        missing=tuple(Missing(key, who[0]) for key, who in owners.items() if key not in standing),
        contested=tuple(
            Contested(key, tuple(owner.key for owner in who)) for key, who in owners.items() if len(who) > 1
        ),
    )


async def repair_periodically(
    store: Store,
    strategies: Mapping[str, Strategy],
    clock: Clock,
    *,
    interval_seconds: float = INTERVAL_SECONDS,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Run for ever. A round that fails is logged, and made up for by the next."""
    while True:
        try:
            await repair_once(store, strategies, clock.now())
        except ApiError as error:
            log.warning("repair of claims is put off", reason=error.reason, error=error.message)
        await sleep(interval_seconds)


async def repair_once(store: Store, strategies: Mapping[str, Strategy], now: datetime) -> Findings:
    """One round. Returns what was found, all of which has been repaired but what is contested."""
    claiming = _claiming_kinds(strategies)
    hidden = await store.list(keys.CLAIMS)
    standing = [*hidden.items, *await _in_the_open(store, claiming, hidden.revision)]
    wanted = await _wanted(store, claiming, hidden.revision)
    findings = compare(standing, [(claim.key, owner) for claim, owner in wanted])
    for leak in findings.leaked:
        await _free(store, leak)
    records = {(claim.key, owner.key): claim.record for claim, owner in wanted}
    for missing in findings.missing:
        occasion = Occasion.of(missing.owner.key, now)
        await _put(store, missing, records[missing.key, missing.owner.key](occasion))
    for contested in findings.contested:
        log.error("claim is held by several objects", claim=contested.key, objects=contested.owners)
    return findings


def _claiming_kinds(strategies: Mapping[str, Strategy]) -> list[tuple[Kind, Claiming]]:
    return [
        (kind, strategies[kind.qualified_resource].claiming)
        for kind in kinds.ALL
        if kind.qualified_resource in strategies and strategies[kind.qualified_resource].claiming is not NOTHING
    ]


async def _in_the_open(store: Store, claiming: Sequence[tuple[Kind, Claiming]], revision: Revision) -> list[Stored]:
    """Claims that are objects."""
    found: list[Stored] = []
    for pool in (pool for _, how in claiming for pool in how.pools if pool.place):
        listing = await store.list(pool.place, Page(revision=revision))
        found += [each for each in listing.items if pool.is_claim(each.value)]
    return found


async def _wanted(
    store: Store, claiming: Sequence[tuple[Kind, Claiming]], revision: Revision
) -> list[tuple[Claim, Stored]]:
    wanted: list[tuple[Claim, Stored]] = []
    for kind, how in claiming:
        listing = await store.list(keys.collection(kind.qualified_resource), Page(revision=revision))
        for owner in listing.items:
            held = {claim.key: claim for claim in how.claims(codec.load(kind.struct, owner.value))}
            wanted += [(held[key], owner) for key in sorted(held)]
    return wanted


async def _free(store: Store, claim: Stored) -> None:
    try:
        await store.delete(claim.key, Expect(claim.revision))
    except (NotFound, Conflict):
        return  # another API server was quicker
    log.warning("leaked claim freed", claim=claim.key, claimed_by=claim.value.decode(errors="replace"))


async def _put(store: Store, missing: Missing, value: bytes) -> None:
    owner = missing.owner
    try:
        await store.create(missing.key, value, given=[Guard(owner.key, owner.revision)])
    except (AlreadyExists, GuardFailed):
        return  # another API server was quicker, or the object has changed: the next round will tell
    log.warning("missing claim put", claim=missing.key, owner=owner.key)
