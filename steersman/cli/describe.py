"""`steer describe`: all about objects, with what happened to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from steersman.api.core import Event
from steersman.api.errors import NotFound
from steersman.base.clock import SystemClock
from steersman.cli import arguments, describing, happenings, naming, refusals, session, tables
from steersman.cli.naming import Wanted
from steersman.cli.session import Session
from steersman.client.client import Client


@click.command()
@click.argument("what", nargs=-1, metavar="TYPE [NAME…] | TYPE/NAME…", shell_complete=arguments.complete)
@session.with_session
@click.option("-l", "--selector", default="", help="Only objects with these labels.")
@click.option("-A", "--all-namespaces", is_flag=True, help="In every namespace.")
@click.option("--show-events/--no-show-events", default=True, help="What happened to them.")
def describe(
    session: Session,
    what: tuple[str, ...],
    selector: str,
    all_namespaces: bool,  # noqa: FBT001 -- click passes flags so
    show_events: bool,  # noqa: FBT001
) -> None:
    """Show all about objects, with what happened to them."""
    wanted = arguments.understood(naming.wanted, what)
    namespace = "" if all_namespaces else session.namespace
    refusals.carried_out(_described(session, wanted, namespace, selector, events=show_events), session.server)


async def _described(
    session: Session, wanted: Sequence[Wanted], namespace: str, selector: str, *, events: bool
) -> None:
    problems: list[str] = []
    shown = 0
    async with session.opened() as api:
        for one in wanted:
            for document in await _documents(api, one, namespace, selector, problems):
                click.echo("\n\n" if shown else "", nl=False)
                click.echo(describing.text(document), nl=False)
                if events:
                    click.echo(await _events(api, one, document), nl=False)
                shown += 1
    if not shown and not problems:
        refusals.complain(f"No resources found{f' in {namespace} namespace.' if namespace else ''}")
    if problems:
        refusals.fail("\n".join(problems))


async def _documents(
    api: Client, one: Wanted, namespace: str, selector: str, problems: list[str]
) -> list[dict[str, Any]]:
    raw, place = api.raw(one.kind), namespace if one.kind.namespaced else ""
    if not one.names:
        return [
            msgspec.json.decode(each) async for page in raw.pages(place, label_selector=selector) for each in page.items
        ]
    found = []
    for name in one.names:
        try:
            found.append(msgspec.json.decode(await raw.get(name, place)))
        except NotFound as error:
            problems.append(refusals.text_of(error))
    return found


async def _events(api: Client, one: Wanted, document: dict[str, Any]) -> str:
    metadata = document["metadata"]
    # Events about what lives outside namespaces are in "default".
    place = metadata.get("namespace") or "default"
    selector = happenings.selector(one.kind.kind, metadata["name"])
    found = (await api.of(Event).list(place, field_selector=selector)).items
    about = [event for event in found if event.involved_object.uid in ("", metadata.get("uid"), metadata["name"])]
    if not about:
        return "Events:        <none>\n"
    rows = happenings.described(about, SystemClock().now())
    return "Events:\n" + "".join(f"  {line}\n" for line in tables.aligned(rows).splitlines())
