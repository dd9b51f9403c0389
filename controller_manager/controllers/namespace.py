"""Empty a namespace that is being deleted, and let it go when nothing is left in it.

Reads Namespaces, and the sketches of what is in them. Writes namespace status, deletes the content of every namespaced
kind that discovery lists, and takes the finalizer `kubernetes` off. Pods go first, and the rest waits for them: what
they need to end in good order is to stay until they have. Whatever blocks the way is named in the conditions.

Nothing can be created in a namespace that is marked: the server sees to that in the creation's own transaction. So
what is found empty stays empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from msgspec.structs import replace

from controller_manager import sketches
from controller_manager.sketches import Sketch
from steersman.api import times
from steersman.api.core import Namespace, NamespaceCondition, NamespaceStatus
from steersman.api.errors import ApiError, Deposed, NotFound, Timeout, Unavailable
from steersman.api.kinds import Kind
from steersman.base.clock import Clock
from steersman.client.cache import Cache, ObjectKey
from steersman.client.requests import Propagation
from steersman.control import batches
from steersman.control.loop import DONE, After, Outcome
from steersman.control.writes import Tracked
from steersman.pb.resources_pb2 import KindInfo

FINALIZER = "kubernetes"
PODS = "pods"
FINALIZERS_TAKE_SECONDS = 15
"""How long others may be expected to need until they take their finalizers off."""
AT_ONCE = 8

Discover = Callable[[], Awaitable[Sequence[KindInfo]]]


@dataclass(frozen=True, slots=True)
class Content:
    """What of one kind is left after it was told to go. `failure`: why it could not be told."""

    kind: Kind
    left: tuple[Sketch, ...] = ()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Survey:
    """How far the emptying is. `undiscovered`: why nobody knows which kinds there are."""

    contents: tuple[Content, ...] = ()
    undiscovered: str = ""


@dataclass(frozen=True, slots=True)
class Finalize:
    """Nothing is left: take our finalizer off."""


@dataclass(frozen=True, slots=True)
class Tell:
    status: NamespaceStatus


@dataclass(frozen=True, slots=True)
class Wait:
    """Look again then, if nothing has changed before. `failed`: look again like after any failure."""

    seconds: float
    failed: str = ""


Action = Finalize | Tell | Wait


def plan(namespace: Namespace, survey: Survey, now: datetime) -> list[Action]:
    failures = [*filter(None, (_failure_of(content, namespace, now) for content in survey.contents))]
    left = [content for content in survey.contents if content.left]
    status = replace(namespace.status, conditions=_conditions(namespace, survey, failures, now))
    told: list[Action] = [Tell(status)] if status != namespace.status else []
    if survey.undiscovered or failures:
        return [*told, Wait(0, failed="; ".join(filter(None, [survey.undiscovered, *failures])))]
    if left:
        return [*told, Wait(max(_estimate(content, now) for content in left) // 2 + 1)]
    if len(namespace.spec.finalizers) == 1 and not namespace.metadata.finalizers:
        return [Finalize()]  # it is gone with that: nobody could read the conditions
    return [*told, Finalize()]


def is_ours(namespace: Namespace) -> bool:
    """Whether the namespace is going and waits for us."""
    return namespace.metadata.deletion_timestamp is not None and FINALIZER in namespace.spec.finalizers


def finalized(namespace: Namespace) -> Namespace:
    left = tuple(each for each in namespace.spec.finalizers if each != FINALIZER)
    return replace(namespace, spec=replace(namespace.spec, finalizers=left))


def _failure_of(content: Content, namespace: Namespace, now: datetime) -> str:
    """What stays although it was told to go and nobody holds it is an error, and not only slow."""
    if content.failure or not content.left or _estimate(content, now):
        return content.failure
    kind = content.kind
    named = f"{kind.group}/{kind.version}, Resource={kind.resource}"
    return f"unexpected items still remain in namespace: {namespace.metadata.name} for gvr: {named}"


def _estimate(content: Content, now: datetime) -> int:
    """Seconds until the content may be gone: the grace of the most patient, or what finalizers usually take."""
    grace = [_remaining_grace(item, now) for item in content.left]
    held = any(item.metadata.finalizers for item in content.left)
    return max(grace, default=0) or (FINALIZERS_TAKE_SECONDS if held else 0)


def _remaining_grace(item: Sketch, now: datetime) -> int:
    """The deletion timestamp is the end of the grace period."""
    meta = item.metadata
    if meta.deletion_timestamp is None or not meta.deletion_grace_period_seconds:
        return 0
    return meta.deletion_grace_period_seconds if times.to_datetime(meta.deletion_timestamp) >= now else 0


# --- Conditions, in Kubernetes' words

_FINE = {
    "NamespaceDeletionDiscoveryFailure": ("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": (
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    "NamespaceDeletionContentFailure": (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": ("ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}


def _conditions(
    namespace: Namespace, survey: Survey, failures: Sequence[str], now: datetime
) -> tuple[NamespaceCondition, ...]:
    """Ours, each with what is wrong or that nothing is; those of others stay as they are."""
    held = {condition.type: condition for condition in namespace.status.conditions}
    wrong = _troubles(survey, failures)
    for type_, fine in _FINE.items():
        status = "True" if type_ in wrong else "False"
        reason, message = wrong.get(type_, fine)
        before = held.get(type_)
        since = before.last_transition_time if before is not None and before.status == status else None
        held[type_] = NamespaceCondition(
            type=type_,
            status=status,
            last_transition_time=since or times.from_datetime(now),
            reason=reason,
            message=message,
        )
    return tuple(held.values())


def _troubles(survey: Survey, failures: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Reason and message of each condition that is not fine."""
    found: dict[str, tuple[str, str]] = {}
    if survey.undiscovered:
        found["NamespaceDeletionDiscoveryFailure"] = ("DiscoveryFailed", survey.undiscovered)
    if failures:
        text = f"Failed to delete all resource types, {len(failures)} remaining: {', '.join(sorted(failures))}"
        found["NamespaceDeletionContentFailure"] = ("ContentDeletionFailed", text)
    left = sorted(
        f"{content.kind.resource}.{content.kind.group} has {len(content.left)} resource instances"
        for content in survey.contents
        if content.left
    )
    if left:
        text = f"Some resources are remaining: {', '.join(left)}"
        found["NamespaceContentRemaining"] = ("SomeResourcesRemain", text)
    holds = Counter(hold for content in survey.contents for item in content.left for hold in item.metadata.finalizers)
    if holds:
        counted = ", ".join(sorted(f"{hold} in {count} resource instances" for hold, count in holds.items()))
        text = f"Some content in the namespace has finalizers remaining: {counted}"
        found["NamespaceFinalizersRemaining"] = ("SomeFinalizersRemain", text)
    return found


