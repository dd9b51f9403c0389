"""Giving out tokens of service accounts: look up what a request names, decide, sign. Nothing is written."""

from __future__ import annotations

import uuid
from typing import TypeVar

from apiserver.admission.lookup import Lookup
from apiserver.auth.tokens import Issuer
from apiserver.registry import tokenrequest
from apiserver.registry.requests import Target
from apiserver.registry.tokenrequest import Bound
from steersman.api import errors, kinds
from steersman.api.authentication import TokenRequest
from steersman.api.core import Node, Pod, Secret, ServiceAccount
from steersman.api.meta import Object, ObjectMeta
from steersman.base.clock import Clock

Found = TypeVar("Found", bound=Object)


class TokenDesk:
    def __init__(self, issuer: Issuer, lookup: Lookup, clock: Clock) -> None:
        self._issuer = issuer
        self._lookup = lookup
        self._clock = clock

    async def issue(self, target: Target, request: TokenRequest) -> TokenRequest:
        """The request with the token in its status. `target`: the service account."""
        now = self._clock.now()
        account = await self._find(ServiceAccount, target.name, target.namespace)
        tokenrequest.check_named(request, account)
        request = tokenrequest.completed(request, account, self._issuer, now)
        causes = tokenrequest.validate(request)
        if causes:
            raise errors.invalid(tokenrequest.SUBJECT, "", causes)
        bound = await self._bound(request)
        tokenrequest.check_bound(request, bound)
        claims = tokenrequest.claims_of(request, bound, self._issuer, token_id=str(uuid.uuid4()), now=now)
        return tokenrequest.answered(request, self._issuer.issue(claims), now)

    async def _bound(self, request: TokenRequest) -> Bound:
        struct, reference = tokenrequest.kind_to_bind(request), request.spec.bound_object_ref
        if struct is None or reference is None:
            return tokenrequest.NOTHING
        namespace = request.metadata.namespace
        if struct is Secret:
            return Bound(secret=await self._find(Secret, reference.name, namespace))
        if struct is Node:
            return Bound(node=await self._find(Node, reference.name))
        pod = await self._find(Pod, reference.name, namespace)
        return Bound(pod=pod, node=await self._node_of(pod))

    async def _node_of(self, pod: Pod) -> Node | None:
        """A node that is not there is told by name all the same."""
        name = pod.spec.node_name
        if not name:
            return None
        return await self._lookup.find(Node, name) or Node(metadata=ObjectMeta(name=name))

    async def _find(self, struct: type[Found], name: str, namespace: str = "") -> Found:
        found = await self._lookup.find(struct, name, namespace)
        if found is None:
            kind = kinds.of_struct(struct)
            assert kind is not None
            raise errors.not_found(kind.subject, name)
        return found
