"""Whatever comes in: defaults are settled after one pass, and the rules complain instead of falling over."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apiserver.registry.claiming import Picks
from apiserver.registry.endpoints import ENDPOINTS
from apiserver.registry.endpointslice import ENDPOINT_SLICE
from apiserver.registry.event import EVENT, NEWER_EVENT
from apiserver.registry.limitrange import LIMIT_RANGE
from apiserver.registry.node import NODE
from apiserver.registry.persistentvolume import PERSISTENT_VOLUME
from apiserver.registry.persistentvolumeclaim import PERSISTENT_VOLUME_CLAIM
from apiserver.registry.resourcequota import RESOURCE_QUOTA
from apiserver.registry.secret import SECRET
from apiserver.registry.service import service_strategy
from apiserver.registry.serviceaccount import SERVICE_ACCOUNT
from apiserver.registry.strategy import Strategy
from steersman.api.core import (
    Endpoints,
    Event,
    LimitRange,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    ResourceQuota,
    Secret,
    Service,
    ServiceAccount,
)
from steersman.api.discovery import EndpointSlice
from steersman.api.errors import ApiError
from steersman.api.meta import Object
from tests.unit.apiserver.registry.arbitrary import arbitrary
from tests.unit.apiserver.registry.pods import shown

CHANCE = st.randoms(use_true_random=False)
KINDS: dict[str, tuple[Strategy, type[Object]]] = {
    "secrets": (SECRET, Secret),
    "service accounts": (SERVICE_ACCOUNT, ServiceAccount),
    "nodes": (NODE, Node),
    "endpoints": (ENDPOINTS, Endpoints),
    "endpoint slices": (ENDPOINT_SLICE, EndpointSlice),
    "events": (EVENT, Event),
    "newer events": (NEWER_EVENT, Event),
    "services": (service_strategy(), Service),
    "volumes": (PERSISTENT_VOLUME, PersistentVolume),
    "claims": (PERSISTENT_VOLUME_CLAIM, PersistentVolumeClaim),
    "quotas": (RESOURCE_QUOTA, ResourceQuota),
    "limits": (LIMIT_RANGE, LimitRange),
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(random=CHANCE)
def test_any_object_and_any_step(kind: str, random: Random) -> None:
    strategy, struct = KINDS[kind]
    shown([*strategy.validate(arbitrary(struct, random))])
    old, new = strategy.default(arbitrary(struct, random)), strategy.default(arbitrary(struct, random))
    assert strategy.default(new) == new
    prepared = strategy.prepare_update(new, old)
    shown([*strategy.validate(prepared), *strategy.validate_create(prepared), *strategy.validate_update(prepared, old)])


@settings(max_examples=200, deadline=None)
@given(random=CHANCE)
def test_any_service_is_allocated_or_refused(random: Random) -> None:
    strategy = service_strategy()
    old, new = (strategy.default(arbitrary(Service, random)) for _ in range(2))
    for made, before in ((new, None), (strategy.prepare_update(new, old), old)):
        try:
            whole = strategy.claiming.allocate(made, before, Picks(random))
        except ApiError:
            continue
        if not strategy.validate(whole):
            strategy.claiming.claims(whole)
