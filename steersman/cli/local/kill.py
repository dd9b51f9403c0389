"""`steer kill`: end or pause one process of a local cluster, to see the rest heal."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import click

from steersman.api.coordination import Lease
from steersman.api.errors import ApiError, NotFound
from steersman.base import log
from steersman.base.log import Level, Style
from steersman.cli.local import access, options, processes, survey
from steersman.cli.local.ledger import Ledger, Part, Role
from steersman.cli.local.options import Running
from steersman.cli.local.survey import CONTROLLERS, LEASE_NAMESPACE

LEADER = "leader"
ANSWER_SECONDS = 10.0


@click.command()
@click.argument("target", metavar="leader|apiserver|controller-manager/N|node/NAME")
@options.of_cluster
@click.option(
    "-s", "--signal", "signal_name", default="KILL", show_default=True, help="KILL, TERM, STOP, CONT, … or its number."
)
def kill(target: str, name: str | None, data_dir: Path | None, signal_name: str) -> None:
    """Kill or pause a component, to see the cluster heal.

    What is killed is started again. What was paused with --signal STOP goes on with --signal CONT. TARGET may be any
    component that steer status shows.
    """
    log.configure(Level.ERROR, Style.CONSOLE)
    number = parse_signal(signal_name)
    running = options.running(name, data_dir)
    part = asyncio.run(leader(running)) if target == LEADER else chosen(running.ledger, target)
    if part.pid is None or not processes.send(part.pid, number):
        raise click.ClickException(f"{part.name} does not run at the moment")
    click.echo(f"{part.name} (pid {part.pid.number}) got {number.name}{_also(part, target)}")


def parse_signal(text: str) -> signal.Signals:
    """KILL, SIGKILL, kill or 9."""
    try:
        return (
            signal.Signals(int(text)) if text.isdecimal() else signal.Signals["SIG" + text.upper().removeprefix("SIG")]
        )
    except (KeyError, ValueError):
        raise click.UsageError(f"{text!r} is no signal of this system") from None


def chosen(ledger: Ledger, target: str) -> Part:
    """The component of that name, or the one that runs the node of that name."""
    part = ledger.part(target)
    if part is None and target == Role.APISERVER:
        part = next(iter(ledger.of(Role.APISERVER)), None)
    if part is None and target.startswith("node/"):
        node = target.removeprefix("node/")
        part = next((each for each in ledger.of(Role.NODE) if node in each.nodes), None)
    if part is None:
        there = ", ".join(each.name for each in ledger.parts)
        raise click.ClickException(f'no component "{target}"; there is: {LEADER}, {there}')
    return part


def _also(part: Part, target: str) -> str:
    """One process may play several nodes: whoever meant one of them is told."""
    others = [node for node in part.nodes if target.startswith("node/") and target != f"node/{node}"]
    return f", which plays {', '.join(others)} too" if others else ""


async def leader(running: Running) -> Part:
    try:
        async with asyncio.timeout(ANSWER_SECONDS), access.connected(running.site, running.ledger) as api:
            lease = await api.of(Lease).get(CONTROLLERS, LEASE_NAMESPACE)
    except NotFound:
        raise click.ClickException("nobody has led yet") from None
    except (ApiError, TimeoutError) as error:
        raise click.ClickException(f"the API server does not say who leads: {error}") from error
    part = survey.leader_of(running.ledger, lease.spec.holder_identity or "")
    if part is None:
        raise click.ClickException("nobody leads at the moment")
    return part
