"""Evictions: ask the budget, note the eviction in it, say on the pod why it ends, delete it."""

from __future__ import annotations

from dataclasses import replace as changed_copy
from typing import Final

from apiserver.admission.lookup import Lookup
from apiserver.registry import deletion, eviction
from apiserver.registry.requests import DeleteOptions, Subresource, Target, WriteOptions, Written
from apiserver.registry.writing import Writer
from apiserver.storage.interface import Stored
from steersman.api import codec, errors, kinds
from steersman.api.core import Pod
from steersman.api.errors import Conflict
from steersman.api.policy import PodDisruptionBudget
from steersman.base.clock import Clock

_BUDGETS: Final = next(kind for kind in kinds.ALL if kind.struct is PodDisruptionBudget)


class Evictions:
    def __init__(self, writer: Writer, lookup: Lookup, clock: Clock) -> None:
        self._writer = writer
        self._lookup = lookup
        self._clock = clock

    async def evict(self, target: Target, how: DeleteOptions, options: WriteOptions) -> Written:
        await self._lookup.fresh()
        pod = self._lookup.peek(Pod, target.name, target.namespace)
        if pod is None:
            raise errors.not_found(target.kind.subject, target.name)
        if eviction.needs_no_leave(pod):
            return await self._delete(target, how, options)
        budget = eviction.covering(pod, self._lookup.cached(PodDisruptionBudget))
        if budget is None:
            return await self._delete(target, how, options)
        if not eviction.is_free(pod, budget):
            await self._spend(Target(_BUDGETS, target.namespace, budget.metadata.name), target.name, options)
            return await self._delete(target, how, options)
        # What was decided of this pod holds only as long as it stays unready.
        revision = self._lookup.revision_of(Pod, target.name, target.namespace)
        careful = changed_copy(how, resource_version=how.resource_version or str(revision))
        try:
            return await self._delete(target, careful, options)
        except Conflict as error:
            if how.resource_version:
                raise
            raise eviction.still_processed(budget.metadata.name) from error

    async def _spend(self, budget: Target, pod_name: str, options: WriteOptions) -> None:
        def spend(present: PodDisruptionBudget) -> PodDisruptionBudget:
            return eviction.spent(present, pod_name, _BUDGETS, self._clock.now())

        await self._writer.replace(budget, spend, options, Subresource.STATUS)

    async def _delete(self, target: Target, how: DeleteOptions, options: WriteOptions) -> Written:
        def note(stored: Stored) -> bytes:
            pod = self._writer.decode(target.kind, stored.value)
            deletion.check(pod, stored.revision, target, how)
            return codec.encode(eviction.targeted(pod, self._clock.now()))

        if not options.dry_run:
            noted = await self._writer.change(target, note, options)
            if how.resource_version:
                how = changed_copy(how, resource_version=str(noted.revision))
        return await self._writer.remove(target, how, options)
