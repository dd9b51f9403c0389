"""`steer failover`: kill the leader, and show what the cluster has recorded of the take-over."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from steersman.api.errors import ApiError
from steersman.base import log
from steersman.base.clock import Clock, SystemClock
from steersman.base.log import Level, Style
from steersman.cli.local import access, kill, ledger, live, logs, options, processes, survey, takeover, timeline
from steersman.cli.local.ledger import Ledger, Part, Role
from steersman.cli.local.options import Running
from steersman.cli.local.survey import CONTROLLERS
from steersman.cli.local.takeover import Chronicle
from steersman.cli.local.timeline import Mark, Moment
from steersman.client.client import Client

PATIENCE_SECONDS = 60.0
CALM_SECONDS = 0.3
LEGEND = """\
MS counts from the write by which the kill was recorded, acknowledged before the signal went out. Each line's moment is
the one that KNOWN FROM names: written into the Lease by its holder, logged by the component, or sent with a write."""


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
            async with asyncio.timeout(PATIENCE_SECONDS), takeover.chronicled(api) as chronicle:
                async with asyncio.TaskGroup() as tasks:
                    wishing = tasks.create_task(takeover.wish_on(api, chronicle, clock))
                    killed = await _killed(api, chronicle, part, number, clock)
                    await takeover.taken_over(chronicle, old, clock)
                    wishing.cancel()
                await takeover.all_granted(chronicle, clock)
                _show(running, chronicle, part, number, killed)
                return _judge(await takeover.losses(api, chronicle, old), chronicle)
        finally:
            if number is signal.SIGSTOP:
                processes.send(part.pid, signal.SIGCONT)


async def _killed(api: Client, chronicle: Chronicle, part: Part, number: signal.Signals, clock: Clock) -> Mark:
    """After a while in which the old leader could show that it works."""
    await clock.sleep(CALM_SECONDS)
    record = await takeover.record_signal(api, chronicle, part.name, clock)
    assert part.pid is not None, "the leader was found by its process"
    processes.send(part.pid, number)
    return record


def _show(running: Running, chronicle: Chronicle, part: Part, number: signal.Signals, killed: Mark) -> None:
    known = ledger.read(running.site.ledger) or running.ledger
    moments = _moments(known, chronicle, part, survey.instance_of(part), killed.sent_at)
    first = moments[-1]
    moments.append(Moment(killed.sent_at, killed.revision, f"{part.name} gets {number.name}", "acquireTime"))
    console = live.console()
    console.print(timeline.table(timeline.ordered(moments), killed.sent_at))
    gap = timeline.milliseconds(first, killed.sent_at).removeprefix("≤ ").removeprefix("+")
    console.print(f"at most {gap} ms from the kill to the next leader's first write")
    console.print(LEGEND, style="dim")


def _judge(problems: Sequence[str], chronicle: Chronicle) -> bool:
    """Say what was lost; whether anything was."""
    console = live.console()
    if not problems:
        console.print(
            f"nothing lost: {len(chronicle.wishes)} acknowledged writes, all there and all cared for;"
            " nothing of the old leader landed after its term"
        )
    for problem in problems:
        console.print(f"LOST: {problem}", style="red")
    return bool(problems)


def _moments(known: Ledger, chronicle: Chronicle, part: Part, old: str, signalled: datetime) -> list[Moment]:
    """The Lease's own history, the components' words about it, and last the first write of the new term."""
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
    assert first is not None, "the take-over was waited for"
    between = timeline.placed(first, chronicle.wishes)
    assert between is not None, "its moment was waited for"
    source = f"between {between[0].name} and {between[1].name}"
    return [*moments, Moment(between[1].sent_at, first, "its first write lands", source, is_bound=True)]


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
