"""Who answers what: doors (subresources) and reviews, in tables that discovery reads too.

Whatever is in the tables is served and announced; what is not is neither. Streams and reviews register here:

    {"pods/log": Door({"get": logs.serve}, is_stream=True), …}
    {"selfsubjectreviews.authentication.k8s.io": whoami.create, …}
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from aiohttp import web

from apiserver.restfront.call import Call
from steersman.api.kinds import Kind

Handler = Callable[[Call], Awaitable[web.StreamResponse]]

VERB_OF_METHOD = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
ONLY_PASSED_ON = ("HEAD", "OPTIONS")
"""Methods that mean something to whoever is behind a proxy, and nothing to us."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What kind of object is sent through a door; without a group and version it is of the parent's."""

    kind: str
    group: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Door:
    """One subresource: who handles which verb.

    `is_stream`: it may take any time, and takes no place at the gates. `is_proxy`: methods that are no verbs of ours
    (HEAD, OPTIONS) pass too.
    """

    handlers: Mapping[str, Handler]
    shown: Shown | None = None
    """None: the object itself."""
    is_stream: bool = False
    is_proxy: bool = False


Doors = Mapping[str, Door]
"""By resource and subresource (`pods/log`), or by the subresource alone for those that are alike for all kinds."""

Reviews = Mapping[str, Handler]
"""Who answers a create of what is never stored, by qualified resource."""


def verb_through(door: Door, method: str) -> str:
    """In the words of discovery; empty: nothing."""
    if door.is_proxy and method in ONLY_PASSED_ON:
        return "get"
    return VERB_OF_METHOD.get(method, "")


def door_of(kind: Kind, subresource: str, doors: Doors) -> Door | None:
    if subresource not in kind.subresources:
        return None
    return doors.get(f"{kind.qualified_resource}/{subresource}") or doors.get(subresource)
