"""`steer up --detach`: the same keeper as a process of its own, and a parent that waits until the cluster is usable."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import click

from steersman.cli.local import ledger, logs, view
from steersman.cli.local.ledger import Ledger
from steersman.cli.local.site import Site
from steersman.cli.local.starting import Asked

USABLE_SECONDS = 120.0
LOOK_SECONDS = 0.02
LAST_LINES = 20


def arguments(site: Site, asked: Asked, kubeconfig: Path) -> list[str]:
    """The same wish as flags of a `steer up` that stays in the foreground."""
    flags = [
        f"--name={site.name}",
        f"--data-dir={site.folder}",
        f"--api-servers={asked.api_servers}",
        f"--controller-managers={asked.controller_managers}",
        f"--nodes={asked.nodes}",
        f"--runtime={asked.runtime}",
        f"--kubeconfig={kubeconfig}",
        *(f"--etcd={url}" for url in asked.etcd),
    ]
    optional = {
        "--etcd-root": asked.etcd_root,
        "--rest-port": asked.rest_port,
        "--grpc-port": asked.grpc_port,
        "--otlp": asked.otlp,
    }
    return ["up", *flags, *(f"{flag}={value}" for flag, value in optional.items() if value)]


def start(site: Site, asked: Asked, kubeconfig: Path) -> None:
    """Returns when the cluster is usable; a click error with the keeper's own words when it does not come to that."""
    offset = logs.turn_over(site.keeper_log)
    with site.keeper_log.open("ab") as output:
        keeper = subprocess.Popen(
            (sys.executable, "-P", "-m", "steersman.cli", *arguments(site, asked, kubeconfig)),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    known = asyncio.run(_usable(site, keeper))
    if known is not None:
        reason = f" ({known.runtime_reason})" if known.runtime_reason else ""
        click.echo(
            f'cluster "{site.name}" is usable after {known.usable_after_seconds} s, runtime {known.runtime}{reason}'
        )
        click.echo(view.places(known).plain)
        click.echo(f"steer status{site.flags} shows it, steer down{site.flags} ends it")
        return
    if keeper.returncode is None:
        raise click.ClickException(
            f"not usable after {USABLE_SECONDS:g} s, and still trying: see steer status{site.flags} and {site.logs}"
        )
    said = site.keeper_log.read_bytes()[offset:].decode(errors="replace").splitlines()[-LAST_LINES:]
    raise click.ClickException("\n".join(line.removeprefix("Error: ") for line in said) or "steer up has ended")


async def _usable(site: Site, keeper: subprocess.Popen[bytes]) -> Ledger | None:
    """None: it has ended, or it is late."""
    try:
        async with asyncio.timeout(USABLE_SECONDS):
            while keeper.poll() is None:
                known = ledger.read(site.ledger)
                if known is not None and known.keeper.number == keeper.pid and known.usable_after_seconds is not None:
                    return known
                await asyncio.sleep(LOOK_SECONDS)
    except TimeoutError:
        pass
    return None
