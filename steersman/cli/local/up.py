"""`steer up`: a whole cluster of real processes on this machine, with one command and no other service."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import click

from steersman.base import log, run
from steersman.base.clock import SystemClock
from steersman.base.log import Level, Style
from steersman.base.run import Stopping
from steersman.cli.local import detaching, live, lock, options, plan, processes, starting, view, watching
from steersman.cli.local import ledger as ledgers
from steersman.cli.local.keeper import Keeper
from steersman.cli.local.ledger import Ledger
from steersman.cli.local.live import Lines, Screen
from steersman.cli.local.site import Site
from steersman.cli.local.starting import Asked, Settled

MANY = click.IntRange(min=1, max=99)
PORT = click.IntRange(min=1, max=65535)


@click.command()
@options.of_cluster
@click.option(
    "--etcd", multiple=True, metavar="URL", help="Use this etcd (repeat for each member), not the embedded store."
)
@click.option("--etcd-root", default="", help="A prefix for all keys in etcd, so that several clusters share one.")
@click.option("--api-servers", type=MANY, default=1, show_default=True, help="More than one needs --etcd.")
@click.option("--controller-managers", type=click.IntRange(0, 99), default=2, show_default=True)
@click.option("--nodes", type=click.IntRange(0, 1000), default=2, show_default=True, help="Named node-0, node-1, …")
@click.option(
    "--runtime",
    type=click.Choice(["auto", "docker", "hollow"]),
    default="auto",
    show_default=True,
    help="docker runs containers, hollow plays it; auto: docker where an engine answers.",
)
@click.option(
    "--kubeconfig", type=click.Path(dir_okay=False, path_type=Path), help="Write kubectl's settings there too."
)
@click.option("--rest-port", type=PORT, help="For kubectl.  [default: 6443, or any free one for a named cluster]")
@click.option("--grpc-port", type=PORT, help="For steer and the components.  [default: 6444, or any free one]")
@click.option("--otlp", default="", metavar="URL", help="Send traces there, such as http://127.0.0.1:4317.")
@click.option("-d", "--detach", is_flag=True, help="Return as soon as the cluster is usable; steer down ends it.")
def up(
    name: str | None,
    data_dir: Path | None,
    etcd: tuple[str, ...],
    etcd_root: str,
    api_servers: int,
    controller_managers: int,
    nodes: int,
    runtime: str,
    kubeconfig: Path | None,
    rest_port: int | None,
    grpc_port: int | None,
    otlp: str,
    detach: bool,  # noqa: FBT001 -- click passes flags so
) -> None:
    """Start a cluster on this machine and keep it running.

    An API server, two controller managers of which one leads, and two nodes, each a process of its own. What dies is
    started again. Data, certificates and logs are in the cluster's folder and stay there.
    """
    site = options.the_site(name, data_dir)
    asked = Asked(
        api_servers=api_servers,
        controller_managers=controller_managers,
        nodes=nodes,
        runtime=runtime,
        etcd=etcd,
        etcd_root=etcd_root,
        rest_port=rest_port,
        grpc_port=grpc_port,
        otlp=otlp,
    )
    written_to = kubeconfig.expanduser().absolute() if kubeconfig is not None else site.kubeconfig
    if detach:
        detaching.start(site, asked, written_to)
        return
    log.configure(Level.ERROR, Style.CONSOLE)
    began = SystemClock().monotonic()
    try:
        with lock.held(site.lock):
            settled = asyncio.run(_prepared(site, asked))
            sys.exit(_keep(site, settled, written_to, began))
    except lock.Held:
        raise click.ClickException(_already_runs(site)) from None


def _already_runs(site: Site) -> str:
    known = ledgers.read(site.ledger)
    keeper = f" (pid {known.keeper.number})" if known is not None else ""
    return (
        f'cluster "{site.name}" runs already{keeper}: steer status{site.flags} shows it,'
        f" steer down{site.flags} ends it, --name starts another beside it"
    )


async def _prepared(site: Site, asked: Asked) -> Settled:
    for left in await starting.clear_leftovers(site):
        click.echo(f"{left} was still running from an earlier steer up: ended, to be started anew", err=True)
    return await starting.settle(asked, site)


def _keep(site: Site, settled: Settled, kubeconfig: Path, began: float) -> int:
    """Until Ctrl-C or SIGTERM; the exit code."""
    clock = SystemClock()
    me = processes.identify(os.getpid())
    assert me is not None, "a running process is known to the system"
    wish = settled.wish
    begun = Ledger(
        name=site.name,
        keeper=me,
        began_at=clock.now(),
        grpc=wish.grpc,
        rest=wish.rest,
        runtime=wish.runtime,
        runtime_reason=settled.runtime_reason,
        kubeconfig=str(kubeconfig),
        otlp=wish.otlp,
    )
    console = live.console()
    output = Screen(site, console, clock) if console.is_terminal else Lines()
    keeper = Keeper(site, plan.components(wish, site), begun, clock, output.tell)

    async def serve(stopping: Stopping) -> None:
        async with asyncio.TaskGroup() as tasks:
            showing = [
                tasks.create_task(output.show(keeper)),
                tasks.create_task(_announce(site, keeper, clock, began, output)),
            ]
            try:
                await keeper.run(stopping)
            finally:
                for task in showing:
                    task.cancel()

    code = run.run(serve)
    click.echo(f'cluster "{site.name}" has ended; its data is in {site.folder}')
    return code


async def _announce(site: Site, keeper: Keeper, clock: SystemClock, began: float, output: Screen | Lines) -> None:
    await watching.note_when_usable(site, keeper, clock, began)
    output.tell(f"usable after {keeper.ledger.usable_after_seconds} s")
    if isinstance(output, Lines):
        output.tell(view.places(keeper.ledger).plain)
