"""Before the first process starts: settle what was left open, refuse what cannot work, clear what was left behind."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from steersman.cli.local import engine, ledger, ports, processes
from steersman.cli.local.ledger import Ledger
from steersman.cli.local.plan import Wish
from steersman.cli.local.ports import Ports
from steersman.cli.local.site import DEFAULT_NAME, Site

LEFTOVER_SECONDS = 10.0

_SERVER = re.compile(r"(?m)^(\s+server: ).*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The flags of `steer up` as given."""

    api_servers: int
    controller_managers: int
    nodes: int
    runtime: str
    etcd: tuple[str, ...]
    etcd_root: str
    rest_port: int | None
    grpc_port: int | None
    otlp: str


@dataclass(frozen=True, slots=True)
class Settled:
    wish: Wish
    runtime_reason: str


async def settle(asked: Asked, site: Site) -> Settled:
    """A click error, in words, for what cannot work here."""
    if asked.api_servers > 1 and not asked.etcd:
        raise click.UsageError("--api-servers above 1 needs --etcd: the embedded store belongs to one API server")
    engine_url = engine.url(os.environ)
    runtime, reason = await _runtime(asked.runtime, engine_url)
    chosen = _ports(asked, site)
    wish = Wish(
        grpc=chosen.grpc,
        rest=chosen.rest,
        runtime=runtime,
        controller_managers=asked.controller_managers,
        nodes=asked.nodes,
        etcd=asked.etcd,
        etcd_root=asked.etcd_root,
        otlp=asked.otlp,
        docker_url=engine_url if engine_url != engine.DEFAULT_URL else "",
    )
    return Settled(wish, reason)


async def _runtime(asked: str, engine_url: str) -> tuple[str, str]:
    if asked == "hollow":
        return "hollow", ""
    trouble = await engine.trouble(engine_url)
    if not trouble:
        return "docker", ""
    if asked == "docker":
        raise click.ClickException(f"{trouble}: start it, or use --runtime hollow")
    return "hollow", trouble


def _ports(asked: Asked, site: Site) -> Ports:
    known = ledger.read(site.ledger)
    before = Ports(known.grpc, known.rest) if known is not None else None
    wanted = ports.wanted(
        asked.api_servers, asked.rest_port, asked.grpc_port, before, are_usual=site.name == DEFAULT_NAME
    )
    if wanted is None:
        return ports.free(asked.api_servers)
    taken = ports.taken(wanted.all)
    if taken:
        raise click.ClickException(
            f"{', '.join(taken)}: already in use by another program."
            " Choose others with --rest-port and --grpc-port, or a cluster of its own with --name."
        )
    return wanted


async def clear_leftovers(site: Site) -> Sequence[str]:
    """End what a keeper that was killed has left running; its names. Containers run on, and are adopted."""
    known = ledger.read(site.ledger)
    if known is None:
        return []
    left = [part for part in known.parts if processes.is_alive(part.pid)]
    await processes.end([part.pid for part in left if part.pid is not None], LEFTOVER_SECONDS)
    return [part.name for part in left]


def write_kubeconfig(site: Site, ledger_: Ledger) -> None:
    """The administrator's, pointing at the first API server whichever of them wrote its own last."""
    text = _SERVER.sub(rf'\g<1>"https://{ledger_.rest[0]}"', site.admin_config.read_text())
    for file in {site.kubeconfig, Path(ledger_.kubeconfig)}:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.new")
        fresh.touch(mode=0o600)
        fresh.write_text(text)
        os.replace(fresh, file)
