"""Whatever comes in for the cluster's own kinds: defaults are settled after one pass, and the rules only complain."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from apiserver.registry.catalog import STRATEGIES
from steersman.api import codec, kinds
from steersman.api.kinds import Kind
from tests.unit.apiserver.registry.arbitrary import arbitrary
from tests.unit.apiserver.registry.pods import shown

GROUPS = (
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "certificates.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "networking.k8s.io",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
)
KINDS = [kind for kind in kinds.ALL if kind.group in GROUPS and kind.is_stored]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.qualified_resource)
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_any_object(kind: Kind, seed: int) -> None:
    strategy, random = STRATEGIES[kind.qualified_resource], Random(seed)
    try:
        old, new = (strategy.default(arbitrary(kind.struct, random)) for _ in range(2))
    except KeyError:  # chance asks for a scalar that is not made by chance (a fraction, in a schema)
        reject()
    assert strategy.default(new) == new
    shown([*strategy.validate(new), *strategy.validate_create(new)])
    prepared = strategy.prepare_update(new, old)
    shown(strategy.validate_update(prepared, old))
    strategy.name_rule(new.metadata.name)
    assert codec.load(kind.struct, codec.encode(prepared)) == prepared
