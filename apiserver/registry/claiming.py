"""What only one object of the cluster may have: members of pools, such as the addresses and ports of services.

A claim is a key of its own, put with "must be absent" in the same transaction as the object and deleted in the same
transaction as the object's last use of it. So there is no moment at which an object stands without its claims or a
claim without its object, however many API servers allocate at once and whichever of them dies.

What the user left open is picked at random, blindly at first: in a pool that is mostly free a collision is rarer than a
read is cheap. A pick that turns out to be taken is followed by another; after a few of those, the pool is read.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

from apiserver.storage import keys
from apiserver.storage.interface import ClaimTaken, Put, Store
from steersman.api.errors import ApiError, NotFound
from steersman.api.names import Uid

BLIND_PICKS = 3
"""Collisions before the pool is read: by then it is probably not mostly free."""


@dataclass(frozen=True, slots=True)
class Pool:
    """A range of numbers, each of which one object may have.

    The first `reserved` of them are left to users who choose for themselves, and picked only when nothing else is free.
    """

    name: str
    members: range
    reserved: int
    text: Callable[[int], str] = str
    taken: str = "already allocated"
    outside: str = "not in the valid range"
    place: str = ""
    """The prefix of the claims' keys, where they do not stand with those of other pools."""
    is_claim: Callable[[bytes], bool] = lambda _value: True
    """Whether what stands under a member's key is a claim. Anything else that stands there takes the member too."""

    @property
    def prefix(self) -> str:
        return self.place or keys.claims_of(self.name)

    def key(self, member: int) -> str:
        return self.prefix + self.text(member)


@dataclass(frozen=True, slots=True)
class Occasion:
    """The write that puts a claim: the key of the object it is for, when, and a uid for a claim that is an object."""

    owner: str
    now: datetime
    uid: Uid

    @classmethod
    def of(cls, owner: str, now: datetime) -> Occasion:
        return cls(owner, now, Uid(str(uuid.uuid4())))


Record = Callable[[Occasion], bytes]
"""Makes what stands under the key of a claim."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One member of a pool that an object occupies; `refuse` says to whoever asked for it why they cannot have it."""

    pool: Pool
    member: int
    refuse: Callable[[str], ApiError]
    record: Record = lambda occasion: occasion.owner.encode()

    @property
    def key(self) -> str:
        return self.pool.key(self.member)


class PoolFull(Exception):
    """Every member is taken."""


class Picks:
    """Free members of pools, chosen at random; what is known to be taken is avoided."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._taken: set[str] = set()
        self._mine: set[str] = set()

    def choose(self, pool: Pool, *, besides: Collection[int] = ()) -> int:
        """A member, other than those `besides`. PoolFull when there is none."""
        first, later = pool.members[pool.reserved :], pool.members[: pool.reserved]
        for members in (first, later):
            for member in _shuffled(members, self._random):
                key = pool.key(member)
                if member not in besides and key not in self._taken and key not in self._mine:
                    self._mine.add(key)
                    return member
        raise PoolFull

    def has(self, key: str) -> bool:
        """Whether it was we who chose it."""
        return key in self._mine

    def avoid(self, key: str) -> None:
        """Start over without this one."""
        self._mine.clear()
        self._taken.add(key)

    def avoid_all(self, pool: Pool, taken: Iterable[str]) -> None:
        """Start over, knowing all that is taken of a pool."""
        self._mine.clear()
        self._taken = {key for key in self._taken if not key.startswith(pool.prefix)}
        self._taken.update(taken)


def _shuffled(members: range, random: Random) -> Iterable[int]:
    """All members once, from a random one on: no list of a million addresses to find one."""
    if not members:
        return
    start = random.randrange(len(members))
    yield from members[start:]
    yield from members[:start]


@dataclass(frozen=True, slots=True)
class Claiming:
    """How the objects of a kind claim; both functions are pure but for the picks.

    `allocate(new, old, picks)` fills in what the user left open (`old` None: at creation) and may raise an ApiError.
    """

    claims: Callable[[Any], Sequence[Claim]]
    allocate: Callable[[Any, Any, Picks], Any]
    pools: tuple[Pool, ...] = ()


NOTHING = Claiming(claims=lambda _: (), allocate=lambda new, _old, _picks: new)
"""How most kinds claim."""


class Claimant:
    """One write, on its way to the claims that it needs."""

    def __init__(self, how: Claiming, random: Random) -> None:
        self._how = how
        self._picks = Picks(random)
        self._wanted: dict[str, Claim] = {}
        self._collisions = 0

    @property
    def is_idle(self) -> bool:
        """Whether objects of this kind claim nothing."""
        return self._how is NOTHING

    def allocate(self, new: Any, old: Any = None) -> Any:
        """The object with everything that it needs; what is picked may still turn out to be taken."""
        return self._how.allocate(new, old, self._picks)

    def check(self, new: Any, old: Any = None) -> None:
        """Raise when the user chose what is not in the pool at all."""
        for claim in self._gained(new, old).values():
            if claim.member not in claim.pool.members:
                raise claim.refuse(claim.pool.outside)

    def exchange(self, new: Any, old: Any = None, *, owner: str, now: datetime) -> list[Put]:
        """The puts that go with the step from `old` to `new` (None: the object is not there); `owner` is its key."""
        self._wanted = self._gained(new, old)
        kept = self._claims_of(new)
        gained = [Put(key, claim.record(Occasion.of(owner, now)), absent=True) for key, claim in self._wanted.items()]
        return gained + [Put(key, None) for key in self._claims_of(old) if key not in kept]

    async def rehearse(self, store: Store, new: Any, old: Any = None) -> None:
        """Raise what the write would, without writing."""
        for key, claim in self._gained(new, old).items():
            if self._picks.has(key):
                continue
            try:
                await store.get(key)
            except NotFound:
                continue
            raise claim.refuse(claim.pool.taken)

    async def learn(self, taken: ClaimTaken, store: Store) -> None:
        """After a refusal: the user's own choice is refused for good, ours is made again with better knowledge."""
        claim = self._wanted.get(taken.key)
        if claim is None:
            raise taken
        if not self._picks.has(taken.key):
            raise claim.refuse(claim.pool.taken) from taken
        self._collisions += 1
        if self._collisions < BLIND_PICKS:
            self._picks.avoid(taken.key)
        else:
            listing = await store.list(claim.pool.prefix)
            self._picks.avoid_all(claim.pool, (stored.key for stored in listing.items))

    def _gained(self, new: Any, old: Any) -> dict[str, Claim]:
        held = self._claims_of(old)
        return {key: claim for key, claim in self._claims_of(new).items() if key not in held}

    def _claims_of(self, obj: Any) -> dict[str, Claim]:
        return {claim.key: claim for claim in self._how.claims(obj)} if obj is not None else {}
