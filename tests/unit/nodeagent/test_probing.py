"""When probes change their verdict, and what that means for the container."""

from __future__ import annotations

from typing import Any

import pytest

from nodeagent import probing
from nodeagent.probing import Health, ProbeKind, Verdict
from steersman.api.core import Probe
from tests.unit.nodeagent.views import NOW, after, container

YES, NO, DUNNO = Verdict.SUCCESS, Verdict.FAILURE, Verdict.UNKNOWN
STARTUP, LIVENESS, READINESS = ProbeKind.STARTUP, ProbeKind.LIVENESS, ProbeKind.READINESS


@pytest.mark.parametrize(
    ("kind", "answers", "verdict"),
    [
        (READINESS, [], NO),
        (READINESS, [YES], NO),
        (READINESS, [YES, YES], YES),
        (READINESS, [YES, NO, YES], NO),
        (READINESS, [YES, YES, NO, NO], YES),
        (READINESS, [YES, YES, NO, NO, NO], NO),
        (READINESS, [YES, DUNNO, YES], YES),
        (LIVENESS, [], YES),
        (LIVENESS, [NO, NO], YES),
        (LIVENESS, [NO, NO, YES, NO], YES),
        (LIVENESS, [NO, NO, NO], NO),
        (STARTUP, [], DUNNO),
        (STARTUP, [NO, NO], DUNNO),
        (STARTUP, [NO, NO, NO], NO),
        (STARTUP, [NO, YES, YES], YES),
    ],
    ids=lambda each: each if isinstance(each, str) else "".join("+" if one is YES else "-" for one in each) or "none",
)
def test_thresholds(kind: ProbeKind, answers: list[Verdict], verdict: Verdict) -> None:
    probe = Probe(success_threshold=2, failure_threshold=3)
    tally = probing.begin(kind)
    for answer in answers:
        tally = probing.count(tally, answer, probe)
    assert tally.verdict is verdict


@pytest.mark.parametrize(
    ("kind", "verdict", "settled"),
    [(STARTUP, DUNNO, False), (STARTUP, YES, True), (STARTUP, NO, True), (LIVENESS, NO, True), (LIVENESS, YES, False),
     (READINESS, NO, False), (READINESS, YES, False)],
)  # fmt: skip
def test_when_there_is_nothing_left_to_ask(kind: ProbeKind, verdict: Verdict, settled: bool) -> None:
    assert probing.is_settled(kind, probing.Tally(verdict)) == settled


@pytest.mark.parametrize(
    ("fields", "health"),
    [
        ({}, Health()),
        ({"liveness_probe": Probe()}, Health()),
        ({"readiness_probe": Probe()}, Health(ready=False)),
        ({"startup_probe": Probe()}, Health(started=False, ready=False)),
    ],
    ids=["no probes", "liveness", "readiness", "startup"],
)
def test_health_before_any_answer(fields: dict[str, Any], health: Health) -> None:
    assert probing.initial_health(container(**fields)) == health


def test_startup_makes_ready_only_what_has_no_readiness_probe() -> None:
    plain, gated = container(startup_probe=Probe()), container(startup_probe=Probe(), readiness_probe=Probe())
    begun = Health(started=False, ready=False)
    assert probing.judge(begun, STARTUP, YES, plain) == Health()
    assert probing.judge(begun, STARTUP, YES, gated) == Health(ready=False)
    failed = probing.judge(begun, STARTUP, NO, plain)
    assert failed.failed_startup


def test_liveness_and_readiness_are_apart() -> None:
    assert probing.judge(Health(), LIVENESS, NO, container()) == Health(alive=False)
    assert probing.judge(Health(), READINESS, NO, container()) == Health(ready=False)


def test_times() -> None:
    assert probing.first_at(Probe(initial_delay_seconds=7), NOW) == after(7)
    assert probing.period_seconds(Probe()) == 10
    assert probing.timeout_seconds(Probe()) == 1
