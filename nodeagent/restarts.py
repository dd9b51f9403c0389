"""Whether and when a container that ended is started again. Pure.

The first restart comes at once, then after 10 s, 20 s, … 5 min. A run of more than 10 minutes is forgiven everything
before it. How many short runs there were is noted on the container itself, so that a new agent goes on counting.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from nodeagent import picture
from nodeagent.picture import Seen
from nodeagent.runtime.seen import SeenContainer, State
from steersman.api import podresources
from steersman.api.core import Container, ContainerRestartRule, Pod
from steersman.base.backoff import Backoff

CRASH_LOOP = Backoff(initial=10.0, maximum=300.0)
FORGIVEN_AFTER_SECONDS = 600.0


def policy_of(pod: Pod, container: Container) -> str:
    return container.restart_policy or pod.spec.restart_policy or "Always"


def may_restart(pod: Pod, container: Container, exit_code: int) -> bool:
    """What the container's own rules, its own policy, or the pod's say to that exit code."""
    if any(_applies(rule, exit_code) for rule in container.restart_policy_rules):
        return True
    policy = policy_of(pod, container)
    return exit_code != 0 if policy == "OnFailure" else policy == "Always"


def _applies(rule: ContainerRestartRule, exit_code: int) -> bool:
    if rule.action != "Restart" or rule.exit_codes is None:
        return False
    listed = exit_code in rule.exit_codes.values
    return listed if rule.exit_codes.operator == "In" else not listed


def will_restart(pod: Pod, container: Container, ended: SeenContainer, seen: Seen, *, is_init: bool = False) -> bool:
    """Whether another attempt follows this one, which has ended.

    Init containers run until they succeed; under Always as under OnFailure, that is once.
    """
    if ended.id in seen.restarting:
        return True
    code = ended.exit_code or 0
    if is_init and not podresources.is_sidecar(container) and code == 0:
        return False
    return may_restart(pod, container, code)


def at(ended: SeenContainer) -> datetime:
    """The earliest moment of the next attempt."""
    return (ended.finished_at or ended.created_at) + timedelta(seconds=delay_seconds(ended))


def delay_seconds(ended: SeenContainer) -> float:
    count = _counted(ended)
    return CRASH_LOOP.delay(count - 1) if count else 0.0


def next_setbacks(newest: SeenContainer | None) -> int:
    """What the next attempt is to carry."""
    if newest is None:
        return 0
    return picture.setbacks(newest) if newest.state is State.CREATED else _counted(newest) + 1


def next_attempt(newest: SeenContainer | None, *, is_here: bool) -> int:
    """One that was created and never started is still the one to start, if its sandbox is the one that runs."""
    if newest is None:
        return 0
    return newest.attempt if newest.state is State.CREATED and is_here else newest.attempt + 1


def _counted(ended: SeenContainer) -> int:
    if ended.started_at is not None and ended.finished_at is not None:
        ran = (ended.finished_at - ended.started_at).total_seconds()
        if ran > FORGIVEN_AFTER_SECONDS:
            return 0
    return picture.setbacks(ended)
