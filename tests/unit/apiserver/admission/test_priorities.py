"""A pod's priority comes from its class, and there is one default class at most."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from apiserver.admission import priorities
from steersman.api.core import Pod
from steersman.api.errors import Forbidden
from steersman.api.scheduling import PriorityClass
from tests.unit.apiserver.admission.conftest import Fields, Surroundings, make_class, make_pod

LOWER, NEVER = "PreemptLowerPriority", "Never"
HIGH = make_class("high", 1000, preemption_policy=LOWER)
POLITE = make_class("polite", 500, preemption_policy=NEVER)
DEFAULT = make_class("usual", 10, preemption_policy=LOWER, global_default=True)
LOW_DEFAULT = make_class("lower", 5, preemption_policy=NEVER, global_default=True)

Outcome = tuple[int | None, str | None, str]

GIVEN: dict[str, tuple[Fields, tuple[PriorityClass, ...], Outcome]] = {
    "no class, no default": ({}, (HIGH,), (0, LOWER, "")),
    "no class, a default": ({}, (HIGH, DEFAULT), (10, LOWER, "usual")),
    "no class, two defaults": ({}, (DEFAULT, LOW_DEFAULT), (5, NEVER, "lower")),
    "a class": ({"priorityClassName": "high"}, (HIGH, DEFAULT), (1000, LOWER, "high")),
    "a class that does not preempt": ({"priorityClassName": "polite"}, (POLITE,), (500, NEVER, "polite")),
    "the number that comes of it anyway": (
        {"priorityClassName": "high", "priority": 1000},
        (HIGH,),
        (1000, LOWER, "high"),
    ),
    "the policy that comes of it anyway": ({"preemptionPolicy": LOWER}, (), (0, LOWER, "")),
}


def outcome(pod: Pod) -> Outcome:
    return pod.spec.priority, pod.spec.preemption_policy, pod.spec.priority_class_name


@pytest.mark.parametrize(("spec", "present", "wanted"), GIVEN.values(), ids=GIVEN)
async def test_what_a_pod_gets(
    around: Surroundings, spec: Fields, present: tuple[PriorityClass, ...], wanted: Outcome
) -> None:
    await around.put(*present)
    assert outcome(await priorities.admit(make_pod(**spec), around.lookup)) == wanted


_COMPUTED = "must not be provided in pod spec; priority admission controller computed"

REFUSED: dict[str, tuple[Fields, str]] = {
    "a class that is missing": ({"priorityClassName": "none"}, "no PriorityClass with name none was found"),
    "a number of one's own": (
        {"priorityClassName": "high", "priority": 7},
        f"the integer value of priority (7) {_COMPUTED} 1000 from the given PriorityClass name",
    ),
    "a number without a class": (
        {"priority": 7},
        f"the integer value of priority (7) {_COMPUTED} 0 from the given PriorityClass name",
    ),
    "a policy of one's own": (
        {"priorityClassName": "high", "preemptionPolicy": NEVER},
        f"the string value of PreemptionPolicy (Never) {_COMPUTED} {LOWER} from the given PriorityClass name",
    ),
}


@pytest.mark.parametrize(("spec", "why"), REFUSED.values(), ids=REFUSED)
async def test_what_is_refused(around: Surroundings, spec: Fields, why: str) -> None:
    await around.put(HIGH)
    with pytest.raises(Forbidden) as refused:
        await priorities.admit(make_pod(**spec), around.lookup)
    assert refused.value.message == f'pods "web" is forbidden: {why}'


STEPS: dict[str, tuple[Fields, Outcome]] = {
    "silence": ({"priorityClassName": "high"}, (1000, LOWER, "high")),
    "half of it": ({"priorityClassName": "high", "priority": 1000}, (1000, LOWER, "high")),
    "another number, for validation to see": ({"priority": 7}, (7, LOWER, "")),
}


@pytest.mark.parametrize(("spec", "wanted"), STEPS.values(), ids=STEPS)
def test_an_update_keeps_what_the_pod_was_given(spec: Fields, wanted: Outcome) -> None:
    old = make_pod(priority=1000, preemptionPolicy=LOWER, priorityClassName="high")
    assert outcome(priorities.kept(make_pod(**spec), old)) == wanted


CLASSES: dict[str, tuple[PriorityClass, tuple[PriorityClass, ...], bool]] = {
    "the first default": (DEFAULT, (HIGH,), True),
    "a second default": (LOW_DEFAULT, (HIGH, DEFAULT), False),
    "no default": (HIGH, (DEFAULT,), True),
    "the default itself again": (replace(DEFAULT, description="new"), (DEFAULT,), True),
}


@pytest.mark.parametrize("verb", ["create", "update"])
@pytest.mark.parametrize(("new", "present", "admitted"), CLASSES.values(), ids=CLASSES)
async def test_one_default_class(
    around: Surroundings, verb: str, new: PriorityClass, present: tuple[PriorityClass, ...], admitted: bool
) -> None:
    await around.put(*present)
    admission = around.admission()

    async def admit() -> Any:
        return await admission.admit(new) if verb == "create" else admission.admit_update(new, HIGH)

    if admitted:
        assert await admit() == new
        return
    with pytest.raises(Forbidden) as refused:
        await admit()
    assert refused.value.message == (
        'priorityclasses.scheduling.k8s.io "lower" is forbidden: '
        "PriorityClass usual is already marked as default. Only one default can exist"
    )
