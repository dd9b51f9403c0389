"""The verbs on objects and collections: decode, call the registry, encode. No rule of the API lives here."""

from __future__ import annotations

import msgspec

from apiserver.registry.registry import Registry
from apiserver.registry.requests import PatchType, Subresource, Target, Written
from apiserver.restfront import listing, parameters, representation, status
from apiserver.restfront.call import Call
from apiserver.restfront.reply import Reply
from steersman.api.errors import Details, UnsupportedMediaType
from steersman.api.kinds import Kind

SHOWN_WHEN_DELETED = frozenset(
    {
        "csidrivers.storage.k8s.io",
        "csinodes.storage.k8s.io",
        "namespaces",
        "persistentvolumeclaims",
        "persistentvolumes",
        "pods",
        "podtemplates",
        "resourcequotas",
        "serviceaccounts",
        "services",
        "storageclasses.storage.k8s.io",
        "volumeattachments.storage.k8s.io",
        "volumeattributesclasses.storage.k8s.io",
    }
)
"""Kinds of which a deletion shows the object even when it is gone; of the others it says only that it succeeded."""


class Verbs:
    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def get(self, call: Call) -> Reply:
        found = await self._registry.get(call.target, call.query.text("resourceVersion"))
        return call.shown(200, found.json)

    async def list(self, call: Call) -> Reply:
        representation.check_form(call.accepted, call.kind, is_list=True)
        found = await self._registry.list(call.target, parameters.selection(call.query))
        return call.told(200, await listing.encode(call.form, found))

    async def create(self, call: Call) -> Reply:
        options = call.write_options("CreateOptions")
        written = await self._registry.create(call.target, await call.body(), options)
        return call.shown(201, written.json, written.warnings)

    async def update(self, call: Call) -> Reply:
        return await self.update_part(call, Subresource.NONE)

    async def update_part(self, call: Call, part: Subresource) -> Reply:
        options = call.write_options("UpdateOptions")
        written = await self._registry.update(call.target, await call.body(), options, part)
        return call.shown(201 if written.created else 200, written.json, written.warnings)

    async def patch(self, call: Call) -> Reply:
        return await self.patch_part(call, Subresource.NONE)

    async def patch_part(self, call: Call, part: Subresource) -> Reply:
        patch_type = patch_type_of(call)
        options = call.write_options("PatchOptions")
        written = await self._registry.patch(call.target, patch_type, await call.body(), options, part)
        return call.shown(201 if written.created else 200, written.json, written.warnings)

    async def delete(self, call: Call) -> Reply:
        asked = parameters.delete_options(call.query, await call.body(), call.content_type)
        options = parameters.deletion_options(asked, call.caller)
        written = await self._registry.delete(call.target, parameters.how_to_delete(asked), options)
        if written.gone and call.kind.qualified_resource not in SHOWN_WHEN_DELETED:
            return call.told(200, status.of_success(details=_gone(call.target, written)), written.warnings)
        # Kubernetes says "accepted" only to those who still ask in the old way.
        is_accepted = not written.gone and asked.orphan_dependents is False
        return call.shown(202 if is_accepted else 200, written.json, written.warnings)

    async def delete_collection(self, call: Call) -> Reply:
        wanted = parameters.selection(call.query)
        asked = parameters.delete_options(call.query, await call.body(), call.content_type)
        options = parameters.deletion_options(asked, call.caller)
        found = await self._registry.delete_collection(call.target, wanted, parameters.how_to_delete(asked), options)
        return call.told(200, await listing.encode(call.form, found))


def patch_type_of(call: Call) -> PatchType:
    """By the content type. Those that a kind does not take, and apply patches, are refused with those that it does."""
    try:
        return PatchType(call.media_type)
    except ValueError:
        accepted = ", ".join(PatchType)
        raise UnsupportedMediaType(
            f"the body of the request was in an unknown format - accepted media types include: {accepted}"
        ) from None


class _Uid(msgspec.Struct):
    uid: str = ""


class _Identified(msgspec.Struct):
    metadata: _Uid


def _gone(target: Target, written: Written) -> Details:
    uid = written.uid or msgspec.json.decode(written.json, type=_Identified).metadata.uid
    return target.kind.subject.details(target.name, uid=uid)


def verb_of(method: str, kind: Kind, *, is_named: bool, is_watch: bool) -> str:
    """What a method means on an object or a collection, in the words of discovery; empty: nothing."""
    if method == "GET":
        verb = "watch" if is_watch else "get" if is_named else "list"
    elif is_named:
        verb = {"PUT": "update", "PATCH": "patch", "DELETE": "delete"}.get(method, "")
    else:
        verb = {"POST": "create", "DELETE": "deletecollection"}.get(method, "")
    return verb if verb in kind.verbs else ""
