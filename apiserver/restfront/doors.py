"""The subresources that the registry knows: status, scale, binding, eviction and the smaller ones."""

from __future__ import annotations

from collections.abc import Sequence

from apiserver.registry.registry import Registry
from apiserver.registry.requests import Subresource, Target, Written
from apiserver.restfront import parameters, representation, status
from apiserver.restfront.call import Call
from apiserver.restfront.reply import Reply
from apiserver.restfront.routing import Door, Doors, Handler, Reviews, Shown
from apiserver.restfront.verbs import Verbs, patch_type_of
from steersman.api import bodies, kinds, meta
from steersman.api.autoscaling import Scale
from steersman.api.core import Binding, Pod
from steersman.api.errors import BadRequest
from steersman.api.kinds import Kind
from steersman.api.policy import Eviction

_POD = next(kind for kind in kinds.ALL if kind.struct is Pod)
_SCALE = Kind(Scale, "scale", group="autoscaling")
"""Not a kind that can be asked for by itself, but shown like one."""


def parts(verbs: Verbs) -> Doors:
    """The doors through which a part of an object is read and changed, with the object itself as the answer."""

    def door(part: Subresource, *names: str) -> Door:
        handlers: dict[str, Handler] = {
            "get": verbs.get,
            "update": lambda call: verbs.update_part(call, part),
            "patch": lambda call: verbs.patch_part(call, part),
        }
        return Door({name: handlers[name] for name in names or handlers})

    return {
        "status": door(Subresource.STATUS),
        "approval": door(Subresource.APPROVAL),
        "ephemeralcontainers": door(Subresource.EPHEMERAL_CONTAINERS),
        "resize": door(Subresource.RESIZE),
        "finalize": door(Subresource.FINALIZE, "update"),
    }


class SmallDoors:
    """Doors with bodies of their own."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def doors(self) -> Doors:
        scaling: dict[str, Handler] = {"get": self.get_scale, "update": self.put_scale, "patch": self.patch_scale}
        return {
            "scale": Door(scaling, Shown("Scale", "autoscaling", "v1")),
            "pods/binding": Door({"create": self.bind}, Shown("Binding")),
            "pods/eviction": Door({"create": self.evict}, Shown("Eviction", "policy", "v1")),
            "serviceaccounts/token": Door({"create": self.token}, Shown("TokenRequest", "authentication.k8s.io", "v1")),
        }

    def reviews(self) -> Reviews:
        return {"bindings": self.bind_by_body}

    async def get_scale(self, call: Call) -> Reply:
        return _scale_shown(call, await self._registry.scale(call.target, None))

    async def put_scale(self, call: Call) -> Reply:
        options = call.write_options("UpdateOptions")
        scale, warnings = bodies.to_struct(Scale, await call.body(), options.content_type, options.field_validation)
        if scale.metadata.name != call.path.name:
            said, asked = scale.metadata.name, call.path.name
            raise BadRequest(f"the name of the object ({said}) does not match the name on the URL ({asked})")
        version = scale.metadata.resource_version
        written = await self._registry.scale(call.target, scale.spec.replicas, version, options)
        return _scale_shown(call, written, warnings)

    async def patch_scale(self, call: Call) -> Reply:
        patch_type, options = patch_type_of(call), call.write_options("PatchOptions")
        written = await self._registry.patch(call.target, patch_type, await call.body(), options, Subresource.SCALE)
        return _scale_shown(call, written)

    async def bind(self, call: Call) -> Reply:
        options = call.write_options("CreateOptions")
        await self._registry.bind(call.target, await call.body(), options)
        return call.told(201, status.of_success(201))

    async def bind_by_body(self, call: Call) -> Reply:
        """The old way: the pod is named in the body alone."""
        options, body = call.write_options("CreateOptions"), await call.body()
        name = bodies.to_struct(Binding, body, options.content_type)[0].metadata.name
        if not name:
            raise BadRequest("name is required")
        await self._registry.bind(Target(_POD, call.path.namespace, name), body, options)
        return call.told(201, status.of_success(201))

    async def token(self, call: Call) -> Reply:
        written = await self._registry.issue_token(call.target, await call.body(), call.write_options("CreateOptions"))
        return call.told(201, written.json + b"\n", written.warnings)

    async def evict(self, call: Call) -> Reply:
        options = call.write_options("CreateOptions")
        eviction, _ = bodies.to_struct(Eviction, await call.body(), options.content_type)
        if eviction.metadata.name != call.path.name:
            raise BadRequest("name in URL does not match name in Eviction object")
        how = eviction.delete_options or meta.DeleteOptions()
        parameters.check_delete_options(how)
        await self._registry.evict(call.target, parameters.how_to_delete(how), options)
        return call.told(201, status.of_success(201))


def _scale_shown(call: Call, written: Written, warnings: Sequence[str] = ()) -> Reply:
    form = representation.form_of(call.accepted, _SCALE, call.query)
    return call.told(200, form.one(written.json), (*warnings, *written.warnings))
