"""`steer component-logs`: what a component has logged, over all its restarts."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import click

from steersman.cli.local import ledger, logs, options
from steersman.cli.local.ledger import Ledger

FOLLOW_SECONDS = 0.1


@click.command("component-logs")
@click.argument("component", metavar="NAME")
@options.of_cluster
@click.option("-f", "--follow", is_flag=True, help="Go on as the component does.")
@click.option("--tail", type=click.IntRange(min=0), default=None, help="Only so many of the last lines.")
def component_logs(
    component: str,
    name: str | None,
    data_dir: Path | None,
    follow: bool,  # noqa: FBT001 -- click passes flags so
    tail: int | None,
) -> None:
    """Print what a component has logged.

    NAME is as in steer status: apiserver, controller-manager/0, nodes, node/node-0; or steer, for a detached steer up.
    """
    site = options.the_site(name, data_dir)
    known = ledger.read(site.ledger)
    file = site.keeper_log if component == "steer" else _log_of(component, known)
    if file is None or not file.exists():
        there = ", ".join(part.name for part in known.parts) if known is not None else "none"
        raise click.ClickException(f'no component "{component}" in cluster "{site.name}"; there is: {there}')
    text = file.read_bytes()
    for line in logs.tail(text, tail) if tail is not None else (text,):
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
    if follow:
        asyncio.run(_follow(file, len(text)))


def _log_of(component: str, known: Ledger | None) -> Path | None:
    part = known.part(component) if known is not None else None
    return Path(part.log) if part is not None else None


async def _follow(file: Path, offset: int) -> None:
    """Until interrupted. A log that was begun anew is followed from its beginning."""
    while True:
        news, offset = _news(file, offset)
        sys.stdout.buffer.write(news)
        sys.stdout.buffer.flush()
        await asyncio.sleep(FOLLOW_SECONDS)


def _news(file: Path, offset: int) -> tuple[bytes, int]:
    """What was written since, and how far that is."""
    try:
        with file.open("rb") as source:
            source.seek(0 if source.seek(0, os.SEEK_END) < offset else offset)
            return source.read(), source.tell()
    except FileNotFoundError:  # for a moment, while it is begun anew
        return b"", 0
