"""Every operation of a resource: which path and method, what it is called, what goes in and out. Pure.

Both versions of OpenAPI are written from these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from apiserver.openapi import names, parameters
from apiserver.openapi.names import Gvk
from apiserver.openapi.parameters import Parameter
from apiserver.openapi.served import NOTHING, Body, Resource, Subresource
from steersman.api.meta import DeleteOptions, Status

OK, CREATED, ACCEPTED = 200, 201, 202
ANSWERED_AS = ("application/json", "application/yaml")
WATCHED_AS = (*ANSWERED_AS, "application/json;stream=watch")
NO_KIND: Gvk = ("", "", "")
PATCH = Body(definition=names.PATCH)


@dataclass(frozen=True, slots=True)
class Operation:
    """`action` empty: it is of no kind. `sent` None: there is no body. `is_list`: what `answered` says is listed."""

    method: str
    action: str
    id: str
    description: str
    gvk: Gvk
    tag: str
    sent: Body | None = None
    answered: Body = NOTHING
    is_list: bool = False
    codes: tuple[int, ...] = (OK,)
    parameters: tuple[Parameter, ...] = ()
    sent_as: tuple[str, ...] = ("*/*",)
    answered_as: tuple[str, ...] = ANSWERED_AS
    is_body_required: bool = True


@dataclass(frozen=True, slots=True)
class PathItem:
    path: str
    parameters: tuple[Parameter, ...]
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class _Verb:
    method: str
    action: str
    word: str
    """How the operation's id begins."""
    says: str
    """How its description begins."""
    codes: tuple[int, ...] = (OK,)


_VERBS = {
    "list": _Verb("get", "list", "list", "list or watch objects of kind {}"),
    "create": _Verb("post", "post", "create", "create a {}", (OK, CREATED, ACCEPTED)),
    "deletecollection": _Verb("delete", "deletecollection", "delete", "delete all selected objects of kind {}"),
    "get": _Verb("get", "get", "read", "read one {}"),
    "update": _Verb("put", "put", "replace", "replace one {}", (OK, CREATED)),
    "patch": _Verb("patch", "patch", "patch", "change a part of one {}", (OK, CREATED)),
    "delete": _Verb("delete", "delete", "delete", "delete one {}", (OK, ACCEPTED)),
}
_ANYTHING = ("*/*",)
_ANYWHERE: tuple[Parameter, ...] = ()
_OF_COLLECTIONS = ("list", "create", "deletecollection")
_OF_OBJECTS = ("get", "update", "patch", "delete")


def path_items(resource: Resource) -> Iterator[PathItem]:
    """The paths of a resource: its collection, its objects, and the doors to their parts."""
    root = f"{root_of(*resource.group_version)}/"
    collection, place = f"{root}{resource.plural}", _ANYWHERE
    if resource.namespaced:
        if "list" in resource.verbs:
            everywhere = replace(_operation(resource, "list"), id=f"list{_stem(resource)}ForAllNamespaces")
            yield PathItem(collection, (parameters.PRETTY,), (everywhere,))
        collection, place = f"{root}namespaces/{{namespace}}/{resource.plural}", (parameters.NAMESPACE,)
    yield from _item(collection, (*place, parameters.PRETTY), resource, _OF_COLLECTIONS)
    one = f"{collection}/{{name}}"
    name = parameters.name_of(resource.gvk[2])
    yield from _item(one, (name, *place, parameters.PRETTY), resource, _OF_OBJECTS)
    for subresource in resource.subresources:
        yield from _through(subresource, f"{one}/{subresource.name}", (name, *place), resource)


def root_of(group: str, version: str) -> str:
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


@cache
def words_of(group: str, version: str) -> str:
    """`RbacAuthorizationV1`: how ids of operations name a group-version."""
    words = group.removesuffix(".k8s.io").split(".") if group else ["core"]
    return "".join(word[:1].upper() + word[1:] for word in (*words, version))


