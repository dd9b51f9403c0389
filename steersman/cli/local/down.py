"""`steer down`: ask the keeper to end everything in order; end it all by force if the keeper cannot."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from steersman.cli.local import ledger, options, processes
from steersman.cli.local.ledger import Pid

KEEPER_SECONDS = 40.0
FORCE_SECONDS = 5.0


@click.command()
@options.of_cluster
def down(name: str | None, data_dir: Path | None) -> None:
    """End a cluster on this machine; its data is kept. Containers of its pods run on and are adopted by the next up."""
    site = options.the_site(name, data_dir)
    known = ledger.read(site.ledger)
    pids = [] if known is None else [known.keeper, *(part.pid for part in known.parts if part.pid is not None)]
    alive = [pid for pid in pids if processes.is_alive(pid)]
    if known is None or not alive:
        click.echo(f'cluster "{site.name}" is not running')
        return
    asyncio.run(_end(known.keeper, alive))
    click.echo(f'cluster "{site.name}" has ended; its data is in {site.folder}')


async def _end(keeper: Pid, alive: list[Pid]) -> None:
    """A keeper that is gone, or that does not come to an end, leaves the rest to us."""
    if processes.ask_to_end(keeper):
        await processes.ended([keeper], KEEPER_SECONDS)
    await processes.end([pid for pid in alive if processes.is_alive(pid)], FORCE_SECONDS)
