"""`steer api-resources`: every kind that the server serves."""

from __future__ import annotations

import click

from steersman.cli import refusals, session, tables
from steersman.cli.session import Session


@click.command("api-resources")
@session.with_session
@click.option("--namespaced", type=bool, default=None, help="Only those that live in namespaces, or only the others.")
@click.option("--api-group", default=None, help="Only those of this group.")
@click.option("-o", "--output", type=click.Choice(["", "wide", "name"]), default="")
@click.option("--no-headers", is_flag=True, help="Rows alone.")
def api_resources(
    session: Session,
    namespaced: bool | None,  # noqa: FBT001 -- click passes flags so
    api_group: str | None,
    output: str,
    no_headers: bool,  # noqa: FBT001
) -> None:
    """Show every kind that the server serves."""
    refusals.carried_out(_listed(session, namespaced, api_group, output, headers=not no_headers), session.server)


async def _listed(session: Session, namespaced: bool | None, group: str | None, output: str, *, headers: bool) -> None:  # noqa: FBT001
    async with session.opened() as api:
        found = sorted(await api.kinds(), key=lambda kind: (kind.group, kind.resource))
    chosen = [
        kind
        for kind in found
        if (namespaced is None or kind.namespaced == namespaced) and (group is None or kind.group == group)
    ]
    if output == "name":
        for kind in chosen:
            click.echo(f"{kind.resource}.{kind.group}" if kind.group else kind.resource)
        return
    wide = output == "wide"
    rows = [["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", *(["VERBS", "CATEGORIES"] if wide else [])]]
    for kind in chosen:
        version = f"{kind.group}/{kind.version}" if kind.group else kind.version
        row = [kind.resource, ",".join(kind.short_names), version, str(kind.namespaced).lower(), kind.kind]
        rows.append([*row, *([",".join(kind.verbs), ",".join(kind.categories)] if wide else [])])
    click.echo(tables.aligned(rows if headers else rows[1:]), nl=False)
