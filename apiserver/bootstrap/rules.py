"""A notation for rights that people can read, and its meaning.

    read create of configmaps secrets
    update of deployments/status in apps extensions
    read of pods+log+status nodes/proxy+metrics
    get of leases in coordination.k8s.io named kube-scheduler
    get at /healthz /version

Verbs come first; `read` and `write` stand for the usual ones. Resources are of the core group unless groups are named
(`core` among others means that one); `pods+log` are pods and their logs, `nodes/proxy+metrics` two subresources alone.
Everything is sorted, so that a rule always comes out the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from steersman.api.rbac import PolicyRule, Subject

RECORD_EVENTS: Final = "create patch update of events in core events.k8s.io"
SYSTEM_NAMESPACE: Final = "kube-system"

_GROUP: Final = "rbac.authorization.k8s.io"
_VERBS: Final = {
    "read": ("get", "list", "watch"),
    "write": ("create", "delete", "deletecollection", "patch", "update"),
}
_RULE: Final = re.compile(
    r"(?P<verbs>.+?) (?:at (?P<urls>.+)|of (?P<resources>.+?)(?: in (?P<groups>.+?))?(?: named (?P<names>.+))?)"
)


def rule(text: str) -> PolicyRule:
    """What one line means; ValueError if it means nothing."""
    match = _RULE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a rule: {text}")
    verbs = _sorted(verb for word in match["verbs"].split() for verb in _VERBS.get(word, (word,)))
    if match["urls"]:
        return PolicyRule(verbs=verbs, non_resource_urls=_sorted(match["urls"].split()))
    groups = (match["groups"] or "core").split()
    return PolicyRule(
        verbs=verbs,
        api_groups=_sorted("" if group == "core" else group for group in groups),
        resources=_sorted(each for word in match["resources"].split() for each in _resources(word)),
        resource_names=_sorted((match["names"] or "").split()),
    )


def _resources(word: str) -> Iterator[str]:
    first, *others = word.split("+")
    yield first
    parent = first.partition("/")[0]
    yield from (f"{parent}/{subresource}" for subresource in others)


def subjects(text: str) -> tuple[Subject, ...]:
    """Whom a list such as `user jane, group admins, account builder` names; accounts are those of the system."""
    return tuple(_subject(*entry.split(" ", 1)) for entry in text.split(", ") if entry)


def _subject(kind: str, name: str) -> Subject:
    match kind:
        case "user":
            return Subject(kind="User", api_group=_GROUP, name=name)
        case "group":
            return Subject(kind="Group", api_group=_GROUP, name=name)
        case "account":
            return Subject(kind="ServiceAccount", name=name, namespace=SYSTEM_NAMESPACE)
    raise ValueError(f"not a subject: {kind} {name}")


def _sorted(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(words))
