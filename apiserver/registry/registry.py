"""Every verb, once, for every kind: what both fronts call.

Here a request becomes typed (decoded, addressed, patched); `reading` answers from the cache, `writing` does the
compare-and-swap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace as changed_copy
from random import Random
from typing import Any

from msgspec.structs import replace

from apiserver.admission.chain import USUAL, Admission, AdmissionSettings
from apiserver.admission.lookup import Lookup
from apiserver.auth.tokens import Issuer, Tokens
from apiserver.registry import lifecycle, metadata, naming, owners, patches, reading, subresources, traces, versions
from apiserver.registry.components import Components
from apiserver.registry.evicting import Evictions
from apiserver.registry.issuing import TokenDesk
from apiserver.registry.reading import Reader
from apiserver.registry.requests import (
    EVERYTHING,
    PLAIN,
    DeleteOptions,
    Found,
    FoundList,
    PatchType,
    Selection,
    Subresource,
    Target,
    WatchOptions,
    WriteOptions,
    Written,
)
from apiserver.registry.reviews import ReviewDesk
from apiserver.registry.strategy import Strategy
from apiserver.registry.writing import Propose, Writer, complain
from apiserver.storage.interface import Store, Stored
from apiserver.watchcache.cache import WatchCache
from apiserver.watchcache.subscription import Subscription
from steersman.api import bodies, codec, errors
from steersman.api.authentication import TokenRequest
from steersman.api.autoscaling import Scale
from steersman.api.core import Binding, ComponentStatus, ServiceAccount
from steersman.api.errors import AlreadyExists, ApiError, BadRequest, MethodNotAllowed, NotFound, Subject
from steersman.api.kinds import Kind
from steersman.api.names import Revision
from steersman.base.clock import Clock

_ANYHOW = DeleteOptions()


class Registry:
    def __init__(
        self,
        store: Store,
        cache: WatchCache,
        strategies: Mapping[str, Strategy],
        clock: Clock,
        random: Random | None = None,
        admission: AdmissionSettings = USUAL,
        issuer: Issuer | None = None,
    ) -> None:
        """`strategies` by qualified resource: a kind without one is not served. Without `issuer` nobody gets tokens."""
        random = random or Random()
        self._strategies = strategies
        self._clock = clock
        self._reader = Reader(store, cache)
        self._writer = Writer(store, cache, strategies, clock, random, Admission(cache, random, admission))
        self._evictions = Evictions(self._writer, Lookup(cache), clock)
        self._components = Components(store, cache, clock)
        self._tokens = TokenDesk(issuer, Lookup(cache), clock) if issuer is not None else None
        self._reviews = ReviewDesk(Tokens(issuer, Lookup(cache), clock) if issuer is not None else None, clock)

    def serves(self, kind: Kind) -> bool:
        return (
            kind.qualified_resource in self._strategies
            or kind.struct is ComponentStatus
            or self._reviews.answers(kind.struct)
        )

    def _require(self, kind: Kind, verb: str, subresource: Subresource = Subresource.NONE) -> None:
        """NotFound for a kind that exists in Kubernetes but not here, MethodNotAllowed for what it cannot do."""
        if not self.serves(kind):
            raise NotFound("the server could not find the requested resource")
        if verb not in kind.verbs:
            raise MethodNotAllowed("the server does not allow this method on the requested resource")
        if subresource is not Subresource.NONE and subresource not in kind.subresources:
            raise MethodNotAllowed(f"{kind.subject.qualified_resource} has no subresource {subresource}")

    # -- reading

    async def get(self, target: Target, resource_version: str = "") -> Found:
        self._require(target.kind, "get")
        if target.kind.struct is ComponentStatus:
            return await self._components.get(target)
        return await self._reader.get(target, resource_version)

    async def list(self, target: Target, wanted: Selection = EVERYTHING) -> FoundList:
        self._require(target.kind, "list")
        if target.kind.struct is ComponentStatus:
            return await self._components.list(target, wanted)
        return await self._reader.list(target, wanted)

    async def watch(self, target: Target, options: WatchOptions) -> Subscription:
        """The caller closes the subscription."""
        self._require(target.kind, "watch")
        return await self._reader.watch(target, options)

    async def progress(self, subscription: Subscription, revision: Revision) -> None:
        await self._reader.progress(subscription, revision)

    # -- writing

    async def create(self, target: Target, body: bytes, options: WriteOptions = PLAIN) -> Written:
        self._require(target.kind, "create")
        decoded, warnings = _read(target, body, options)
        if self._reviews.answers(target.kind.struct):
            return await self._review(target, decoded, warnings, options)
        with _telling(warnings):
            new = versions.to_stored(target.kind, lifecycle.addressed(decoded, target))
            if new.metadata.resource_version not in ("", "0"):
                raise BadRequest("resourceVersion should not be set on objects to be created")
            written = await self._create(target, new, options)
        return _shown(target, written, warnings)

    async def _create(self, target: Target, new: Any, options: WriteOptions) -> Written:
        """A name of the user's own is tried once; a generated one that is taken is drawn again."""
        generated = not new.metadata.name and bool(new.metadata.generate_name)
        for _ in range(naming.ATTEMPTS - 1 if generated else 0):
            try:
                return await self._writer.create(target, new, options)
            except AlreadyExists:
                continue
        return await self._writer.create(target, new, options)

    async def _review(self, target: Target, asked: Any, warnings: Sequence[str], options: WriteOptions) -> Written:
        with _telling(warnings):
            answered = await self._reviews.answer(lifecycle.addressed(asked, target), options.caller)
        return Written(codec.encode(answered), Revision(0), created=True, warnings=tuple(warnings))

    async def update(
        self,
        target: Target,
        body: bytes,
        options: WriteOptions = PLAIN,
        subresource: Subresource = Subresource.NONE,
    ) -> Written:
        self._require(target.kind, "update", subresource)
        if subresource is Subresource.SCALE:
            scale, warnings = bodies.to_struct(Scale, body, options.content_type, options.field_validation)
            return _shown(target, await self._rescale(target, lambda _: scale, options), warnings)
        decoded, warnings = _read(target, body, options)
        with _telling(warnings):
            new = versions.to_stored(target.kind, lifecycle.addressed(decoded, target))
            written = await self._update(target, new, options, subresource)
        return _shown(target, written, warnings)

    async def _update(self, target: Target, new: Any, options: WriteOptions, subresource: Subresource) -> Written:
        def propose(_: Any) -> Any:
            if not target.kind.unconditional_update:
                _complain_of_unconditional(target, new)
            return new

        try:
            return await self._writer.replace(target, propose, options, subresource)
        except NotFound as missing:
            if subresource is not Subresource.NONE or not target.kind.create_on_update:
                raise
            lifecycle.check_missing(new.metadata, missing.revision, target)
            return await self._create(target, new, options)

    async def patch(
        self,
        target: Target,
        patch_type: PatchType,
        patch: bytes,
        options: WriteOptions = PLAIN,
        subresource: Subresource = Subresource.NONE,
    ) -> Written:
        self._require(target.kind, "patch", subresource)
        if subresource is Subresource.SCALE:
            apply = patches.prepare(patch_type, patch, Scale)
            return await self._rescale(
                target, lambda scale: codec.from_dict(Scale, apply(codec.to_dict(scale)))[0], options
            )
        apply = patches.prepare(patch_type, patch, target.kind.struct)
        warnings: list[str] = []

        def propose(present: Any) -> Any:
            patched = apply(codec.to_dict(versions.to_asked(target.kind, present)))
            new, found = codec.from_dict(target.kind.struct, patched, validation=options.field_validation)
            new, repeated = owners.once(new, owners.PATCHED)
            warnings[:] = [*found, *repeated]
            return versions.to_stored(target.kind, lifecycle.addressed(new, target))

        with _telling(warnings):
            written = await self._writer.replace(target, propose, options, subresource)
        return _shown(target, written, warnings)

    async def delete(self, target: Target, how: DeleteOptions = _ANYHOW, options: WriteOptions = PLAIN) -> Written:
        self._require(target.kind, "delete")
        warnings = self._writer.strategy(target.kind).warn_of_deletion(how.propagation)
        return _shown(target, await self._writer.remove(target, how, options), warnings)

    async def delete_collection(
        self, target: Target, wanted: Selection, how: DeleteOptions = _ANYHOW, options: WriteOptions = PLAIN
    ) -> FoundList:
        """Delete all that match, one by one; one that has gone meanwhile is none of our business."""
        self._require(target.kind, "deletecollection")
        listing = await self.list(target, reading.whole(wanted))
        for found in listing.items:
            meta = codec.load(target.kind.struct, found.json).metadata
            try:
                await self.delete(Target(target.kind, meta.namespace, meta.name), how, options)
            except NotFound:
                continue
        warnings = self._writer.strategy(target.kind).warn_of_deletion(how.propagation)
        return changed_copy(listing, warnings=tuple(warnings)) if warnings else listing

    # -- the small doors

    async def bind(self, target: Target, body: bytes, options: WriteOptions = PLAIN) -> Written:
        """Set a pod's node, once."""
        binding = bodies.to_struct(Binding, body, options.content_type, options.field_validation)[0]
        complain(target, target.name, subresources.validate_binding(binding))
        kind = target.kind

        def change(stored: Stored) -> bytes:
            pod = self._writer.decode(kind, stored.value)
            bound = subresources.bound(pod, binding, kind, stored.revision, self._clock.now())
            return traces.encoded(bound, stored.value)  # the user asks for nothing new: the generation stays

        return await self._writer.change(target, change, options)

    async def evict(self, target: Target, how: DeleteOptions = _ANYHOW, options: WriteOptions = PLAIN) -> Written:
        """Delete a pod on behalf of somebody who wants its node emptied, if its disruption budget allows."""
        return await self._evictions.evict(target, how, options)

    async def issue_token(self, target: Target, body: bytes, options: WriteOptions = PLAIN) -> Written:
        """A token of the service account that is the target: a TokenRequest in, the same with a status out."""
        if self._tokens is None or target.kind.struct is not ServiceAccount:
            raise NotFound("the server could not find the requested resource")
        request, warnings = bodies.to_struct(TokenRequest, body, options.content_type, options.field_validation)
        with _telling(warnings):
            issued = await self._tokens.issue(target, request)
        return Written(codec.encode(issued), Revision(0), created=True, warnings=tuple(warnings))

    async def scale(
        self, target: Target, replicas: int | None, resource_version: str = "", options: WriteOptions = PLAIN
    ) -> Written:
        """Set the number of replicas; None: only say how things stand."""
        self._require(target.kind, "update", Subresource.SCALE)
        if replicas is None:
            found = await self.get(target)
            workload = codec.load(target.kind.struct, found.json)
            return Written(codec.encode(subresources.scale_of(workload, found.revision)), found.revision)

        def propose(present: Scale) -> Scale:
            meta = replace(present.metadata, resource_version=resource_version)
            return replace(present, metadata=meta, spec=replace(present.spec, replicas=replicas))

        return await self._rescale(target, propose, options)

    async def _rescale(self, target: Target, propose: Propose, options: WriteOptions) -> Written:
        """Replace the workload by itself with the proposed Scale's number of replicas; the answer is a Scale."""

        def rescaled(present: Any) -> Any:
            revision = Revision(int(present.metadata.resource_version))
            scale: Scale = propose(subresources.scale_of(present, revision))
            complain(target, target.name, subresources.validate_replicas(scale.spec.replicas))
            said = scale.metadata
            lifecycle.check_addressed(said, target)
            meta = replace(present.metadata, resource_version=said.resource_version, uid=said.uid)
            return replace(subresources.scaled(present, scale.spec.replicas), metadata=meta)

        written = await self._writer.replace(target, rescaled, options)
        workload = codec.load(target.kind.struct, written.json)
        return changed_copy(written, json=codec.encode(subresources.scale_of(workload, written.revision)))


