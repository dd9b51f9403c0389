"""The options by which every local verb finds its cluster, and the cluster that they find."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from steersman.cli.local import ledger, processes, site
from steersman.cli.local.ledger import Ledger
from steersman.cli.local.site import Site

Command = TypeVar("Command", bound=Callable[..., Any])


def of_cluster(command: Command) -> Command:
    """`--name` and `--data-dir`."""
    named = click.option("--name", envvar="STEER_NAME", help="Which cluster of this machine.  [default: default]")
    placed = click.option(
        "--data-dir",
        envvar="STEER_DATA_DIR",
        type=click.Path(file_okay=False, path_type=Path),
        help="The cluster's folder.  [default: ~/.steersman/NAME]",
    )
    return named(placed(command))


def the_site(name: str | None, data_dir: Path | None) -> Site:
    try:
        return site.find(name, data_dir, os.environ)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


@dataclass(frozen=True, slots=True)
class Running:
    """A cluster whose keeper is alive, as of now."""

    site: Site
    ledger: Ledger


def running(name: str | None, data_dir: Path | None) -> Running:
    """A click error, in words, if that cluster does not run."""
    found = the_site(name, data_dir)
    known = ledger.read(found.ledger)
    if known is None or not processes.is_alive(known.keeper):
        raise click.ClickException(f'cluster "{found.name}" is not running: steer up{found.flags} starts it')
    return Running(found, known)
