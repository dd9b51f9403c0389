"""`steer events`: what happened, oldest first."""

from __future__ import annotations

import click

from steersman.api.core import Event
from steersman.base.clock import SystemClock
from steersman.cli import arguments, happenings, naming, refusals, session, tables
from steersman.cli.session import Session
from steersman.client.watching import Change, ChangeType


@click.command()
@session.with_session
@click.option("--for", "about", default="", metavar="TYPE/NAME", help="Only what happened to this object.")
@click.option("--types", default="", help="Only these types: Normal, Warning.")
@click.option("-A", "--all-namespaces", is_flag=True, help="In every namespace.")
@click.option("-w", "--watch", is_flag=True, help="Go on with what happens.")
def events(session: Session, about: str, types: str, all_namespaces: bool, watch: bool) -> None:  # noqa: FBT001 -- flags
    """Show what happened."""
    selector = ""
    if about:
        kind, name = arguments.understood(naming.one, [about])
        selector = happenings.selector(kind.kind, name)
    namespace = "" if all_namespaces else session.namespace
    wanted = {each.strip().lower() for each in types.split(",") if each.strip()}
    refusals.carried_out(_shown(session, namespace, selector, wanted, watch=watch), session.server)


async def _shown(session: Session, namespace: str, selector: str, types: set[str], *, watch: bool) -> None:
    clock = SystemClock()

    def row(event: Event) -> list[str]:
        before = [] if namespace else [event.metadata.namespace]
        return [*before, *happenings.row(event, clock.now())]

    def is_wanted(event: Event) -> bool:
        return not types or event.type.lower() in types

    async with session.opened() as api:
        page = await api.of(Event).list(namespace, field_selector=selector)
        chosen = [event for event in page.items if is_wanted(event)]
        header = [*([] if namespace else ["NAMESPACE"]), *happenings.HEADER]
        made = [header, *(row(event) for event in happenings.ordered(chosen))]
        if not chosen and not watch:
            refusals.complain(f"No events found{f' in {namespace} namespace' if namespace else ''}.")
            return
        click.echo(tables.aligned(made), nl=False)
        if not watch:
            return
        widths = tables.widths_of(made)
        following = api.of(Event).watch(after=page.revision, namespace=namespace, field_selector=selector)
        async with following:
            async for change in following:
                if not isinstance(change, Change) or change.type is ChangeType.DELETED:
                    continue
                if is_wanted(change.object):
                    click.echo(tables.aligned([row(change.object)], widths), nl=False)
