"""What people call kinds and objects: `pods`, `po`, `deploy/web`, `deployments.apps`, `all`. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from steersman.api import kinds
from steersman.api.kinds import Kind


class UnknownKind(ValueError):
    """Nothing is called that."""

    def __init__(self, text: str) -> None:
        super().__init__(f'the server doesn\'t have a resource type "{text}"')


class Unclear(ValueError):
    """What was typed does not say which objects are meant."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Objects of one kind: those of these names, or, without any, all."""

    kind: Kind
    names: tuple[str, ...] = ()


@cache
def _by_word() -> dict[str, Kind]:
    """The first kind that is called something owns the word: core before apps before the rest, as kubectl resolves."""
    found: dict[str, Kind] = {}
    listed = [kind for kind in kinds.ALL if kind.is_stored or "list" in kind.verbs]
    for kind in sorted(listed, key=lambda kind: bool(kind.stored_as)):
        for word in (kind.resource, kind.singular, kind.kind.lower(), *kind.short_names):
            found.setdefault(word, kind)
            if kind.group:
                found.setdefault(f"{word}.{kind.group}", kind)
                found.setdefault(f"{word}.{kind.version}.{kind.group}", kind)
    return found


def kind_called(text: str) -> Kind:
    found = _by_word().get(text.lower())
    if found is None:
        raise UnknownKind(text)
    return found


def kinds_called(text: str) -> list[Kind]:
    """Several, separated by commas; a category such as `all` means every kind in it."""
    found: list[Kind] = []
    for word in filter(None, text.split(",")):
        category = [kind for kind in kinds.ALL if word in kind.categories and not kind.stored_as]
        found += category or [kind_called(word)]
    return list(dict.fromkeys(found))


def words() -> list[str]:
    """Everything that a kind can be called, without groups: for completion."""
    return sorted(word for word in _by_word() if "." not in word)


def wanted(arguments: Sequence[str]) -> list[Wanted]:
    """`pods`, `pods a b`, `pod/a deploy/b`, `pods,services`."""
    if not arguments:
        raise Unclear('You must specify the type of resource to get. Use "steer api-resources" for a complete list.')
    if any("/" in argument for argument in arguments):
        return _each(arguments)
    first, *names = arguments
    return [Wanted(kind, tuple(names)) for kind in kinds_called(first)]


def _each(arguments: Sequence[str]) -> list[Wanted]:
    found = []
    for argument in arguments:
        word, slash, name = argument.partition("/")
        if not slash:
            raise Unclear(
                f"{argument!r} stands beside TYPE/NAME: write each object as TYPE/NAME, or one TYPE and its names"
            )
        if not name or "/" in name:
            raise Unclear(f"{argument!r} is not TYPE/NAME")
        found.append(Wanted(kind_called(word), (name,)))
    return found


def one(arguments: Sequence[str]) -> tuple[Kind, str]:
    """Exactly one object: `deploy/web` or `deploy web`."""
    found = wanted(arguments)
    if len(found) != 1 or len(found[0].names) != 1:
        raise Unclear("exactly one object is needed: TYPE/NAME or TYPE NAME")
    return found[0].kind, found[0].names[0]


def qualified(kind: Kind) -> str:
    """How kubectl names a kind in front of an object's name: pod, deployment.apps."""
    return f"{kind.singular}.{kind.group}" if kind.group else kind.singular


def reference(kind: Kind, name: str) -> str:
    return f"{qualified(kind)}/{name}"
