"""`steer failover`: kill the leader, and show what the cluster has recorded of the take-over."""

from __future__ import annotations

import asyncio
import signal
from datetime import datetime
from pathlib import Path

import click

from steersman.api.errors import ApiError
from steersman.base import log
from steersman.base.clock import SystemClock
from steersman.base.log import Level, Style
from steersman.cli.local import access, kill, ledger, live, logs, options, processes, survey, takeover, timeline
from steersman.cli.local.ledger import Ledger, Part, Role
from steersman.cli.local.options import Running
from steersman.cli.local.survey import CONTROLLERS
from steersman.cli.local.takeover import Chronicle
from steersman.cli.local.timeline import Moment
from steersman.client.client import Client

PATIENCE_SECONDS = 60.0
CALM_SECONDS = 0.3


@click.command()
@options.of_cluster
@click.option("-s", "--signal", "signal_name", default="KILL", show_default=True, help="KILL, TERM or STOP.")
def failover(name: str | None, data_dir: Path | None, signal_name: str) -> None:
    """Kill the leader and show the take-over in milliseconds.

    Services are written all the while; in the end each that was acknowledged must be there and have been cared for by
    the new leader. Exit code 1 if anything was lost, or if nobody took over.
    """
    log.configure(Level.ERROR, Style.CONSOLE)
    number = kill.parse_signal(signal_name)
    running = options.running(name, data_dir)
    if len(running.ledger.of(Role.CONTROLLER_MANAGER)) < 2:
        raise click.ClickException("there is one controller manager only, and nobody to take over")
    part = asyncio.run(kill.leader(running))
    try:
        lost = asyncio.run(_observed(running, part, number))
    except TimeoutError:
        raise click.ClickException(f"nobody has taken over within {PATIENCE_SECONDS:g} s") from None
    except ApiError as error:
        raise click.ClickException(error.message) from error
    if lost:
        raise click.exceptions.Exit(1)


async def _observed(running: Running, part: Part, number: signal.Signals) -> bool:
    """Whether anything was lost. A leader that was paused goes on at the end, and finds out that its term is over."""
    clock, old = SystemClock(), survey.instance_of(part)
    assert part.pid is not None, "the leader was found by its process"
    async with access.connected(running.site, running.ledger) as api:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), takeover.chronicled(api, clock) as chronicle:
                async with asyncio.TaskGroup() as tasks:
                    wishing = tasks.create_task(takeover.wish_on(api, chronicle, clock))
                    await clock.sleep(CALM_SECONDS)
                    signalled = clock.now()
                    processes.send(part.pid, number)
                    await takeover.taken_over(chronicle, old, clock)
                    wishing.cancel()
                await takeover.all_granted(chronicle, clock)
                return await _report(running, api, chronicle, part, number, signalled)
        finally:
            if number is signal.SIGSTOP:
                processes.send(part.pid, signal.SIGCONT)


async def _report(
    running: Running, api: Client, chronicle: Chronicle, part: Part, number: signal.Signals, signalled: datetime
) -> bool:
    known = ledger.read(running.site.ledger) or running.ledger
    old = survey.instance_of(part)
    moments = _moments(known, chronicle, part, old, signalled)
    moments.append(Moment(signalled, 0, f"{part.name} gets {number.name}", "steer"))
    console = live.console()
    console.print(timeline.table(timeline.ordered(moments), signalled))
    found = await takeover.losses(api, chronicle, old)
    first = max(moment.at for moment in moments if moment.at is not None)
    gap = timeline.milliseconds(first, signalled).removeprefix("+")
    console.print(f"{gap} ms from the signal to the next leader's first write")
    if not found:
        console.print(f"nothing lost: {len(chronicle.wishes)} acknowledged writes, all there and all cared for")
    for problem in found:
        console.print(f"LOST: {problem}", style="red")
    return bool(found)


def _moments(known: Ledger, chronicle: Chronicle, part: Part, old: str, signalled: datetime) -> list[Moment]:
    """The Lease's own history, the components' words about it, and the first write of the new term."""
    managers = known.of(Role.CONTROLLER_MANAGER)
    names = {survey.instance_of(each): each.name for each in managers} | {old: part.name}
    new = timeline.successor(chronicle.leases, old)
    assert new is not None, "the take-over was waited for"
    moments = [_with_log_time(known, moment, signalled) for moment in timeline.of_leases(chronicle.leases, old, names)]
    winner = next((each for each in managers if names.get(new.holder) == each.name), None)
    if winner is not None:
        at = timeline.said_at(logs.lines(winner), timeline.IN_OFFICE, signalled, lease=CONTROLLERS, token=new.revision)
        what = f"{winner.name} has seen all that its predecessors wrote"
        moments.append(Moment(at, 0, what, f"{winner.name}'s log"))
    first = chronicle.first_write(new.revision)
    if first is not None:
        moments.append(Moment(first.seen_at, first.revision, "its first write lands", "watch, at the latest"))
    return moments


def _with_log_time(known: Ledger, moment: Moment, signalled: datetime) -> Moment:
    """A release bears no moment of its own; the API server that made it on behalf of the dead one has logged it."""
    if moment.at is not None:
        return moment
    for server in known.of(Role.APISERVER):
        at = timeline.said_at(
            logs.lines(server), timeline.RELEASED_ON_BEHALF, signalled, lease=f"{survey.LEASE_NAMESPACE}/{CONTROLLERS}"
        )
        if at is not None:
            return Moment(
                at, moment.revision, "the API server releases the Lease on its behalf", f"{server.name}'s log"
            )
    return moment