@cache
def tag_of(group: str, version: str) -> str:
    """`rbacAuthorization_v1`"""
    words = words_of(group, version).removesuffix(version[:1].upper() + version[1:])
    return f"{words[:1].lower()}{words[1:]}_{version}"


def _item(path: str, placed: tuple[Parameter, ...], resource: Resource, verbs: tuple[str, ...]) -> Iterator[PathItem]:
    operations = tuple(_operation(resource, verb) for verb in verbs if verb in resource.verbs)
    if operations:
        yield PathItem(path, placed, operations)


def _operation(resource: Resource, verb: str) -> Operation:
    known, kind = _VERBS[verb], resource.gvk[2]
    scope = "Namespaced" if resource.namespaced else ""
    collection = "Collection" if verb == "deletecollection" else ""
    return Operation(
        method=known.method,
        action=known.action,
        id=f"{known.word}{words_of(*resource.group_version)}{collection}{scope}{kind}",
        description=known.says.format(kind),
        gvk=resource.gvk,
        tag=tag_of(*resource.group_version),
        sent=_sent(verb, resource.body),
        answered=_answered(resource, verb),
        is_list=verb == "list",
        codes=known.codes,
        parameters=parameters.BY_ACTION.get(known.action, ()),
        sent_as=resource.patch_types if verb == "patch" else _ANYTHING,
        answered_as=WATCHED_AS if verb == "list" else ANSWERED_AS,
        is_body_required=known.action not in ("delete", "deletecollection"),
    )


def _sent(verb: str, body: Body) -> Body | None:
    if verb in ("create", "update"):
        return body
    if verb == "patch":
        return PATCH
    return Body(DeleteOptions) if verb in ("delete", "deletecollection") else None


def _answered(resource: Resource, verb: str) -> Body:
    if verb == "list":
        return resource.list_body
    if verb == "deletecollection" or (verb == "delete" and not resource.shown_when_deleted):
        return Body(Status)
    return resource.body


def _through(
    subresource: Subresource, path: str, placed: tuple[Parameter, ...], resource: Resource
) -> Iterator[PathItem]:
    own = parameters.BY_SUBRESOURCE.get(subresource.name, ())
    if subresource.verbs:
        operations = tuple(_part(resource, subresource, verb) for verb in subresource.verbs)
        yield PathItem(path, (*own, *placed, parameters.PRETTY), operations)
    if subresource.connects:
        yield PathItem(path, (*own, *placed), _connections(resource, subresource, ""))
    if subresource.connects and subresource.with_path:
        placed = (*own, *placed, parameters.PATH)
        yield PathItem(f"{path}/{{path}}", placed, _connections(resource, subresource, "WithPath"))


def _part(resource: Resource, subresource: Subresource, verb: str) -> Operation:
    whole = _operation(resource, verb)
    return replace(
        whole,
        id=f"{whole.id}{_capital(subresource.name)}",
        description=f"{whole.description}: {subresource.name}",
        gvk=subresource.gvk,
        sent=_sent(verb, subresource.body),
        answered=subresource.body,
        answered_as=ANSWERED_AS if subresource.body is not NOTHING else _ANYTHING,
    )


def _connections(resource: Resource, subresource: Subresource, ending: str) -> tuple[Operation, ...]:
    scope = "Namespaced" if resource.namespaced else ""
    words, kind, name = words_of(*resource.group_version), resource.gvk[2], _capital(subresource.name)
    return tuple(
        Operation(
            method=method,
            action="connect",
            id=f"connect{words}{_capital(method)}{scope}{kind}{name}{ending}",
            description=f"open {subresource.name} of one {kind} by {method.upper()}",
            gvk=subresource.gvk,
            tag=tag_of(*resource.group_version),
            answered_as=_ANYTHING,
        )
        for method in subresource.connects
    )


def _stem(resource: Resource) -> str:
    return f"{words_of(*resource.group_version)}{resource.gvk[2]}"


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]