class NamespaceController:
    """`discover` asks the server for its kinds; `content` gives the tracked verbs on a sketched kind."""

    name = "namespace"

    def __init__(
        self,
        namespaces: Tracked[Namespace],
        content: Callable[[Kind], Tracked[Sketch]],
        discover: Discover,
        *,
        namespace_cache: Cache[Namespace],
        clock: Clock,
    ) -> None:
        self._namespaces = namespaces
        self._content = content
        self._discover = discover
        self._namespace_cache = namespace_cache
        self._clock = clock

    async def reconcile(self, key: ObjectKey) -> Outcome:
        namespace = self._namespace_cache.get(key)
        if namespace is None or not is_ours(namespace):
            return DONE
        survey = await self._emptied(namespace.metadata.name)
        try:
            return await self._carry_out(namespace, plan(namespace, survey, self._clock.now()))
        except NotFound:
            return DONE  # gone is success

    def woken_by_content(self, cache: Cache[Sketch], item: Sketch) -> Iterable[ObjectKey]:
        """The namespace, when the last item of a kind has left it; `cache`: all items of that kind."""
        name = item.metadata.namespace
        namespace = self._namespace_cache.get(ObjectKey("", name))
        if namespace is None or not is_ours(namespace) or cache.list(name):
            return ()
        return (ObjectKey("", name),)

    async def _carry_out(self, namespace: Namespace, actions: Sequence[Action]) -> Outcome:
        for action in actions:
            match action:
                case Tell(status):
                    namespace = (await self._namespaces.update_status(replace(namespace, status=status))).object
                case Finalize():
                    await self._namespaces.update(finalized(namespace), subresource="finalize")
                case Wait(_, failed) if failed:
                    raise Unavailable(f"namespace {namespace.metadata.name} cannot be emptied: {failed}")
                case Wait(seconds):
                    return After(seconds)
        return DONE

    async def _emptied(self, namespace: str) -> Survey:
        """Tell all content to go; what is left of it."""
        try:
            served = await self._discover()
        except ApiError as error:
            return Survey(undiscovered=str(error))
        found = [kind for kind in map(sketches.of_discovered, served) if _is_content(kind)]
        by_resource = {kind.qualified_resource: kind for kind in found}
        pods = by_resource.pop(PODS, None)
        first = [] if pods is None else [await self._empty(pods, namespace)]
        if any(content.left or content.failure for content in first):
            return Survey(tuple(first))
        rest = [partial(self._empty, kind, namespace) for kind in by_resource.values()]
        return Survey((*first, *await batches.slow_start(rest, largest=AT_ONCE)))

    async def _empty(self, kind: Kind, namespace: str) -> Content:
        try:
            return Content(kind, await self._told_to_go(self._content(kind), namespace))
        except Deposed:
            raise
        except ApiError as error:
            return Content(kind, failure=str(error))

    @staticmethod
    async def _told_to_go(content: Tracked[Sketch], namespace: str) -> tuple[Sketch, ...]:
        """What is left when all have been told. A crowd that is too large for one call is told in several."""
        left = (await content.list(namespace)).items
        while untold := _count_untold(left):
            try:
                await content.delete_collection(namespace, propagation=Propagation.BACKGROUND)
                return (await content.list(namespace)).items
            except Timeout:
                left = (await content.list(namespace)).items
                if _count_untold(left) >= untold:
                    raise
        return left


def _count_untold(items: Iterable[Sketch]) -> int:
    return sum(not sketches.is_leaving(item) for item in items)


def _is_content(kind: Kind) -> bool:
    return kind.namespaced and {"delete", "deletecollection", "list"}.issubset(kind.verbs)
