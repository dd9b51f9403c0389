"""Whatever comes in: defaults are settled after one pass, and the rules complain instead of falling over."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from apiserver.registry.configmap import CONFIGMAP
from apiserver.registry.defaults.pod import default_pod, default_pod_template
from apiserver.registry.lease import LEASE
from apiserver.registry.namespace import NAMESPACE
from apiserver.registry.pod import POD, prepare_status_update, validate_status_update
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation.pod import validate_pod_template
from apiserver.registry.validation.podupdate import validate_ephemeral_containers_update
from steersman.api.coordination import Lease
from steersman.api.core import ConfigMap, Namespace, Pod, PodTemplateSpec
from steersman.api.errors import Cause
from steersman.api.fields import Path
from tests.unit.apiserver.registry.arbitrary import arbitrary
from tests.unit.apiserver.registry.pods import complaints, shown

CHANCE = st.randoms(use_true_random=False)


@settings(max_examples=100, deadline=None)
@given(CHANCE)
def test_pods(random: Random) -> None:
    pod = arbitrary(Pod, random)
    complaints(pod)
    defaulted = default_pod(pod)
    complaints(defaulted)
    assert default_pod(defaulted) == defaulted


@settings(max_examples=100, deadline=None)
@given(CHANCE)
def test_templates(random: Random) -> None:
    template = arbitrary(PodTemplateSpec, random)
    shown(validate_pod_template(template, Path("template")))
    defaulted = default_pod_template(template)
    shown(validate_pod_template(defaulted, Path("template")))
    assert default_pod_template(defaulted) == defaulted


@settings(max_examples=100, deadline=None)
@given(CHANCE)
def test_steps_from_any_pod_to_any_other(random: Random) -> None:
    old, new = default_pod(arbitrary(Pod, random)), default_pod(arbitrary(Pod, random))
    alike = replace(new, spec=replace(new.spec, containers=old.spec.containers, init_containers=()))
    for one in (new, alike):
        shown(POD.validate_update(one, old))
        shown(validate_status_update(prepare_status_update(one, old), old))
        shown(validate_ephemeral_containers_update(one, old))


@settings(max_examples=50, deadline=None)
@given(CHANCE)
def test_small_kinds(random: Random) -> None:
    strategies: tuple[tuple[Strategy, type[ConfigMap] | type[Namespace] | type[Lease]], ...] = (
        (CONFIGMAP, ConfigMap),
        (NAMESPACE, Namespace),
        (LEASE, Lease),
    )
    for strategy, struct in strategies:
        old, new = strategy.default(arbitrary(struct, random)), strategy.default(arbitrary(struct, random))
        causes: list[Cause] = [*strategy.validate(new), *strategy.validate_update(new, old)]
        shown(causes)
        assert strategy.default(new) == new
