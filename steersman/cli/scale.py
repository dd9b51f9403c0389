"""`steer scale`: how many there shall be."""

from __future__ import annotations

from collections.abc import Sequence

import click

from steersman.api.errors import ApiError
from steersman.api.kinds import Kind
from steersman.cli import arguments, naming, refusals, session
from steersman.cli.naming import Wanted
from steersman.cli.session import Session
from steersman.client.client import Client


@click.command()
@click.argument("what", nargs=-1, metavar="TYPE NAME… | TYPE/NAME…", shell_complete=arguments.complete)
@session.with_session
@click.option("--replicas", type=click.IntRange(min=0), required=True, help="How many there shall be.")
@click.option("--current-replicas", type=click.IntRange(min=0), help="Only if there are so many now.")
def scale(session: Session, what: tuple[str, ...], replicas: int, current_replicas: int | None) -> None:
    """Set the number of replicas of a Deployment, ReplicaSet, StatefulSet or ReplicationController."""
    wanted = arguments.understood(naming.wanted, what)
    if not all(one.names for one in wanted):
        refusals.fail("error: resource(s) were provided, but no name was specified")
    refusals.carried_out(_scaled(session, wanted, replicas, current_replicas), session.server)


async def _scaled(session: Session, wanted: Sequence[Wanted], replicas: int, current: int | None) -> None:
    problems: list[str] = []
    async with session.opened() as api:
        for kind, name in ((one.kind, name) for one in wanted for name in one.names):
            try:
                problems += await _one(api, kind, name, session.namespace, replicas, current)
            except ApiError as error:
                problems.append(refusals.text_of(error, session.server))
    if problems:
        refusals.fail("\n".join(problems))


async def _one(api: Client, kind: Kind, name: str, namespace: str, replicas: int, current: int | None) -> list[str]:
    """What speaks against it, if anything."""
    version = ""
    if current is not None:
        found = await api.of(kind).get_scale(name, namespace)
        version = found.metadata.resource_version
        if found.spec.replicas != current:
            return [f"error: Expected replicas to be {current}, was {found.spec.replicas}"]
    await api.of(kind).scale(name, namespace, replicas, resource_version=version)
    click.echo(f"{naming.reference(kind, name)} scaled")
    return []
