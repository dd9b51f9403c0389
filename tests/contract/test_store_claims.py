"""Claims: a key that must be absent, written with another, and named when it is not."""

from __future__ import annotations

import asyncio

import pytest

from apiserver.storage.interface import ClaimTaken, Put, Store, Stored
from steersman.api.errors import AlreadyExists, NotFound


def claim(key: str) -> Put:
    return Put(key, b"mine", absent=True)


async def test_a_claim_that_is_taken_is_named_and_nothing_is_written(store: Store, prefix: str) -> None:
    await store.create(f"{prefix}a", b"", also=[claim(f"{prefix}claims/1")])
    with pytest.raises(ClaimTaken) as refused:
        await store.create(f"{prefix}b", b"", also=[claim(f"{prefix}claims/2"), claim(f"{prefix}claims/1")])
    assert refused.value.key == f"{prefix}claims/1"
    for key in (f"{prefix}b", f"{prefix}claims/2"):
        with pytest.raises(NotFound):
            await store.get(key)


async def test_an_update_may_exchange_claims(store: Store, prefix: str) -> None:
    await store.create(f"{prefix}a", b"", also=[claim(f"{prefix}claims/1")])
    exchange = [claim(f"{prefix}claims/2"), Put(f"{prefix}claims/1", None)]
    await store.update(f"{prefix}a", lambda _: b"x", also=exchange)
    await store.create(f"{prefix}b", b"", also=[claim(f"{prefix}claims/1")])
    with pytest.raises(ClaimTaken) as refused:
        await store.update(f"{prefix}b", lambda _: b"x", also=[claim(f"{prefix}claims/2")])
    assert refused.value.key == f"{prefix}claims/2"


async def test_of_many_who_claim_the_same_one_gets_it(store: Store, prefix: str) -> None:
    attempts = [store.create(f"{prefix}{number}", b"", also=[claim(f"{prefix}claims/1")]) for number in range(8)]
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    assert sum(isinstance(outcome, ClaimTaken) for outcome in outcomes) == 7


async def test_a_key_that_exists_is_said_before_a_claim_that_is_taken(store: Store, prefix: str) -> None:
    """Whoever creates a thing twice, claims and all, learns that it exists."""
    claims = [claim(f"{prefix}claims/1")]
    await store.create(f"{prefix}a", b"", also=claims)
    with pytest.raises(AlreadyExists) as refused:
        await store.create(f"{prefix}a", b"", also=claims)
    assert not isinstance(refused.value, ClaimTaken)


async def test_an_update_made_from_an_old_copy_decides_again_before_it_claims(store: Store, prefix: str) -> None:
    old = await store.create(f"{prefix}a", b"old")
    taken = claim(f"{prefix}claims/1")
    await store.update(old.key, lambda _: b"new", also=[taken])

    def exchange(present: Stored, _: bytes) -> list[Put]:
        return [taken] if present.value == b"old" else []

    updated = await store.update(old.key, lambda present: present.value + b"er", hint=old, also=exchange)
    assert updated.value == b"newer"
