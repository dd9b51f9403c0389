"""Revisions: each template that a Deployment has had, as the annotations of its ReplicaSets remember it. Pure.

The newest template has the highest number. Going back to an old template gives its ReplicaSet the next number, and its
earlier ones are kept in a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.meta import Object

REVISION = "deployment.kubernetes.io/revision"
EARLIER_REVISIONS = "deployment.kubernetes.io/revision-history"
DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS = "deployment.kubernetes.io/max-replicas"

NOT_COPIED = frozenset(
    {
        REVISION,
        EARLIER_REVISIONS,
        DESIRED_REPLICAS,
        MAX_REPLICAS,
        "kubectl.kubernetes.io/last-applied-configuration",
        "deprecated.deployment.rollback.to",
        "tracing.k8s.io/traceparent",
    }
)
"""What belongs to one object or one write, and would be a lie on another."""

MAX_EARLIER_LENGTH = 2000
UNLIMITED = 2**31 - 1
_MOST_DIGITS = 18


def revision_of(of: Object) -> int:
    """0: none yet, or not a number."""
    text = of.metadata.annotations.get(REVISION, "")
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS else 0


def next_revision(old: Iterable[ReplicaSet]) -> int:
    return max(map(revision_of, old), default=0) + 1


def annotated(replicaset: ReplicaSet, deployment: Deployment, revision: int) -> ReplicaSet:
    """The ReplicaSet of the current template with the Deployment's annotations and at least that revision."""
    annotations = dict(replicaset.metadata.annotations)
    annotations.update(_copied(deployment.metadata.annotations))
    held = revision_of(replicaset)
    if held < revision:
        annotations[REVISION] = str(revision)
        if held:
            earlier = annotations.get(EARLIER_REVISIONS, "")
            annotations[EARLIER_REVISIONS] = _appended(earlier, str(held))
    return _with_annotations(replicaset, annotations)


def _copied(annotations: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in annotations.items() if key not in NOT_COPIED}


def _appended(earlier: str, revision: str) -> str:
    """The list with one more, the oldest dropped when it grows too long for an annotation."""
    numbers = [*earlier.split(","), revision] if earlier else [revision]
    while len(numbers) > 1 and len(",".join(numbers)) > MAX_EARLIER_LENGTH:
        del numbers[0]
    return ",".join(numbers)


def sized(replicaset: ReplicaSet, replicas: int, *, desired: int, most: int) -> ReplicaSet:
    """The ReplicaSet at another size, with the numbers that the next scaling is measured by."""
    annotations = {
        **replicaset.metadata.annotations,
        DESIRED_REPLICAS: str(desired),
        MAX_REPLICAS: str(most),
    }
    resized = replace(replicaset, spec=replace(replicaset.spec, replicas=replicas))
    return _with_annotations(resized, annotations)


def remembered(replicaset: ReplicaSet, annotation: str) -> int | None:
    """A number that `sized` has left."""
    text = replicaset.metadata.annotations.get(annotation, "")
    if not (text.isdecimal() and text.isascii()) or len(text) > _MOST_DIGITS:
        return None
    number = int(text)
    return number if number < 2**31 else None


def _with_annotations(replicaset: ReplicaSet, annotations: dict[str, str]) -> ReplicaSet:
    if annotations == replicaset.metadata.annotations:
        return replicaset
    return replace(replicaset, metadata=replace(replicaset.metadata, annotations=annotations))


def superfluous(deployment: Deployment, old: Sequence[ReplicaSet]) -> list[ReplicaSet]:
    """The oldest of the old ReplicaSets that are beyond the history limit; those with pods stay."""
    limit = deployment.spec.revision_history_limit
    if limit is None or limit == UNLIMITED:
        return []
    present = [replicaset for replicaset in old if replicaset.metadata.deletion_timestamp is None]
    surplus = max(len(present) - limit, 0)
    oldest = sorted(present, key=_by_revision)[:surplus]
    return [replicaset for replicaset in oldest if _is_empty(replicaset)]


def _by_revision(replicaset: ReplicaSet) -> tuple[int, str, str]:
    meta = replicaset.metadata
    return revision_of(replicaset), meta.creation_timestamp or "", meta.name


def _is_empty(replicaset: ReplicaSet) -> bool:
    """For certain: its controller has seen the size 0 and no pod is left."""
    seen = replicaset.status.observed_generation >= replicaset.metadata.generation
    return seen and replicaset.spec.replicas == 0 and replicaset.status.replicas == 0
