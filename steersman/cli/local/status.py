"""`steer status`: the live view once, for a cluster that some other `steer up` keeps."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from steersman.api.errors import ApiError
from steersman.base import log
from steersman.base.clock import SystemClock
from steersman.base.log import Level, Style
from steersman.cli.local import access, live, options, processes, survey, view
from steersman.cli.local.options import Running
from steersman.cli.local.survey import Survey
from steersman.cli.local.view import Scene

ANSWER_SECONDS = 5.0


@click.command()
@options.of_cluster
def status(name: str | None, data_dir: Path | None) -> None:
    """Show what runs, who leads, and how the nodes and pods are.

    Exit code 1 if the cluster does not run or its API does not answer.
    """
    log.configure(Level.ERROR, Style.CONSOLE)
    running = options.running(name, data_dir)
    seen = asyncio.run(_seen(running))
    roles = view.roles(running.ledger, seen, survey.leader_of) if seen is not None else None
    parts = running.ledger.parts
    paused = frozenset(part.name for part in parts if part.pid is not None and processes.is_paused(part.pid))
    scene = Scene(running.ledger, SystemClock().now(), seen, roles, paused, running.site.flags)
    live.console().print(view.whole(scene))
    if seen is None:
        raise click.exceptions.Exit(1)


async def _seen(running: Running) -> Survey | None:
    try:
        async with asyncio.timeout(ANSWER_SECONDS), access.connected(running.site, running.ledger) as api:
            return await survey.look(api)
    except (ApiError, TimeoutError, FileNotFoundError):
        return None