def _read(target: Target, body: bytes, options: WriteOptions) -> tuple[Any, list[str]]:
    """What was sent, and what to tell about it."""
    decoded, warnings = bodies.to_struct(target.kind.struct, body, options.content_type, options.field_validation)
    decoded, repeated = owners.once(decoded, owners.SENT)
    return decoded, [*warnings, *repeated]


def _complain_of_unconditional(target: Target, new: Any) -> None:
    causes = metadata.validate_conditional(new.metadata)
    if causes:
        # Of this one rule Kubernetes speaks in the name of the resource, not of the kind.
        subject = target.kind.subject
        raise errors.invalid(Subject(subject.group, subject.resource, subject.resource), target.name, causes)


def _shown(target: Target, written: Written, warnings: Sequence[str] = ()) -> Written:
    """What a write left behind, in the version that was asked for."""
    if target.kind.stored_as:
        written = changed_copy(written, json=versions.shown(target.kind, written.json))
    if not warnings:
        return written
    return changed_copy(written, warnings=tuple(dict.fromkeys((*warnings, *written.warnings))))


@contextmanager
def _telling(warnings: Sequence[str]) -> Iterator[None]:
    """Whatever is refused inside, the warnings so far go with the refusal."""
    try:
        yield
    except ApiError as error:
        error.warnings = tuple(warnings)
        raise
