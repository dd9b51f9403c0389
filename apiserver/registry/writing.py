"""Create, replace and remove typed objects: each one compare-and-swap in the store.

A write may *start* from the cached object but never *ends* on it: a refusal, "nothing changed" and NotFound are said
only about the key as the store itself has just confirmed it (the store's `hint` rule).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as changed_copy
from datetime import datetime
from random import Random
from typing import Any

from msgspec.structs import replace

from apiserver.admission import namespaces
from apiserver.admission.chain import Admission
from apiserver.registry import deletion, doors, fencing, lifecycle, metadata, naming, traces
from apiserver.registry.claiming import Claimant
from apiserver.registry.requests import DeleteOptions, Subresource, Target, WriteOptions, Written
from apiserver.registry.strategy import Strategy
from apiserver.storage.interface import Change, ClaimTaken, Expect, GuardFailed, Put, Store, Stored
from apiserver.watchcache.cache import WatchCache
from steersman.api import codec, errors
from steersman.api.errors import AlreadyExists, Cause, Conflict, Deposed, NotFound, RequestTooLarge, TooManyRequests
from steersman.api.kinds import Kind
from steersman.api.names import Uid
from steersman.base.clock import Clock

ATTEMPTS = 20
"""How often a write starts over when the object, or its namespace, changes under it."""

MAX_OBJECT_BYTES = 1_500_000
"""What etcd takes in one request by default, less what surrounds the object there."""

Propose = Callable[[Any], Any]
"""From the present object to the wanted one. Pure; may run again after a lost race."""


class _Released(Exception):
    """Nothing holds the object any longer: it is to be removed, not stored. `last` is what is shown of it."""

    def __init__(self, present: Stored, last: Any) -> None:
        super().__init__(present.key)
        self.present = present
        self.last = codec.encode(last)


class Writer:
    def __init__(
        self,
        store: Store,
        cache: WatchCache,
        strategies: Mapping[str, Strategy],
        clock: Clock,
        random: Random,
        admission: Admission,
    ) -> None:
        self._store = store
        self._admission = admission
        self._cache = cache
        self._strategies = strategies
        self._clock = clock
        self._random = random

    def strategy(self, kind: Kind) -> Strategy:
        return self._strategies[kind.qualified_resource]

    async def create(self, target: Target, new: Any, options: WriteOptions) -> Written:
        """AlreadyExists even for a generated name: the caller draws another."""
        fencing.check(target, options)
        kind, strategy = target.kind, self.strategy(target.kind)
        meta = new.metadata
        name = naming.generate(meta.generate_name, self._random) if meta.generate_name and not meta.name else meta.name
        made = lifecycle.born(new, kind, name=name, uid=Uid(str(uuid.uuid4())), now=self._clock.now())
        if not strategy.keeps_status_on_create:
            made = lifecycle.without_status(made, kind)
        made = strategy.stamp(strategy.made_by(strategy.default(made), options.caller), None, self._clock.now())
        if kind.namespaced:  # before all other complaints; the guard that counts is taken with the write
            await namespaces.admit(self._cache, target.namespace, kind.subject, name)
        made = traces.left_on_new(await self._admission.admit(made))
        claimant = self._claimant(kind)
        for _ in range(ATTEMPTS):
            whole = claimant.allocate(made)
            complain(target, name, _faults_of_new(whole, kind, strategy))
            claimant.check(whole)
            warnings = tuple(dict.fromkeys(strategy.warn(whole, None)))
            try:
                if options.dry_run:
                    await claimant.rehearse(self._store, whole)
                    return await self._dry_create(target, whole, warnings)
                return await self._create(target, whole, options, claimant, warnings)
            except ClaimTaken as taken:
                await claimant.learn(taken, self._store)
        raise TooManyRequests(f"others keep taking what {kind.subject.resource} {errors.quoted(name)} is to have")

    async def _create(
        self, target: Target, made: Any, options: WriteOptions, claimant: Claimant, warnings: tuple[str, ...]
    ) -> Written:
        """ClaimTaken when another object has what this one is to have."""
        kind, name = target.kind, made.metadata.name
        value = _sized(codec.encode(made))
        named = Target(kind, target.namespace, name)
        guards = options.guards
        also = _companions(named, made, None, claimant, self._clock.now())
        for _ in range(ATTEMPTS):
            if kind.namespaced:
                guards = (*options.guards, await namespaces.admit(self._cache, target.namespace, kind.subject, name))
            try:
                stored = await self._store.create(named.key, value, given=guards, also=also)
                body = codec.with_revision(value, stored.revision)
                return Written(body, stored.revision, created=True, uid=made.metadata.uid, warnings=warnings)
            except ClaimTaken:
                raise
            except AlreadyExists as error:
                raise errors.already_exists(kind.subject, name, error.revision) from error
            except GuardFailed as failed:
                _raise_if_deposed(failed, options)
                await self._cache.fresh()  # the namespace has changed: judge it as it is now
        raise TooManyRequests(f"namespace {errors.quoted(target.namespace)} keeps changing")

    async def _dry_create(self, target: Target, made: Any, warnings: tuple[str, ...]) -> Written:
        kind, name = target.kind, made.metadata.name
        await self._cache.fresh()
        if self._cache.collection(target.collection).get(Target(kind, target.namespace, name).key) is not None:
            raise errors.already_exists(kind.subject, name, self._cache.revision)
        value = _sized(codec.encode(made))
        return Written(value, self._cache.revision, created=True, uid=made.metadata.uid, warnings=warnings)

    async def replace(
        self, target: Target, propose: Propose, options: WriteOptions, subresource: Subresource = Subresource.NONE
    ) -> Written:
        """`propose` sees the present object with its resourceVersion. Conflict unless the proposal was made from it."""
        kind, strategy = target.kind, self.strategy(target.kind)
        claimant = self._claimant(kind)
        guards = doors.Guards(self._admission.admit_update, claimant.allocate)
        warnings: list[str] = []

        def change(stored: Stored) -> bytes:
            present = self.decode(kind, stored.value)
            seen = replace(present, metadata=replace(present.metadata, resource_version=str(stored.revision)))
            new = traces.as_present(propose(seen), present)
            lifecycle.check_preconditions(new.metadata, present.metadata, stored.revision, target)
            result, causes = doors.step(subresource, new, present, kind, strategy, guards, self._clock.now())
            complain(target, target.name, causes)
            claimant.check(result, present)
            warnings[:] = doors.warnings(subresource, result, present, strategy)
            if deletion.is_released(result):
                raise _Released(stored, result)
            if subresource is Subresource.STATUS:
                return _sized(codec.encode(result))
            return _sized(traces.encoded(result, stored.value))

        written = await self._write(target, change, options, claimant)
        return changed_copy(written, warnings=tuple(warnings)) if warnings else written

    async def remove(self, target: Target, how: DeleteOptions, options: WriteOptions) -> Written:
        strategy = self.strategy(target.kind)

        def change(stored: Stored) -> bytes:
            present = self.decode(target.kind, stored.value)
            deletion.check(present, stored.revision, target, how)
            match deletion.decide(present, how, self._clock.now(), orphans=strategy.orphans):
                case deletion.Mark(marked):
                    return traces.encoded(marked, stored.value)
                case deletion.Remove(last):
                    raise _Released(stored, last)

        return await self._write(target, change, options, self._claimant(target.kind))

    async def change(self, target: Target, change: Change, options: WriteOptions) -> Written:
        """A write that knows what it does: no defaults, no validation."""
        return await self._write(target, change, options, self._claimant(target.kind))

    async def _write(self, target: Target, change: Change, options: WriteOptions, claimant: Claimant) -> Written:
        fencing.check(target, options)
        is_alone = claimant.is_idle and not fencing.is_fenced(target)

        def companions(stored: Stored, value: bytes) -> Sequence[Put]:
            if is_alone:
                return ()
            new, old = self.decode(target.kind, value), self.decode(target.kind, stored.value)
            return _companions(target, new, old, claimant, self._clock.now())

        item = self._cache.collection(target.collection).get(target.key)
        hint = Stored(item.key, item.value, item.revision) if item is not None else None
        try:
            if options.dry_run:
                return await self._dry_write(target, change, claimant)
            for _ in range(ATTEMPTS):
                try:
                    stored = await self._store.update(
                        target.key, change, hint=hint, given=options.guards, also=companions
                    )
                    return Written(codec.with_revision(stored.value, stored.revision), stored.revision)
                except ClaimTaken as taken:
                    await claimant.learn(taken, self._store)
                    continue
                except _Released as released:
                    present, last, hint = released.present, released.last, None
                try:
                    expect = Expect(present.revision)
                    old = self.decode(target.kind, present.value)
                    also = _companions(target, None, old, claimant, self._clock.now())
                    revision = await self._store.delete(target.key, expect, given=options.guards, also=also)
                except Conflict:
                    continue  # it changed in between: look again whether anything holds it
                return Written(codec.with_revision(last, revision), revision, gone=True)
        except NotFound as error:
            raise errors.not_found(target.kind.subject, target.name, error.revision) from error
        except GuardFailed as failed:
            _raise_if_deposed(failed, options)
            raise
        raise TooManyRequests(f"{target.kind.subject.qualified_resource} {errors.quoted(target.name)} keeps changing")

    async def _dry_write(self, target: Target, change: Change, claimant: Claimant) -> Written:
        stored = await self._store.get(target.key)
        try:
            value = change(stored)
        except _Released as released:
            return Written(codec.with_revision(released.last, stored.revision), stored.revision, gone=True)
        if not claimant.is_idle:
            new, old = self.decode(target.kind, value), self.decode(target.kind, stored.value)
            await claimant.rehearse(self._store, new, old)
        return Written(codec.with_revision(value, stored.revision), stored.revision)

    def _claimant(self, kind: Kind) -> Claimant:
        return Claimant(self.strategy(kind).claiming, self._random)

    @staticmethod
    def decode(kind: Kind, value: bytes) -> Any:
        return codec.load(kind.storage.struct, value)


def _companions(target: Target, new: Any, old: Any, claimant: Claimant, now: datetime) -> Sequence[Put]:
    """What is written together with the step of an object from `old` to `new` (None: it is not there)."""
    claims = claimant.exchange(new, old, owner=target.key, now=now)
    return [*claims, *fencing.puts(target, new, old)] if fencing.is_fenced(target) else claims


def _sized(value: bytes) -> bytes:
    if len(value) > MAX_OBJECT_BYTES:
        raise RequestTooLarge(f"Request entity too large: limit is {MAX_OBJECT_BYTES}")
    return value


def _faults_of_new(made: Any, kind: Kind, strategy: Strategy) -> Sequence[Cause]:
    return [
        *metadata.validate(made.metadata, namespaced=kind.namespaced, name_rule=strategy.name_rule),
        *strategy.validate(made),
        *strategy.validate_create(made),
    ]


def complain(target: Target, name: str, causes: Sequence[Cause]) -> None:
    if causes:
        raise errors.invalid(target.kind.subject, name, causes)


def _raise_if_deposed(failed: GuardFailed, options: WriteOptions) -> None:
    """Deposed, naming the Lease, if it was the leader's own guard that failed."""
    term = options.term
    if term is not None and failed.guard == term.guard:
        message = f"the term {term.token} of lease {term.namespace}/{term.lease} has ended"
        details = errors.Details(name=term.lease, group="coordination.k8s.io", kind="leases")
        raise Deposed(message, details=details, revision=failed.revision) from failed
