"""When to probe and what the answers mean: thresholds, delays, and which probe waits for which. Pure.

    startup ── success ──▶ liveness and readiness begin
       └────── failure ──▶ the container is stopped

A verdict changes only after as many equal answers in a row as the threshold says. Until its first verdict a container
counts as alive, as not ready, and as not started, each if it has a probe that says so; without one it is all three.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from steersman.api.core import Container, Probe


class ProbeKind(StrEnum):
    STARTUP = "Startup"
    LIVENESS = "Liveness"
    READINESS = "Readiness"


class Verdict(StrEnum):
    UNKNOWN = "unknown"
    SUCCESS = "success"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Tally:
    """The answers of one probe of one container so far."""

    verdict: Verdict
    last: Verdict = Verdict.UNKNOWN
    run: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """What the probes say of one running container."""

    started: bool = True
    ready: bool = True
    alive: bool = True

    @property
    def failed_startup(self) -> bool:
        return not self.alive and not self.started


HEALTHY = Health()
_INITIAL = {
    ProbeKind.STARTUP: Verdict.UNKNOWN,
    ProbeKind.LIVENESS: Verdict.SUCCESS,
    ProbeKind.READINESS: Verdict.FAILURE,
}


def begin(kind: ProbeKind) -> Tally:
    return Tally(_INITIAL[kind])


def count(tally: Tally, answer: Verdict, probe: Probe) -> Tally:
    """One more answer. One that could not be had (UNKNOWN) leaves everything as it is."""
    if answer is Verdict.UNKNOWN:
        return tally
    run = tally.run + 1 if answer is tally.last else 1
    threshold = probe.success_threshold if answer is Verdict.SUCCESS else probe.failure_threshold
    verdict = answer if run >= max(threshold, 1) else tally.verdict
    return Tally(verdict, answer, run)


def is_settled(kind: ProbeKind, tally: Tally) -> bool:
    """Whether there is nothing left to ask of this container: it has started, or it is about to be stopped."""
    if kind is ProbeKind.STARTUP:
        return tally.verdict is not Verdict.UNKNOWN
    return kind is ProbeKind.LIVENESS and tally.verdict is Verdict.FAILURE


def probes_of(container: Container) -> dict[ProbeKind, Probe]:
    found = {
        ProbeKind.STARTUP: container.startup_probe,
        ProbeKind.LIVENESS: container.liveness_probe,
        ProbeKind.READINESS: container.readiness_probe,
    }
    return {kind: probe for kind, probe in found.items() if probe is not None}


def initial_health(container: Container) -> Health:
    """Before any answer."""
    started = container.startup_probe is None
    return Health(started=started, ready=started and container.readiness_probe is None)


def judge(health: Health, kind: ProbeKind, verdict: Verdict, container: Container) -> Health:
    """`health` after a probe has come to a verdict."""
    succeeded = verdict is Verdict.SUCCESS
    match kind:
        case ProbeKind.STARTUP:
            ready = succeeded and container.readiness_probe is None
            return replace(health, started=succeeded, ready=ready, alive=verdict is not Verdict.FAILURE)
        case ProbeKind.LIVENESS:
            return replace(health, alive=succeeded)
        case ProbeKind.READINESS:
            return replace(health, ready=succeeded)


def first_at(probe: Probe, started_at: datetime) -> datetime:
    return started_at + timedelta(seconds=probe.initial_delay_seconds)


def period_seconds(probe: Probe) -> float:
    return float(probe.period_seconds or 10)


def timeout_seconds(probe: Probe) -> float:
    return float(probe.timeout_seconds or 1)
